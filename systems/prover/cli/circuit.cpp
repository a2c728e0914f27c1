// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <vector>

#include "prover/circuit/build.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/interrupt.hpp"
#include "prover/cli/outputs.hpp"
#include "prover/cli/terminal.hpp"

namespace prover::cli {
namespace {

constexpr std::uint64_t kAny = ~std::uint32_t{0};

circuit::Kind kind_of(std::string_view command) {
  const std::string_view word = command.substr(command.find(' ') + 1);
  for (const circuit::Kind kind : circuit::kKinds)
    if (circuit::kind_name(kind) == word) return kind;
  PROVER_CHECK(false, "a circuit for each of its commands");
  return circuit::Kind::dense;
}

// What is out of range is refused by circuit::check(), which knows the ranges.
Result<circuit::Request> request_of(const Arguments& arguments) {
  circuit::Request request;
  request.kind = kind_of(arguments.command().name);
  request.curve = arguments.value("curve") == "bn254" ? CurveId::bn254 : CurveId::bls12_381;
  const auto seed = arguments.count("seed", 0, ~std::uint64_t{0});
  if (!seed) return fail(seed.error());
  request.seed = **seed;
  const auto read = [&](const char* name, auto& out) -> Result<void> {
    if (arguments.command().find(name) == nullptr) return {};
    const auto number = arguments.count(name, 0, kAny);
    if (!number) return fail(number.error());
    if (*number) out = static_cast<std::uint32_t>(**number);
    return {};
  };
  for (const auto& done : {read("constraints", request.constraints), read("depth", request.depth),
                           read("bits", request.bits), read("challenges", request.challenges),
                           read("partition", request.partition)})
    if (!done) return fail(done.error());
  return request;
}

std::string json(const circuit::Request& request, const circuit::Size& size) {
  return fmt::format(
      "{{\n \"schema_version\": 1,\n \"kind\": \"prover-circuit\",\n \"circuit\": \"{}\",\n "
      "\"curve\": \"{}\",\n \"seed\": {},\n \"constraints\": {},\n \"wires\": {},\n \"publics\": "
      "{},\n \"domain\": {}\n}}\n",
      circuit::kind_name(request.kind), curve_name(request.curve), request.seed, size.constraints,
      size.wires, size.publics, size.domain());
}

}  // namespace

Result<int> run_circuit(const Arguments& arguments) {
  const auto request = request_of(arguments);
  if (!request) return fail(request.error());
  const auto r1cs = arguments.value("r1cs"), wtns = arguments.value("wtns");
  if (!r1cs && !wtns)
    return fail(ErrorKind::usage, "neither --r1cs nor --wtns is given",
                fmt::format("prover {}", arguments.command().name),
                "name the files to write: --r1cs c.r1cs --wtns c.wtns");
  std::vector<std::string> outputs;
  for (const auto& path : {r1cs, wtns})
    if (path) outputs.push_back(*path);
  const Interrupt interrupt;  // before anything is written, a probe of the outputs too
  if (auto ok = check_outputs({}, outputs); !ok) return fail(ok.error());
  const auto size = write_circuit(*request, r1cs, wtns, [&] { return !interrupt.requested(); });
  if (!size && interrupt.requested()) return interrupt.status();
  if (!size) return fail(size.error());
  const std::string text =
      arguments.has("json")
          ? json(*request, *size)
          : fmt::format("{} on {}: {} constraints, {} wires, {} public; domain 2^{}\n",
                        circuit::kind_name(request->kind), curve_name(request->curve),
                        size->constraints, size->wires, size->publics,
                        std::countr_zero(size->domain()));
  if (auto printed = print(text); !printed) return fail(printed.error());
  return kFine;
}

}  // namespace prover::cli
