// SPDX-License-Identifier: Apache-2.0
// Structs as JSON objects, from one list of their members for both directions: a member that is
// written is also read, under the same name. Used by codec.cpp only.
//   Fields<T>::visit(v)  calls v.must(name, &T::member) or v.may(name, &T::member) for every member
//   must                 always written; missing is an error
//   may                  written unless it has the default of a fresh T; missing means that default
//   may_text             the same for text that only people read: bytes that are not UTF-8 are
//   replaced
// Members of an object that no list names are ignored: a newer writer may add some.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "model/words.hpp"

namespace assay::fields {

template <class T>
struct Fields;

struct AnyVisitor {
  template <class M>
  void must(const char*, M);
  template <class M>
  void may(const char*, M);
  template <class M>
  void may_text(const char*, M);
};
template <class T>
concept Struct = requires(AnyVisitor visitor) {
  Fields<T>::visit(visitor);
};

template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

template <class T>
concept Enum = std::is_enum_v<T>;

// --- writing
// ---------------------------------------------------------------------------------------

// Text as a JSON string, or {"hex": "..."} when it is not UTF-8: argv and paths may be any bytes,
// and a resumed experiment must run the very same command.
inline Json write_value(const std::string& text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
  if (ascii) return Json(text);
  const auto back = parse_json(Json(text).dump());
  if (back && back->to_string() && *back->to_string() == text) return Json(text);
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return Json::object().set("hex", hex);
}
inline Json write_value(bool value) { return Json(value); }
inline Json write_value(double value) { return Json(value); }
inline Json write_value(std::chrono::nanoseconds value) {
  return Json(std::int64_t{value.count()});
}
template <Whole T>
Json write_value(T value) {
  if constexpr (std::is_signed_v<T>)
    return Json(std::int64_t{value});
  else
    return Json(std::uint64_t{value});
}
template <Enum T>
Json write_value(T value) {
  return Json(to_word(value));
}
// [at_ns, tree_bytes]: a trial may have 512 of them.
inline Json write_value(const MemorySample& sample) {
  Json::Array both;
  both.reserve(2);
  both.push_back(write_value(sample.at));
  both.push_back(write_value(sample.tree_bytes));
  return Json(std::move(both));
}
template <Struct T>
Json write_value(const T& value);
template <class T>
Json write_value(const std::optional<T>& value);
template <class A, class B>
Json write_value(const std::pair<A, B>& value);

template <class T>
Json write_value(const std::vector<T>& values) {
  Json::Array items;
  items.reserve(values.size());
  for (const T& value : values) items.push_back(write_value(value));
  return Json(std::move(items));
}
template <class T>
Json write_value(const std::optional<T>& value) {
  return value ? write_value(*value) : Json();
}
template <class A, class B>
Json write_value(const std::pair<A, B>& value) {
  Json::Array both;
  both.push_back(write_value(value.first));
  both.push_back(write_value(value.second));
  return Json(std::move(both));
}

template <class T>
class Writer {
 public:
  explicit Writer(const T& from, Json::Object head = {}) : from_(from), out_(std::move(head)) {}

  template <class M>
  void must(const char* name, M T::*member) {
    out_.emplace_back(name, write_value(from_.*member));
  }
  template <class M>
  void may(const char* name, M T::*member) {
    static const T kDefaults{};
    if (from_.*member == kDefaults.*member) return;
    if constexpr (std::same_as<M, double>)
      if (!std::isfinite(from_.*member)) return;
    must(name, member);
  }
  void may_text(const char* name, std::string T::*member) {
    if (!(from_.*member).empty()) out_.emplace_back(name, Json(from_.*member));
  }

  Json take() { return Json(std::move(out_)); }

 private:
  const T& from_;
  Json::Object out_;
};

template <Struct T>
Json write_value(const T& value) {
  Writer<T> writer(value);
  Fields<T>::visit(writer);
  return writer.take();
}

// --- reading
// ---------------------------------------------------------------------------------------

// Reads values and remembers the first thing that is wrong, with the path to it.
class Reader {
 public:
  explicit Reader(std::string root) : root_(std::move(root)) {}

