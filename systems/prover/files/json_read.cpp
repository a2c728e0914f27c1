// SPDX-License-Identifier: Apache-2.0
// The only file that includes nlohmann's JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "prover/base/text.hpp"
#include "prover/files/json.hpp"
#include "prover/files/mapped_file.hpp"
#include "prover/files/values.hpp"

namespace prover::files {
namespace {

using Json = nlohmann::json;

// A public value takes about 80 bytes and a point of IC up to 270, so that 60,000 fit at least.
constexpr std::uint64_t kMostTextBytes = std::uint64_t{16} << 20;
// The parser's memory is bound by this: less than 100 bytes a value and the text.
constexpr std::uint64_t kMostValues = 1'000'000;
constexpr int kMostDepth = 8;
constexpr Integer kOne = {1};
constexpr Integer kZero = {};

// What is looked at before the parser: it takes memory for each value, nests as deep as it is told,
// and keeps the last of two members of one name.
// Tried: nlohmann's callback for the names; with it a list of many objects takes quadratic time.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  // What is wrong with the text, or nothing.
  std::string problem() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\0')  // the parser takes it for the end
        return fmt::format("this is no JSON: byte {} is 0", at_ - 1);
      if (c == '"') string();
      if (c == '[' || c == '{') ++depth_;
      if (c == ']' || c == '}') --depth_;
      if (c == ',') ++values_;
      if (depth_ > kMostDepth)
        return fmt::format("the file is nested deeper than {} levels", kMostDepth);
      if (values_ > kMostValues)
        return fmt::format("the file holds more than {} values", kMostValues);
      if (!twice_.empty()) return fmt::format("{} is there twice", printable(twice_));
    }
    return "";
  }

 private:
  // The rest of a string. In the outermost object, one with a colon behind it is a member's name.
  void string() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view inside = text_.substr(start, at_ - start);
    if (at_ < text_.size()) ++at_;
    const std::size_t next = text_.find_first_not_of(" \t\r\n", at_);
    if (depth_ != 1 || next == std::string_view::npos || text_[next] != ':') return;
    if (!names_.insert(unescaped(inside)).second) twice_ = unescaped(inside);
  }
  // "pi\u005fa" is pi_a, too. What cannot be read here cannot be read by the parser.
  static std::string unescaped(std::string_view inside) {
    if (inside.find('\\') == std::string_view::npos) return std::string(inside);
    const Json name = Json::parse(fmt::format("\"{}\"", inside), nullptr, false);
    return name.is_string() ? name.get<std::string>() : std::string(inside);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::uint64_t values_ = 0;
  std::set<std::string> names_;
  std::string twice_;
};

// "/pi_b/0/1" -> "pi_b[0][1]", "/2" -> "public value 2": only those are a list by themselves.
std::string name_of(std::string_view pointer) {
  std::string name;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view part = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(part.size());
    const bool is_index = part.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_index && name.empty())
      name = fmt::format("public value {}", part);
    else
      name += is_index ? fmt::format("[{}]", part) : std::string(part);
  }
  return name;
}

// The kind of a text that was read, by its outermost value.
FileKind kind_of_value(const Json& json) {
  if (json.is_array())
    return json.empty() || json[0].is_string() || json[0].is_number() ? FileKind::publics
                                                                      : FileKind::json;
  if (json.contains("pi_a")) return FileKind::proof;
  if (json.contains("vk_alpha_1")) return FileKind::verification_key;
  return FileKind::json;
}

// Which prime a number must be below.
enum class Below { q, r };

// One file: its text as JSON and, for each thing in it, a message with the place.
class Reader {
 public:
  // `wanted` is json where any kind will do.
  Reader(const std::string& path, FileKind wanted, std::string made_by)
      : path_(printable(path)), wanted_(wanted), made_by_(std::move(made_by)) {}

  // A file of another kind is refused with its name.
  Result<Json> parse(std::string_view text) const;

  tl::unexpected<Error> no(std::string what) const { return no(std::move(what), made_by_); }
  tl::unexpected<Error> no(std::string what, std::string hint) const {
    return fail(ErrorKind::usage, std::move(what), path_, std::move(hint));
  }
  // Of the thing at `pointer`, by its name: "pi_a[0] is no decimal number".
  tl::unexpected<Error> no_such(const std::string& pointer, std::string_view what) const {
    return no(fmt::format("{} {}", name_of(pointer), what));
  }
  tl::unexpected<Error> too_large(const std::string& pointer, CurveId curve, Below below) const;

