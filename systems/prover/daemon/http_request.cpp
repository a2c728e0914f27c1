// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/http_request.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace prover::daemon {
namespace {

HttpRequest refuse(int status, const char* why) {
  return {{}, HttpAnswer{.status = status, .body = std::string(why) + "\n"}};
}

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

}  // namespace

std::optional<HttpRequest> read_request(std::string_view text) {
  const std::size_t crlf = text.find("\r\n\r\n"), lf = text.find("\n\n");
  if (std::min(crlf, lf) == std::string_view::npos) {
    if (text.size() < kLongestRequest) return std::nullopt;
    return refuse(431, "the request is longer than 8 KiB");
  }
  if (std::min(crlf, lf) > kLongestRequest) return refuse(431, "the request is longer than 8 KiB");
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last ||
      !line.substr(last + 1).starts_with("HTTP/1."))
    return refuse(400, "this is no HTTP/1.1 request");
  std::string_view path = line.substr(first + 1, last - first - 1);
  path = path.substr(0, path.find('?'));
  const bool plain = std::ranges::all_of(path, [](char c) { return c > 0x20 && c < 0x7f; });
  if (!path.starts_with('/') || !plain) return refuse(400, "this is no path");
  if (line.substr(0, first) != "GET") return refuse(405, "only GET is served");
  return HttpRequest{std::string(path), std::nullopt};
}

std::string to_text(const HttpAnswer& answer) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n"
      "Cache-Control: no-store\r\n\r\n{}",
      answer.status, reason(answer.status), answer.type, answer.body.size(),
      answer.status == 405 ? "Allow: GET\r\n" : "", answer.body);
}

}  // namespace prover::daemon