  bool read(const Json& json, bool& out) { return take(json.to_bool(), out, "not true or false"); }
  bool read(const Json& json, double& out) { return take(json.to_double(), out, "not a number"); }
  bool read(const Json& json, std::string& out) {
    if (const std::string* text = json.to_string()) {
      out = *text;
      return true;
    }
    return read_hex(json["hex"], out) || wrong("not a string");
  }
  bool read(const Json& json, std::chrono::nanoseconds& out) {
    std::int64_t count = 0;
    if (!read(json, count)) return false;
    out = std::chrono::nanoseconds(count);
    return true;
  }
  template <Whole T>
  bool read(const Json& json, T& out) {
    const auto in_range = [&](auto value) {
      if (!std::in_range<T>(value))
        return wrong(fmt::format("not between {} and {}", std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max()));
      out = static_cast<T>(value);
      return true;
    };
    if (const auto whole = json.to_int()) return in_range(*whole);
    if (const auto natural = json.to_uint()) return in_range(*natural);
    return wrong("not a whole number");
  }
  template <Enum T>
  bool read(const Json& json, T& out) {
    const std::string* word = json.to_string();
    if (word == nullptr) return wrong("not a string");
    const std::optional<T> value = from_word<T>(*word);
    return take(value, out, value ? "" : fmt::format("unknown word '{}'", printable(*word)));
  }
  template <class T>
  bool read(const Json& json, std::optional<T>& out) {
    if (json.is_null()) {
      out.reset();
      return true;
    }
    return read(json, out.emplace());
  }
  template <class A, class B>
  bool read(const Json& json, std::pair<A, B>& out) {
    if (!json.is_array() || json.size() != 2) return wrong("not a list of two");
    return read_item(json, 0, out.first) && read_item(json, 1, out.second);
  }
  bool read(const Json& json, MemorySample& out) {
    std::pair<std::chrono::nanoseconds, std::uint64_t> both;
    if (!read(json, both)) return false;
    out = {both.first, both.second};
    return true;
  }
  template <class T>
  bool read(const Json& json, std::vector<T>& out) {
    if (!json.is_array()) return wrong("not a list");
    out.clear();
    out.resize(json.size());
    for (std::size_t i = 0; i < json.size(); ++i)
      if (!read_item(json, i, out[i])) return false;
    return true;
  }
  template <Struct T>
  bool read(const Json& json, T& out);

  template <class T>
  bool read_member(const Json& object, const char* name, bool needed, T& out) {
    const Json* member = object.find(name);
    const bool good = member != nullptr ? read(*member, out) : (!needed || wrong("missing"));
    if (!good) came_from(fmt::format(".{}", name));
    return good;
  }

  // "plan: arms[1].argv: not a list"
  Error error() const {
    const std::string path = path_.starts_with('.') ? path_.substr(1) : path_;
    return {path.empty() ? what_ : path + ": " + what_, root_, ""};
  }

 private:
  template <class T>
  bool read_item(const Json& list, std::size_t i, T& out) {
    if (read(list.items()[i], out)) return true;
    came_from(fmt::format("[{}]", i));
    return false;
  }
  template <class V, class T>
  bool take(const V& value, T& out, std::string_view otherwise) {
    if (!value) return wrong(std::string(otherwise));
    out = *value;
    return true;
  }
  static bool read_hex(const Json& json, std::string& out);
  // The path grows from its end, and only when something is wrong: most values are good.
  void came_from(const std::string& step) { path_.insert(0, step); }
  bool wrong(std::string what) {
    what_ = std::move(what);
    return false;
  }

  std::string root_, path_, what_;
};

template <class T>
class ObjectReader {
 public:
  ObjectReader(Reader& reader, const Json& from, T& to) : reader_(reader), from_(from), to_(to) {}

  template <class M>
  void must(const char* name, M T::*member) {
    good_ = good_ && reader_.read_member(from_, name, true, to_.*member);
  }
  template <class M>
  void may(const char* name, M T::*member) {
    good_ = good_ && reader_.read_member(from_, name, false, to_.*member);
  }
  void may_text(const char* name, std::string T::*member) { may(name, member); }
  bool good() const { return good_; }

 private:
  Reader& reader_;
  const Json& from_;
  T& to_;
  bool good_ = true;
};

template <Struct T>
bool Reader::read(const Json& json, T& out) {
  if (!json.is_object()) return wrong("not an object");
  ObjectReader<T> members(*this, json, out);
  Fields<T>::visit(members);
  return members.good();
}

inline bool Reader::read_hex(const Json& json, std::string& out) {
  const std::string* hex = json.to_string();
  if (hex == nullptr || hex->size() % 2 != 0) return false;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string bytes;
  for (std::size_t i = 0; i < hex->size(); i += 2) {
    const int high = digit((*hex)[i]), low = digit((*hex)[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes += static_cast<char>(high * 16 + low);
  }
  out = std::move(bytes);
  return true;
}

template <class T>
Result<T> read_root(const Json& json, const char* name) {
  Reader reader(name);
  T value;
  if (!reader.read(json, value)) return fail(reader.error());
  return value;
}

}  // namespace assay::fields