  Result<const Json*> member(const Json& object, const std::string& key) const;
  Result<const Json*> list(const Json& value, const std::string& pointer, std::size_t size) const;
  Result<Integer> integer(const Json& value, const std::string& pointer, CurveId curve,
                          Below below) const;
  Result<std::array<Integer, 2>> pair(const Json& value, const std::string& pointer,
                                      CurveId curve) const;
  Result<G1Text> g1(const Json& value, const std::string& pointer, CurveId curve) const;
  Result<G2Text> g2(const Json& value, const std::string& pointer, CurveId curve) const;

  Result<G1Text> g1_member(const Json& object, const std::string& key, CurveId curve) const;
  Result<G2Text> g2_member(const Json& object, const std::string& key, CurveId curve) const;
  Result<void> check_protocol(const Json& object, bool required) const;
  // The curve that the object names, or nothing where it names none.
  Result<std::optional<CurveId>> named_curve(const Json& object) const;

 private:
  std::string path_;
  FileKind wanted_;
  std::string made_by_;
};

Result<Json> Reader::parse(std::string_view text) const {
  const FileKind start = kind_of_file(std::as_bytes(std::span(text.data(), text.size())));
  if (start != FileKind::unknown && !is_json(start))
    return wrong_kind(start, wanted_, path_, made_by_);
  if (text.size() > kMostTextBytes)
    return no(fmt::format("the file has {}, more than the {} such a file may have",
                          show_bytes(text.size()), show_bytes(kMostTextBytes)));
  if (const std::string problem = Scan(text).problem(); !problem.empty()) return no(problem);
  try {
    Json json = Json::parse(text);
    const FileKind is = kind_of_value(json);
    if (wanted_ != FileKind::json && is != FileKind::json && is != wanted_)
      return wrong_kind(is, wanted_, path_, made_by_);
    return json;
  } catch (const Json::parse_error& error) {
    return no(fmt::format("this is no JSON, from byte {} on", error.byte));
  } catch (const Json::exception&) {
    return no("this is no JSON that can be read");
  }
}

Result<const Json*> Reader::member(const Json& object, const std::string& key) const {
  if (!object.is_object()) return no("the file holds no JSON object");
  const auto found = object.find(key);
  if (found == object.end()) return no(fmt::format("{} is missing", key));
  return &*found;
}

Result<const Json*> Reader::list(const Json& value, const std::string& pointer,
                                 std::size_t size) const {
  if (!value.is_array()) return no_such(pointer, "is no list");
  if (value.size() != size)
    return no_such(pointer, fmt::format("has {} entries where {} belong", value.size(), size));
  return &value;
}

Result<Integer> Reader::integer(const Json& value, const std::string& pointer, CurveId curve,
                                Below below) const {
  Integer number{};
  if (value.is_number_unsigned()) {
    number[0] = value.get<std::uint64_t>();
  } else if (value.is_string()) {
    const Result<Integer> parsed = parse_decimal(value.get_ref<const std::string&>());
    if (!parsed) return no_such(pointer, parsed.error().what);
    number = *parsed;
  } else {
    return no_such(pointer, "is no decimal number in quotes");
  }
  const auto prime = below == Below::q ? field_prime(curve) : scalar_prime(curve);
  for (std::size_t i = prime.size(); i < number.size(); ++i)
    if (number[i] != 0) return too_large(pointer, curve, below);
  if (!is_below(std::span<const std::uint64_t>(number), prime))
    return too_large(pointer, curve, below);
  return number;
}

tl::unexpected<Error> Reader::too_large(const std::string& pointer, CurveId curve,
                                        Below below) const {
  if (below == Below::q)
    return no(fmt::format("{} is not below q, the prime of {}'s coordinates", name_of(pointer),
                          curve_name(curve)),
              "the file is damaged, or 'curve' in it names another curve than its points are on");
  return no(fmt::format("{} is not below r, the order of {}'s groups", name_of(pointer),
                        curve_name(curve)),
            "give public values as the prover writes them, below r; these may be for another "
            "curve");
}

Result<std::array<Integer, 2>> Reader::pair(const Json& value, const std::string& pointer,
                                            CurveId curve) const {
  if (Result<const Json*> fits = list(value, pointer, 2); !fits) return fail(fits.error());
  std::array<Integer, 2> numbers{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Result<Integer> number =
        integer(value[i], fmt::format("{}/{}", pointer, i), curve, Below::q);
    if (!number) return fail(number.error());
    numbers[i] = *number;
  }
  return numbers;
}

