// SPDX-License-Identifier: Apache-2.0
// One thread that answers GETs on a unix socket or a port of the loopback: few connections at a
// time, each with a bounded request and a bounded time, so that nobody holds it up.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "prover/base/result.hpp"
#include "prover/daemon/http_request.hpp"

namespace prover::daemon {

class HttpServer {
 public:
  // Answers a path; called on the server's thread.
  using Handler = std::function<HttpAnswer(const std::string& path)>;

  // `address` is HOST:PORT of the loopback (port 0 is not taken) or unix:PATH. Errors: in use, not
  // permitted.
  static Result<std::unique_ptr<HttpServer>> start(const std::string& address, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

 private:
  HttpServer() = default;
  void serve();

  int listener_ = -1, wake_ = -1;  // wake_ is written to by the destructor
  std::string socket_;             // to be removed at the end
  Handler handler_;
  std::thread thread_;
};

}  // namespace prover::daemon
