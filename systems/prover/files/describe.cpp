// SPDX-License-Identifier: Apache-2.0
#include "prover/files/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include "prover/base/text.hpp"
#include "prover/files/json.hpp"
#include "prover/files/kinds.hpp"
#include "prover/files/mapped_file.hpp"
#include "prover/files/r1cs.hpp"
#include "prover/files/values.hpp"
#include "prover/files/wtns.hpp"
#include "prover/files/zkey.hpp"

namespace prover::files {
namespace {

constexpr std::string_view kKnown =
    "prover info knows .zkey, .wtns, .r1cs and .ptau files and snarkjs's JSON files";

// `text` is printable ASCII.
std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// What is said of a file: one list of facts, printed as text or as JSON.
class Report {
 public:
  Report(std::string_view path, std::string kind, std::string title)
      : path_(printable(path)), title_(std::move(title)) {
    json("schema_version", "1");
    json("kind", json_text(kind));
    json("file", json_text(path_));
  }

  void json(std::string_view key, std::string value) {
    members_.push_back(fmt::format("{}: {}", json_text(key), value));
  }
  void line(std::string_view label, std::string_view shown) {
    lines_ += fmt::format("  {:<16} {}\n", label, shown);
  }
  void text(std::string_view key, std::string_view label, std::string_view value) {
    json(key, json_text(value));
    line(label, value);
  }
  void count(std::string_view key, std::string_view label, std::uint64_t value) {
    json(key, fmt::format("{}", value));
    line(label, fmt::format("{}", value));
  }
  void bytes(std::string_view key, std::string_view label, std::uint64_t value) {
    json(key, fmt::format("{}", value));
    line(label,
         value < 1024 ? show_bytes(value) : fmt::format("{} ({} bytes)", show_bytes(value), value));
  }
  // Right below the title. A file that cannot tell that its key is sound says nothing of it.
  void insecure(const std::optional<std::string>& note, bool can_tell) {
    if (!note && !can_tell) return;
    json("insecure", note ? "true" : "false");
    if (!note) return;
    json("insecure_note", json_text(*note));
    warning_ = fmt::format("  INSECURE: {}; proofs can be forged\n", said_once(*note));
  }
  void sections(const SectionTable& table);

  std::string print(bool as_json) const {
    if (!as_json) return fmt::format("{}: {}\n{}{}", path_, title_, warning_, lines_);
    std::string out = "{";
    for (std::size_t i = 0; i < members_.size(); ++i) out += (i > 0 ? ", " : "") + members_[i];
    return out + "}\n";
  }

 private:
  // The note without the word that stands before it: that of 'prover setup' holds it, too.
  static std::string said_once(std::string note) {
    for (const std::string_view word : {"INSECURE, ", "INSECURE: "})
      if (const std::size_t at = note.find(word); at != std::string::npos)
        note.erase(at, word.size());
    return note;
  }

