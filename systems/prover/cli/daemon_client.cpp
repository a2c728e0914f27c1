// SPDX-License-Identifier: Apache-2.0
// The daemon's clients: submit, await, cancel, status, preload, evict.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <memory>

#include "prover/base/text.hpp"
#include "prover/cli/daemon_commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/interrupt.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/daemon/config.hpp"
#include "prover/daemon/duration.hpp"
#include "prover/daemon/status.hpp"
#include "prover/daemon/tokens.hpp"
#include "prover/files/mapped_file.hpp"
#include "prover/files/output_file.hpp"
#include "prover/rpc/client.hpp"

namespace prover::cli {
namespace {

using Answers = std::vector<work::PartitionJson>;
using ClientPtr = std::unique_ptr<rpc::Client>;

Result<ClientPtr> connect(const Arguments& arguments) {
  rpc::Target target;
  if (!arguments.has("address") && arguments.has("token-file"))
    return fail(ErrorKind::usage, "--token-file without --address", "--token-file",
                "tokens are for the port of --address; the socket asks for none");
  if (const auto address = arguments.value("address")) {
    if (const auto endpoint = daemon::parse_loopback(*address); !endpoint) {
      Error error = endpoint.error();
      error.where = "--address";
      return fail(std::move(error));
    }
    const auto file = arguments.value("token-file");
    if (!file)
      return fail(ErrorKind::usage, "--address needs a token", "--token-file",
                  "name the file with it, or use the daemon's --socket");
    auto token = daemon::read_client_token(*file);
    if (!token) return fail(token.error());
    target.address = *address;
    target.token = std::move(*token);
  } else {
    target.socket = arguments.value("socket").value_or(daemon::default_socket());
  }
  return rpc::Client::create(target);
}

Result<std::optional<std::chrono::milliseconds>> duration(const Arguments& arguments,
                                                          std::string_view option) {
  const auto text = arguments.value(option);
  if (!text) return std::optional<std::chrono::milliseconds>();
  const auto span = daemon::parse_duration(*text);
  if (span) return std::optional(*span);
  Error error = span.error();
  error.where = fmt::format("--{}", option);
  return fail(std::move(error));
}

Result<work::WitnessFile> read_witness(const std::string& path) {
  const auto file = files::MappedFile::open(path);
  if (!file) return fail(file.error());
  const files::Bytes bytes = file->bytes();
  return std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
}

Result<std::int32_t> priority_of(const Arguments& arguments) {
  const std::string text = *arguments.value("priority");
  const bool negative = text.starts_with('-');
  const auto number = parse_count(negative ? std::string_view(text).substr(1) : text, 0, 1000000);
  if (number) return static_cast<std::int32_t>(*number) * (negative ? -1 : 1);
  Error error = number.error();
  error.where = "--priority";
  return fail(std::move(error));
}

Result<daemon::JobRequest> request_of(const Arguments& arguments) {
  daemon::JobRequest request;
  const auto circuit = arguments.value("circuit");
  if (!circuit)
    return fail(ErrorKind::usage, "--circuit is missing", "prover submit",
                "'prover status' lists the daemon's circuits");
  request.circuit = *circuit;
  const auto files = arguments.values("witness");
  const auto seed = arguments.count("seed", 0, std::numeric_limits<std::uint64_t>::max());
  if (!seed) return fail(seed.error());
  const auto partitions = arguments.count("partitions", 1, 65536);
  if (!partitions) return fail(partitions.error());
  if (files.empty() == !seed->has_value())
    return fail(ErrorKind::usage,
                files.empty() ? "neither --witness nor --seed is given"
                              : "--witness and --seed are both given",
                "prover submit", "a job is made from one of them");
  if (!files.empty() && arguments.has("partitions"))
    return fail(ErrorKind::usage, "--partitions goes with --seed", "prover submit",
                "each --witness is a partition");
  for (const std::string& path : files) {
    auto witness = read_witness(path);
    if (!witness) return fail(witness.error());
    request.witnesses.push_back(std::move(*witness));
  }
  request.seed = *seed;
  request.partitions = static_cast<std::uint32_t>(**partitions);
  const auto priority = priority_of(arguments);
  if (!priority) return fail(priority.error());
  request.priority = *priority;
  const auto deadline = duration(arguments, "deadline");
  if (!deadline) return fail(deadline.error());
  request.deadline = *deadline;
  request.request_id = arguments.value("request-id").value_or("");
  request.client = arguments.value("client").value_or(fmt::format("uid-{}", getuid()));
  return request;
}

// Before the wait, so that no proof is lost for a folder that cannot be written.
Result<void> check_out(const Arguments& arguments) {
  const auto folder = arguments.value("out");
  if (!folder) return {};
  std::error_code error;
  std::filesystem::create_directories(*folder, error);
  return files::check_writable(*folder + "/proof.json");
}

Result<int> show_answers(const Arguments& arguments, const std::string& id,
                         const Answers& answers) {
  const auto folder = arguments.value("out");
  std::string text = fmt::format("{}: {} {}, proved and verified\n", id, answers.size(),
                                 answers.size() == 1 ? "partition" : "partitions");
  if (folder) {
    std::vector<files::Content> contents;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::string number = answers.size() == 1 ? "" : fmt::format("-{}", i);
      contents.push_back({fmt::format("{}/proof{}.json", *folder, number), answers[i].proof});
      contents.push_back({fmt::format("{}/public{}.json", *folder, number), answers[i].publics});
    }
    if (auto written = files::write_files(contents); !written) return fail(written.error());
  }
  if (auto printed = print(text); !printed) return fail(printed.error());
  return kFine;
}

// 130 is for an interrupt of this command; a job that somebody cancelled has failed.
Result<int> not_proved(Error error) {
  if (error.kind == ErrorKind::cancelled) error.kind = ErrorKind::failed;
  return fail(std::move(error));
}

Result<int> await_job(const Arguments& arguments, rpc::Client& client, const std::string& id,
                      std::optional<std::chrono::milliseconds> limit) {
  const Interrupt interrupt;
  Progress progress(fmt::format("waiting for {}", id));
  const auto answers = client.await(id, limit, [&] {
    progress.show(std::string_view("the daemon works"));
    return !interrupt.requested();
  });
  progress.clear();
  if (!answers && interrupt.requested()) {
    tell("prover: the job goes on; 'prover await {0}' waits again, 'prover cancel {0}' ends it\n",
         id);
    return interrupt.status();
  }
  if (!answers) return not_proved(answers.error());
  return show_answers(arguments, id, *answers);
}

std::string job_line(const daemon::JobStatus& job) {
  return fmt::format("  {}  {:<9}  {} x {}{}{}\n", job.id, daemon::state_name(job.state),
                     job.partitions, printable(job.circuit),
                     job.client.empty() ? "" : "  " + printable(job.client),
                     job.request_id.empty() ? "" : "  " + printable(job.request_id));
}

Result<int> show(const std::string& text) {
  if (auto printed = print(text); !printed) return fail(printed.error());
  return kFine;
}

}  // namespace

