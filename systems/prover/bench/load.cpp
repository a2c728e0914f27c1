// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/load.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>

#include "prover/base/parallel.hpp"
#include "prover/base/text.hpp"
#include "prover/bench/key_cache.hpp"

namespace prover::bench {
namespace {

// What making a key held is given back, and the kernel's high-water mark set anew, so that this run
// has the peak of the next ones. Whether that could be done.
bool forget_peak() {
  malloc_trim(0);
  std::FILE* file = std::fopen("/proc/self/clear_refs", "we");
  if (file == nullptr) return false;
  const bool written = std::fputs("5", file) >= 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace

Result<std::unique_ptr<Load>> Load::open(const LoadOptions& options, const work::Settings& settings,
                                         const std::function<bool(double)>& go_on) {
  std::unique_ptr<Load> load(new Load(options));
  auto opened =
      options.is_synthetic() ? load->open_synthetic() : load->open_circuit(settings, go_on);
  if (!opened) return fail(opened.error());
  return load;
}

Result<void> Load::open_synthetic() {
  SyntheticOptions options = options_.synthetic;
  options.seed = options_.seed;
  auto work = SyntheticWork::create(options);
  if (!work) return fail(work.error());
  synthetic_ = std::move(*work);
  work_ = synthetic_.get();
  device_ = synthetic_.get();
  return {};
}

Result<std::string> Load::key_path(const std::function<bool(double)>& go_on) {
  if (options_.key) return *options_.key;
  std::string folder = options_.key_folder.value_or("");
  if (folder.empty()) {
    auto usual = default_key_folder();
    if (!usual) return usual;
    folder = std::move(*usual);
  }
  const auto key = cached_key(options_.request(), folder, available_threads(), go_on);
  if (!key) return fail(key.error());
  if (key->made && !forget_peak())
    warnings_.push_back(
        fmt::format("{} was made by this run, and the peak memory is that of making it; the next "
                    "run finds it there",
                    printable(key->path)));
  return key->path;
}

Result<void> Load::open_circuit(const work::Settings& settings,
                                const std::function<bool(double)>& go_on) {
  const auto path = key_path(go_on);
  if (!path) return fail(path.error());
  auto circuit = work::Circuit::open(
      {.name = options_.name(), .key_path = *path, .builder = options_.request()});
  if (!circuit) return fail(circuit.error());
  circuit_ = std::move(*circuit);
  auto work = work::Groth16Work::create(settings);
  if (!work) return fail(work.error());
  groth16_ = std::move(*work);
  work_ = groth16_.get();
  device_ = groth16_.get();
  return {};
}

Result<JobSpec> Load::job(std::uint32_t number, std::uint32_t partitions) const {
  JobSpec spec{partitions};
  if (options_.is_synthetic()) return spec;
  // A sector has all its partitions; of other circuits each partition takes a seed.
  const std::uint64_t seeds = options_.circuit == circuit::Kind::porep ? 1 : partitions;
  auto input = work::Groth16Job::from_seed(circuit_, options_.seed + number * seeds, partitions);
  if (!input) return fail(input.error());
  spec.input = std::move(*input);
  return spec;
}

std::uint64_t Load::resident_bytes() const {
  return options_.is_synthetic() ? options_.synthetic.srs : 0;
}

}  // namespace prover::bench