  std::string path_;
  std::string title_;
  std::string warning_;
  std::string lines_;
  std::vector<std::string> members_;
};

void Report::sections(const SectionTable& table) {
  std::string list;
  lines_ += fmt::format("  {:>7}  {:<20} {:>12} {:>14}\n", "section", "", "offset", "bytes");
  for (const Section& section : table.all()) {
    const std::string_view name = table.name_of(section.id);
    lines_ += fmt::format("  {:>7}  {:<20} {:>12} {:>14}\n", section.id, name, section.offset,
                          section.bytes.size());
    list += fmt::format("{}{{\"id\": {}, \"name\": {}, \"offset\": {}, \"bytes\": {}}}",
                        list.empty() ? "" : ", ", section.id, json_text(name), section.offset,
                        section.bytes.size());
  }
  json("sections", fmt::format("[{}]", list));
}

std::string domain_text(std::uint64_t size) {
  return fmt::format("{} (2^{})", size, std::bit_width(size) - 1);
}

void add_domain(Report& report, std::uint64_t size) {
  report.json("domain_size", fmt::format("{}", size));
  report.line("domain", domain_text(size));
}

Result<std::string> describe_zkey(const MappedFile& file, bool json) {
  const Result<Zkey> key = Zkey::parse(file.bytes(), file.path());
  if (!key) return fail(key.error());
  Report report(file.path(), "proving_key",
                fmt::format("Groth16 proving key on {}", curve_name(key->curve)));
  report.insecure(key->insecure_note, true);
  report.text("curve", "curve", curve_name(key->curve));
  report.bytes("file_bytes", "file", file.bytes().size());
  report.count("wires", "wires", key->wires);
  report.count("publics", "public", key->publics);
  report.count("coefficients", "coefficients", key->coefficients.size());
  add_domain(report, key->domain_size);
  // A hash of 64 bytes, then how many contributed.
  const Section* const ceremony =
      key->sections.find(static_cast<std::uint32_t>(ZkeySection::contributions));
  if (ceremony != nullptr && ceremony->bytes.size() >= 68)
    report.count("contributions", "contributions", load_u32(ceremony->bytes.data() + 64));
  report.sections(key->sections);
  return report.print(json);
}

Result<std::string> describe_wtns(const MappedFile& file, bool json) {
  const Result<Wtns> witness = Wtns::parse(file.bytes(), file.path());
  if (!witness) return fail(witness.error());
  Report report(file.path(), "witness",
                fmt::format("witness in the scalar field of {}", curve_name(witness->curve)));
  report.text("curve", "curve", curve_name(witness->curve));
  report.bytes("file_bytes", "file", file.bytes().size());
  report.count("wires", "wires", witness->count);
  report.sections(witness->sections);
  return report.print(json);
}

struct Terms {
  std::uint64_t a = 0, b = 0, c = 0;
};

// Of the key that snarkjs groth16 setup makes of a circuit; exact when nobody has contributed yet.
std::uint64_t key_bytes(const R1cs& circuit, const Terms& terms, std::uint64_t domain) {
  const std::uint64_t g1 = g1_bytes(circuit.curve);
  const std::uint64_t g2 = g2_bytes(circuit.curve);
  const std::uint64_t wires = circuit.counts.wires;
  const std::uint64_t heads = 12 + 10 * 12;
  const std::uint64_t header =
      8 + field_prime(circuit.curve).size_bytes() + kScalarBytes + 12 + 3 * g1 + 3 * g2;
  const std::uint64_t ceremony = 64 + 4;
  const std::uint64_t coefficients = terms.a + terms.b + circuit.counts.publics() + 1;
  // A and B1 have a point a wire, and so have IC and C together.
  const std::uint64_t points = 3 * wires * g1 + wires * g2 + domain * g1;
  return heads + 4 + header + 4 + coefficients * Coefficients::kRecordBytes + points + ceremony;
}

Result<std::string> describe_r1cs(const MappedFile& file, bool json) {
  const Result<R1cs> circuit = R1cs::parse(file.bytes(), file.path());
  if (!circuit) return fail(circuit.error());
  Terms terms;
  file.advise(circuit->constraint_bytes, Use::sequential);
  const Result<void> read = each_constraint(*circuit, [&](const R1csConstraint& constraint) {
    terms.a += constraint.a.size();
    terms.b += constraint.b.size();
    terms.c += constraint.c.size();
  });
  if (!read) return fail(read.error());
  Report report(
      file.path(), "circuit",
      fmt::format("circuit (R1CS) over the scalar field of {}", curve_name(circuit->curve)));
  const R1csCounts& counts = circuit->counts;
  report.text("curve", "curve", curve_name(circuit->curve));
  report.bytes("file_bytes", "file", file.bytes().size());
  report.count("constraints", "constraints", circuit->constraints);
  report.count("wires", "wires", counts.wires);
  report.count("public_outputs", "public outputs", counts.public_outputs);
  report.count("public_inputs", "public inputs", counts.public_inputs);
  report.count("private_inputs", "private inputs", counts.private_inputs);
  report.count("labels", "labels", counts.labels);
  report.json("terms", fmt::format("[{}, {}, {}]", terms.a, terms.b, terms.c));
  report.line("terms A, B, C", fmt::format("{}, {}, {}", terms.a, terms.b, terms.c));
  const std::uint64_t rows = std::uint64_t{circuit->constraints} + counts.publics() + 1;
  const std::uint64_t domain = std::bit_ceil(std::max<std::uint64_t>(rows, 2));
  add_domain(report, domain);
  report.bytes("key_bytes_estimate", "its key: about", key_bytes(*circuit, terms, domain));
  report.sections(circuit->sections);
  return report.print(json);
}

constexpr SectionName kPtauNames[] = {
    {1, "header", true},
    {2, "tau g1", false},
    {3, "tau g2", false},
    {4, "alpha tau g1", false},
    {5, "beta tau g1", false},
    {6, "beta g2", false},
    {7, "contributions", false},
    {12, "lagrange tau g1", false},
    {13, "lagrange tau g2", false},
    {14, "lagrange alpha g1", false},
    {15, "lagrange beta g1", false},
};

// snarkjs's file of powers of tau is not used here, so that one that is not whole is only named.
// Header: u32 size of q, q, u32 power, u32 power of the ceremony it was cut from.
Result<std::string> describe_ptau(const MappedFile& file, bool json) {
  const auto table = SectionTable::parse(file.bytes(), file.path(), {"ptau", 1, "", kPtauNames});
  const Bytes header = table ? table->at(1).bytes : Bytes();
  const std::optional<Bytes> q = sized_prime(header);
  std::optional<CurveId> curve;
  for (const CurveId known : {CurveId::bn254, CurveId::bls12_381})
    if (q && is_equal(*q, field_prime(known))) curve = known;
  const bool is_known = curve && header.size() == 4 + q->size() + 8;
  Report report(file.path(), "powers_of_tau",
                is_known ? fmt::format("powers of tau of snarkjs (.ptau) on {}", curve_name(*curve))
                         : "powers of tau of snarkjs (.ptau), damaged or cut short");
  if (is_known) report.text("curve", "curve", curve_name(*curve));
  report.bytes("file_bytes", "file", file.bytes().size());
  if (!is_known) return report.print(json);
  const std::uint32_t power = load_u32(header.data() + 4 + q->size());
  const std::uint32_t ceremony = load_u32(header.data() + 8 + q->size());
  report.json("power", fmt::format("{}", power));
  report.line("power", fmt::format("{}: circuits of up to 2^{} rows", power, power));
  report.count("ceremony_power", "ceremony's power", ceremony);
  report.sections(*table);
  return report.print(json);
}

Result<std::string> describe_publics(const MappedFile& file, std::string_view text, bool json) {
  const auto narrow = parse_publics(text, file.path(), CurveId::bn254);
  const auto wide = parse_publics(text, file.path(), CurveId::bls12_381);
  if (!wide) return fail(wide.error());
  Report report(file.path(), "public_values", "public values of a proof");
  report.bytes("file_bytes", "file", file.bytes().size());
  report.count("publics", "values", wide->size());
  report.json("fits_bn254", narrow ? "true" : "false");
  report.json("fits_bls12_381", "true");
  report.line("values fit", narrow ? "both curves" : "bls12-381 only");
  return report.print(json);
}

Result<std::string> describe_proof(const MappedFile& file, std::string_view text, bool json) {
  const Result<ProofText> proof = parse_proof(text, file.path());
  if (!proof) return fail(proof.error());
  Report report(file.path(), "proof", fmt::format("Groth16 proof on {}", curve_name(proof->curve)));
  report.text("curve", "curve", curve_name(proof->curve));
  report.bytes("file_bytes", "file", file.bytes().size());
  return report.print(json);
}

Result<std::string> describe_verification_key(const MappedFile& file, std::string_view text,
                                              bool json) {
  const Result<VerificationKeyText> key = parse_verification_key(text, file.path());
  if (!key) return fail(key.error());
  Report report(file.path(), "verification_key",
                fmt::format("Groth16 verification key on {}", curve_name(key->curve)));
  std::optional<std::string> note;
  if (key->gamma2 == key->delta2) note = "nobody has contributed to this key (delta equals gamma)";
  report.insecure(note, false);
  report.text("curve", "curve", curve_name(key->curve));
  report.bytes("file_bytes", "file", file.bytes().size());
  report.count("publics", "public", key->ic.size() - 1);
  return report.print(json);
}

Result<std::string> describe_json(const MappedFile& file, std::string_view text, bool json) {
  const Result<FileKind> kind = kind_of_json(text, file.path());
  if (!kind) return fail(kind.error());
  switch (*kind) {
    case FileKind::proof:
      return describe_proof(file, text, json);
    case FileKind::publics:
      return describe_publics(file, text, json);
    case FileKind::verification_key:
      return describe_verification_key(file, text, json);
    default:
      break;
  }
  PROVER_CHECK(false, "a kind that is not known");
}

}  // namespace

Result<std::string> describe(const std::string& path, bool json) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return fail(file.error());
  const Bytes bytes = file->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const FileKind kind = kind_of_file(bytes);
  if (kind == FileKind::proving_key) return describe_zkey(*file, json);
  if (kind == FileKind::witness) return describe_wtns(*file, json);
  if (kind == FileKind::circuit) return describe_r1cs(*file, json);
  if (kind == FileKind::powers_of_tau) return describe_ptau(*file, json);
  if (is_json(kind)) return describe_json(*file, text, json);
  return fail(
      ErrorKind::usage,
      fmt::format("the file begins with '{}', as no known kind does", printable(text.substr(0, 4))),
      printable(path), std::string(kKnown));
}

}  // namespace prover::files
