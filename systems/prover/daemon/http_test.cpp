// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "prover/daemon/http_server.hpp"
#include "prover/daemon/status.hpp"
#include "prover/daemon/tokens.hpp"
#include "prover/daemon/unix_socket.hpp"

namespace prover::daemon {
namespace {

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "prover-http-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT_EQ(connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return file;
}

std::string ask(const std::string& path, const std::string& request) {
  const int file = connect_to(path);
  EXPECT_EQ(send(file, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string answer;
  char chunk[4096];
  for (ssize_t size; (size = recv(file, chunk, sizeof chunk, 0)) > 0;)
    answer.append(chunk, static_cast<std::size_t>(size));
  close(file);
  return answer;
}

TEST(HttpRequest, IsReadWhenItIsWhole) {
  EXPECT_FALSE(read_request(""));
  EXPECT_FALSE(read_request("GET /status HTTP/1.1\r\nHost: x\r\n"));
  const struct {
    const char* text;
    const char* path;
    int status;
  } cases[] = {{"GET /status HTTP/1.1\r\nHost: x\r\n\r\n", "/status", 0},
               {"GET /metrics?x=1 HTTP/1.0\n\n", "/metrics", 0},
               {"POST /status HTTP/1.1\r\n\r\n", "", 405},
               {"GET status HTTP/1.1\r\n\r\n", "", 400},
               {"GET /a b HTTP/1.1\r\n\r\n", "", 400},
               {"GET /\x01 HTTP/1.1\r\n\r\n", "", 400},
               {"GET /status\r\n\r\n", "", 400},
               {"GET /status HTTP/2\r\n\r\n", "", 400},
               {"\n\n", "", 400}};
  for (const auto& one : cases) {
    const auto request = read_request(one.text);
    ASSERT_TRUE(request) << one.text;
    EXPECT_EQ(request->path, one.path) << one.text;
    EXPECT_EQ(request->refusal ? request->refusal->status : 0, one.status) << one.text;
  }
  EXPECT_EQ(read_request(std::string(kLongestRequest, 'a'))->refusal->status, 431);
  EXPECT_EQ(
      read_request("GET / HTTP/1.1\r\n" + std::string(9000, 'a') + "\r\n\r\n")->refusal->status,
      431);
}

TEST_F(Folder, TheServerAnswersAndTakesItsSocketAway) {
  const std::string socket_path = path("http");
  {
    auto server = HttpServer::start("unix:" + socket_path, [](const std::string& asked) {
      return HttpAnswer{.status = asked == "/" ? 200 : 404, .body = "asked " + asked};
    });
    ASSERT_TRUE(server) << server.error().to_text();
    struct stat status {};
    ASSERT_EQ(stat(socket_path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    const int idle = connect_to(socket_path);  // says nothing, and holds nobody up
    const std::string answer = ask(socket_path, "GET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_TRUE(answer.ends_with("\r\n\r\nasked /")) << answer;
    EXPECT_TRUE(ask(socket_path, "GET /x HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    EXPECT_TRUE(ask(socket_path, "PUT / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    const auto second = HttpServer::start("unix:" + socket_path, {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().what, "somebody listens on this socket already");
    close(idle);
  }
  EXPECT_FALSE(std::filesystem::exists(socket_path));
}

TEST_F(Folder, ASocketThatWasLeftIsReplacedAndAFileIsNot) {
  const auto left = listen_on_socket(path("s"));
  ASSERT_TRUE(left);
  close(*left);
  EXPECT_TRUE(clear_socket(path("s")));
  EXPECT_FALSE(std::filesystem::exists(path("s")));
  std::ofstream(path("f")) << "x";
  EXPECT_EQ(clear_socket(path("f")).error().what, "this is there already, and no socket");
}

TEST(Tokens, StandForNames) {
  const auto tokens = Tokens::parse(
      "# ours\nalice 0123456789abcdef\nbob  fedcba9876543210fedcba # of the batch queue\n\n", "t");
  ASSERT_TRUE(tokens) << tokens.error().to_text();
  EXPECT_EQ(tokens->name_of("0123456789abcdef"), "alice");
  EXPECT_EQ(tokens->name_of("fedcba9876543210fedcba"), "bob");
  for (const char* none : {"", "0123456789abcde", "0123456789abcdeg", "0123456789abcdef0"})
    EXPECT_FALSE(tokens->name_of(none)) << none;
  EXPECT_EQ(Tokens::parse("alice short\n", "t").error().to_text(),
            "t:1: the token of 'alice' has fewer than 16 characters\n  make one: openssl rand -hex "
            "32");
  EXPECT_EQ(Tokens::parse("0123456789abcdef\n", "t").error().to_text(),
            "t:1: a line is NAME TOKEN");
  EXPECT_FALSE(Tokens::parse("# nothing\n", "t"));
}

TEST_F(Folder, TokensThatOthersCanReadAreRefused) {
  std::ofstream(path("t")) << "alice 0123456789abcdef\n";
  chmod(path("t").c_str(), 0644);
  EXPECT_EQ(Tokens::read(path("t")).error().what, "others can read these tokens");
  chmod(path("t").c_str(), 0600);
  EXPECT_TRUE(Tokens::read(path("t")));
  EXPECT_EQ(*read_client_token(path("t")), "0123456789abcdef");
  std::ofstream(path("t"), std::ios::app) << "bob 0123456789abcdef\n";
  EXPECT_FALSE(read_client_token(path("t")));
}

TEST(Status, IsJsonWhateverClientsSay) {
  DaemonStatus status;
  status.now = 61500;
  status.started = 60000;
  const JobStatus job{.id = "a", .client = "x\"\\\n\xc3", .circuit = "c", .error = "e"};
  const std::string text = status_json(status, std::span(&job, 1));
  EXPECT_NE(text.find("\"uptime_s\": 1.500"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("client": "x\"\\\u000a\u00c3")"), std::string::npos) << text;
  EXPECT_NE(text.find("\"memory_budget\": null"), std::string::npos);
}

TEST(Metrics, EachHasHelpAndType) {
  DaemonStatus status;
  status.budget = 1000;
  const std::string text = metrics_text(status);
  std::size_t begin = 0, metrics = 0;
  std::string last;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (line.starts_with("# HELP ") || line.starts_with("# TYPE ")) {
      last = line.substr(7, line.find(' ', 7) - 7);
      continue;
    }
    EXPECT_TRUE(line.starts_with(last)) << line;
    EXPECT_EQ(line.find("prover_"), 0u);
    ++metrics;
  }
  EXPECT_GT(metrics, 20u);
  EXPECT_EQ(begin, text.size());
}

}  // namespace
}  // namespace prover::daemon
