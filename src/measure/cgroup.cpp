// SPDX-License-Identifier: Apache-2.0
// Ref: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of the Linux kernel.
#include "measure/cgroup.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

namespace assay::measure {
namespace {

constexpr std::string_view kPrefix = "assay-";

struct Files {
  const char* peak;
  const char* usage;
  const char* method;
};
constexpr Files kFilesOf[] = {
    {"/memory.max_usage_in_bytes", "/memory.usage_in_bytes", "cgroup v1 max_usage"},
    {"/memory.peak", "/memory.current", "cgroup v2 memory.peak"}};

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool write_to(const std::string& path, const std::string& text) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file &&
         ::write(file.value(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::optional<std::uint64_t> read_number(const Fd& file) {
  char text[32];
  const ssize_t got = ::pread(file.value(), text, sizeof text, 0);
  std::uint64_t value = 0;
  if (got <= 0 || std::from_chars(text, text + got, value).ec != std::errc()) return std::nullopt;
  return value;
}

bool has_word(const std::string& list, const std::string& word) {
  std::string padded = "," + list + ",";
  std::replace(padded.begin(), padded.end(), ' ', ',');
  std::replace(padded.begin(), padded.end(), '\n', ',');
  return padded.find("," + word + ",") != std::string::npos;
}

// Where a hierarchy is mounted and where in it this process is.
struct Place {
  std::string mount, group;
};

// Of /proc/self/mounts: "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0". Of /proc/self/cgroup:
// "4:memory:/user" for version 1, "0::/user" for version 2.
std::optional<Place> find_place(const CgroupMeter::Places& places, int version) {
  Place place;
  std::istringstream mounts(read_all(places.mounts));
  for (std::string line; place.mount.empty() && std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, folder, type, options;
    words >> device >> folder >> type >> options;
    const bool fits =
        version == 2 ? type == "cgroup2" : type == "cgroup" && has_word(options, "memory");
    if (fits) place.mount = folder;
  }
  std::istringstream groups(read_all(places.own_cgroups));
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool fits = version == 2 ? controllers.empty() : has_word(controllers, "memory");
    if (fits) place.group = line.substr(second + 1);
  }
  if (place.mount.empty() || place.group.empty()) return std::nullopt;
  if (place.group == "/") place.group.clear();
  return place;
}

// Groups of experiments that were killed: named after a process that is no more.
void remove_stale(const std::string& parent) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(parent.c_str()), ::closedir);
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    pid_t owner = 0;
    if (name.substr(0, kPrefix.size()) != kPrefix) continue;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), owner);
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH)
      ::rmdir((parent + "/" + entry->d_name).c_str());
  }
}

void remove_group(const std::string& path) {
  // The kernel lets go of the last process a moment after it was reaped.
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (::rmdir(path.c_str()) == 0 || errno != EBUSY) return;
    ::poll(nullptr, 0, 1);
  }
}

}  // namespace

Result<std::unique_ptr<CgroupMeter>> CgroupMeter::make(pid_t process, const Places& places) {
  std::string reason;
  for (const int version : {2, 1}) {
    const std::optional<Place> place = find_place(places, version);
    if (!place) continue;
    // A group that holds processes cannot hand the memory controller of version 2 down, but what is
    // above it can: upwards until one lets us in.
    std::string group = place->group;
    for (;;) {
      std::unique_ptr<CgroupMeter> meter(new CgroupMeter);
      const Result<void> entered = meter->enter(place->mount + group, version, process);
      if (entered) return meter;
      if (reason.empty()) reason = entered.error().to_text();
      if (group.empty()) break;
      group.erase(group.rfind('/'));
    }
  }
  if (reason.empty()) reason = "no memory cgroup is mounted";
  return fail(reason, {},
              "run as root, or inside 'systemd-run --user --scope -p Delegate=yes', to have one");
}

Result<void> CgroupMeter::enter(const std::string& parent, int version, pid_t process) {
  const Files& files = kFilesOf[version - 1];
  remove_stale(parent);
  parent_ = parent;
  version_ = version;
  process_ = process;
  method_ = files.method;
  const std::string path = parent + "/" + std::string(kPrefix) + std::to_string(::getpid()) + "-" +
                           std::to_string(process) +
                           (serial_ > 0 ? "-" + std::to_string(serial_) : std::string());
  if (::mkdir(path.c_str(), 0755) != 0)
    return fail(system_error("no memory cgroup can be made", errno, parent));
  Fd peak(::open((path + files.peak).c_str(), O_RDWR | O_CLOEXEC));
  if (!peak) {
    // memory.peak is read-only before Linux 6.12.
    peak.reset(::open((path + files.peak).c_str(), O_RDONLY | O_CLOEXEC));
    resettable_ = false;
  }
  Fd usage(::open((path + files.usage).c_str(), O_RDONLY | O_CLOEXEC));
  if (!peak || !usage || !write_to(path + "/cgroup.procs", std::to_string(process))) {
    const int error = errno;
    remove_group(path);
    return fail(system_error(!peak || !usage ? "the memory controller is not handed down here"
                                             : "the command cannot be moved into a cgroup",
                             error, parent));
  }
  const std::string old = std::move(path_);
  path_ = path;
  peak_ = std::move(peak);
  usage_ = std::move(usage);
  if (!old.empty()) remove_group(old);
  return {};
}

CgroupMeter::~CgroupMeter() {
  peak_.reset();
  usage_.reset();
  if (!path_.empty()) remove_group(path_);
}

// The next group in the place of this one, for kernels that cannot reset a peak.
bool CgroupMeter::renew() {
  ++serial_;
  return enter(parent_, version_, process_).has_value();
}

bool CgroupMeter::start() {
  before_.reset();
  if (resettable_) {
    // Version 1 wants the number 0, version 2 takes any text and resets for this descriptor.
    if (::pwrite(peak_.value(), "0\n", 2, 0) != 2) return false;
  } else if (!renew()) {
    return false;
  }
  before_ = read_number(usage_);
  return before_.has_value();
}

std::optional<std::uint64_t> CgroupMeter::stop() {
  if (!before_) return std::nullopt;
  const std::optional<std::uint64_t> peak = read_number(peak_);
  if (!peak) return std::nullopt;
  return *peak > *before_ ? *peak - *before_ : 0;
}

}  // namespace assay::measure
