// SPDX-License-Identifier: Apache-2.0
// As much of HTTP/1.1 as monitoring needs: GET of a path, one request a connection.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prover::daemon {

inline constexpr std::size_t kLongestRequest = 8192;  // line and headers

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

// What was read so far: nothing while more must come; then the path of a GET, without its query,
// or the answer that refuses it.
struct HttpRequest {
  std::string path;
  std::optional<HttpAnswer> refusal;
};
std::optional<HttpRequest> read_request(std::string_view text);

// With status line and headers; the connection ends behind it.
std::string to_text(const HttpAnswer& answer);

}  // namespace prover::daemon
