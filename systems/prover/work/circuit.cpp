// SPDX-License-Identifier: Apache-2.0
#include "prover/work/circuit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "prover/base/text.hpp"
#include "prover/msm/kernels.hpp"
#include "prover/work/checksum.hpp"
#include "prover/work/matrices.hpp"
#include "prover/work/state.hpp"

namespace prover::work {
namespace {

constexpr std::size_t kMostName = 64;

Result<void> check_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  if (!name.empty() && name.size() <= kMostName && std::all_of(name.begin(), name.end(), fits))
    return {};
  return fail(ErrorKind::usage, fmt::format("'{}' cannot name a circuit", printable(name)), "name",
              "use a to z, 0 to 9, '.', '_' and '-', at most 64 of them");
}

Result<void> check_sha256(const std::optional<std::string>& sha256) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9');
  };
  if (!sha256 || (sha256->size() == 64 && std::all_of(sha256->begin(), sha256->end(), fits)))
    return {};
  return fail(ErrorKind::usage, fmt::format("'{}' is no SHA-256", printable(*sha256)), "sha256",
              "give 64 hexadecimal digits, as sha256sum prints them");
}

// The key has the sizes of the builder's circuit.
Result<circuit::Size> check_builder(const circuit::Request& builder, const files::Zkey& key,
                                    const std::string& path) {
  if (builder.curve != key.curve)
    return fail(ErrorKind::usage,
                fmt::format("the key is one of {}, the circuit of {}", curve_name(key.curve),
                            curve_name(builder.curve)),
                printable(path), "give the key of this circuit");
  auto size = circuit::size_of(builder);
  if (!size) return size;
  if (size->wires == key.wires && size->publics == key.publics && size->domain() == key.domain_size)
    return size;
  return fail(
      ErrorKind::usage,
      fmt::format("the key has {} wires, {} public, and a domain of {}; the {} circuit has {}, {} "
                  "and {}",
                  key.wires, key.publics, key.domain_size, circuit::kind_name(builder.kind),
                  size->wires, size->publics, size->domain()),
      printable(path), "it is the key of another circuit, or of one of another size");
}

template <class C>
Result<Circuit::State::Verifier> make_verifier(const files::Zkey& key, const std::string& path) {
  auto verifier = groth16::Verifier<C>::create(groth16::verifying_key<C>(key));
  if (!verifier) {
    Error error = verifier.error();
    error.where = printable(path);
    error.hint = "the key is damaged; 'prover check' looks at all of it";
    return fail(std::move(error));
  }
  return Circuit::State::Verifier(std::move(*verifier));
}

}  // namespace

Result<std::shared_ptr<const Circuit>> Circuit::open(const CircuitSource& source) {
  if (auto ok = check_name(source.name); !ok) return fail(ok.error());
  if (auto ok = check_sha256(source.sha256); !ok) return fail(ok.error());
  auto file = files::ZkeyFile::open(source.key_path);
  if (!file) return fail(file.error());
  if (source.sha256)
    if (auto ok = read_through(file->file(), source.sha256, {}, [](auto, auto) {}); !ok)
      return fail(ok.error());
  const files::Zkey& key = file->key();
  if (key.wires >= msm::kNegate)
    return fail(ErrorKind::usage, fmt::format("{} wires are more than 2^31", key.wires),
                printable(source.key_path), "split the circuit");
  std::optional<circuit::Size> size;
  if (source.builder) {
    const auto found = check_builder(*source.builder, key, source.key_path);
    if (!found) return fail(found.error());
    size = *found;
  }
  auto verifier = with_curve(key.curve, [&](auto curve) {
    return make_verifier<typename decltype(curve)::type>(key, source.key_path);
  });
  if (!verifier) return fail(verifier.error());
  const std::uint64_t distinct = distinct_values(key, file->file());
  return std::shared_ptr<const Circuit>(new Circuit(std::make_unique<State>(
      State{source, std::move(*file), std::move(*verifier), distinct, size})));
}

Circuit::Circuit(std::unique_ptr<State> state) : state_(std::move(state)) {}
Circuit::~Circuit() = default;

const std::string& Circuit::name() const { return state_->source.name; }
const CircuitSource& Circuit::source() const { return state_->source; }
CurveId Circuit::curve() const { return state_->key().curve; }
std::uint32_t Circuit::wires() const { return state_->key().wires; }
std::uint32_t Circuit::publics() const { return state_->key().publics; }
std::uint64_t Circuit::domain() const { return state_->key().domain_size; }
std::uint64_t Circuit::key_bytes() const { return state_->file.file().bytes().size(); }
bool Circuit::is_insecure() const { return state_->key().insecure(); }

// Magic, version and number of sections; the header with the prime and the count; the values.
std::uint64_t Circuit::witness_bytes() const {
  constexpr std::uint64_t kFile = 12, kSection = 12, kHeader = 4 + 32 + 4;
  return kFile + 2 * kSection + kHeader + std::uint64_t{wires()} * files::kScalarBytes;
}

}  // namespace prover::work
