// SPDX-License-Identifier: Apache-2.0
#include "measure/contention.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <span>

namespace assay::measure {
namespace {

// The number at the beginning of `text`, which a character that is no digit must follow, else it
// may be cut. Takes it, and what follows it up to the next digit, off `text`.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end == text.data() + text.size()) return std::nullopt;
  if (*end != ' ' && *end != '\n') return std::nullopt;
  text.remove_prefix(std::size_t(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  return value;
}

int open_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

// The beginning of the file as it is now; empty when it cannot be read (no permission shows at read
// time for pressure files).
std::string_view reread(int file, std::span<char> buffer) {
  if (file < 0) return {};
  const ssize_t count = ::pread(file, buffer.data(), buffer.size(), 0);
  return {buffer.data(), count > 0 ? std::size_t(count) : 0};
}

std::optional<double> difference(const std::optional<std::uint64_t>& before,
                                 const std::optional<std::uint64_t>& after, double unit) {
  if (!before || !after || *after < *before) return std::nullopt;
  return double(*after - *before) * unit;
}

}  // namespace

std::optional<std::uint64_t> parse_pressure(std::string_view text) {
  if (!text.starts_with("some ")) return std::nullopt;
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t at = line.find(" total=");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + 7);
  return take_number(rest);
}

std::optional<std::uint64_t> parse_steal(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with("cpu ")) return std::nullopt;
  std::string_view rest = text.substr(4, end - 4 + 1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  std::optional<std::uint64_t> value;
  for (int field = 0; field < 8; ++field)
    if (!(value = take_number(rest))) return std::nullopt;
  return value;
}

std::optional<std::chrono::nanoseconds> parse_run_delay(std::string_view text) {
  const auto ran = take_number(text);
  const auto waited = ran ? take_number(text) : std::nullopt;
  const auto slices = waited ? take_number(text) : std::nullopt;
  if (!slices || *ran == 0 || *waited > std::uint64_t{INT64_MAX}) return std::nullopt;
  return std::chrono::nanoseconds(std::int64_t(*waited));
}

ContentionMeter::ContentionMeter(const std::string& root)
    : cpu_(open_read(root + "/proc/pressure/cpu")),
      memory_(open_read(root + "/proc/pressure/memory")),
      io_(open_read(root + "/proc/pressure/io")),
      stat_(open_read(root + "/proc/stat")) {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  tick_ = std::chrono::nanoseconds(1'000'000'000 / (ticks > 0 ? ticks : 100));
}

ContentionMeter::~ContentionMeter() {
  for (const int file : {cpu_, memory_, io_, stat_})
    if (file >= 0) ::close(file);
}

void ContentionMeter::read_pressure(Totals& totals) const {
  std::array<char, 256> buffer;
  totals.cpu_us = parse_pressure(reread(cpu_, buffer));
  totals.memory_us = parse_pressure(reread(memory_, buffer));
  totals.io_us = parse_pressure(reread(io_, buffer));
}

std::optional<std::uint64_t> ContentionMeter::read_steal() {
  std::array<char, 256> buffer;
  steal_read_at_ = std::chrono::steady_clock::now();
  return parse_steal(reread(stat_, buffer));
}

// The kernel writes all of /proc/stat for every read: 6.7 us with 2 CPUs against 1.5 us for a
// pressure file, and more with more CPUs. A reading younger than the tick it counts in serves
// again.
void ContentionMeter::start() {
  const bool is_fresh = steal_read_at_ != std::chrono::steady_clock::time_point() &&
                        std::chrono::steady_clock::now() - steal_read_at_ < tick_;
  if (!is_fresh) before_.steal_ticks = read_steal();
  read_pressure(before_);
}

Contention ContentionMeter::stop() {
  Totals after;
  read_pressure(after);
  after.steal_ticks = read_steal();
  Contention contention;
  contention.psi_cpu_s = difference(before_.cpu_us, after.cpu_us, 1e-6);
  contention.psi_memory_s = difference(before_.memory_us, after.memory_us, 1e-6);
  contention.psi_io_s = difference(before_.io_us, after.io_us, 1e-6);
  contention.steal_s = difference(before_.steal_ticks, after.steal_ticks,
                                  std::chrono::duration<double>(tick_).count());
  before_.steal_ticks = after.steal_ticks;
  return contention;
}

}  // namespace assay::measure
