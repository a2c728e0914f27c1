// SPDX-License-Identifier: Apache-2.0
#include "prover/rpc/client.hpp"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <proving_engine.grpc.pb.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "prover/base/text.hpp"
#include "prover/rpc/status_codes.hpp"

namespace prover::rpc {
namespace {

constexpr auto kAsked = std::chrono::milliseconds(100);  // how often go_on is
// Of calls that the daemon answers at once; a preload reads a whole key.
constexpr std::chrono::milliseconds kShort = std::chrono::seconds(60),
                                    kLong = std::chrono::hours(1);

daemon::JobStatus read_status(const v1::JobStatus& job) {
  daemon::JobStatus status{.id = job.id(),
                           .client = job.client(),
                           .request_id = job.request_id(),
                           .circuit = job.circuit(),
                           .partitions = job.partitions(),
                           .priority = job.priority(),
                           .error = job.error(),
                           .submitted = job.submitted_ms(),
                           .ended = job.ended_ms()};
  for (const daemon::JobState state :
       {daemon::JobState::done, daemon::JobState::failed, daemon::JobState::cancelled})
    if (job.state() == daemon::state_name(state)) status.state = state;
  return status;
}

v1::SubmitProofRequest to_message(const daemon::JobRequest& request) {
  v1::SubmitProofRequest message;
  message.set_circuit(request.circuit);
  for (const work::WitnessFile& file : request.witnesses)
    message.add_witnesses(file->data(), file->size());
  if (request.seed) {
    message.set_seed(*request.seed);
    message.set_partitions(request.partitions);
  }
  message.set_priority(request.priority);
  if (request.deadline)
    message.set_deadline_ms(
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, request.deadline->count())));
  message.set_request_id(request.request_id);
  message.set_client(request.client);
  return message;
}

std::vector<work::PartitionJson> to_answers(const v1::AwaitProofResponse& message) {
  std::vector<work::PartitionJson> answers;
  for (const v1::PartitionProof& part : message.partitions())
    answers.push_back({part.proof_json(), part.public_json()});
  return answers;
}

}  // namespace

struct Client::State {
  std::string where, token;
  std::unique_ptr<v1::ProvingEngine::Stub> stub;

  void prepare(grpc::ClientContext& context) const {
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
  }

  // One call that is answered at once.
  template <class Request, class Response, class Method>
  Result<Response> call(Method method, const Request& request,
                        std::chrono::milliseconds limit = kShort) const {
    grpc::ClientContext context;
    prepare(context);
    context.set_deadline(std::chrono::system_clock::now() + limit);
    Response response;
    const grpc::Status status = (stub.get()->*method)(&context, request, &response);
    if (!status.ok()) return fail(to_error(status, context, where));
    return response;
  }

  // One that waits, as long as go_on lets it.
  template <class Request, class Method>
  Result<std::vector<work::PartitionJson>> wait(Method method, const Request& request,
                                                std::optional<std::chrono::milliseconds> limit,
                                                const GoOn& go_on) const {
    grpc::ClientContext context;
    prepare(context);
    if (limit) context.set_deadline(std::chrono::system_clock::now() + *limit);
    v1::AwaitProofResponse response;
    grpc::Status status;
    bool ended = false, given_up = false;
    std::mutex mutex;
    std::condition_variable changed;
    std::thread caller([&] {
      grpc::Status result = (stub.get()->*method)(&context, request, &response);
      const std::lock_guard lock(mutex);
      status = std::move(result);
      ended = true;
      changed.notify_all();
    });
    {
      std::unique_lock lock(mutex);
      while (!changed.wait_for(lock, kAsked, [&] { return ended; }))
        if (go_on && !go_on()) {
          given_up = true;
          context.TryCancel();
          changed.wait(lock, [&] { return ended; });
          break;
        }
    }
    caller.join();
    if (given_up && status.error_code() == grpc::StatusCode::CANCELLED)
      return fail(ErrorKind::cancelled, "cancelled", where);
    if (!status.ok()) return fail(to_error(status, context, where));
    return to_answers(response);
  }
};

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::~Client() = default;

std::unique_ptr<Client> Client::create(const Target& target) {
  auto state = std::make_unique<State>();
  state->token = target.token;
  state->where = printable(target.socket.empty() ? target.address : target.socket);
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  state->stub = v1::ProvingEngine::NewStub(
      grpc::CreateCustomChannel(target.socket.empty() ? target.address : "unix:" + target.socket,
                                grpc::InsecureChannelCredentials(), arguments));
  return std::unique_ptr<Client>(new Client(std::move(state)));
}

using Stub = v1::ProvingEngine::Stub;

Result<daemon::Submitted> Client::submit(const daemon::JobRequest& request) {
  const auto answer = state_->call<v1::SubmitProofRequest, v1::SubmitProofResponse>(
      &Stub::SubmitProof, to_message(request));
  if (!answer) return fail(answer.error());
  return daemon::Submitted{answer->job_id(), answer->is_new()};
}

Result<std::vector<work::PartitionJson>> Client::await(
    const std::string& id, std::optional<std::chrono::milliseconds> limit, const GoOn& go_on) {
  v1::AwaitProofRequest message;
  message.set_job_id(id);
  return state_->wait(&Stub::AwaitProof, message, limit, go_on);
}

Result<std::vector<work::PartitionJson>> Client::prove(const daemon::JobRequest& request,
                                                       const GoOn& go_on) {
  return state_->wait(&Stub::Prove, to_message(request), std::nullopt, go_on);
}

Result<void> Client::cancel(const std::string& id) {
  v1::CancelProofRequest message;
  message.set_job_id(id);
  const auto answer =
      state_->call<v1::CancelProofRequest, v1::CancelProofResponse>(&Stub::CancelProof, message);
  if (!answer) return fail(answer.error());
  return {};
}

Result<daemon::JobStatus> Client::status(const std::string& id) {
  v1::GetStatusRequest message;
  message.set_job_id(id);
  const auto answer =
      state_->call<v1::GetStatusRequest, v1::GetStatusResponse>(&Stub::GetStatus, message);
  if (!answer) return fail(answer.error());
  if (answer->jobs_size() != 1) return fail(ErrorKind::failed, "the daemon answered nothing");
  return read_status(answer->jobs(0));
}

Result<DaemonView> Client::status() {
  const auto answer =
      state_->call<v1::GetStatusRequest, v1::GetStatusResponse>(&Stub::GetStatus, {});
  if (!answer) return fail(answer.error());
  DaemonView view;
  for (const v1::JobStatus& job : answer->jobs()) view.jobs.push_back(read_status(job));
  view.json = answer->daemon_json();
  return view;
}

Result<std::string> Client::metrics() {
  const auto answer =
      state_->call<v1::GetMetricsRequest, v1::GetMetricsResponse>(&Stub::GetMetrics, {});
  if (!answer) return fail(answer.error());
  return answer->text();
}

Result<void> Client::preload(const std::string& circuit) {
  v1::PreloadSRSRequest message;
  message.set_circuit(circuit);
  const auto answer = state_->call<v1::PreloadSRSRequest, v1::PreloadSRSResponse>(&Stub::PreloadSRS,
                                                                                  message, kLong);
  if (!answer) return fail(answer.error());
  return {};
}

Result<void> Client::evict(const std::string& circuit) {
  v1::EvictSRSRequest message;
  message.set_circuit(circuit);
  const auto answer =
      state_->call<v1::EvictSRSRequest, v1::EvictSRSResponse>(&Stub::EvictSRS, message);
  if (!answer) return fail(answer.error());
  return {};
}

}  // namespace prover::rpc