Result<int> run_submit(const Arguments& arguments) {
  if (arguments.has("client") && arguments.has("address"))
    return fail(ErrorKind::usage, "--client and --address are both given", "prover submit",
                "over tcp the client is who the token belongs to");
  const auto request = request_of(arguments);
  if (!request) return fail(request.error());
  const bool tied = arguments.has("tied"), waits = tied || arguments.has("wait");
  if (!waits && arguments.has("out"))
    return fail(ErrorKind::usage, "--out without --wait", "prover submit",
                "add --wait, or fetch the proofs with 'prover await ID --out DIR'");
  if (auto ok = check_out(arguments); !ok) return fail(ok.error());
  auto client = connect(arguments);
  if (!client) return fail(client.error());
  if (tied) {
    const Interrupt interrupt;
    const auto answers = (*client)->prove(*request, [&] { return !interrupt.requested(); });
    if (!answers && interrupt.requested()) return interrupt.status();
    if (!answers) return not_proved(answers.error());
    return show_answers(arguments, request->circuit, *answers);
  }
  const auto done = (*client)->submit(*request);
  if (!done) return fail(done.error());
  if (auto printed = print(done->id + "\n"); !printed) return fail(printed.error());
  return waits ? await_job(arguments, **client, done->id, std::nullopt) : kFine;
}

Result<int> run_await(const Arguments& arguments) {
  const auto limit = duration(arguments, "timeout");
  if (!limit) return fail(limit.error());
  if (auto ok = check_out(arguments); !ok) return fail(ok.error());
  auto client = connect(arguments);
  if (!client) return fail(client.error());
  return await_job(arguments, **client, arguments.positionals[0], *limit);
}

Result<int> run_cancel(const Arguments& arguments) {
  auto client = connect(arguments);
  if (!client) return fail(client.error());
  const std::string& id = arguments.positionals[0];
  if (auto done = (*client)->cancel(id); !done) return fail(done.error());
  return show(fmt::format("{} is cancelled\n", printable(id)));
}

Result<int> run_status(const Arguments& arguments) {
  if (arguments.has("job") && arguments.has("metrics"))
    return fail(ErrorKind::usage, "--job and --metrics are both given", "prover status",
                "metrics are the daemon's; --job ID --json says everything about one job");
  auto client = connect(arguments);
  if (!client) return fail(client.error());
  if (arguments.has("metrics")) {
    const auto text = (*client)->metrics();
    if (!text) return fail(text.error());
    return show(*text);
  }
  if (const auto id = arguments.value("job")) {
    const auto job = (*client)->status(*id);
    if (!job) return fail(job.error());
    if (arguments.has("json")) return show(daemon::job_json(*job) + "\n");
    return show(job_line(*job) + (job->error.empty() ? "" : "  " + printable(job->error) + "\n"));
  }
  const auto view = (*client)->status();
  if (!view) return fail(view.error());
  if (arguments.has("json")) return show(view->json);
  std::uint64_t pending = 0;
  std::string lines;
  for (const daemon::JobStatus& job : view->jobs) {
    pending += job.state == daemon::JobState::pending;
    lines += job_line(job);
  }
  return show(fmt::format("{} jobs, {} pending\n{}", view->jobs.size(), pending, lines));
}

Result<int> run_preload(const Arguments& arguments) {
  auto client = connect(arguments);
  if (!client) return fail(client.error());
  const std::string& name = arguments.positionals[0];
  if (auto done = (*client)->preload(name); !done) return fail(done.error());
  return show(fmt::format("{} is loaded\n", printable(name)));
}

Result<int> run_evict(const Arguments& arguments) {
  auto client = connect(arguments);
  if (!client) return fail(client.error());
  const std::string& name = arguments.positionals[0];
  if (auto done = (*client)->evict(name); !done) return fail(done.error());
  return show(fmt::format("{} is no longer loaded\n", printable(name)));
}

}  // namespace prover::cli
