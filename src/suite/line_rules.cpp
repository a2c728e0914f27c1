// SPDX-License-Identifier: Apache-2.0
#include "suite/line_rules.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "suite/ids.hpp"

namespace assay::suite {
namespace {

constexpr std::size_t kLongestLine = 1U << 20U;
constexpr std::size_t kQuoted = 60;

bool is_foreign(std::string_view line) {
  while (!line.empty()) {
    const std::size_t length = decode_utf8(line).length;
    if (length == 0) return true;
    line.remove_prefix(length);
  }
  return false;
}

struct CompiledLine {
  std::unique_ptr<RE2> pattern;
  std::vector<std::string> names;  // of its groups, from 1 on; empty = without a name
  double seconds = 1;
};

class CompiledLines final : public LineRules {
 public:
  Result<void> add(const LineRule& rule, const Document& document) {
    RE2::Options options;
    options.set_log_errors(false);
    CompiledLine line{.pattern = std::make_unique<RE2>(rule.pattern, options),
                      .names = {},
                      .seconds = rule.seconds};
    if (!line.pattern->ok())
      return fail(
          document.error(rule.at, "the pattern is malformed: " + printable(line.pattern->error())));
    const auto groups = static_cast<std::size_t>(line.pattern->NumberOfCapturingGroups());
    line.names.resize(groups);
    for (const auto& [number, name] : line.pattern->CapturingGroupNames())
      line.names[static_cast<std::size_t>(number) - 1] = name;
    const auto has = [&](std::string_view name) {
      return std::ranges::find(line.names, name) != line.names.end();
    };
    // A line that tells only failures has no value.
    const bool tells = has("value") || has("failed") || has("skipped");
    if (!has("id") || !tells)
      return fail(document.error(
          rule.at, fmt::format("the pattern has no group called {}", has("id") ? "value" : "id"),
          {}, R"(such as '^(?P<id>\S+) (?P<value>[0-9.]+) ns')"));
    lines_.push_back(std::move(line));
    return {};
  }

  Reading read(std::string_view text) const override {
    Reading reading;
    std::map<std::string, std::size_t> places;
    std::size_t malformed = 0, too_long = 0;
    const std::vector<std::string> lines = lines_of(text);
    for (const std::string& line : lines) {
      if (line.size() > kLongestLine) {
        ++too_long;
        continue;
      }
      auto found = match(line, malformed);
      if (!found) continue;
      const auto [place, fresh] = places.try_emplace(found->id, reading.measurements.size());
      if (fresh)
        reading.measurements.push_back(std::move(*found));
      else
        add_repetition(*found, reading.measurements[place->second]);
    }
    if (malformed > 0)
      reading.doubts.push_back(counted(malformed, "line") + " matched, and held what is no number");
    if (too_long > 0)
      reading.doubts.push_back(counted(too_long, "line") + " beyond 1 MiB left out");
    if (reading.measurements.empty() && !lines.empty() && malformed + too_long == 0)
      reading.doubts.push_back(none_matches(lines));
    return reading;
  }

 private:
  static std::string none_matches(const std::vector<std::string>& lines) {
    const std::string first = shorten(printable(lines.front()), kQuoted);
    std::string text =
        lines.size() == 1 ? fmt::format("its only line matches no pattern: '{}'", first)
                          : fmt::format("none of its {} lines matches a pattern; the first is '{}'",
                                        lines.size(), first);
    if (const auto foreign = std::ranges::count_if(lines, is_foreign); foreign > 0)
      text += fmt::format("; {} not UTF-8, which no pattern matches",
                          foreign == 1 ? "1 is" : fmt::format("{} are", foreign));
    return text;
  }

  static void add_repetition(const Measurement& next, Measurement& to) {
    if (next.status != MeasurementStatus::ok) {
      to.status = next.status;
      to.message = next.message;
      to.value.reset();
    }
    if (!next.value || !to.value) return;
    if (to.samples.empty()) to.samples.push_back(*to.value);
    to.samples.push_back(*next.value);
    to.value = std::accumulate(to.samples.begin(), to.samples.end(), 0.0) /
               static_cast<double>(to.samples.size());
    if (to.iterations && next.iterations) *to.iterations += *next.iterations;
    if (to.total_s && next.total_s) *to.total_s += *next.total_s;
    if (next.memory_after) to.memory_after = next.memory_after;
    to.facts = next.facts;
  }

  // The first rule that matches; nothing when none does, or a number is none.
  std::optional<Measurement> match(const std::string& line, std::size_t& malformed) const {
    for (const CompiledLine& rule : lines_) {
      std::vector<re2::StringPiece> groups(rule.names.size() + 1);
      if (!rule.pattern->Match(line, 0, line.size(), RE2::UNANCHORED, groups.data(),
                               static_cast<int>(groups.size())))
        continue;
      Measurement made;
      for (std::size_t g = 0; g < rule.names.size(); ++g) {
        const re2::StringPiece& group = groups[g + 1];
        if (rule.names[g].empty() || group.data() == nullptr) continue;
        if (!take_group(rule, rule.names[g], std::string(group.data(), group.size()), made)) {
          ++malformed;
          return std::nullopt;
        }
      }
      if (made.status != MeasurementStatus::ok) made.value.reset();
      if (made.id.empty()) return std::nullopt;
      return made;
    }
    return std::nullopt;
  }

  static bool take_group(const CompiledLine& rule, const std::string& name, const std::string& text,
                         Measurement& made) {
    if (name == "id") {
      made.id = text;
      return true;
    }
    if (name == "message") {
      made.message = text;
      return true;
    }
    if (name == "failed" || name == "skipped") {
      if (!text.empty())
        made.status = name == "failed" ? MeasurementStatus::failed : MeasurementStatus::skipped;
      return true;
    }
    const auto number = parse_number(text);
    if (!number) return false;
    if (name == "value") {
      made.value = *number * rule.seconds;  // whatever it is: reconcile.cpp says what cannot be
      return true;
    }
    static constexpr std::array kAmounts = {"iterations", "setup_s",       "warmup_s",    "total_s",
                                            "gc_s",       "memory_before", "memory_after"};
    const bool is_amount = std::ranges::find(kAmounts, name) != kAmounts.end();
    if (is_amount && (*number < 0 || (name == "iterations" && *number < 1))) return false;
    if (name == "iterations")
      made.iterations = *number;
    else if (name == "setup_s")
      made.setup_s = *number;
    else if (name == "warmup_s")
      made.warmup_s = *number;
    else if (name == "total_s")
      made.total_s = *number;
    else if (name == "gc_s")
      made.gc_s = *number;
    else if (name == "memory_before")
      made.memory_before = *number;
    else if (name == "memory_after")
      made.memory_after = *number;
    else
      made.facts.push_back({name, *number});
    return true;
  }

  std::vector<CompiledLine> lines_;
};

}  // namespace

Result<std::unique_ptr<LineRules>> LineRules::make(const std::vector<LineRule>& rules,
                                                   const std::string& text,
                                                   const std::string& file) {
  const auto document = Document::parse(text, file);
  if (!document) return fail(document.error());
  auto made = std::make_unique<CompiledLines>();
  for (const LineRule& rule : rules)
    if (auto added = made->add(rule, *document); !added) return fail(added.error());
  return std::unique_ptr<LineRules>(std::move(made));
}

}  // namespace assay::suite
