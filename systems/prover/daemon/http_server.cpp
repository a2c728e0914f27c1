// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/http_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "prover/base/text.hpp"
#include "prover/daemon/duration.hpp"
#include "prover/daemon/unix_socket.hpp"

namespace prover::daemon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostConnections = 32;
constexpr auto kLongest = std::chrono::seconds(5);  // of a connection
constexpr auto kPause =
    std::chrono::milliseconds(200);  // without accepting, for want of descriptors

struct Connection {
  int file = -1;
  Clock::time_point until;
  std::string in, out;  // out: what is not sent yet
  bool answered = false;
};

// Whether the connection goes on. The socket does not block.
bool read_some(Connection& connection, const HttpServer::Handler& handler) {
  char chunk[2048];
  const ssize_t size = recv(connection.file, chunk, sizeof chunk, 0);
  if (size == 0) return false;
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  connection.in.append(chunk, static_cast<std::size_t>(size));
  const auto request = read_request(connection.in);
  if (!request) return true;
  connection.out = to_text(request->refusal ? *request->refusal : handler(request->path));
  connection.answered = true;
  return true;
}

bool write_some(Connection& connection) {
  const ssize_t size =
      send(connection.file, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  connection.out.erase(0, static_cast<std::size_t>(size));
  return !connection.out.empty();
}

Result<int> listen_on_port(const Endpoint& endpoint) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (endpoint.host == "::1") {
    auto& address = reinterpret_cast<sockaddr_in6&>(storage);
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    address.sin6_port = htons(endpoint.port);
    size = sizeof address;
  } else {
    auto& address = reinterpret_cast<sockaddr_in&>(storage);
    address.sin_family = AF_INET;
    const std::string host = endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host;
    inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    address.sin_port = htons(endpoint.port);
    size = sizeof address;
  }
  const int file = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  if (file >= 0) setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (file >= 0 && bind(file, reinterpret_cast<sockaddr*>(&storage), size) == 0 &&
      ::listen(file, 64) == 0)
    return file;
  const int error = errno;
  if (file >= 0) close(file);
  return fail(ErrorKind::usage, fmt::format("cannot listen: {}", std::strerror(error)),
              fmt::format("http {}:{}", endpoint.host, endpoint.port),
              error == EADDRINUSE ? "another program has the port: choose another" : "");
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(const std::string& address, Handler handler) {
  std::unique_ptr<HttpServer> server(new HttpServer());
  server->handler_ = std::move(handler);
  if (address.starts_with("unix:")) {
    auto file = listen_on_socket(address.substr(5));
    if (!file) return fail(file.error());
    server->listener_ = *file;
    server->socket_ = address.substr(5);
  } else {
    const auto endpoint = parse_loopback(address);
    if (!endpoint) return fail(endpoint.error());
    auto file = listen_on_port(*endpoint);
    if (!file) return fail(file.error());
    server->listener_ = *file;
  }
  server->wake_ = eventfd(0, EFD_CLOEXEC);
  if (server->wake_ < 0)
    return fail(ErrorKind::failed, fmt::format("no eventfd: {}", std::strerror(errno)), "http");
  server->thread_ = std::thread([&self = *server] { self.serve(); });
  return server;
}

HttpServer::~HttpServer() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    (void)!write(wake_, &one, sizeof one);
    thread_.join();
  }
  for (const int file : {listener_, wake_})
    if (file >= 0) close(file);
  if (!socket_.empty()) unlink(socket_.c_str());
}

void HttpServer::serve() {
  std::vector<Connection> connections;
  Clock::time_point accept_again{};
  for (;;) {
    std::vector<pollfd> polled = {{wake_, POLLIN, 0}, {-1, POLLIN, 0}};
    if (connections.size() < kMostConnections && Clock::now() >= accept_again)
      polled[1].fd = listener_;
    for (const Connection& one : connections)
      polled.push_back({one.file, static_cast<short>(one.answered ? POLLOUT : POLLIN), 0});
    if (poll(polled.data(), polled.size(), connections.empty() && polled[1].fd >= 0 ? -1 : 200) <
            0 &&
        errno != EINTR)
      break;
    if (polled[0].revents != 0) break;
    const auto now = Clock::now();
    std::vector<Connection> kept;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      Connection& one = connections[i];
      bool goes_on = now < one.until;
      if (goes_on && polled[i + 2].revents != 0)
        goes_on = one.answered ? write_some(one) : read_some(one, handler_);
      if (goes_on)
        kept.push_back(std::move(one));
      else
        close(one.file);
    }
    connections = std::move(kept);
    if (polled[1].revents == 0) continue;
    const int file = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (file >= 0)
      connections.push_back({.file = file, .until = now + kLongest});
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      accept_again = now + kPause;  // who waits would be reported again and again
  }
  for (const Connection& one : connections) close(one.file);
}

}  // namespace prover::daemon
