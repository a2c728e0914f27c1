// SPDX-License-Identifier: Apache-2.0
#include "prover/work/synthesis.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "prover/base/text.hpp"
#include "prover/files/wtns.hpp"
#include "prover/work/job_state.hpp"
#include "prover/work/state.hpp"

namespace prover::work {
namespace {

using msm::Scalar;

circuit::SynthesisOptions options_of(const Settings& settings) {
  return {
      .recycle = settings.lc_pool, .inline_terms = settings.lc_inline, .presize = settings.presize};
}

// Copied before they are checked, so that what is checked is what is used.
Result<Pages<Scalar>> copy_witness(const Groth16Job& job, std::uint32_t partition,
                                   const Settings& settings, const std::stop_token& stop) {
  constexpr std::uint32_t kGrain = 1u << 14;
  auto file = files::Wtns::parse(*job.witnesses()[partition], fmt::format("witness {}", partition));
  if (!file) return fail(file.error());
  Pages<Scalar> wires;
  if (settings.presize) wires.reserve(file->count);
  for (std::uint32_t wire = 0; wire < file->count; ++wire)
    wires.push_back(field::load_limbs<4>(file->value(wire)));
  file->values = std::as_bytes(std::span(wires));
  for (std::uint32_t wire = 0; wire < file->count; wire += kGrain) {
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped");
    auto good = files::check_values(*file, wire, std::min(wire + kGrain, file->count));
    if (!good) return fail(good.error());
  }
  return wires;
}

// From limbs of Montgomery forms. An element is its limbs and nothing else.
template <class Fr>
void make_plain(Pages<Scalar>& wires) {
  static_assert(sizeof(Fr) == sizeof(Scalar) && alignof(Fr) == alignof(Scalar));
  ntt::to_plain<Fr>({reinterpret_cast<Fr*>(wires.data()), wires.size()}, 1);
}

void remember(const Groth16Job& job, std::uint32_t partition, const Pages<Scalar>& wires) {
  if (!job.witnesses().empty()) return;
  const std::lock_guard lock(job.made().mutex);
  job.made().publics[partition].assign(wires.begin() + 1,
                                       wires.begin() + 1 + job.circuit().publics());
}

// Locks the memory of a vector, all that it has taken.
template <class T>
Result<void> pin(const Pages<T>& vector, const char* name) {
  const std::size_t bytes = vector.capacity() * sizeof(T);
  if (bytes == 0 || ::mlock(vector.data(), bytes) == 0) return {};
  const int number = errno;
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  return fail(
      ErrorKind::failed,
      fmt::format("{} of {} cannot be locked: {} (RLIMIT_MEMLOCK is {})", show_bytes(bytes), name,
                  std::strerror(number),
                  limit.rlim_cur == RLIM_INFINITY ? "unlimited" : show_bytes(limit.rlim_cur)),
      "--pin", "raise it (ulimit -l, LimitMEMLOCK= of systemd), or leave --pin off");
}

template <class C>
Result<void> pin_all(const Synthesised<C>& made) {
  if (auto ok = pin(made.rows.a, "a"); !ok) return ok;
  if (auto ok = pin(made.rows.b, "b"); !ok) return ok;
  if (auto ok = pin(made.rows.c, "c"); !ok) return ok;
  return pin(made.witness, "the witness");
}

// By the circuit's builder, constraint by constraint.
template <class C>
Result<void> build(const Groth16Job& job, std::uint32_t partition, const Settings& settings,
                   const std::stop_token& stop, Synthesised<C>& made) {
  using Fr = typename C::Fr;
  const Circuit::State& state = job.circuit().state();
  if (!job.witnesses().empty())
    return fail(ErrorKind::usage, "a builder makes its witness itself, and this job brings its own",
                "--compiled off", "use --compiled on, or jobs from a seed");
  auto rows =
      circuit::build_rows<Fr>(request_of(job, partition), *state.size, state.key().domain_size,
                              sector_of<Fr>(job), options_of(settings), stop);
  if (!rows) return fail(rows.error());
  made.rows = {std::move(rows->a), std::move(rows->b), std::move(rows->c)};
  made.witness = std::move(rows->witness);
  make_plain<Fr>(made.witness);
  return {};
}

}  // namespace

template <class C>
Result<Pages<Scalar>> plain_witness(const Groth16Job& job, std::uint32_t partition,
                                    const Settings& settings, const std::stop_token& stop) {
  using Fr = typename C::Fr;
  if (!job.witnesses().empty()) return copy_witness(job, partition, settings, stop);
  auto wires = circuit::build_witness<Fr>(request_of(job, partition), *job.circuit().state().size,
                                          sector_of<Fr>(job), options_of(settings), stop);
  if (!wires) return fail(wires.error());
  make_plain<Fr>(*wires);
  return std::move(*wires);
}

template <class C>
Result<std::unique_ptr<Synthesised<C>>> synthesise(const Groth16Job& job, std::uint32_t partition,
                                                   const Matrices<typename C::Fr>* matrices,
                                                   const Settings& settings,
                                                   const std::stop_token& stop) {
  auto made = std::make_unique<Synthesised<C>>();
  if (matrices == nullptr) {
    if (auto done = build<C>(job, partition, settings, stop, *made); !done)
      return fail(done.error());
    if (settings.pin)
      if (auto done = pin_all(*made); !done) return fail(done.error());
  } else {
    auto witness = plain_witness<C>(job, partition, settings, stop);
    if (!witness) return fail(witness.error());
    made->witness = std::move(*witness);
    groth16::Rows<C>& rows = made->rows;
    if (settings.presize)
      for (auto* const vector : {&rows.a, &rows.b, &rows.c})
        vector->reserve(job.circuit().domain());
    // What is taken beforehand can be locked beforehand: all its page faults at once.
    if (settings.pin && settings.presize)
      if (auto done = pin_all(*made); !done) return fail(done.error());
    if (!matrices->multiply(made->witness, rows.a, rows.b, rows.c, stop))
      return fail(ErrorKind::cancelled, "stopped");
    if (settings.pin && !settings.presize)
      if (auto done = pin_all(*made); !done) return fail(done.error());
  }
  remember(job, partition, made->witness);
  return made;
}

#define PROVER_INSTANTIATE(C)                                                               \
  template Result<Pages<Scalar>> plain_witness<C>(const Groth16Job&, std::uint32_t,         \
                                                  const Settings&, const std::stop_token&); \
  template Result<std::unique_ptr<Synthesised<C>>> synthesise<C>(                           \
      const Groth16Job&, std::uint32_t, const Matrices<C::Fr>*, const Settings&,            \
      const std::stop_token&);
PROVER_INSTANTIATE(curve::Bn254)
PROVER_INSTANTIATE(curve::Bls12_381)
#undef PROVER_INSTANTIATE

}  // namespace prover::work
