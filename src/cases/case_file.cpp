// SPDX-License-Identifier: Apache-2.0
#include "cases/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/document.hpp"
#include "base/text.hpp"

namespace assay::cases {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestText = 4096;

// Where a key's value goes: to a text, or to a switch.
struct Field {
  std::string_view key;
  std::string* text = nullptr;
  bool* on = nullptr;
  bool wanted = false;  // must be there
};

class FileReader {
 public:
  FileReader(const Document& document, Case& out) : document_(document), out_(out) {}

  Result<void> read();

 private:
  Result<void> read_fields(const Node::Table& table, Position at, std::string_view what,
                           std::span<const Field> fields,
                           std::span<const std::string_view> lists = {});
  Result<void> read_value(const Node::Member& member, const Field& field);
  Result<void> read_gap(const Node::Table& table);
  template <class Read>
  Result<void> read_list(const Node::Member& member, std::string_view what, const Read& read);
  Result<void> read_hypothesis(const Node& node);
  Result<void> read_evidence(const Node& node);
  Result<void> read_round(const Node& node);
  Result<void> check_links() const;

  static const Node::Member* find(const Node::Table& table, std::string_view key) {
    const auto found = std::ranges::find(table, key, &Node::Member::key);
    return found == table.end() ? nullptr : &*found;
  }
  tl::unexpected<Error> at(Position place, const std::string& what, const std::string& remark = {},
                           const std::string& hint = {}) const {
    return fail(document_.error(place, what, remark, hint));
  }
  // The place inside a string value where `slip` is, as long as nothing in it is escaped.
  tl::unexpected<Error> inside(const Node::Member& member, const Slip& slip) const;

