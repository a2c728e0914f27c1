// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "prover/base/text.hpp"
#include "prover/daemon/document.hpp"
#include "prover/files/mapped_file.hpp"

namespace prover::daemon {
namespace {

constexpr std::uint64_t kMostFile = std::uint64_t{1} << 20;

// "did you mean 'x'?", or what there is.
std::string suggest(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  return "there is: " + all;
}

// The value as the text that a row's set() reads; nothing when its type is wrong.
std::optional<std::string> text_of(const Node& node, bool number, bool is_switch) {
  if (const auto* text = node.to_string()) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&node.value); whole != nullptr && number)
    return fmt::format("{}", *whole);
  if (const auto* truth = node.to_bool(); truth != nullptr && is_switch)
    return *truth ? "on" : "off";
  return std::nullopt;
}

class Reader {
 public:
  Reader(const Document& document, Config& config) : document_(document), config_(config) {}

  Result<void> read() {
    for (const Node::Member& section : *document_.root().to_table()) {
      const auto done = section.key == "engine"    ? read_engine(section)
                        : section.key == "circuit" ? read_circuits(section)
                                                   : read_section(section);
      if (!done) return done;
    }
    if (auto ok = settings::check(config_.engine); !ok)
      return fail(document_.error(engine_at_, ok.error().to_text()));
    return check_listen();
  }

 private:
  tl::unexpected<Error> wrong(Position at, const std::string& what, const std::string& hint = {},
                              const std::string& remark = {}) const {
    return fail(document_.error(at, what, remark, hint));
  }

  Result<const Node::Table*> table_of(const Node::Member& section) const {
    if (const auto* table = section.value.to_table()) return table;
    return wrong(
        section.at,
        fmt::format("'{}' is {}, not a section", printable(section.key), section.value.kind()),
        fmt::format("write [{}]", section.key));
  }

  // `set` on the value; its errors become errors at the value.
  template <class Set>
  Result<void> apply(const Node::Member& member, bool number, bool is_switch,
                     const Set& set) const {
    const auto text = text_of(member.value, number, is_switch);
    if (!text)
      return wrong(member.value.at,
                   fmt::format("{} is {}", printable(member.key), member.value.kind()),
                   number      ? "write a whole number, or a string with a unit"
                   : is_switch ? "write \"on\" or \"off\""
                               : "write a string, in quotes");
    auto done = set(*text);
    if (done) return {};
    return wrong(member.value.at, fmt::format("{}: {}", printable(member.key), done.error().what),
                 done.error().hint);
  }

  Result<void> read_engine(const Node::Member& section) {
    const auto table = table_of(section);
    if (!table) return fail(table.error());
    engine_at_ = section.at;
    std::vector<std::string> known;
    for (const settings::Row& row : settings::engine_table()) known.emplace_back(row.name);
    for (const Node::Member& member : **table) {
      const auto rows = settings::engine_table();
      const auto row = std::ranges::find(rows, member.key, [](const auto& r) { return r.name; });
      if (row == rows.end())
        return wrong(member.at, fmt::format("unknown key '{}' in [engine]", printable(member.key)),
                     {}, suggest(member.key, known));
      const bool is_switch = std::string_view(row->value) == "on|off";
      if (auto done =
              apply(member, !is_switch, is_switch,
                    [&](const std::string& text) { return row->set(config_.engine, text); });
          !done)
        return done;
    }
    return {};
  }

  Result<void> read_section(const Node::Member& section) {
    std::vector<std::string> sections = {"engine", "circuit"}, known;
    for (const Key& key : config_table()) {
      if (std::ranges::find(sections, key.section) == sections.end())
        sections.emplace_back(key.section);
      if (section.key == key.section) known.emplace_back(key.name);
    }
    if (known.empty())
      return wrong(section.at, fmt::format("unknown section '{}'", printable(section.key)), {},
                   suggest(section.key, sections));
    const auto table = table_of(section);
    if (!table) return fail(table.error());
    for (const Node::Member& member : **table) {
      const auto keys = config_table();
      const auto key = std::ranges::find_if(
          keys, [&](const Key& k) { return section.key == k.section && member.key == k.name; });
      if (key == keys.end())
        return wrong(member.at,
                     fmt::format("unknown key '{}' in [{}]", printable(member.key), section.key),
                     {}, suggest(member.key, known));
      if (section.key == "listen") listen_at_[member.key] = member.at;
      if (auto done = apply(member, key->is_number, false,
                            [&](const std::string& text) { return key->set(config_, text); });
          !done)
        return done;
    }
    return {};
  }

