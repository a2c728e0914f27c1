// SPDX-License-Identifier: Apache-2.0
// Every call is a reactor of gRPC's callback interface: waiting for a proof holds no thread.
#include "prover/rpc/server.hpp"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <proving_engine.grpc.pb.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>
#include <type_traits>
#include <utility>

#include "prover/base/text.hpp"
#include "prover/daemon/status.hpp"
#include "prover/daemon/unix_socket.hpp"
#include "prover/rpc/status_codes.hpp"

namespace prover::rpc {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

constexpr std::size_t kLongestName = 64;  // of clients and their requests
constexpr std::size_t kSmallMessages = std::size_t{16} << 20;
constexpr int kMostStreams = 256;  // calls of one connection at once

Reactor* finish(Context& context, const Result<void>& result) {
  Reactor* reactor = context.DefaultReactor();
  reactor->Finish(result ? grpc::Status::OK : to_status(result.error(), context));
  return reactor;
}

daemon::JobRequest request_of(const v1::SubmitProofRequest& message, std::string client) {
  daemon::JobRequest request{.circuit = message.circuit(),
                             .partitions = message.partitions(),
                             .priority = message.priority(),
                             .client = std::move(client),
                             .request_id = message.request_id()};
  if (message.has_seed()) request.seed = message.seed();
  if (message.deadline_ms() > 0)
    request.deadline = std::chrono::milliseconds(
        std::min<std::uint64_t>(message.deadline_ms(), std::uint64_t{1} << 40));
  for (const std::string& bytes : message.witnesses()) {
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    request.witnesses.push_back(
        std::make_shared<const std::vector<std::byte>>(begin, begin + bytes.size()));
  }
  return request;
}

void fill(const daemon::JobStatus& job, v1::JobStatus& out) {
  out.set_id(job.id);
  out.set_client(job.client);
  out.set_request_id(job.request_id);
  out.set_circuit(job.circuit);
  out.set_partitions(job.partitions);
  out.set_priority(job.priority);
  out.set_state(daemon::state_name(job.state));
  out.set_error(job.error);
  out.set_submitted_ms(job.submitted);
  out.set_ended_ms(job.ended);
}

// Waits for a job's end. Deleted by gRPC's OnDone, which comes after Finish and OnCancel.
class Waiting final : public Reactor {
 public:
  // Whether the end of the call is the end of the job.
  enum class Tie { none, to_job };

  Waiting(daemon::Service& service, Context& context, v1::AwaitProofResponse& answer)
      : service_(service), context_(context), answer_(answer) {}

  void refuse(const Error& error) { Finish(to_status(error, context_)); }

  void begin(std::string id, Tie tie) {
    id_ = std::move(id);
    tie_ = tie;
    ticket_ = service_.await(id_, [this](Result<daemon::JobEnd> end) { take(std::move(end)); });
  }

  void OnCancel() override {
    if (tie_ == Tie::to_job) static_cast<void>(service_.cancel(id_));
    if (service_.give_up(ticket_)) Finish({grpc::StatusCode::CANCELLED, "the caller has gone"});
  }
  void OnDone() override { delete this; }

 private:
  // Finish is the last that touches this.
  void take(Result<daemon::JobEnd> end) {
    if (!end) return refuse(end.error());
    if (end->error) return refuse(*end->error);
    answer_.set_job_id(id_);
    for (work::PartitionJson& part : end->answers) {
      v1::PartitionProof& out = *answer_.add_partitions();
      out.set_proof_json(std::move(part.proof));
      out.set_public_json(std::move(part.publics));
    }
    Finish(grpc::Status::OK);
  }

  daemon::Service& service_;
  Context& context_;
  v1::AwaitProofResponse& answer_;
  std::string id_;
  Tie tie_ = Tie::none;
  std::uint64_t ticket_ = 0;
};

class EngineService final : public v1::ProvingEngine::CallbackService {
 public:
  EngineService(daemon::Service& service, std::optional<daemon::Tokens> tokens)
      : service_(service), tokens_(std::move(tokens)) {}

