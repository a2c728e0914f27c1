// SPDX-License-Identifier: Apache-2.0
#include "prover/work/groth16_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <assay/trace.hpp>
#include <new>
#include <system_error>

#include "prover/base/text.hpp"
#include "prover/groth16/split.hpp"
#include "prover/work/key.hpp"
#include "prover/work/matrices.hpp"
#include "prover/work/part.hpp"
#include "prover/work/state.hpp"
#include "prover/work/synthesis.hpp"

namespace prover::work {
namespace {

static_assert(kLeastWindow == msm::kLeastWindow && kMostWindow == msm::kMostWindow);

const Groth16Job& job_of(const JobSpec& spec) {
  PROVER_CHECK(spec.input != nullptr, "a job of Groth16Work has a Groth16Job");
  return static_cast<const Groth16Job&>(*spec.input);
}

std::string key_name(const Circuit& circuit) { return "key " + circuit.name(); }
std::string matrices_name(const Circuit& circuit) { return "matrices " + circuit.name(); }

// Calls visit with the curve of the job's circuit.
template <class Visit>
auto with_curve_of(const Groth16Job& job, const Visit& visit) {
  return with_curve(job.circuit().curve(), visit);
}

// What the standard library throws for want of memory or threads becomes an Error.
template <class Step>
auto guarded(const std::string& what, const Step& step) -> decltype(step()) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::out_of_memory, "cannot allocate memory for " + what);
  } catch (const std::system_error& error) {
    return fail(ErrorKind::out_of_memory, fmt::format("no thread for {}: {}", what, error.what()));
  }
}

// The engine says of which partition; this says where inside.
Error placed(Error error) {
  if (!error.where.empty()) error.what = error.where + ": " + error.what;
  error.where.clear();
  return error;
}

template <class C>
struct LoadedMatrices final : Resource {
  explicit LoadedMatrices(Matrices<typename C::Fr> from) : matrices(std::move(from)) {}
  Matrices<typename C::Fr> matrices;
};

groth16::SplitOptions split_options(const Settings& settings, const Task& task) {
  return {.threads = settings.prove_threads,
          .window = settings.window,
          .parallel_g2 = settings.g2 == G2::parallel,
          .item = {static_cast<std::uint64_t>(task.job), task.partition},
          .totals = settings.stages};
}

template <class C>
class OnDevice final : public DeviceProof {
 public:
  OnDevice(const Settings& settings, const Task& task, std::shared_ptr<const Key<C>> key,
           Synthesised<C>& made)
      : task_(task),
        key_(std::move(key)),
        proof_(key_->key(), key_->domain(), split_options(settings, task), std::move(made.rows),
               std::move(made.witness)) {}

  Result<void> start(const std::stop_token& stop) override {
    return guarded("the sums of a proof", [&] { return proof_.start(stop); });
  }
  void free_vectors() override { proof_.free_rows(); }
  Result<PartProof> finish(const std::stop_token& stop) override {
    return guarded("the sum in G2", [&]() -> Result<PartProof> {
      const auto proof = proof_.finish(stop);
      if (!proof) return fail(proof.error());
      return PartProof{task_, encode<C>(*proof, proof_.witness().subspan(1, key_->key().publics))};
    });
  }

 private:
  const Task task_;
  const std::shared_ptr<const Key<C>> key_;
  groth16::SplitProof<C> proof_;
};

// Tells the trace that the stages of a proof are parts of the engine's.
void declare_stages(const Settings& settings) {
  using assay::emit::declare;
  for (const char* name : {"ntt_a", "ntt_b", "ntt_c", "quotient", "digits_h", "msm_h", "digits",
                           "msm_c", "msm_a", "msm_b1"})
    declare({.name = name, .parent = "prove.start"});
  declare({.name = "msm_b2", .parent = settings.g2 == G2::serial ? "prove.finish" : "prove.start"});
  declare({.name = "assemble", .parent = "prove.finish"});
}

}  // namespace

Result<std::unique_ptr<Groth16Work>> Groth16Work::create(const Settings& settings) {
  if (settings.window && (*settings.window < kLeastWindow || *settings.window > kMostWindow))
    return fail(ErrorKind::usage, fmt::format("{} bits are out of range", *settings.window),
                "--window", fmt::format("give {} to {}, or auto", kLeastWindow, kMostWindow));
  if (settings.prove_threads == 0)
    return fail(ErrorKind::usage, "0 threads prove nothing", "--prove-threads", "give 1 or more");
  if (settings.lc_inline > 4 || settings.lc_inline == 3)
    return fail(ErrorKind::usage, fmt::format("{} terms are not supported", settings.lc_inline),
                "--lc-inline", "give 0, 1, 2 or 4");
  declare_stages(settings);
  return std::unique_ptr<Groth16Work>(new Groth16Work(settings));
}

