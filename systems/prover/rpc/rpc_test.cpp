// SPDX-License-Identifier: Apache-2.0
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <proving_engine.grpc.pb.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "prover/daemon/testing.hpp"
#include "prover/rpc/client.hpp"
#include "prover/rpc/server.hpp"
#include "prover/rpc/status_codes.hpp"

namespace prover::rpc {
namespace {

using test::comes_true;

class Rpc : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "prover-rpc-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto tokens = daemon::Tokens::parse("alice 0123456789abcdef\n", "t");
    for (int port = 50000 + getpid() % 10000; !server_ && port < 61000; port += 97) {
      address_ = fmt::format("127.0.0.1:{}", port);
      auto server = Server::start(
          rig_.service(),
          {.socket = socket(), .address = address_, .tokens = *tokens, .message_bytes = 1 << 20});
      if (server) server_ = std::move(*server);
    }
    ASSERT_TRUE(server_);
    client_ = Client::create({.socket = socket()});
  }
  void TearDown() override {
    rig_.work().start_gate.open();
    rig_.service().drain(std::chrono::seconds(60));
    server_.reset();
    std::filesystem::remove_all(folder_);
  }
  std::string socket() const { return folder_ + "/p.sock"; }
  Client& client() { return *client_; }
  test::ServiceRig& rig() { return rig_; }
  const std::string& address() const { return address_; }

 private:
  std::string folder_, address_;
  test::ServiceRig rig_{"memory", {.queue = 2, .jobs_per_client = 2}};
  std::unique_ptr<Server> server_;
  std::unique_ptr<Client> client_;
};

daemon::JobRequest seeded(std::uint32_t partitions = 1) {
  return {.circuit = "fake", .seed = 1, .partitions = partitions, .client = "c"};
}

TEST_F(Rpc, ProvesAndAnswers) {
  struct stat status {};
  ASSERT_EQ(stat(socket().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto done = client().submit(seeded(3));
  ASSERT_TRUE(done) << done.error().to_text();
  const auto answers = client().await(done->id, std::nullopt, {});
  ASSERT_TRUE(answers) << answers.error().to_text();
  ASSERT_EQ(answers->size(), 3u);
  EXPECT_EQ((*answers)[2].proof, "proof 2");
  const auto job = client().status(done->id);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state, daemon::JobState::done);
  EXPECT_EQ(job->client, "c");
  EXPECT_EQ(client().status()->jobs.size(), 1u);
  EXPECT_NE(client().metrics()->find("prover_jobs_submitted_total 1\n"), std::string::npos);
  EXPECT_TRUE(client().prove(seeded(2), {}));
}

TEST_F(Rpc, RefusesWithTheKindAndTheWayOut) {
  daemon::JobRequest none{.circuit = "fake"}, other = seeded(), picky = seeded();
  other.circuit = "fkae";
  picky.circuit = "picky";
  EXPECT_EQ(client().submit(none).error().kind, ErrorKind::usage);
  EXPECT_EQ(client().submit(other).error().kind, ErrorKind::not_found);
  EXPECT_EQ(client().submit(picky).error().what, "witness 0: the witness is of another circuit");
  EXPECT_EQ(client().await("x", std::nullopt, {}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(client().cancel("x").error().kind, ErrorKind::not_found);
  daemon::JobRequest both = seeded();
  both.witnesses = {std::make_shared<const std::vector<std::byte>>(2)};
  EXPECT_EQ(client().submit(both).error().what, "a seed and witnesses in one job");
  daemon::JobRequest large{.circuit = "fake"};
  large.witnesses = {std::make_shared<const std::vector<std::byte>>(2 << 20)};
  EXPECT_EQ(client().submit(large).error().kind, ErrorKind::too_large);
  rig().work().start_gate.shut();
  ASSERT_TRUE(client().submit(seeded()) && client().submit(seeded()));
  const auto full = client().submit(seeded());
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().to_text(),
            "the queue is full: 2 jobs\n  await one and try again, or raise [limits] queue");
  EXPECT_EQ(full.error().kind, ErrorKind::exhausted);
}

TEST_F(Rpc, AWaitCanEndBeforeTheJob) {
  rig().work().start_gate.shut();
  const auto done = client().submit(seeded());
  ASSERT_TRUE(done);
  const auto late = client().await(done->id, std::chrono::milliseconds(20), {});
  EXPECT_EQ(late.error().kind, ErrorKind::deadline);
  const auto gone = client().await(done->id, std::nullopt, [] { return false; });
  EXPECT_EQ(gone.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(client().status(done->id)->state, daemon::JobState::pending);
  rig().work().start_gate.open();
  EXPECT_TRUE(client().await(done->id, std::nullopt, {}));
}

TEST_F(Rpc, CancelEndsTheJobForEverybody) {
  rig().work().start_gate.shut();
  const auto done = client().submit(seeded());
  ASSERT_TRUE(done);
  std::thread waiting([&] {
    EXPECT_EQ(client().await(done->id, std::nullopt, {}).error().kind, ErrorKind::cancelled);
  });
  EXPECT_TRUE(client().cancel(done->id));
  waiting.join();
  EXPECT_EQ(client().cancel(done->id).error().kind, ErrorKind::usage);
}

TEST_F(Rpc, AProveWhoseCallerHasGoneIsCancelled) {
  rig().work().start_gate.shut();
  EXPECT_EQ(client().prove(seeded(), [] { return false; }).error().kind, ErrorKind::cancelled);
  ASSERT_TRUE(comes_true([&] {
    const auto jobs = rig().service().jobs();
    return jobs.size() == 1 && jobs[0].state == daemon::JobState::cancelled;
  }));
}

TEST_F(Rpc, WhoComesOverTcpNeedsAToken) {
  const auto without = Client::create({.address = address()});
  const auto wrong = Client::create({.address = address(), .token = "0123456789abcdee"});
  EXPECT_FALSE(without->status());
  EXPECT_NE(wrong->submit(seeded()).error().what.find("a token"), std::string::npos);
  const auto alice = Client::create({.address = address(), .token = "0123456789abcdef"});
  const auto done = alice->submit(seeded());
  ASSERT_TRUE(done) << done.error().to_text();
  EXPECT_EQ(alice->status(done->id)->client, "alice");
}

TEST_F(Rpc, AStoppingDaemonSaysSo) {
  rig().service().drain(std::chrono::seconds(60));
  const auto refused = client().submit(seeded());
  EXPECT_EQ(refused.error().what, "the daemon is stopping and takes no new jobs");
  EXPECT_EQ(refused.error().kind, ErrorKind::draining);
  const auto nobody = Client::create({.socket = socket() + "x"});
  EXPECT_EQ(nobody->status().error().what, "no daemon answers");
}

// A server that ends cancels the calls it has: for their callers that is no interrupt.
TEST(StatusCodes, ACallThatTheServersEndCancelsMeansThatTheDaemonStops) {
  const grpc::ClientContext context;
  const Error error = to_error({grpc::StatusCode::CANCELLED, "CANCELLED"}, context, "p.sock");
  EXPECT_EQ(error.kind, ErrorKind::draining);
  EXPECT_EQ(error.what, "the daemon stops and did not answer");
}

TEST_F(Rpc, ASecondServerIsRefused) {
  const auto second = Server::start(rig().service(), {.socket = socket()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, "somebody listens on this socket already");
}

}  // namespace
}  // namespace prover::rpc
