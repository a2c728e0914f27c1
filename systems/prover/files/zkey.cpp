// SPDX-License-Identifier: Apache-2.0
#include "prover/files/zkey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "prover/base/text.hpp"
#include "prover/files/values.hpp"

namespace prover::files {
namespace {

constexpr std::uint32_t kGroth16 = 1;
constexpr std::size_t kMostNote = 200;
constexpr char kDamaged[] = "the key is damaged or of another kind: make or copy it again";

constexpr SectionName kNames[] = {
    {1, "protocol", true},
    {2, "header", true},
    {3, "ic", true},
    {4, "coefficients", true},
    {5, "a", true},
    {6, "b1", true},
    {7, "b2", true},
    {8, "c", true},
    {9, "h", true},
    {10, "contributions", false},
    {1000, "insecure", false},
};
constexpr Format kFormat = {"zkey", 1, "snarkjs (groth16 setup) and prover setup write .zkey files",
                            kNames};

// BN254: r - 1 is divisible by 2^28; BLS12-381: by 2^32.
constexpr std::uint32_t two_adicity(CurveId curve) { return curve == CurveId::bn254 ? 28 : 32; }

constexpr std::uint32_t id_of(ZkeySection section) { return static_cast<std::uint32_t>(section); }

tl::unexpected<Error> no(const Zkey& key, ZkeySection section, std::uint64_t offset,
                         std::string what, std::string hint = kDamaged) {
  return fail(ErrorKind::usage, std::move(what), key.where(section, offset), std::move(hint));
}

// Checked before the sections of Groth16 are asked for: other systems' keys have others.
Result<void> check_protocol(Bytes file, const std::string& path) {
  static constexpr auto kOnlyProtocol = [] {
    std::array<SectionName, std::size(kNames)> names{};
    for (std::size_t i = 0; i < names.size(); ++i)
      names[i] = {kNames[i].id, kNames[i].name, kNames[i].id == 1};
    return names;
  }();
  const Format format = {kFormat.magic, kFormat.version, kFormat.made_by, kOnlyProtocol};
  const Result<SectionTable> table = SectionTable::parse(file, path, format);
  if (!table) return fail(table.error());
  const Bytes bytes = table->at(1).bytes;
  if (bytes.size() != 4)
    return fail(ErrorKind::usage,
                fmt::format("the section has {} bytes where 4 belong", bytes.size()),
                table->where(1), kDamaged);
  const std::uint32_t protocol = load_u32(bytes.data());
  if (protocol == kGroth16) return {};
  const std::string name = protocol == 2 ? " (plonk)" : protocol == 10 ? " (fflonk)" : "";
  return fail(ErrorKind::usage,
              fmt::format("the key is for protocol {}{}, not for 1 (groth16)", protocol, name),
              table->where(1), "make a key with snarkjs groth16 setup");
}

// Takes the header's fields one after the other.
class HeaderReader {
 public:
  HeaderReader(const Zkey& key, Bytes bytes) : key_(key), bytes_(bytes) {}

  Result<CurveId> curve() {
    const std::optional<Bytes> q = sized_prime(bytes_);
    if (!q) return no(key_, ZkeySection::header, 0, "the prime q does not fit into the section");
    at_ = 4 + q->size();
    const std::optional<Bytes> r = sized_prime(bytes_.subspan(at_));
    if (!r) return no(key_, ZkeySection::header, at_, "the prime r does not fit into the section");
    at_ += 4 + r->size();
    for (const CurveId curve : {CurveId::bn254, CurveId::bls12_381})
      if (is_equal(*q, field_prime(curve)) && is_equal(*r, scalar_prime(curve))) return curve;
    return no(key_, ZkeySection::header, 0,
              fmt::format("its primes q of {} bits in {} bytes and r of {} bits in {} bytes belong "
                          "to no curve known here",
                          bit_length(*q), q->size(), bit_length(*r), r->size()),
              "bn254 (q and r of 254 bits) and bls12-381 (381 and 255 bits) are known");
  }
  // What is left after curve() has exactly the size of what is taken; see parse_header().
  std::size_t left() const { return bytes_.size() - at_; }
  std::uint32_t u32() { return load_u32(take(4).data()); }
  Bytes take(std::size_t size) {
    const Bytes taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
  }

