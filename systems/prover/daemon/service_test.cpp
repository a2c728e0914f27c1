// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/service.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "prover/daemon/testing.hpp"

namespace prover::daemon {
namespace {

using test::Box;
using test::comes_true;
using test::ServiceRig;

work::WitnessFile witness(std::size_t size, int fill = 0) {
  return std::make_shared<const std::vector<std::byte>>(size, static_cast<std::byte>(fill));
}

JobRequest seeded(std::uint32_t partitions = 1, const std::string& client = "c") {
  return {.circuit = "fake", .seed = 1, .partitions = partitions, .client = client};
}

class ServiceFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "prover-service-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/journal.db"; }

 private:
  std::string folder_;
};

TEST(Service, ProvesAndAnswersAsOftenAsAsked) {
  ServiceRig rig;
  const std::string id = rig.submit(3);
  for (int i = 0; i < 2; ++i) {
    const auto end = rig.await(id);
    ASSERT_TRUE(end) << end.error().to_text();
    EXPECT_EQ(end->state, JobState::done);
    ASSERT_EQ(end->answers.size(), 3u);
    EXPECT_EQ(end->answers[2].proof, "proof 2");
  }
  EXPECT_EQ(rig.service().status(id)->state, JobState::done);
  EXPECT_EQ(rig.service().status().done, 1u);
  EXPECT_EQ(rig.await("nothing").error().kind, ErrorKind::not_found);
}

TEST(Service, AFailedJobEndsWithItsOwnError) {
  ServiceRig rig;
  rig.work().failure = [](test::Step step, const Task& task) -> std::optional<Error> {
    if (step == test::Step::start && task.job == JobId{1})
      return Error{"no such gate", "constraint 7", {}, ErrorKind::failed};
    return std::nullopt;
  };
  const std::string bad = rig.submit(), good = rig.submit();
  const auto end = rig.await(bad);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, JobState::failed);
  EXPECT_NE(end->error->to_text().find("no such gate"), std::string::npos);
  EXPECT_EQ(rig.await(good)->state, JobState::done);
}

// The engine numbers its jobs from 1; nobody but the daemon knows these numbers.
TEST(Service, ErrorsNameTheJobByItsOwnId) {
  ServiceRig rig;
  rig.work().failure = [](test::Step step, const Task& task) -> std::optional<Error> {
    if (step == test::Step::start && task.job == JobId{1})
      return Error{"partition 0 of job 00000001 is odd", "job 00000001", {}, ErrorKind::failed};
    return std::nullopt;
  };
  const std::string bad = rig.submit();
  ASSERT_TRUE(rig.await(bad));
  const std::string text = rig.service().status(bad)->error;
  EXPECT_EQ(text.find("00000001"), std::string::npos) << text;
  EXPECT_NE(text.find("job " + bad + " is odd"), std::string::npos) << text;
  rig.work().start_gate.shut();
  const std::string gone = rig.submit();
  ASSERT_TRUE(*rig.service().cancel(gone));
  EXPECT_EQ(rig.await(gone)->error->to_text(), "job " + gone + ": the job was cancelled");
}

TEST(Service, LogsALineForEachEventOfAJob) {
  ServiceRig rig;
  rig.work().start_gate.shut();
  const std::string gone = rig.submit(2);
  ASSERT_TRUE(*rig.service().cancel(gone));
  ASSERT_TRUE(rig.await(gone));
  JobRequest picky = seeded(1, "a\nb");
  picky.circuit = "picky";
  ASSERT_FALSE(rig.service().submit(picky));
  const std::vector<std::string> expected = {
      "job " + gone + " taken: client '', circuit 'fake', partitions 2",
      "job " + gone + " cancelled: the job was cancelled",
      "refused: client 'a\\x0ab': witness 0: the witness is of another circuit"};
  EXPECT_EQ(rig.log(), expected);
  rig.work().start_gate.open();
  const std::string done = rig.submit();
  ASSERT_TRUE(rig.await(done));
  ASSERT_TRUE(comes_true([&] { return rig.log().size() == 5; }));
  const auto lines = rig.log();
  EXPECT_TRUE(std::ranges::any_of(
      lines, [&](const std::string& line) { return line.starts_with("job " + done + " done: "); }));
}