Groth16Work::Groth16Work(const Settings& settings) : settings_(settings) {}
Groth16Work::~Groth16Work() = default;

std::vector<ResourceNeed> Groth16Work::needs(const JobSpec& spec) const {
  const Groth16Job& job = job_of(spec);
  const Circuit::State& state = job.circuit().state();
  return with_curve_of(job, [&](auto curve) {
    using C = typename decltype(curve)::type;
    std::vector<ResourceNeed> needs = {{key_name(job.circuit()), Key<C>::bytes_for(state.key())}};
    if (settings_.compiled)
      needs.push_back(
          {matrices_name(job.circuit()),
           Matrices<typename C::Fr>::bytes_for(
               state.key().domain_size, state.key().coefficients.size(), state.distinct_values)});
    return needs;
  });
}

Result<ResourcePtr> Groth16Work::load(const JobSpec& spec, const ResourceNeed& need,
                                      const std::stop_token& stop) {
  const Groth16Job& job = job_of(spec);
  const Circuit::State& state = job.circuit().state();
  return guarded(need.name, [&] {
    return with_curve_of(job, [&](auto curve) -> Result<ResourcePtr> {
      using C = typename decltype(curve)::type;
      if (need.name == key_name(job.circuit())) {
        auto key = Key<C>::load(state, settings_.prove_threads, stop);
        if (!key) return fail(key.error());
        return ResourcePtr(std::move(*key));
      }
      PROVER_CHECK(need.name == matrices_name(job.circuit()), "one of needs()");
      auto matrices = Matrices<typename C::Fr>::build(state.key(), state.file.file(),
                                                      state.distinct_values, stop);
      if (!matrices) return fail(matrices.error());
      return ResourcePtr(std::make_shared<const LoadedMatrices<C>>(std::move(*matrices)));
    });
  });
}

Footprint Groth16Work::footprint(const JobSpec& spec, const Task& task) const {
  const Groth16Job& job = job_of(spec);
  const std::uint64_t domain = job.circuit().domain(), wires = job.circuit().wires();
  return with_curve_of(job, [&](auto curve) -> Footprint {
    using C = typename decltype(curve)::type;
    return {
        .vectors = 3 * domain * C::Fr::kBytes,
        .rest = wires * sizeof(msm::Scalar) + groth16::SplitProof<C>::scratch_bytes(
                                                  wires, domain, split_options(settings_, task))};
  });
}

Result<std::unique_ptr<Assignment>> Groth16Work::synthesize(const Source& source,
                                                            const std::stop_token& stop) {
  const Groth16Job& job = job_of(source.spec);
  const Footprint bytes = footprint(source.spec, source.task);
  const std::string what =
      fmt::format("a, b and c ({}) and the witness ({})", show_bytes(bytes.vectors),
                  show_bytes(job.circuit().wires() * sizeof(msm::Scalar)));
  return guarded(what, [&] {
    return with_curve_of(job, [&](auto curve) -> Result<std::unique_ptr<Assignment>> {
      using C = typename decltype(curve)::type;
      const Matrices<typename C::Fr>* matrices = nullptr;
      if (settings_.compiled)
        matrices = &static_cast<const LoadedMatrices<C>&>(*source.resources[1]).matrices;
      auto made = synthesise<C>(job, source.task.partition, matrices, settings_, stop);
      if (!made) return fail(placed(made.error()));
      return std::unique_ptr<Assignment>(std::move(*made));
    });
  });
}

Result<std::unique_ptr<DeviceProof>> Groth16Work::upload(const Source& source,
                                                         std::unique_ptr<Assignment> assignment) {
  return with_curve_of(
      job_of(source.spec), [&](auto curve) -> Result<std::unique_ptr<DeviceProof>> {
        using C = typename decltype(curve)::type;
        return std::unique_ptr<DeviceProof>(std::make_unique<OnDevice<C>>(
            settings_, source.task, std::static_pointer_cast<const Key<C>>(source.resources[0]),
            static_cast<Synthesised<C>&>(*assignment)));
      });
}

}  // namespace prover::work