  Result<void> check_listen() {
    const Listen& listen = config_.listen;
    if (!listen.address.empty() && listen.token_file.empty())
      return wrong(listen_at_["address"],
                   "address without token-file: every user of this machine could submit",
                   "name a file of tokens, or leave address out and use the socket");
    if (listen.address.empty() && !listen.token_file.empty())
      return wrong(listen_at_["token-file"], "token-file without address: nobody asks for tokens",
                   "tokens are for address; who may use the socket is said by socket-mode");
    return {};
  }

  Result<void> read_circuits(const Node::Member& section) {
    const auto* list = section.value.to_array();
    if (list == nullptr ||
        std::ranges::any_of(*list, [](const Node& one) { return one.to_table() == nullptr; }))
      return wrong(section.at, "circuits are sections of their own", "write [[circuit]]");
    for (const Node& one : *list) {
      if (auto done = read_circuit(one); !done) return done;
      const std::string& name = config_.circuits.back().name;
      const auto same = [&](const work::CircuitSource& other) { return other.name == name; };
      if (std::ranges::count_if(config_.circuits, same) > 1)
        return wrong(one.at, fmt::format("a second circuit '{}'", name), "names are for clients");
    }
    return {};
  }

  Result<void> read_circuit(const Node& node) {
    work::CircuitSource source;
    for (const Node::Member& member : *node.to_table()) {
      if (member.key == "builder") {
        if (auto done = read_builder(member, source); !done) return done;
        continue;
      }
      static const std::vector<std::string> known = {"name", "key", "sha256", "builder"};
      if (std::ranges::find(known, member.key) == known.end())
        return wrong(member.at,
                     fmt::format("unknown key '{}' in [[circuit]]", printable(member.key)), {},
                     suggest(member.key, known));
      const auto set = [&](const std::string& text) {
        return set_circuit(source, member.key, text);
      };
      if (auto done = apply(member, false, false, set); !done) return done;
    }
    if (source.name.empty() || source.key_path.empty())
      return wrong(node.at,
                   fmt::format("a circuit without {}", source.name.empty() ? "name" : "key"),
                   "name = \"...\" is what clients say, key = \"....zkey\" the proving key");
    config_.circuits.push_back(std::move(source));
    return {};
  }

  static Result<void> set_circuit(work::CircuitSource& source, const std::string& key,
                                  const std::string& text) {
    const auto only = [&](const char* letters) {
      return !text.empty() && text.find_first_not_of(letters) == std::string::npos;
    };
    if (key == "name") {
      if (!only("abcdefghijklmnopqrstuvwxyz0123456789._-") || text.size() > 64)
        return fail(ErrorKind::usage, fmt::format("'{}' is no name", printable(text)), {},
                    "small letters, digits, '.', '_' and '-', at most 64");
      source.name = text;
    } else if (key == "key") {
      if (text.empty()) return fail(ErrorKind::usage, "no path");
      source.key_path = text;
    } else {
      if (!only("0123456789abcdef") || text.size() != 64)
        return fail(ErrorKind::usage, "no SHA-256: 64 hexadecimal digits, small letters", {},
                    "'sha256sum KEY.zkey' prints it");
      source.sha256 = text;
    }
    return {};
  }

  Result<void> read_builder(const Node::Member& member, work::CircuitSource& source) {
    const auto* table = member.value.to_table();
    if (table == nullptr)
      return wrong(member.value.at, fmt::format("builder is {}", member.value.kind()),
                   "write builder = { kind = \"dense\", constraints = 65534 }");
    circuit::Request request;
    bool has_kind = false;
    for (const Node::Member& part : *table) {
      const auto done = apply(part, part.key != "kind" && part.key != "curve", false,
                              [&](const std::string& text) {
                                has_kind = has_kind || part.key == "kind";
                                return set_builder(request, part.key, text);
                              });
      if (!done) return done;
    }
    if (!has_kind)
      return wrong(member.value.at, "a builder without its kind",
                   "kind = \"dense\", \"poseidon\", \"sha256\" or \"porep\"");
    if (auto ok = circuit::check(request); !ok) return wrong(member.value.at, ok.error().to_text());
    source.builder = request;
    return {};
  }