TEST(Service, RefusesBeforeAnythingIsStored) {
  const Limits limits{.queue = 3, .jobs_per_client = 2, .partitions = 4, .witness_bytes = 1000};
  Options options;
  options.memory_budget = 99;  // a FakeWork partition has 100
  ServiceRig small("memory", {}, options), rig("memory", limits);
  EXPECT_EQ(small.service().submit(seeded()).error().kind, ErrorKind::too_large);
  rig.work().start_gate.shut();
  const auto kind = [&](JobRequest request) {
    const auto done = rig.service().submit(std::move(request));
    return done ? std::optional<ErrorKind>() : done.error().kind;
  };
  JobRequest none{.circuit = "fake"}, other = seeded(), picky = seeded();
  other.circuit = "fkae";
  picky.circuit = "picky";
  JobRequest large{.circuit = "fake", .witnesses = {witness(1001)}};
  JobRequest half{.circuit = "fake", .witnesses = {witness(600)}, .client = "w"};
  EXPECT_EQ(kind(none), ErrorKind::usage);
  EXPECT_EQ(kind(other), ErrorKind::not_found);
  EXPECT_EQ(kind(picky), ErrorKind::usage);
  EXPECT_EQ(kind(seeded(5)), ErrorKind::too_large);
  EXPECT_EQ(kind(large), ErrorKind::too_large);
  EXPECT_EQ(kind(half), std::nullopt);
  EXPECT_EQ(kind(half), ErrorKind::exhausted);  // 600 + 600
  EXPECT_EQ(kind(seeded()), std::nullopt);
  EXPECT_EQ(kind(seeded()), std::nullopt);
  EXPECT_EQ(kind(seeded(1, "d")), ErrorKind::exhausted);  // the queue
  rig.work().start_gate.open();
  ASSERT_TRUE(comes_true([&] { return rig.service().status().pending == 0; }));
  EXPECT_EQ(kind(half), std::nullopt);
  EXPECT_EQ(rig.service().status().refused, 7u);
  EXPECT_EQ(rig.journal().jobs()->size(), 4u);
}

TEST(Service, LimitsTheJobsOfEachClient) {
  ServiceRig rig("memory", {.jobs_per_client = 1});
  rig.work().start_gate.shut();
  ASSERT_TRUE(rig.service().submit(seeded(1, "a")));
  EXPECT_EQ(rig.service().submit(seeded(1, "a")).error().kind, ErrorKind::exhausted);
  EXPECT_TRUE(rig.service().submit(seeded(1, "b")));
}

TEST(Service, ARequestIdIsOneJob) {
  ServiceRig rig;
  JobRequest request = seeded(2);
  request.request_id = "r";
  const auto first = rig.service().submit(request), second = rig.service().submit(request);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->is_new);
  EXPECT_FALSE(second->is_new);
  EXPECT_EQ(first->id, second->id);
  request.client = "somebody else";
  EXPECT_NE(rig.service().submit(request)->id, first->id);
  JobRequest changed = seeded(3);
  changed.request_id = "r";
  EXPECT_EQ(rig.service().submit(changed).error().kind, ErrorKind::usage);
  JobRequest files{.circuit = "fake", .witnesses = {witness(5, 1)}, .request_id = "f"};
  ASSERT_TRUE(rig.service().submit(files));
  files.witnesses = {witness(5, 2)};
  EXPECT_EQ(rig.service().submit(files).error().kind, ErrorKind::usage);
}

TEST(Service, CancelsOne) {
  ServiceRig rig;
  rig.work().start_gate.shut();
  const std::string a = rig.submit(2), b = rig.submit(2);
  EXPECT_TRUE(*rig.service().cancel(a));
  EXPECT_EQ(rig.await(a)->state, JobState::cancelled);
  EXPECT_FALSE(*rig.service().cancel(a));
  EXPECT_EQ(rig.service().cancel("x").error().kind, ErrorKind::not_found);
  rig.work().start_gate.open();
  EXPECT_EQ(rig.await(b)->state, JobState::done);
}

TEST(Service, AWaitThatIsGivenUpLeavesTheJob) {
  ServiceRig rig;
  rig.work().start_gate.shut();
  const std::string id = rig.submit();
  const auto called = std::make_shared<Box<bool>>();
  const std::uint64_t ticket =
      rig.service().await(id, [called](const Result<JobEnd>&) { called->put(true); });
  ASSERT_NE(ticket, 0u);
  EXPECT_TRUE(rig.service().give_up(ticket));
  EXPECT_FALSE(rig.service().give_up(ticket));
  rig.work().start_gate.open();
  EXPECT_EQ(rig.await(id)->state, JobState::done);
  EXPECT_FALSE(called->is_full());
}

