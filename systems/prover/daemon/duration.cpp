// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/duration.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "prover/base/text.hpp"

namespace prover::daemon {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t milliseconds;
};
constexpr Unit kUnits[] = {{"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}};
constexpr std::uint64_t kLongest = 365 * kUnits[0].milliseconds;

bool is_loopback(const std::string& host) {
  if (host == "localhost" || host == "::1") return true;
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorKind::usage, fmt::format("'{}' is {}", printable(text), what), {},
                "write for example 250ms, 30s, 5m, 2h or 7d");
  };
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_count(text.substr(0, digits), 0, kLongest);
  if (!number) return wrong("no span of time");
  for (const Unit& unit : kUnits) {
    if (unit.name != text.substr(digits)) continue;
    if (*number > kLongest / unit.milliseconds) return wrong("longer than 365 days");
    return std::chrono::milliseconds(static_cast<std::int64_t>(*number * unit.milliseconds));
  }
  return wrong(digits == text.size() ? "a number without its unit" : "no span of time");
}

std::string show_duration_exactly(std::chrono::milliseconds span) {
  const auto count = static_cast<std::uint64_t>(span.count());
  for (const Unit& unit : kUnits)
    if (count > 0 && count % unit.milliseconds == 0)
      return fmt::format("{}{}", count / unit.milliseconds, unit.name);
  return "0s";
}

Result<Endpoint> parse_loopback(std::string_view text) {
  const auto colon = text.rfind(':');
  std::string host(text.substr(0, std::min(colon, text.size())));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const auto port =
      parse_count(colon == std::string_view::npos ? "" : text.substr(colon + 1), 1, 65535);
  if (!port)
    return fail(ErrorKind::usage, fmt::format("'{}' is no HOST:PORT", printable(text)), {},
                "write for example 127.0.0.1:50061");
  if (!is_loopback(host))
    return fail(
        ErrorKind::usage,
        fmt::format("'{}' is not of the loopback: other machines could reach it", printable(host)),
        {}, "use 127.0.0.1, and a tunnel (ssh -L, a TLS proxy) for other machines");
  return Endpoint{std::move(host), static_cast<std::uint16_t>(*port)};
}

}  // namespace prover::daemon