Result<G1Text> Reader::g1(const Json& value, const std::string& pointer, CurveId curve) const {
  if (Result<const Json*> fits = list(value, pointer, 3); !fits) return fail(fits.error());
  std::array<Integer, 3> numbers{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Result<Integer> number =
        integer(value[i], fmt::format("{}/{}", pointer, i), curve, Below::q);
    if (!number) return fail(number.error());
    numbers[i] = *number;
  }
  const auto& [x, y, z] = numbers;
  if (z == kZero && x == kZero && y == kOne) return G1Text{};
  if (z != kOne)
    return no_such(pointer, "is neither an affine point (third coordinate 1) nor 0, 1, 0");
  if (x == kZero && y == kZero) return no_such(pointer, "is (0, 0), which is not on the curve");
  return G1Text{x, y};
}

Result<G2Text> Reader::g2(const Json& value, const std::string& pointer, CurveId curve) const {
  if (Result<const Json*> fits = list(value, pointer, 3); !fits) return fail(fits.error());
  std::array<std::array<Integer, 2>, 3> numbers{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = pair(value[i], fmt::format("{}/{}", pointer, i), curve);
    if (!number) return fail(number.error());
    numbers[i] = *number;
  }
  constexpr std::array<Integer, 2> zero{kZero, kZero};
  constexpr std::array<Integer, 2> one{kOne, kZero};
  const auto& [x, y, z] = numbers;
  if (z == zero && x == zero && y == one) return G2Text{};
  if (z != one)
    return no_such(pointer, "is neither an affine point (third coordinate 1) nor 0, 1, 0");
  if (x == zero && y == zero) return no_such(pointer, "is (0, 0), which is not on the curve");
  return G2Text{x, y};
}

Result<G1Text> Reader::g1_member(const Json& object, const std::string& key, CurveId curve) const {
  const Result<const Json*> value = member(object, key);
  if (!value) return fail(value.error());
  return g1(**value, "/" + key, curve);
}

Result<G2Text> Reader::g2_member(const Json& object, const std::string& key, CurveId curve) const {
  const Result<const Json*> value = member(object, key);
  if (!value) return fail(value.error());
  return g2(**value, "/" + key, curve);
}

Result<void> Reader::check_protocol(const Json& object, bool required) const {
  if (!object.is_object()) return no("the file holds no JSON object");
  const auto found = object.find("protocol");
  if (found == object.end() && !required) return {};
  if (found == object.end()) return no("protocol is missing");
  if (!found->is_string()) return no_such("/protocol", "is no text");
  const std::string& name = found->get_ref<const std::string&>();
  if (name == "groth16") return {};
  return no_such("/protocol", fmt::format("is '{}', not 'groth16'", printable(name.substr(0, 40))));
}

Result<std::optional<CurveId>> Reader::named_curve(const Json& object) const {
  const auto found = object.find("curve");
  if (found == object.end()) return std::optional<CurveId>();
  if (!found->is_string()) return no_such("/curve", "is no text");
  // snarkjs takes any case and punctuation, and these names.
  const std::string& text = found->get_ref<const std::string&>();
  std::string name;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') name += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) name += c;
  }
  if (name == "bn128" || name == "bn254" || name == "altbn128")
    return std::optional<CurveId>(CurveId::bn254);
  if (name == "bls12381") return std::optional<CurveId>(CurveId::bls12_381);
  return no_such("/curve", fmt::format("is '{}'; bn128 and bls12381 are known",
                                       printable(text.substr(0, 40))));
}

const char* const kProofMadeBy = "prover prove and snarkjs groth16 prove write proofs";
const char* const kPublicsMadeBy = "public values are a list of decimal numbers in quotes";
const char* const kKeyMadeBy =
    "prover vkey and snarkjs zkey export verificationkey write such keys";

const char* const kKnownFiles =
    "prover info knows .zkey, .wtns, .r1cs and .ptau files and snarkjs's JSON files";

Result<void> parse_ic(const Reader& reader, const Json& object, VerificationKeyText& key) {
  const Result<const Json*> count = reader.member(object, "nPublic");
  if (!count) return fail(count.error());
  if (!(*count)->is_number_unsigned()) return reader.no_such("/nPublic", "is no whole number");
  const Result<const Json*> ic = reader.member(object, "IC");
  if (!ic) return fail(ic.error());
  const std::uint64_t publics = (*count)->get<std::uint64_t>();
  if (!(*ic)->is_array() || (*ic)->empty()) return reader.no_such("/IC", "is no list of points");
  if ((*ic)->size() - 1 != publics)
    return reader.no_such("/IC", fmt::format("has {} points where nPublic + 1 belong, and nPublic "
                                             "is {}",
                                             (*ic)->size(), publics));
  for (std::size_t i = 0; i < (*ic)->size(); ++i) {
    const Result<G1Text> point = reader.g1((**ic)[i], fmt::format("/IC/{}", i), key.curve);
    if (!point) return fail(point.error());
    key.ic.push_back(*point);
  }
  return {};
}