  static Result<void> set_builder(circuit::Request& request, const std::string& key,
                                  const std::string& text) {
    constexpr std::uint64_t kAny = ~std::uint32_t{0};
    const std::map<std::string, std::uint32_t*> numbers = {{"constraints", &request.constraints},
                                                           {"bits", &request.bits},
                                                           {"challenges", &request.challenges}};
    if (key == "kind") {
      for (const circuit::Kind kind : circuit::kKinds) {
        if (circuit::kind_name(kind) != text) continue;
        request.kind = kind;
        return {};
      }
      return fail(ErrorKind::usage, fmt::format("'{}' is no circuit", printable(text)), {},
                  "there is: dense, poseidon, sha256, porep");
    }
    if (key == "curve") {
      if (text != "bn254" && text != "bls12-381")
        return fail(ErrorKind::usage, fmt::format("'{}' is no curve", printable(text)), {},
                    "there is: bn254, bls12-381");
      request.curve = text == "bn254" ? CurveId::bn254 : CurveId::bls12_381;
      return {};
    }
    const auto place = numbers.find(key);
    if (place == numbers.end() && key != "depth")
      return fail(ErrorKind::usage, "no part of a builder", {},
                  suggest(key, {"kind", "curve", "constraints", "depth", "bits", "challenges"}));
    const auto number = parse_count(text, 0, kAny);
    if (!number) return fail(number.error());
    if (key == "depth")
      request.depth = static_cast<std::uint32_t>(*number);
    else
      *place->second = static_cast<std::uint32_t>(*number);
    return {};
  }

  const Document& document_;
  Config& config_;
  Position engine_at_;
  std::map<std::string, Position> listen_at_;
};

void resolve(std::string& path, const std::filesystem::path& folder) {
  if (!path.empty() && path.front() != '/') path = (folder / path).lexically_normal().string();
}

// Comments of 100 columns.
std::string comment(std::string_view text) {
  std::string lines, line = "#";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (line.size() + 1 + end > 100) {
      lines += line + "\n";
      line = "#";
    }
    line.append(" ").append(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + line + "\n";
}

std::string quoted_unless_number(const std::string& text, bool number) {
  const bool plain = number && text.find_first_not_of("0123456789") == std::string::npos;
  return plain ? text : "\"" + text + "\"";
}

}  // namespace

Result<Config> parse_config(std::string_view text, const std::string& file) {
  const auto document = Document::parse(text, printable(file));
  if (!document) return fail(document.error());
  Config config = default_config();
  if (auto done = Reader(*document, config).read(); !done) return fail(done.error());
  const auto folder = std::filesystem::path(file).parent_path();
  resolve(config.listen.socket, folder);
  resolve(config.listen.token_file, folder);
  if (config.journal != "memory") resolve(config.journal, folder);
  if (config.listen.http.starts_with("unix:")) {
    std::string path = config.listen.http.substr(5);
    resolve(path, folder);
    config.listen.http = "unix:" + path;
  }
  for (work::CircuitSource& circuit : config.circuits) resolve(circuit.key_path, folder);
  return config;
}

Result<Config> read_config(const std::string& path) {
  const auto file = files::MappedFile::open(path, kMostFile);
  if (!file) return fail(file.error());
  const files::Bytes bytes = file->bytes();
  return parse_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

std::string example_config() {
  Config config = default_config();
  // The same text for everybody.
  config.listen.socket = "/run/prover/prover.sock";
  config.journal = "/var/lib/prover/journal.db";
  std::string text =
      "# Configuration of prover-daemon. Every key stands here with its default; a key that is "
      "not\n"
      "# there has it too. Relative paths are taken from the folder of this file.\n"
      "# 'prover config --check FILE' says what is wrong with a file.\n";
  std::string_view section;
  for (const Key& key : config_table()) {
    if (section != key.section) text += fmt::format("\n[{}]\n", section = key.section);
    const std::string value = key.show(config);
    text += comment(key.help);
    text += value.empty()
                ? fmt::format("# {} = {}\n", key.name, key.example)
                : fmt::format("{} = {}\n", key.name, quoted_unless_number(value, key.is_number));
  }
  text += "\n[engine]\n";
  for (const settings::Row& row : settings::engine_table()) {
    const bool automatic = std::string_view(row.name) == "channel";
    text += comment(fmt::format("{}: {}", row.value, row.help));
    text +=
        fmt::format("{} = {}\n", row.name,
                    quoted_unless_number(automatic ? "auto" : row.effective(config.engine), true));
  }
  return text +
         "\n# One for each circuit that jobs can be of.\n"
         "# [[circuit]]\n"
         "# what clients say\n"
         "# name = \"age\"\n"
         "# the proving key, of snarkjs or 'prover setup'\n"
         "# key = \"age.zkey\"\n"
         "# its checksum ('sha256sum age.zkey'): any other key is refused\n"
         "# sha256 = \"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"\n"
         "# only for the circuits of 'prover circuit': jobs may then come with a seed instead of\n"
         "# witnesses\n"
         "# builder = { kind = \"dense\", constraints = 65534 }\n";
}

}  // namespace prover::daemon