  const Document& document_;
  Case& out_;
  std::vector<std::pair<std::string, Position>> links_;  // names of hypotheses, where they stand
};

tl::unexpected<Error> FileReader::inside(const Node::Member& member, const Slip& slip) const {
  Position place = member.value.at;
  const std::string& text = *member.value.to_string();
  const std::string_view before = std::string_view(text).substr(0, slip.offset);
  if (text.find_first_of("\"\\\n") == std::string::npos)
    place.column += 1 + static_cast<std::uint32_t>(display_width(before));
  return at(place, fmt::format("'{}': {}", member.key, slip.what), {}, slip.hint);
}

Result<void> FileReader::read_value(const Node::Member& member, const Field& field) {
  if (field.on != nullptr) {
    const bool* on = member.value.to_bool();
    if (on == nullptr)
      return at(member.value.at,
                fmt::format("'{}' must be true or false, not {}", member.key, member.value.kind()));
    *field.on = *on;
    return {};
  }
  const std::string* text = member.value.to_string();
  if (text == nullptr)
    return at(member.value.at,
              fmt::format("'{}' must be a string, not {}", member.key, member.value.kind()));
  if (text->find_first_not_of(" \t\r\n") == std::string::npos)
    return at(member.value.at, fmt::format("'{}' is empty", member.key), {},
              field.wanted ? "" : "leave the line out");
  if (text->size() > kLongestText)
    return at(member.value.at,
              fmt::format("'{}' is longer than {}", member.key, format_bytes(kLongestText)));
  if (text->find('\0') != std::string::npos)
    return at(member.value.at, fmt::format("'{}' contains a zero byte", member.key));
  *field.text = *text;
  return {};
}

Result<void> FileReader::read_fields(const Node::Table& table, Position place,
                                     std::string_view what, std::span<const Field> fields,
                                     std::span<const std::string_view> lists) {
  for (const Node::Member& member : table) {
    if (std::ranges::find(lists, member.key) != lists.end()) continue;
    const auto field = std::ranges::find(fields, member.key, &Field::key);
    if (field == fields.end()) {
      std::vector<std::string> known(lists.begin(), lists.end());
      for (const Field& f : fields) known.emplace_back(f.key);
      const auto near = nearest(member.key, known);
      return at(member.at, fmt::format("unknown key '{}' of {}", printable(member.key), what),
                near ? fmt::format("did you mean '{}'?", *near) : "",
                near ? "" : fmt::format("it has {}", fmt::join(known, ", ")));
    }
    if (auto read = read_value(member, *field); !read) return read;
  }
  for (const Field& field : fields)
    if (field.wanted && find(table, field.key) == nullptr)
      return at(place, fmt::format("{} has no '{}'", what, field.key));
  return {};
}

Result<void> FileReader::read_gap(const Node::Table& table) {
  const Node::Member *size = find(table, "gap"), *record = find(table, "gap-record");
  if (size != nullptr && record != nullptr)
    return at(size->at, "'gap' and 'gap-record' exclude each other", {},
              "a gap is measured by a record, or it is a stated size");
  for (const char* key : {"gap-part", "gap-removes"})
    if (const Node::Member* member = find(table, key); member != nullptr && record == nullptr)
      return at(member->at, fmt::format("'{}' belongs to a 'gap-record'", key));
  if (size == nullptr) return {};
  const auto parsed = parse_size(out_.gap_text, OneNumber::exact);
  if (!parsed) return inside(*size, parsed.error());
  out_.gap_size = *parsed;
  return {};
}

template <class Read>
Result<void> FileReader::read_list(const Node::Member& member, std::string_view what,
                                   const Read& read) {
  const Node::Array* items = member.value.to_array();
  if (items == nullptr)
    return at(member.at,
              fmt::format("'{}' must be a list of tables, not {}", member.key, member.value.kind()),
              {}, fmt::format("write [[{}]] above every {}", member.key, what));
  for (const Node& item : *items) {
    if (item.to_table() == nullptr)
      return at(item.at, fmt::format("a {} must be a table, not {}", what, item.kind()), {},
                fmt::format("write [[{}]] above it", member.key));
    if (auto done = read(item); !done) return done;
  }
  return {};
}

Result<void> FileReader::read_hypothesis(const Node& node) {
  const Node::Table& table = *node.to_table();
  Hypothesis made;
  const Field fields[] = {{.key = "id", .text = &made.id, .wanted = true},
                          {.key = "mechanism", .text = &made.mechanism, .wanted = true},
                          {.key = "predict", .text = &made.predict, .wanted = true},
                          {.key = "test", .text = &made.test},
                          {.key = "price", .text = &made.price}};
  if (auto read = read_fields(table, node.at, "a hypothesis", fields); !read) return read;
  const Node::Member& id = *find(table, "id");
  if (!is_hypothesis_name(made.id))
    return at(id.value.at, fmt::format("'{}' cannot name a hypothesis", printable(made.id)), {},
              "letters, digits and _ . + - make a name");
  if (std::ranges::find(out_.hypotheses, made.id, &Hypothesis::id) != out_.hypotheses.end())
    return at(id.value.at, fmt::format("there are two hypotheses '{}'", made.id));
  const auto prediction = parse_prediction(made.predict);
  if (!prediction) return inside(*find(table, "predict"), prediction.error());
  made.prediction = *prediction;
  out_.hypotheses.push_back(std::move(made));
  return {};
}

Result<void> FileReader::read_evidence(const Node& node) {
  const Node::Table& table = *node.to_table();
  Evidence made;
  const Field fields[] = {{.key = "id", .text = &made.record, .wanted = true},
                          {.key = "for", .text = &made.hypothesis},
                          {.key = "removes", .on = &made.removes},
                          {.key = "part", .text = &made.part},
                          {.key = "note", .text = &made.note}};
  if (auto read = read_fields(table, node.at, "a record", fields); !read) return read;
  if (const Node::Member* link = find(table, "for"))
    links_.emplace_back(made.hypothesis, link->value.at);
  out_.evidence.push_back(std::move(made));
  return {};
}

Result<void> FileReader::read_round(const Node& node) {
  const Node::Table& table = *node.to_table();
  Round made;
  const Field fields[] = {{.key = "date", .text = &made.date},
                          {.key = "text", .text = &made.text, .wanted = true},
                          {.key = "record", .text = &made.record},
                          {.key = "result", .text = &made.result}};
  if (auto read = read_fields(table, node.at, "a round", fields); !read) return read;
  out_.rounds.push_back(std::move(made));
  return {};
}

// `for` may stand above the hypothesis that it names.
Result<void> FileReader::check_links() const {
  std::vector<std::string> names;
  for (const Hypothesis& hypothesis : out_.hypotheses) names.push_back(hypothesis.id);
  for (const auto& [name, place] : links_) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const auto near = nearest(name, names);
    return at(place, fmt::format("no hypothesis is called '{}'", printable(name)),
              near ? fmt::format("did you mean '{}'?", *near) : "",
              near            ? ""
              : names.empty() ? "the case has none"
                              : fmt::format("the case has {}", fmt::join(names, ", ")));
  }
  return {};
}