// Maps the file at `path` and gives its text to `parse`.
template <class T, class Parse>
Result<T> from_file(const std::string& path, const Parse& parse) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return fail(file.error());
  const Bytes bytes = file->bytes();
  return parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

Result<ProofText> parse_proof(std::string_view text, const std::string& path,
                              std::optional<CurveId> curve, const std::string& key_path) {
  const Reader reader(path, FileKind::proof, kProofMadeBy);
  const Result<Json> json = reader.parse(text);
  if (!json) return fail(json.error());
  if (Result<void> fits = reader.check_protocol(*json, false); !fits) return fail(fits.error());
  const Result<std::optional<CurveId>> named = reader.named_curve(*json);
  if (!named) return fail(named.error());
  if (!*named && !curve) return reader.no("the proof does not name its curve");
  if (*named && curve && **named != *curve)
    return reader.no(
        key_path.empty()
            ? fmt::format("the proof is one of {}, not of {}", curve_name(**named),
                          curve_name(*curve))
            : fmt::format("the proof is one of {}, the verification key {} is one of {}",
                          curve_name(**named), printable(key_path), curve_name(*curve)),
        "give the proof and the key of the same circuit");
  ProofText proof;
  proof.curve = *named ? **named : *curve;
  const Result<G1Text> a = reader.g1_member(*json, "pi_a", proof.curve);
  if (!a) return fail(a.error());
  const Result<G2Text> b = reader.g2_member(*json, "pi_b", proof.curve);
  if (!b) return fail(b.error());
  const Result<G1Text> c = reader.g1_member(*json, "pi_c", proof.curve);
  if (!c) return fail(c.error());
  proof.a = *a;
  proof.b = *b;
  proof.c = *c;
  return proof;
}

Result<std::vector<Integer>> parse_publics(std::string_view text, const std::string& path,
                                           CurveId curve) {
  const Reader reader(path, FileKind::publics, kPublicsMadeBy);
  const Result<Json> json = reader.parse(text);
  if (!json) return fail(json.error());
  if (!json->is_array()) return reader.no("the file holds no JSON list");
  std::vector<Integer> publics;
  for (std::size_t i = 0; i < json->size(); ++i) {
    const Result<Integer> value =
        reader.integer((*json)[i], fmt::format("/{}", i), curve, Below::r);
    if (!value) return fail(value.error());
    publics.push_back(*value);
  }
  return publics;
}

Result<VerificationKeyText> parse_verification_key(std::string_view text, const std::string& path) {
  const Reader reader(path, FileKind::verification_key, kKeyMadeBy);
  const Result<Json> json = reader.parse(text);
  if (!json) return fail(json.error());
  if (Result<void> fits = reader.check_protocol(*json, true); !fits) return fail(fits.error());
  const Result<std::optional<CurveId>> curve = reader.named_curve(*json);
  if (!curve) return fail(curve.error());
  if (!*curve) return reader.no("curve is missing");
  VerificationKeyText key;
  key.curve = **curve;
  const Result<G1Text> alpha = reader.g1_member(*json, "vk_alpha_1", key.curve);
  if (!alpha) return fail(alpha.error());
  key.alpha1 = *alpha;
  const std::pair<const char*, G2Text*> points[] = {
      {"vk_beta_2", &key.beta2}, {"vk_gamma_2", &key.gamma2}, {"vk_delta_2", &key.delta2}};
  for (const auto& [name, point] : points) {
    const Result<G2Text> read = reader.g2_member(*json, name, key.curve);
    if (!read) return fail(read.error());
    *point = *read;
  }
  if (Result<void> ic = parse_ic(reader, *json, key); !ic) return fail(ic.error());
  return key;
}

Result<FileKind> kind_of_json(std::string_view text, const std::string& path) {
  const Reader reader(path, FileKind::json, kKnownFiles);
  const Result<Json> json = reader.parse(text);
  if (!json) return fail(json.error());
  const FileKind kind = kind_of_value(*json);
  if (kind != FileKind::json) return kind;
  return reader.no("this JSON is no proof, no verification key and no list of public values");
}

Result<ProofText> read_proof(const std::string& path, std::optional<CurveId> curve,
                             const std::string& key_path) {
  return from_file<ProofText>(
      path, [&](std::string_view text) { return parse_proof(text, path, curve, key_path); });
}

Result<std::vector<Integer>> read_publics(const std::string& path, CurveId curve) {
  return from_file<std::vector<Integer>>(
      path, [&](std::string_view text) { return parse_publics(text, path, curve); });
}

Result<VerificationKeyText> read_verification_key(const std::string& path) {
  return from_file<VerificationKeyText>(
      path, [&](std::string_view text) { return parse_verification_key(text, path); });
}

}  // namespace prover::files
