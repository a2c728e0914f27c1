// SPDX-License-Identifier: Apache-2.0
// The service ProvingEngine (proving_engine.proto) on a unix socket, and on the loopback when that
// is asked for.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "prover/daemon/service.hpp"
#include "prover/daemon/tokens.hpp"

namespace prover::rpc {

struct ServerSettings {
  std::string socket;
  std::uint32_t socket_mode = 0600;
  std::string address;                   // HOST:PORT of the loopback, or empty
  std::optional<daemon::Tokens> tokens;  // of those who come over tcp
  std::uint64_t message_bytes = std::uint64_t{64} << 20;
};

class Server {
 public:
  // Listens when it returns. Errors: a socket or port in use, or not permitted. The service
  // outlives the server, and has drained when the server ends.
  static Result<std::unique_ptr<Server>> start(daemon::Service& service, ServerSettings settings);
  // Lets calls end for a second, and removes the socket.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace prover::rpc