  Reactor* SubmitProof(Context* context, const v1::SubmitProofRequest* request,
                       v1::SubmitProofResponse* response) override {
    return guarded(*context, [&](const std::string& who) -> Result<void> {
      auto done = submit(who, *request);
      if (!done) return fail(done.error());
      response->set_job_id(done->id);
      response->set_is_new(done->is_new);
      return {};
    });
  }

  Reactor* AwaitProof(Context* context, const v1::AwaitProofRequest* request,
                      v1::AwaitProofResponse* response) override {
    auto* waiting = new Waiting(service_, *context, *response);
    if (const auto who = caller(*context); who)
      waiting->begin(request->job_id(), Waiting::Tie::none);
    else
      waiting->Finish(who.error());
    return waiting;
  }

  Reactor* Prove(Context* context, const v1::SubmitProofRequest* request,
                 v1::AwaitProofResponse* response) override {
    auto* waiting = new Waiting(service_, *context, *response);
    const auto who = caller(*context);
    if (!who) {
      waiting->Finish(who.error());
      return waiting;
    }
    auto done = submit(*who, *request);
    if (!done)
      waiting->refuse(done.error());
    else
      waiting->begin(done->id, done->is_new ? Waiting::Tie::to_job : Waiting::Tie::none);
    return waiting;
  }

  Reactor* CancelProof(Context* context, const v1::CancelProofRequest* request,
                       v1::CancelProofResponse*) override {
    return guarded(*context, [&]() -> Result<void> {
      const auto cancelled = service_.cancel(request->job_id());
      if (!cancelled) return fail(cancelled.error());
      if (!*cancelled)
        return fail(ErrorKind::usage, fmt::format("job {} has ended already", request->job_id()),
                    {}, "'prover await' fetches what there is of it");
      return {};
    });
  }

  Reactor* GetStatus(Context* context, const v1::GetStatusRequest* request,
                     v1::GetStatusResponse* response) override {
    return guarded(*context, [&]() -> Result<void> {
      if (!request->job_id().empty()) {
        const auto job = service_.status(request->job_id());
        if (!job) return fail(job.error());
        fill(*job, *response->add_jobs());
        return {};
      }
      const auto jobs = service_.jobs();
      for (const daemon::JobStatus& job : jobs) fill(job, *response->add_jobs());
      response->set_daemon_json(daemon::status_json(service_.status(), jobs));
      return {};
    });
  }

  Reactor* GetMetrics(Context* context, const v1::GetMetricsRequest*,
                      v1::GetMetricsResponse* response) override {
    return guarded(*context, [&]() -> Result<void> {
      response->set_text(daemon::metrics_text(service_.status()));
      return {};
    });
  }

  Reactor* PreloadSRS(Context* context, const v1::PreloadSRSRequest* request,
                      v1::PreloadSRSResponse*) override {
    return guarded(*context, [&] { return service_.preload(request->circuit()); });
  }

  Reactor* EvictSRS(Context* context, const v1::EvictSRSRequest* request,
                    v1::EvictSRSResponse*) override {
    return guarded(*context, [&] { return service_.evict(request->circuit()); });
  }

 private:
  using Caller = tl::expected<std::string, grpc::Status>;

  // The client's name over tcp; empty on the unix socket, whose mode says who may come.
  Caller caller(Context& context) const {
    if (context.peer().starts_with("unix:")) return std::string();
    const auto& metadata = context.client_metadata();
    const auto given = metadata.find("authorization");
    constexpr std::string_view kBearer = "Bearer ";
    if (given != metadata.end()) {
      const std::string_view text(given->second.data(), given->second.size());
      if (tokens_ && text.starts_with(kBearer))
        if (auto name = tokens_->name_of(text.substr(kBearer.size()))) return *name;
    }
    return tl::unexpected(grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                                       "over tcp a token of the daemon's token-file is needed"));
  }

