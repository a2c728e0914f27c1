// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "prover/base/text.hpp"
#include "prover/bench/settings_rows.hpp"
#include "prover/settings/values.hpp"

namespace prover::bench {
namespace {

using circuit::Kind;
using settings::read_count;
using settings::show_count;
using settings::Text;

constexpr std::uint64_t kMostJobs = 1000000, kMostPartitions = 65536;
constexpr const char* kLoad = "What is proved";

using B = BatchOptions;
using L = LoadOptions;

template <Kind... kinds>
bool is_one_of(const L& load) {
  return ((load.circuit == kinds) || ...);
}

constexpr Belongs kConstraints{"--work dense and poseidon", is_one_of<Kind::dense, Kind::poseidon>},
    kDepth{"--work poseidon and porep", is_one_of<Kind::poseidon, Kind::porep>},
    kBits{"--work sha256", is_one_of<Kind::sha256>},
    kChallenges{"--work porep", is_one_of<Kind::porep>};

Result<void> read_work(Text text, std::optional<Kind>& out) {
  return settings::read_word<std::optional<Kind>>(text,
                                                  {{"dense", Kind::dense},
                                                   {"poseidon", Kind::poseidon},
                                                   {"sha256", Kind::sha256},
                                                   {"porep", Kind::porep},
                                                   {"synthetic", std::nullopt}},
                                                  out);
}

// A size of a circuit; its range is circuit::check()'s.
Result<void> read_size(Text text, std::optional<std::uint32_t>& out) {
  return read_count(text, 0, std::numeric_limits<std::uint32_t>::max(), out.emplace());
}

constexpr const char* kFit = "fit";  // as many levels as --constraints has room for

std::string show_depth(const L& load) {
  if (load.depth) return show_count(*load.depth);
  return load.circuit == Kind::porep ? show_count(circuit::kPorepDepth) : kFit;
}

Result<void> read_name(Text text, const char* what, std::optional<std::string>& out) {
  if (text.empty()) return fail(ErrorKind::usage, fmt::format("a {} is needed", what));
  out = text;
  return {};
}

std::vector<Setting> count_rows() {
  return {
      {"count", 'c', "N", kLoad, "jobs in all (default 4)",
       [](B& o, Text t) { return read_count(t, 1, kMostJobs, o.jobs); },
       [](const B& o) { return show_count(o.jobs); }, only(Command::batch) | only(Command::loop)},
      {"in-flight", 'j', "N", kLoad, "jobs in flight at once (default: all)",
       [](B& o, Text t) { return read_count(t, 1, kMostJobs, o.at_once.emplace()); },
       [](const B& o) { return show_count(o.jobs_at_once()); }, only(Command::batch)},
      {"partitions", 0, "N", kLoad, "partitions of each job (default 10)",
       [](B& o, Text t) { return read_count(t, 1, kMostPartitions, o.partitions); },
       [](const B& o) { return show_count(o.partitions); }},
  };
}

std::vector<Setting> circuit_rows() {
  return {
      {"work",
       0,
       "KIND",
       kLoad,
       "what a partition is: a Groth16 proof of dense (default), poseidon, sha256 or porep; or "
       "synthetic: time, CPU and memory as configured",
       [](B& o, Text t) { return read_work(t, o.load.circuit); },
       [](const B& o) { return std::string(o.load.name()); },
       kEach,
       nullptr,
       {"dense", "poseidon", "sha256", "porep", "synthetic"}},
      {"constraints", 0, "N", kLoad,
       "of dense: exactly; of poseidon: at most (default 8190, which fill a domain of 2^13)",
       [](B& o, Text t) { return read_size(t, o.load.constraints); },
       [](const B& o) { return show_count(o.load.request().constraints); }, kEach, &kConstraints},
      {"depth", 0, "N|fit", kLoad,
       "of poseidon: levels of the path (default fit: of --constraints); of porep: 2^N nodes "
       "(default 10)",
       [](B& o, Text t) {
         if (t != kFit) return read_size(t, o.load.depth);
         o.load.depth.reset();
         return Result<void>();
       },
       [](const B& o) { return show_depth(o.load); }, kEach, &kDepth},
      {"bits", 0, "N", kLoad, "of sha256: of the message (default 512)",
       [](B& o, Text t) { return read_size(t, o.load.bits); },
       [](const B& o) { return show_count(o.load.request().bits); }, kEach, &kBits},
      {"challenges", 0, "N", kLoad, "of porep: of each partition (default 1)",
       [](B& o, Text t) { return read_size(t, o.load.challenges); },
       [](const B& o) { return show_count(o.load.request().challenges); }, kEach, &kChallenges},
      {"curve",
       0,
       "CURVE",
       kLoad,
       "bn254 (default) or bls12-381",
       [](B& o, Text t) {
         return settings::read_word<CurveId>(
             t, {{"bn254", CurveId::bn254}, {"bls12-381", CurveId::bls12_381}}, o.load.curve);
       },
       [](const B& o) { return std::string(curve_name(o.load.curve)); },
       kEach,
       &kRealWork,
       {"bn254", "bls12-381"}},
  };
}

std::vector<Setting> key_rows() {
  return {
      {"key", 0, "FILE.zkey", kLoad, "the circuit's key (default: an INSECURE one of the cache)",
       [](B& o, Text t) { return read_name(t, "file", o.load.key); }, nullptr, kEach, &kRealWork},
      {"key-cache", 0, "DIR", kLoad,
       "where keys are kept that were made once (default $XDG_CACHE_HOME/prover/keys)",
       [](B& o, Text t) { return read_name(t, "folder", o.load.key_folder); }, nullptr, kEach,
       &kRealWork},
      {"seed", 0, "N", kLoad,
       "of witnesses and service times; the same seed, the same work (default 1)",
       [](B& o, Text t) -> Result<void> {
         auto value = parse_count(t, 0, std::numeric_limits<std::uint64_t>::max());
         if (!value) return fail(value.error());
         o.load.seed = *value;
         return {};
       },
       [](const B& o) { return show_count(o.load.seed); }},
  };
}

}  // namespace

const Belongs kSyntheticWork{"--work synthetic", [](const L& load) { return load.is_synthetic(); }};
const Belongs kRealWork{"Groth16 partitions", [](const L& load) { return !load.is_synthetic(); }};

std::vector<Setting> load_rows() {
  std::vector<Setting> all = count_rows();
  for (auto part : {circuit_rows(), key_rows()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace prover::bench
