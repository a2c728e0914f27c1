// SPDX-License-Identifier: Apache-2.0
#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/text.hpp"

namespace assay {
namespace {

const Json kNull;
const Json::Array kNoItems;
const Json::Object kNoMembers;
constexpr std::size_t kMaxDepth = 200;

// Builds a Json tree from nlohmann's parser events.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Json root;
  std::string error;
  std::size_t error_at = 0;

  bool null() override { return add(Json()); }
  bool boolean(bool v) override { return add(Json(v)); }
  bool number_integer(number_integer_t v) override { return add(Json(std::int64_t{v})); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return add(Json(static_cast<std::int64_t>(v)));
    return add(Json(std::uint64_t{v}));
  }
  bool number_float(number_float_t v, const string_t&) override { return add(Json(v)); }
  bool string(string_t& v) override { return add(Json(std::move(v))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool key(string_t& v) override {
    keys_.back() = std::move(v);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception& e) override {
    if (error.empty()) {
      error = e.what();
      if (auto colon = error.find(": "); colon != std::string::npos)
        error = error.substr(colon + 2);
      error_at = at;
    }
    return false;
  }

 private:
  bool open(Json value) {
    if (stack_.size() >= kMaxDepth) {
      error = "more than 200 levels of nesting";
      return false;
    }
    stack_.push_back(std::move(value));
    members_.emplace_back();
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Json done = stack_.back().is_object() ? object_of(std::move(members_.back()))
                                          : std::move(stack_.back());
    stack_.pop_back();
    members_.pop_back();
    keys_.pop_back();
    return add(std::move(done));
  }
  bool add(Json value) {
    if (stack_.empty()) {
      root = std::move(value);
    } else if (stack_.back().is_array()) {
      stack_.back().push(std::move(value));
    } else {
      members_.back().emplace_back(std::move(keys_.back()), std::move(value));
    }
    return true;
  }
  // The members with unique keys: the last value of a key, at the place of its first. Near linear,
  // since a hostile object may have very many.
  static Json object_of(Json::Object members) {
    std::unordered_map<std::string, std::size_t> place;
    Json::Object unique;
    for (Json::Member& member : members) {
      const auto [found, is_new] = place.try_emplace(member.first, unique.size());
      if (is_new)
        unique.push_back(std::move(member));
      else
        unique[found->second].second = std::move(member.second);
    }
    return Json(std::move(unique));
  }

  std::vector<Json> stack_;
  std::vector<Json::Object> members_;  // of the objects on the stack, as they come
  std::vector<std::string> keys_;
};

// What JSON permits and a terminal or a script does not: DEL, C1 controls, line separators.
bool needs_escape(char32_t code) {
  return (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

void write_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i++];
    } else if (c < 0x20) {
      if (c == '\n')
        out += "\\n";
      else if (c == '\t')
        out += "\\t";
      else
        out += fmt::format("\\u{:04x}", c);
      ++i;
    } else if (const Utf8 at = decode_utf8(text.substr(i)); at.length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else {
      if (needs_escape(at.code))
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(at.code));
      else
        out += text.substr(i, at.length);
      i += at.length;
    }
  }
  out += '"';
}

void write_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const std::size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

void write(std::string& out, const Json& json, int indent, int depth) {
  const auto line = [&](int level) {
    if (indent < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(level), ' ');
  };
  if (json.is_object() || json.is_array()) {
    const bool object = json.is_object();
    out += object ? '{' : '[';
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (i > 0) out += ',';
      line(depth + 1);
      if (object) {
        write_string(out, json.members()[i].first);
        out += indent < 0 ? ":" : ": ";
        write(out, json.members()[i].second, indent, depth + 1);
      } else {
        write(out, json.items()[i], indent, depth + 1);
      }
    }
    if (json.size() > 0) line(depth);
    out += object ? '}' : ']';
  } else if (json.is_string()) {
    write_string(out, *json.to_string());
  } else if (auto flag = json.to_bool()) {
    out += *flag ? "true" : "false";
  } else if (auto whole = json.to_int()) {
    out += fmt::format("{}", *whole);
  } else if (auto natural = json.to_uint()) {
    out += fmt::format("{}", *natural);
  } else if (auto real = json.to_double()) {
    write_double(out, *real);
  } else {
    out += "null";
  }
}

}  // namespace

Json Json::numbers(std::span<const double> values) {
  return Json(Array(values.begin(), values.end()));
}

bool Json::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) ||
         std::holds_alternative<std::uint64_t>(value_) || std::holds_alternative<double>(value_);
}

std::optional<bool> Json::to_bool() const {
  if (const bool* v = std::get_if<bool>(&value_)) return *v;
  return std::nullopt;
}

std::optional<double> Json::to_double() const {
  if (const double* v = std::get_if<double>(&value_)) return *v;
  if (const auto* v = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*v);
  if (const auto* v = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*v);
  return std::nullopt;
}

std::optional<std::int64_t> Json::to_int() const {
  if (const auto* v = std::get_if<std::int64_t>(&value_)) return *v;
  return std::nullopt;
}

std::optional<std::uint64_t> Json::to_uint() const {
  if (const auto* v = std::get_if<std::uint64_t>(&value_)) return *v;
  if (const auto* v = std::get_if<std::int64_t>(&value_); v && *v >= 0)
    return static_cast<std::uint64_t>(*v);
  return std::nullopt;
}

const Json::Array& Json::items() const {
  const auto* v = std::get_if<Array>(&value_);
  return v ? *v : kNoItems;
}

const Json::Object& Json::members() const {
  const auto* v = std::get_if<Object>(&value_);
  return v ? *v : kNoMembers;
}

const Json* Json::find(std::string_view key) const {
  for (const auto& [name, value] : members())
    if (name == key) return &value;
  return nullptr;
}

const Json& Json::operator[](std::string_view key) const {
  const Json* found = find(key);
  return found ? *found : kNull;
}

Json& Json::set(std::string_view key, Json value) {
  if (!is_object()) value_ = Object{};
  auto& object = std::get<Object>(value_);
  for (auto& [name, old] : object) {
    if (name == key) {
      old = std::move(value);
      return *this;
    }
  }
  object.emplace_back(std::string(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (!is_array()) value_ = Array{};
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

const Json* Json::at_pointer(std::string_view pointer) const {
  const Json* here = this;
  while (!pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    std::string token;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1'))
        token += raw[++i] == '0' ? '~' : '/';
      else
        token += raw[i];
    }
    if (here->is_array()) {
      std::size_t index = 0;
      const auto [end, status] = std::from_chars(token.data(), token.data() + token.size(), index);
      if (status != std::errc() || end != token.data() + token.size() || index >= here->size())
        return nullptr;
      here = &here->items()[index];
    } else {
      here = here->find(token);
      if (here == nullptr) return nullptr;
    }
  }
  return here;
}

std::string Json::dump(int indent) const {
  std::string out;
  write(out, *this, indent, 0);
  return out;
}

Result<Json> parse_json(std::string_view text, const std::string& where) {
  Builder builder;
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root);
  return fail(fmt::format("offset {}: {}", builder.error_at, builder.error), where);
}

}  // namespace assay