  template <class Call>
  Reactor* guarded(Context& context, const Call& call) {
    if (const auto who = caller(context); !who) {
      Reactor* reactor = context.DefaultReactor();
      reactor->Finish(who.error());
      return reactor;
    }
    if constexpr (std::is_invocable_v<Call, const std::string&>)
      return finish(context, call(*caller(context)));
    else
      return finish(context, call());
  }

  Result<daemon::Submitted> submit(const std::string& who, const v1::SubmitProofRequest& message) {
    if (message.client().size() > kLongestName || message.request_id().size() > kLongestName)
      return fail(ErrorKind::usage,
                  fmt::format("the names of a client and of a request have at most {} bytes",
                              kLongestName));
    if (message.has_seed() && message.witnesses_size() > 0)
      return fail(ErrorKind::usage, "a seed and witnesses in one job", {},
                  "give witnesses, or a seed and the number of partitions");
    if (message.witnesses_size() > 0 && message.partitions() != 0 &&
        message.partitions() != static_cast<std::uint32_t>(message.witnesses_size()))
      return fail(ErrorKind::usage,
                  fmt::format("{} witnesses for {} partitions", message.witnesses_size(),
                              message.partitions()),
                  {}, "give one witness for each partition");
    // gRPC's callback interface hands out const messages; the bytes are copied once.
    try {
      return service_.submit(request_of(message, who.empty() ? message.client() : who));
    } catch (const std::bad_alloc&) {
      return fail(ErrorKind::exhausted, "there is no memory for these witnesses now", {},
                  "try again later, or submit fewer partitions at once");
    }
  }

  daemon::Service& service_;
  const std::optional<daemon::Tokens> tokens_;
};

// gRPC 1.51 does not listen again once accept() failed for want of descriptors.
void raise_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

struct Server::State {
  ServerSettings settings;
  std::unique_ptr<EngineService> service;
  std::unique_ptr<grpc::Server> server;
};

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Server>> Server::start(daemon::Service& service, ServerSettings settings) {
  raise_open_files();
  if (auto cleared = daemon::clear_socket(settings.socket); !cleared) return fail(cleared.error());
  auto state = std::make_unique<State>();
  state->service = std::make_unique<EngineService>(service, std::move(settings.tokens));
  grpc::ServerBuilder builder;
  builder.RegisterService(state->service.get());
  builder.SetMaxReceiveMessageSize(static_cast<int>(settings.message_bytes));
  builder.SetMaxSendMessageSize(-1);
  // What messages on their way may take together; more of them wait in their senders.
  grpc::ResourceQuota quota("messages");
  quota.Resize(settings.message_bytes + kSmallMessages);
  builder.SetResourceQuota(quota);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostStreams);
  // Otherwise two daemons could share a port, each with a part of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  int on_socket = 0, on_port = 0;
  builder.AddListeningPort("unix:" + settings.socket, grpc::InsecureServerCredentials(),
                           &on_socket);
  if (!settings.address.empty())
    builder.AddListeningPort(settings.address, grpc::InsecureServerCredentials(), &on_port);
  const mode_t before = umask(0177);
  state->server = builder.BuildAndStart();
  umask(before);
  const std::string where =
      on_socket <= 0 || settings.address.empty() ? settings.socket : settings.address;
  if (!state->server)
    return fail(ErrorKind::usage, "cannot listen", printable(where),
                "the folder of a socket must belong to the daemon's user; a port must be free");
  if (::chmod(settings.socket.c_str(), settings.socket_mode) != 0)
    return fail(ErrorKind::failed, "the socket's mode cannot be set", printable(settings.socket));
  state->settings = std::move(settings);
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::~Server() {
  state_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  state_->server->Wait();
  unlink(state_->settings.socket.c_str());
}

}  // namespace prover::rpc
