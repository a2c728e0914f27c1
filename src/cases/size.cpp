// SPDX-License-Identifier: Apache-2.0
#include "cases/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace assay::cases {
namespace {

constexpr double kEitherWay = 2;  // what one number leaves; bisect --expect leaves the same
constexpr double kLargest = 1e30;
constexpr std::string_view kSizeHint =
    "a size is such as \"2-5 ms\", \"2-5 ms x 10 partitions\", \"3-4 GiB\", \"+3%..+5%\"";
constexpr std::string_view kHint =
    "a size is such as \"2-5 ms x 10 partitions\", \"3-4 GiB\" or \"+3%..+5%\"; a shape is \"falls "
    "with cap\", \"rises with cap\", \"step at 4\" or \"flat\"";

struct Unit {
  std::string_view name;
  Quantity quantity;
  double factor;
};

constexpr double kKi = 1024;
constexpr std::array<Unit, 22> kUnits = {{{"ns", Quantity::seconds, 1e-9},
                                          {"us", Quantity::seconds, 1e-6},
                                          {"\u00b5s", Quantity::seconds, 1e-6},
                                          {"ms", Quantity::seconds, 1e-3},
                                          {"s", Quantity::seconds, 1},
                                          {"sec", Quantity::seconds, 1},
                                          {"min", Quantity::seconds, 60},
                                          {"m", Quantity::seconds, 60},
                                          {"h", Quantity::seconds, 3600},
                                          {"B", Quantity::bytes, 1},
                                          {"KiB", Quantity::bytes, kKi},
                                          {"MiB", Quantity::bytes, kKi* kKi},
                                          {"GiB", Quantity::bytes, kKi* kKi* kKi},
                                          {"TiB", Quantity::bytes, kKi* kKi* kKi* kKi},
                                          {"kB", Quantity::bytes, 1e3},
                                          {"MB", Quantity::bytes, 1e6},
                                          {"GB", Quantity::bytes, 1e9},
                                          {"TB", Quantity::bytes, 1e12},
                                          {"K", Quantity::bytes, kKi},
                                          {"M", Quantity::bytes, kKi* kKi},
                                          {"G", Quantity::bytes, kKi* kKi* kKi},
                                          {"%", Quantity::fraction, 0.01}}};

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// One end of a range. The unit may be missing: then it is that of the other end.
struct End {
  double number = 0;
  const Unit* unit = nullptr;
  std::size_t at = 0;  // byte where it stands
};

class Reader {
 public:
  Reader(std::string_view text, OneNumber one) : text_(text), one_(one) {}

  tl::expected<Size, Slip> size();

 private:
  using Expected = tl::expected<void, Slip>;
  tl::unexpected<Slip> slip(std::string what, std::size_t at) const {
    return tl::unexpected<Slip>(Slip{std::move(what), at, std::string(kSizeHint)});
  }
  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool done() {
    skip();
    return at_ == text_.size();
  }
  bool take(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    const std::size_t behind = at_ + word.size();
    if (is_letter(word.back()) && behind < text_.size() && is_letter(text_[behind])) return false;
    at_ = behind;
    return true;
  }
  // What stands between the ends of a range.
  bool take_to() {
    for (const std::string_view word : {"..", "-", "to", "\u2013"})
      if (take(word)) return true;
    return false;
  }
  tl::expected<double, Slip> number(bool sign);
  tl::expected<End, Slip> end(bool sign);
  tl::expected<double, Slip> factor();

  std::string_view text_;
  OneNumber one_;
  std::size_t at_ = 0;
};

tl::expected<double, Slip> Reader::number(bool sign) {
  skip();
  const std::size_t begin = at_;
  double direction = 1;
  if (sign && at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
    if (text_[at_] == '-') direction = -1;
    ++at_;
    skip();
  }
  const std::size_t digits = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  // A dot belongs to the number unless it is the first of "..".
  if (at_ < text_.size() && text_[at_] == '.' && !text_.substr(at_).starts_with("..")) {
    ++at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }
  const auto value = parse_number(text_.substr(digits, at_ - digits));
  if (!value) {
    if (digits < text_.size() && text_[digits] != ' ' && !is_digit(text_[digits]))
      return slip("there is no number here", digits);
    return slip("a number is missing", std::min(begin, text_.size()));
  }
  if (*value > kLargest) return slip("this number is too large", digits);
  return direction * *value;
}

tl::expected<End, Slip> Reader::end(bool sign) {
  skip();
  End found{.at = at_};
  const auto value = number(sign);
  if (!value) return tl::unexpected<Slip>(value.error());
  found.number = *value;
  skip();
  const std::size_t begin = at_;
  std::size_t stop = at_;
  if (stop < text_.size() && text_[stop] == '%') {
    ++stop;
  } else {
    // The sign between two ends may be made of the bytes that letters are made of.
    while (stop < text_.size() && is_letter(text_[stop]) &&
           !text_.substr(stop).starts_with("\u2013"))
      ++stop;
  }
  const std::string_view word = text_.substr(begin, stop - begin);
  if (word.empty() || word == "to" || word == "x") return found;
  for (const Unit& unit : kUnits)
    if (unit.name == word) found.unit = &unit;
  if (found.unit == nullptr)
    return slip(fmt::format("'{}' is no unit of time or memory", printable(word)), begin);
  at_ = stop;
  return found;
}

// "x 10 partitions x 4 jobs" -> 40.
tl::expected<double, Slip> Reader::factor() {
  double product = 1;
  while (!done()) {
    if (!take("x") && !take("*") && !take("\u00d7"))
      return slip("this does not belong to a size", at_);
    skip();
    const std::size_t at = at_;
    const auto times = number(false);
    if (!times) return tl::unexpected<Slip>(times.error());
    if (*times <= 0) return slip("something is multiplied by zero", at);
    product *= *times;
    if (product > kLargest) return slip("this number is too large", at);
    // Words that say what is counted.
    while (!done()) {
      const std::size_t before = at_;
      if (take("x") || take("*") || take("\u00d7")) {
        at_ = before;
        break;
      }
      if (!is_letter(text_[at_])) return slip("this does not belong to a size", at_);
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) ||
                                    text_[at_] == '_' || text_[at_] == '-'))
        ++at_;
    }
  }
  return product;
}