 private:
  const Zkey& key_;
  Bytes bytes_;
  std::size_t at_ = 0;
};

Result<void> check_counts(const Zkey& key, std::uint64_t offset) {
  if (key.wires <= key.publics)
    return no(key, ZkeySection::header, offset,
              fmt::format("{} wires cannot hold {} public ones and the constant 1", key.wires,
                          key.publics));
  if (!std::has_single_bit(key.domain_size) || key.domain_size < 2)
    return no(key, ZkeySection::header, offset + 8,
              fmt::format("a domain of {} is no power of two from 2 on", key.domain_size));
  const std::uint32_t most = std::min(kMostDomainLog2, two_adicity(key.curve) - 1);
  if (key.domain_log2 > most)
    return no(key, ZkeySection::header, offset + 8,
              fmt::format("a domain of 2^{} is more than the 2^{} possible on {}", key.domain_log2,
                          most, curve_name(key.curve)),
              "split the circuit");
  if (key.domain_size <= key.publics)
    return no(key, ZkeySection::header, offset + 8,
              fmt::format("a domain of {} has no room for the rows of {} public wires",
                          key.domain_size, key.publics));
  return {};
}

Result<void> parse_header(Zkey& key) {
  HeaderReader header(key, key.sections.at(id_of(ZkeySection::header)).bytes);
  const Result<CurveId> curve = header.curve();
  if (!curve) return fail(curve.error());
  key.curve = *curve;
  const std::uint64_t counts_at =
      key.sections.at(id_of(ZkeySection::header)).bytes.size() - header.left();
  const std::uint32_t g1 = g1_bytes(key.curve);
  const std::uint32_t g2 = g2_bytes(key.curve);
  const std::size_t expected = 3 * 4 + 3 * g1 + 3 * g2;
  if (header.left() != expected)
    return no(key, ZkeySection::header, counts_at,
              fmt::format("after the primes the header has {} bytes where {} belong", header.left(),
                          expected));
  key.wires = header.u32();
  key.publics = header.u32();
  key.domain_size = header.u32();
  key.domain_log2 = static_cast<std::uint32_t>(std::bit_width(key.domain_size)) - 1;
  if (Result<void> counts = check_counts(key, counts_at); !counts) return counts;
  key.alpha1 = header.take(g1);
  key.beta1 = header.take(g1);
  key.beta2 = header.take(g2);
  key.gamma2 = header.take(g2);
  key.delta1 = header.take(g1);
  key.delta2 = header.take(g2);
  return {};
}

// A section of `count` points of `size` bytes each; `why` says where the count comes from.
Result<Bytes> points(const Zkey& key, ZkeySection section, std::uint64_t count, std::uint32_t size,
                     const char* why) {
  const Bytes bytes = key.sections.at(id_of(section)).bytes;
  if (bytes.size() == count * size) return bytes;
  return no(key, section, 0,
            fmt::format("the section has {} bytes where {} belong: {} points of {} bytes, {}",
                        bytes.size(), count * size, count, size, why));
}

Result<void> parse_coefficients(Zkey& key) {
  const Bytes bytes = key.sections.at(id_of(ZkeySection::coefficients)).bytes;
  if (bytes.size() < 4)
    return no(key, ZkeySection::coefficients, 0,
              fmt::format("the section has {} bytes, too few for its count", bytes.size()));
  const std::uint64_t count = load_u32(bytes.data());
  const std::uint64_t expected = 4 + count * Coefficients::kRecordBytes;
  if (bytes.size() != expected)
    return no(key, ZkeySection::coefficients, 0,
              fmt::format("the section has {} bytes where {} belong: {} coefficients of {} bytes",
                          bytes.size(), expected, count, Coefficients::kRecordBytes));
  key.coefficients = Coefficients(bytes.subspan(4));
  return {};
}

Result<void> parse_points(Zkey& key) {
  const std::uint32_t g1 = g1_bytes(key.curve);
  const std::uint64_t wires = key.wires;
  const struct {
    ZkeySection section;
    std::uint64_t count;
    std::uint32_t size;
    const char* why;
    Bytes* bytes;
  } kinds[] = {
      {ZkeySection::ic, std::uint64_t{key.publics} + 1, g1, "one more than publics", &key.ic},
      {ZkeySection::a, wires, g1, "one a wire", &key.a},
      {ZkeySection::b1, wires, g1, "one a wire", &key.b1},
      {ZkeySection::b2, wires, g2_bytes(key.curve), "one a wire", &key.b2},
      {ZkeySection::c, wires - key.publics - 1, g1, "one a private wire", &key.c},
      {ZkeySection::h, key.domain_size, g1, "one a row of the domain", &key.h},
  };
  for (const auto& kind : kinds) {
    const Result<Bytes> bytes = points(key, kind.section, kind.count, kind.size, kind.why);
    if (!bytes) return fail(bytes.error());
    *kind.bytes = *bytes;
  }
  return {};
}

Result<void> check_coefficient(const Zkey& key, std::uint32_t i) {
  const Coefficient it = key.coefficients[i];
  const std::uint64_t at = 4 + std::uint64_t{i} * Coefficients::kRecordBytes;
  const auto bad = [&](std::uint64_t field, std::string what) {
    return no(key, ZkeySection::coefficients, at + field,
              fmt::format("coefficient {} {}", i, what));
  };
  if (it.matrix > 1) return bad(0, fmt::format("is in matrix {}; 0 is A and 1 is B", it.matrix));
  if (it.row >= key.domain_size)
    return bad(4, fmt::format("is in row {} of a domain of {}", it.row, key.domain_size));
  if (it.wire >= key.wires)
    return bad(8, fmt::format("is of wire {} where there are {}", it.wire, key.wires));
  if (!is_below(it.value, scalar_prime(key.curve)))
    return bad(12, "has a value that is not below the field's prime");
  return {};
}

std::optional<std::string> insecure_note_of(const Zkey& key) {
  if (const Section* note = key.sections.find(id_of(ZkeySection::insecure))) {
    const std::size_t shown = std::min(note->bytes.size(), kMostNote);
    return printable({reinterpret_cast<const char*>(note->bytes.data()), shown});
  }
  if (std::equal(key.gamma2.begin(), key.gamma2.end(), key.delta2.begin(), key.delta2.end()))
    return "nobody has contributed to this key (delta equals gamma)";
  return std::nullopt;
}

}  // namespace

Result<Zkey> Zkey::parse(Bytes file, const std::string& path) {
  if (Result<void> protocol = check_protocol(file, path); !protocol) return fail(protocol.error());
  Result<SectionTable> table = SectionTable::parse(file, path, kFormat);
  if (!table) return fail(table.error());
  Zkey key;
  key.sections = std::move(*table);
  for (const auto part : {parse_header, parse_coefficients, parse_points})
    if (Result<void> parsed = part(key); !parsed) return fail(parsed.error());
  key.insecure_note = insecure_note_of(key);
  return key;
}

Result<ZkeyFile> ZkeyFile::open(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return fail(file.error());
  Result<Zkey> key = Zkey::parse(file->bytes(), path);
  if (!key) return fail(key.error());
  return ZkeyFile(std::move(*file), std::move(*key));
}

Result<void> check_coefficients(const Zkey& key, std::uint32_t first, std::uint32_t last) {
  PROVER_CHECK(first <= last && last <= key.coefficients.size(), "a range of coefficients");
  for (std::uint32_t i = first; i < last; ++i)
    if (Result<void> checked = check_coefficient(key, i); !checked) return checked;
  return {};
}

}  // namespace prover::files