TEST(Service, KeepsAnswersByCountAndAge) {
  ServiceRig rig("memory", {.answers = 2, .answers_age = std::chrono::milliseconds(500)});
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(rig.submit());
    ASSERT_TRUE(rig.await(ids.back()));
  }
  rig.submit(1, "last");  // makes room: two ended ones stay
  EXPECT_EQ(rig.service().status(ids[1]).error().kind, ErrorKind::not_found);
  EXPECT_TRUE(rig.service().status(ids[2]) && rig.service().status(ids[3]));
  ASSERT_TRUE(comes_true([&] { return rig.service().status().pending == 0; }));
  rig.now += 501;
  rig.submit();
  EXPECT_EQ(rig.service().jobs().size(), 1u);
  ASSERT_TRUE(comes_true([&] { return rig.service().status().pending == 0; }));
}

TEST_F(ServiceFile, PendingJobsAreProvedAfterARestart) {
  std::string done, waiting, files;
  {
    ServiceRig rig(path());
    done = rig.submit(1, "done");
    ASSERT_TRUE(rig.await(done));
    rig.work().start_gate.shut();
    waiting = rig.submit(2, "waiting");
    files = rig.service().submit({.circuit = "fake", .witnesses = {witness(9), witness(9)}})->id;
    const auto told = std::make_shared<Box<Result<JobEnd>>>();
    rig.service().await(waiting, [told](Result<JobEnd> end) { told->put(std::move(end)); });
    const Drained drained = rig.service().drain(std::chrono::milliseconds(0));
    EXPECT_EQ(drained.handed_back, 2u);
    const auto end = told->take();
    EXPECT_EQ(end.error().kind, ErrorKind::draining);
    EXPECT_NE(end.error().what.find("is kept"), std::string::npos);
    EXPECT_EQ(rig.service().submit(seeded()).error().kind, ErrorKind::draining);
    EXPECT_EQ(rig.await(files).error().kind, ErrorKind::draining);
    EXPECT_EQ(rig.await(done)->state, JobState::done);
  }
  ServiceRig rig(path());
  EXPECT_EQ(rig.await(waiting)->answers.size(), 2u);
  EXPECT_EQ(rig.await(files)->answers.size(), 2u);
  EXPECT_EQ(rig.await(done)->answers.size(), 1u);
  EXPECT_EQ(rig.submit(1, "done"), done);  // answered once, also now
  EXPECT_EQ(rig.service().status().done, 2u);
}

TEST_F(ServiceFile, AJobWhoseCircuitIsNotConfiguredWaitsForIt) {
  {
    const auto journal = Journal::open(path());
    ASSERT_TRUE(journal);
    StoredJob job;
    job.status = {.id = "lost", .circuit = "gone", .partitions = 1, .submitted = 1};
    job.seed = 1;
    ASSERT_TRUE((*journal)->add(job, {}));
  }
  for (int restart = 0; restart < 2; ++restart) {
    ServiceRig rig(path());
    EXPECT_EQ(rig.service().status("lost")->state, JobState::pending);
    EXPECT_EQ(rig.service().drain(std::chrono::milliseconds(0)).handed_back, 1u);
  }
  ServiceRig rig(path());
  EXPECT_TRUE(*rig.service().cancel("lost"));
  EXPECT_EQ(rig.await("lost")->state, JobState::cancelled);
  EXPECT_FALSE(*rig.service().cancel("lost"));
}

TEST(Service, DrainsToTheEndWhereNothingWouldBeKept) {
  ServiceRig rig;
  const std::string id = rig.submit(3);
  EXPECT_EQ(rig.service().drain(std::chrono::seconds(60)).handed_back, 0u);
  EXPECT_EQ(rig.await(id)->state, JobState::done);
  EXPECT_TRUE(rig.service().status().draining);
}