tl::expected<Size, Slip> Reader::size() {
  if (done()) return slip("nothing is predicted", 0);
  const bool open = take("at least");
  if (!open && !take("about")) take("~");
  const auto first = end(true);
  if (!first) return tl::unexpected<Slip>(first.error());
  std::optional<End> second;
  skip();
  const std::size_t joint = at_;
  if (take_to()) {
    if (open) return slip("'at least' goes with one number", joint);
    const auto found = end(true);
    if (!found) return tl::unexpected<Slip>(found.error());
    second = *found;
  }
  const Unit* last = second && second->unit != nullptr ? second->unit : first->unit;
  if (last == nullptr) return slip("the unit is missing", at_);
  const Unit* before = first->unit != nullptr ? first->unit : last;
  if (second && second->unit == nullptr) return slip("the unit is missing", at_);
  if (before->quantity != last->quantity)
    return slip("one end is a time and the other is not", second->at);
  const auto times = factor();
  if (!times) return tl::unexpected<Slip>(times.error());
  Size size{.quantity = last->quantity, .lo = first->number * before->factor * *times};
  size.hi = second ? second->number * last->factor * *times : size.lo;
  if (second && size.lo > size.hi) return slip("the range runs backwards", second->at);
  if (size.lo == 0 && size.hi == 0)
    return slip("a size of zero predicts nothing; the shape is \"flat\"", first->at);
  if (!std::isfinite(size.lo) || !std::isfinite(size.hi))
    return slip("this number is too large", first->at);
  if (open) {
    if (size.lo < 0) return slip("'at least' goes with a positive size", first->at);
    size.hi = std::numeric_limits<double>::infinity();
  } else if (!second && one_ == OneNumber::either_way) {
    const bool costs = size.lo > 0;
    size = {size.quantity, costs ? size.lo / kEitherWay : size.lo * kEitherWay,
            costs ? size.lo * kEitherWay : size.lo / kEitherWay};
  }
  return size;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The shape that begins with `word`, when the text does.
struct ShapeStart {
  std::string_view words;
  ShapeWord word;
};
constexpr std::array<ShapeStart, 12> kShapes = {{{"falls with", ShapeWord::falls},
                                                 {"falls in", ShapeWord::falls},
                                                 {"falls", ShapeWord::falls},
                                                 {"rises with", ShapeWord::rises},
                                                 {"rises in", ShapeWord::rises},
                                                 {"rises", ShapeWord::rises},
                                                 {"step at", ShapeWord::step},
                                                 {"step", ShapeWord::step},
                                                 {"flat with", ShapeWord::flat},
                                                 {"flat over", ShapeWord::flat},
                                                 {"flat in", ShapeWord::flat},
                                                 {"flat", ShapeWord::flat}}};

std::optional<tl::expected<Prediction, Slip>> parse_shape(std::string_view text) {
  const std::size_t lead = text.find_first_not_of(" \t");
  if (lead == std::string_view::npos) return std::nullopt;
  const std::string_view body = text.substr(lead);
  for (const ShapeStart& start : kShapes) {
    if (!body.starts_with(start.words)) continue;
    const std::size_t behind = start.words.size();
    if (behind < body.size() && !is_blank(body[behind])) continue;
    const std::string_view rest = trimmed(body.substr(behind));
    const auto slip = [&](std::string what) {
      return tl::expected<Prediction, Slip>(
          tl::unexpected<Slip>(Slip{std::move(what), lead + behind, std::string(kHint)}));
    };
    if (rest.find_first_of(" \t") != std::string_view::npos)
      return slip("one word is expected behind it");
    ShapeClaim claim{.word = start.word};
    if (start.word == ShapeWord::step) {
      const std::size_t equals = rest.rfind('=');
      claim.at = rest.substr(equals == std::string_view::npos ? 0 : equals + 1);
      if (equals != std::string_view::npos) claim.parameter = rest.substr(0, equals);
      if (claim.at.empty()) return slip("a step needs its level");
    } else {
      claim.parameter = rest;
      if (start.words.find(' ') != std::string_view::npos && rest.empty())
        return slip("the name of a parameter is missing");
    }
    return tl::expected<Prediction, Slip>(std::move(claim));
  }
  return std::nullopt;
}

// The prefix that shows `value` with 3 digits, and the number of decimals.
struct Scale {
  double unit = 1;
  std::string_view name;
  int decimals = 2;
};

Scale scale_for(double largest, Quantity quantity) {
  static constexpr std::pair<double, std::string_view> kTimes[] = {
      {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  static constexpr std::pair<double, std::string_view> kBytes[] = {{kKi * kKi * kKi * kKi, "TiB"},
                                                                   {kKi * kKi * kKi, "GiB"},
                                                                   {kKi * kKi, "MiB"},
                                                                   {kKi, "KiB"},
                                                                   {1, "B"}};
  Scale scale;
  if (quantity == Quantity::fraction) {
    scale = {0.01, "%", 1};
  } else {
    const auto choose = [&](auto& list) {
      for (const auto& [unit, name] : list) {
        scale.unit = unit;
        scale.name = name;
        if (largest >= 0.9995 * unit) break;
      }
    };
    if (quantity == Quantity::seconds)
      choose(kTimes);
    else
      choose(kBytes);
  }
  const double shown = largest / scale.unit;
  scale.decimals = shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2;
  if (quantity == Quantity::fraction && shown >= 1 && shown < 99.95) scale.decimals = 1;
  if (scale.name == "B") scale.decimals = 0;
  return scale;
}

std::string number_text(double value, const Scale& scale, bool sign) {
  std::string text = fmt::format("{:.{}f}", std::fabs(value) / scale.unit, scale.decimals);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  if (zero) return "0";
  if (value < 0) return "-" + text;
  return (sign ? "+" : "") + text;
}

}  // namespace

tl::expected<Size, Slip> parse_size(std::string_view text, OneNumber one) {
  return Reader(text, one).size();
}

tl::expected<Prediction, Slip> parse_prediction(std::string_view text) {
  if (auto shape = parse_shape(text)) return *shape;
  auto size = parse_size(text);
  if (size) return Prediction(*size);
  Slip slip = size.error();
  slip.hint = kHint;
  return tl::unexpected<Slip>(std::move(slip));
}

std::string to_text(const Size& size) {
  const bool sign = size.quantity == Quantity::fraction || size.lo < 0;
  if (!std::isfinite(size.hi)) {
    const Scale scale = scale_for(std::fabs(size.lo), size.quantity);
    return fmt::format("{} {} or more", number_text(size.lo, scale, sign), scale.name);
  }
  const Scale scale = scale_for(std::max(std::fabs(size.lo), std::fabs(size.hi)), size.quantity);
  const std::string lo = number_text(size.lo, scale, sign), hi = number_text(size.hi, scale, sign);
  if (lo == hi) return fmt::format("{} {}", lo, scale.name);
  return fmt::format("{} to {} {}", lo, hi, scale.name);
}

std::string to_text(const Prediction& prediction) {
  if (const auto* size = std::get_if<Size>(&prediction)) return to_text(*size);
  const auto& claim = std::get<ShapeClaim>(prediction);
  const std::string with =
      claim.parameter.empty() ? std::string() : fmt::format(" with {}", claim.parameter);
  switch (claim.word) {
    case ShapeWord::flat:
      return "flat" + with;
    case ShapeWord::falls:
      return "falls" + with;
    case ShapeWord::rises:
      return "rises" + with;
    case ShapeWord::step:
      break;
  }
  return fmt::format("step at {}{}", claim.parameter.empty() ? "" : claim.parameter + "=",
                     claim.at);
}

std::string signed_text(double value, Quantity quantity) {
  const Scale scale = scale_for(std::fabs(value), quantity);
  return fmt::format("{} {}", number_text(value, scale, true), scale.name);
}

std::string plain_text(double value, Quantity quantity) {
  const Scale scale = scale_for(std::fabs(value), quantity);
  return fmt::format("{} {}", number_text(value, scale, false), scale.name);
}

std::string interval_text(double value, std::optional<double> lo, std::optional<double> hi,
                          Quantity quantity) {
  if (!lo || !hi || *lo == *hi) return signed_text(value, quantity);
  const double largest = std::max({std::fabs(value), std::fabs(*lo), std::fabs(*hi)});
  const Scale scale = scale_for(largest, quantity);
  return fmt::format("{} {} [{}, {}]", number_text(value, scale, true), scale.name,
                     number_text(*lo, scale, true), number_text(*hi, scale, true));
}

}  // namespace assay::cases
