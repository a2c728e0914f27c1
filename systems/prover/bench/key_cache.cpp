// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/key_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "prover/base/text.hpp"
#include "prover/files/r1cs.hpp"
#include "prover/groth16/setup.hpp"

namespace prover::bench {
namespace {

// To be raised when a circuit changes: a key of the old one proves nothing about it.
constexpr int kVersion = 1;
constexpr std::uint64_t kTrapdoorSeed = 1;

constexpr const char* kWayOut = "--key-cache DIR names another folder, --key FILE.zkey a key";

// The maker's; the others wait for it. Gone with the process that held it, however it ends.
class Lock {
 public:
  static Result<Lock> take(const std::string& path) {
    Lock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (lock.file_ < 0)
      return fail(ErrorKind::usage, fmt::format("cannot write here: {}", std::strerror(errno)),
                  printable(path), kWayOut);
    while (flock(lock.file_, LOCK_EX) != 0)
      if (errno != EINTR)
        return fail(ErrorKind::failed, fmt::format("cannot lock: {}", std::strerror(errno)),
                    printable(path), kWayOut);
    return lock;
  }
  Lock(Lock&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  Lock& operator=(Lock&&) = delete;
  ~Lock() {
    if (file_ >= 0) close(file_);
  }

 private:
  explicit Lock(int file) : file_(file) {}
  int file_;
};

// A file that is only needed meanwhile.
struct Scratch {
  std::string path;
  ~Scratch() { unlink(path.c_str()); }
};

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

Result<void> make_key(const circuit::Request& request, const std::string& path, unsigned threads,
                      const std::function<bool(double)>& go_on) {
  const Scratch r1cs{path + ".r1cs"};
  const auto size = write_circuit(request, r1cs.path, std::nullopt, [&] { return go_on(0); });
  if (!size) return fail(size.error());
  const auto circuit = files::R1csFile::open(r1cs.path);
  if (!circuit) return fail(circuit.error());
  groth16::SetupOptions options;
  options.threads = threads;
  options.seed = kTrapdoorSeed;
  options.progress = go_on;
  return groth16::setup(circuit->circuit(), r1cs.path, path, options);
}

}  // namespace

std::string key_name(const circuit::Request& request) {
  std::string name(circuit::kind_name(request.kind));
  switch (request.kind) {
    case circuit::Kind::poseidon:
      if (request.depth) {
        name += fmt::format("-depth{}", *request.depth);
        break;
      }
      [[fallthrough]];
    case circuit::Kind::dense:
      name += fmt::format("-{}", request.constraints);
      break;
    case circuit::Kind::sha256:
      name += fmt::format("-bits{}", request.bits);
      break;
    case circuit::Kind::porep:
      name += fmt::format("-depth{}-challenges{}", request.depth.value_or(circuit::kPorepDepth),
                          request.challenges);
      break;
  }
  return fmt::format("{}-{}-v{}", name, curve_name(request.curve), kVersion);
}

Result<std::string> default_key_folder() {
  // A relative XDG_CACHE_HOME is to be ignored, says its specification.
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/')
    return fmt::format("{}/prover/keys", cache);
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return fmt::format("{}/.cache/prover/keys", home);
  return fail(ErrorKind::usage, "neither XDG_CACHE_HOME nor HOME says where keys may be kept",
              "--work", kWayOut);
}

Result<CachedKey> cached_key(const circuit::Request& request, const std::string& folder,
                             unsigned threads, const std::function<bool(double)>& go_on) {
  if (auto ok = circuit::check(request); !ok) return fail(ok.error());
  const std::string path = fmt::format("{}/{}.zkey", folder, key_name(request));
  if (is_there(path)) return CachedKey{path};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail(ErrorKind::usage, fmt::format("cannot make this folder: {}", error.message()),
                printable(folder), kWayOut);
  const auto lock = Lock::take(path + ".lock");
  if (!lock) return fail(lock.error());
  if (is_there(path)) return CachedKey{path};  // another process made it meanwhile
  if (auto made = make_key(request, path, threads, go_on); !made) return fail(made.error());
  return CachedKey{path, true};
}

}  // namespace prover::bench
