// SPDX-License-Identifier: Apache-2.0
// A small JSON value: ordered objects, exact 64-bit integers, doubles that round-trip.
// Parsing is nlohmann's (json.cpp is the only file that includes it); no exception leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace assay {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // in insertion order; keys are unique

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(unsigned value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::uint64_t value) : value_(value) {}
  Json(double value) : value_(value) {}  // a value that is not finite is written as null
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  // An absent value is null, never 0.
  template <class T>
  Json(const std::optional<T>& value) {
    if (value) *this = Json(*value);
  }

  static Json array() { return Json(Array{}); }
  static Json object() { return Json(Object{}); }
  static Json numbers(std::span<const double> values);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_number() const;
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // Typed reads: nothing when the value has another type (or does not fit).
  std::optional<bool> to_bool() const;
  std::optional<double> to_double() const;
  std::optional<std::int64_t> to_int() const;
  std::optional<std::uint64_t> to_uint() const;
  const std::string* to_string() const { return std::get_if<std::string>(&value_); }

  // Elements of an array, members of an object; empty for every other type.
  const Array& items() const;
  const Object& members() const;
  std::size_t size() const { return is_object() ? members().size() : items().size(); }

  // The member `key`, or a shared null when absent: json["a"]["b"] never fails.
  const Json& operator[](std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Json* find(std::string_view key) const;

  // Writing. set() makes this an object when it is null and replaces an existing member.
  Json& set(std::string_view key, Json value);
  Json& push(Json value);

  // The value at an RFC 6901 pointer ("/metrics/0/p99"), or nothing.
  const Json* at_pointer(std::string_view pointer) const;

  // Compact when indent < 0, else indented. Ends without newline. Invalid UTF-8 is replaced.
  std::string dump(int indent = -1) const;

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      value_;
};

// The value in `text`. Errors name the byte offset ("offset 17: ...") behind `where`.
// Depth is limited to 200 levels; a duplicate key keeps the last value.
Result<Json> parse_json(std::string_view text, const std::string& where = {});

}  // namespace assay