TEST_F(ServiceFile, DrainingLetsWhatIsInFlightEnd) {
  Options options;
  options.partition_workers = 1;
  ServiceRig rig(path(), {}, options);
  rig.work().start_gate.shut();
  const std::string in_flight = rig.submit();
  ASSERT_TRUE(comes_true([&] { return rig.work().synthesised() == 1; }));
  // One is on the device; at most four more have begun: queued, in its send, in its synthesis, with
  // the dispatcher.
  std::string waiting;
  for (int i = 0; i < 6; ++i) waiting = rig.submit();
  std::thread drain(
      [&] { EXPECT_GE(rig.service().drain(std::chrono::seconds(60)).handed_back, 1u); });
  EXPECT_EQ(rig.await(waiting).error().kind, ErrorKind::draining);
  rig.work().start_gate.open();
  EXPECT_EQ(rig.await(in_flight)->state, JobState::done);
  drain.join();
  EXPECT_EQ(rig.service().status(waiting)->state, JobState::pending);
}

TEST_F(ServiceFile, WithoutMemoryTheJobsStayAndTheServiceTells) {
  std::string id;
  {
    ServiceRig rig(path());
    rig.work().failure = [](test::Step step, const Task&) -> std::optional<Error> {
      if (step != test::Step::synthesize) return std::nullopt;
      return Error{"the system refused 4 GiB", {}, {}, ErrorKind::out_of_memory};
    };
    id = rig.submit();
    const auto trouble = rig.service().wait_for_trouble(std::chrono::seconds(60));
    ASSERT_TRUE(trouble);
    EXPECT_EQ(trouble->kind, ErrorKind::out_of_memory);
    EXPECT_EQ(rig.service().submit(seeded()).error().kind, ErrorKind::draining);
  }
  ServiceRig rig(path());
  EXPECT_EQ(rig.await(id)->state, JobState::done);
}

TEST_F(ServiceFile, ADeadlineHoldsOverARestart) {
  std::string id;
  {
    ServiceRig rig(path());
    rig.work().start_gate.shut();
    JobRequest request = seeded();
    request.deadline = std::chrono::hours(1);
    id = rig.service().submit(request)->id;
  }
  const auto journal = Journal::open(path());
  EXPECT_EQ((*journal)->jobs()->at(0).deadline, 1000000 + 3600000);
}

TEST_F(ServiceFile, AFullDiskRefusesNewJobsAndKeepsAnswers) {
  ServiceRig rig(path());
  rig.work().start_gate.shut();
  const std::string id = rig.submit();
  ASSERT_TRUE(rig.journal().limit(40 << 10));  // pages of now: no more than a few
  for (int i = 0; i < 100; ++i) {
    const auto done = rig.service().submit({.circuit = "fake", .witnesses = {witness(2000)}});
    if (done) continue;
    EXPECT_EQ(done.error().kind, ErrorKind::exhausted);
    break;
  }
  const std::uint64_t taken = rig.service().status().pending;
  EXPECT_LT(taken, 100u);
  rig.work().start_gate.open();
  for (const JobStatus& job : rig.service().jobs()) {
    const auto end = rig.await(job.id);
    ASSERT_TRUE(end) << end.error().to_text();
    EXPECT_EQ(end->answers.size(), 1u);
  }
  ASSERT_TRUE(rig.journal().limit(1 << 30));
  rig.submit();  // tries again what found no room
  EXPECT_EQ(rig.service().status().unsaved, 0u);
}

// Clients of all kinds at once: for the thread sanitizer.
TEST(Service, ManyClientsAtOnce) {
  Options options;
  options.partition_workers = 3;
  options.prove_workers = 2;
  ServiceRig rig("memory", {.queue = 1000, .jobs_per_client = 1000}, options);
  rig.service();
  std::vector<std::thread> clients;
  std::atomic<int> done{0}, cancelled{0};
  for (int c = 0; c < 4; ++c)
    clients.emplace_back([&, c] {
      for (int i = 0; i < 25; ++i) {
        const std::string id = rig.submit(1 + (i % 3));
        if ((i + c) % 5 == 0) static_cast<void>(rig.service().cancel(id));
        if ((i + c) % 7 == 0) rig.service().give_up(rig.service().await(id, [](auto) {}));
        const auto end = rig.await(id);
        PROVER_CHECK(end.has_value(), "jobs end");
        ++(end->state == JobState::done ? done : cancelled);
        rig.service().jobs();
        rig.service().status();
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(done + cancelled, 100);
  const DaemonStatus status = rig.service().status();
  EXPECT_EQ(status.done, static_cast<std::uint64_t>(done));
  EXPECT_EQ(status.cancelled, static_cast<std::uint64_t>(cancelled));
  EXPECT_EQ(rig.work().bytes_held(), 0u);
}

}  // namespace
}  // namespace prover::daemon