Result<void> FileReader::read() {
  const Node::Table& table = *document_.root().to_table();
  const Field fields[] = {{.key = "question", .text = &out_.question, .wanted = true},
                          {.key = "opened", .text = &out_.opened},
                          {.key = "gap", .text = &out_.gap_text},
                          {.key = "gap-record", .text = &out_.gap_record},
                          {.key = "gap-part", .text = &out_.gap_part},
                          {.key = "gap-removes", .on = &out_.gap_removes},
                          {.key = "metric", .text = &out_.metric}};
  constexpr std::string_view kLists[] = {"hypothesis", "record", "round"};
  if (auto read = read_fields(table, Position{}, "a case", fields, kLists); !read) return read;
  if (auto read = read_gap(table); !read) return read;
  for (const Node::Member& member : table) {
    Result<void> read;
    if (member.key == "hypothesis")
      read = read_list(member, "hypothesis", [&](const Node& n) { return read_hypothesis(n); });
    else if (member.key == "record")
      read = read_list(member, "record", [&](const Node& n) { return read_evidence(n); });
    else if (member.key == "round")
      read = read_list(member, "round", [&](const Node& n) { return read_round(n); });
    if (!read) return read;
  }
  return check_links();
}

// A string as TOML has it.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\u{:04X}", byte);
    else
      out += c;
  }
  return out + "\"";
}

void add_line(std::string& out, std::string_view key, const std::string& value) {
  if (!value.empty()) out += fmt::format("{} = {}\n", key, in_quotes(value));
}

bool is_name(std::string_view name, bool plus) {
  if (name.empty() || name.size() > kLongestName || name.front() == '-' || name.front() == '.')
    return false;
  return std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || (plus && c == '+');
  });
}

}  // namespace

bool is_case_name(std::string_view name) { return is_name(name, false); }
bool is_hypothesis_name(std::string_view name) { return is_name(name, true); }

Result<Case> parse_case(std::string_view toml, const std::string& file, const std::string& name) {
  const auto document = Document::parse(toml, file);
  if (!document) return fail(document.error());
  Case made{.name = name};
  if (auto read = FileReader(*document, made).read(); !read) return fail(read.error());
  return made;
}

std::string to_toml(const Hypothesis& hypothesis) {
  std::string out = "\n[[hypothesis]]\n";
  add_line(out, "id", hypothesis.id);
  add_line(out, "mechanism", hypothesis.mechanism);
  add_line(out, "predict", hypothesis.predict);
  add_line(out, "test", hypothesis.test);
  add_line(out, "price", hypothesis.price);
  return out;
}

std::string to_toml(const Evidence& evidence) {
  std::string out = "\n[[record]]\n";
  add_line(out, "id", evidence.record);
  add_line(out, "for", evidence.hypothesis);
  if (evidence.removes) out += "removes = true\n";
  add_line(out, "part", evidence.part);
  add_line(out, "note", evidence.note);
  return out;
}

std::string to_toml(const Round& round) {
  std::string out = "\n[[round]]\n";
  add_line(out, "date", round.date);
  add_line(out, "text", round.text);
  add_line(out, "record", round.record);
  add_line(out, "result", round.result);
  return out;
}

std::string to_toml(const Case& made) {
  std::string out;
  add_line(out, "question", made.question);
  add_line(out, "opened", made.opened);
  add_line(out, "gap", made.gap_text);
  add_line(out, "gap-record", made.gap_record);
  add_line(out, "gap-part", made.gap_part);
  if (made.gap_removes) out += "gap-removes = true\n";
  add_line(out, "metric", made.metric);
  for (const Hypothesis& hypothesis : made.hypotheses) out += to_toml(hypothesis);
  for (const Evidence& evidence : made.evidence) out += to_toml(evidence);
  for (const Round& round : made.rounds) out += to_toml(round);
  return out;
}

}  // namespace assay::cases
