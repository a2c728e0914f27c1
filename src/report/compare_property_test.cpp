// SPDX-License-Identifier: Apache-2.0
// What must hold for every comparison: hostile text stays harmless, lines keep their width, and the
// three writers say the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/compare_cases.hpp"

namespace assay::report {
namespace {

const std::string kHostile =
    "\x1b]0;title\x07 \xff\xc2\x9b \xe2\x80\xae `rm` | <script>alert(1)</script> @all #1 \r\n\t\\ "
    "```"
    "</code></pre>";

// Every text that a user or a program can choose is replaced by a hostile one.
CompareCase hostile(CompareCase c) {
  c.record.id = kHostile;
  c.record.plan.name = kHostile;
  for (Subject& subject : c.record.plan.arms) {
    subject.label = kHostile;
    subject.argv = {kHostile, kHostile};
    subject.prepare = kHostile;
  }
  for (Metric& metric : c.record.plan.metrics) {
    if (metric.origin == MetricOrigin::output) metric.name = metric.unit = kHostile;
    metric.method = kHostile;
  }
  c.record.host.name = c.record.host.cpu = kHostile;
  for (Entry& entry : c.record.entries)
    if (auto* trial = std::get_if<Trial>(&entry)) trial->output.stderr_tail = kHostile;
  c.conclusion.warnings.push_back({WarningKind::host, kHostile});
  if (c.conclusion.overall == Verdict::failed) c.conclusion.failure = kHostile;
  return c;
}

std::vector<CompareCase> tame_and_hostile() {
  std::vector<CompareCase> cases = all_cases();
  const std::size_t tame = cases.size();
  for (std::size_t i = 0; i < tame; ++i) cases.push_back(hostile(cases[i]));
  return cases;
}

bool is_harmless(const std::string& text) {
  const bool controls = std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  });
  return !controls && text.find("\xc2\x9b") == std::string::npos &&
         text.find("\xe2\x80\xae") == std::string::npos && text.find('\xff') == std::string::npos;
}

TEST(CompareProperty, NoControlBytesGetOut) {
  for (const CompareCase& c : tame_and_hostile()) {
    const Text text = compare_text(c.record, c.conclusion, {});
    EXPECT_TRUE(is_harmless(text.out)) << text.out;
    EXPECT_TRUE(is_harmless(text.warnings)) << text.warnings;
    EXPECT_TRUE(is_harmless(compare_markdown(c.record, c.conclusion)));
    const CompareView view = view_compare(c.record, c.conclusion);
    EXPECT_TRUE(is_harmless(view.sentence)) << view.sentence;
    const std::string json = compare_json(view).dump();
    EXPECT_TRUE(std::none_of(json.begin(), json.end(),
                             [](char byte) { return static_cast<unsigned char>(byte) < 0x20; }));
  }
}

TEST(CompareProperty, ColoursAreTheOnlyEscapes) {
  const std::regex colour("\x1b\\[(1|32|33|1;31|1;35|0)m");
  for (const CompareCase& c : tame_and_hostile()) {
    TextOptions options;
    options.colour = true;
    const std::string painted = compare_text(c.record, c.conclusion, options).out;
    const std::string bare = std::regex_replace(painted, colour, "");
    options.colour = false;
    EXPECT_EQ(bare, compare_text(c.record, c.conclusion, options).out) << c.name;
  }
}

TEST(CompareProperty, LinesKeepTheWidth) {
  for (const CompareCase& c : tame_and_hostile()) {
    for (const std::size_t width : {40u, 57u, 80u, 120u}) {
      for (const bool unicode : {true, false}) {
        TextOptions options;
        options.width = width;
        options.colour = true;
        options.unicode = unicode;
        const Text text = compare_text(c.record, c.conclusion, options);
        for (const std::string& part : {text.out, text.warnings})
          for (const std::string_view line : split_lines(part))
            EXPECT_LE(display_width(line), width) << c.name << ": " << line;
      }
    }
  }
}

TEST(CompareProperty, EveryTextEndsItsLinesAndHasNoTrailingBlanks) {
  for (const CompareCase& c : tame_and_hostile()) {
    const Text text = compare_text(c.record, c.conclusion, {});
    ASSERT_FALSE(text.out.empty()) << c.name;
    EXPECT_EQ(text.out.back(), '\n');
    EXPECT_EQ(text.out.find(" \n"), std::string::npos) << c.name << "\n" << text.out;
    EXPECT_EQ(compare_markdown(c.record, c.conclusion).back(), '\n');
  }
}

TEST(CompareProperty, JsonHasTheDocumentedMembers) {
  const std::vector<std::string> document = {
      "schema_version", "kind",     "id",       "seed",    "name",     "plan",
      "subjects",       "host",     "warnings", "verdict", "withheld", "exploratory",
      "ended_by",       "sentence", "failure",  "metrics"};
  const std::vector<std::string> metric = {"name",
                                           "unit",
                                           "better",
                                           "gating",
                                           "judged",
                                           "candidate",
                                           "arm",
                                           "control",
                                           "verdict",
                                           "word",
                                           "ratio",
                                           "lo99",
                                           "hi99",
                                           "lo95",
                                           "hi95",
                                           "bound99",
                                           "runs",
                                           "all_runs",
                                           "since_ratio",
                                           "sign",
                                           "reason",
                                           "more",
                                           "p_seq",
                                           "by_holm",
                                           "tolerance",
                                           "baseline_median",
                                           "candidate_median",
                                           "method",
                                           "notes"};
  const auto names = [](const Json& json) {
    std::vector<std::string> list;
    for (const auto& [name, value] : json.members()) list.push_back(name);
    return list;
  };
  for (const CompareCase& c : tame_and_hostile()) {
    const auto json = parse_json(compare_json(c.record, c.conclusion).dump(2));
    ASSERT_TRUE(json) << c.name;
    EXPECT_EQ(names(*json), document);
    EXPECT_EQ((*json)["schema_version"].to_int(), 1);
    EXPECT_EQ(*(*json)["kind"].to_string(), "compare");
    EXPECT_TRUE(from_word<Verdict>(*(*json)["verdict"].to_string()));
    for (const Json& warning : (*json)["warnings"].items())
      EXPECT_EQ(names(warning), (std::vector<std::string>{"kind", "text"}));
    for (const Json& row : (*json)["metrics"].items()) {
      EXPECT_EQ(names(row), metric);
      EXPECT_EQ(row["verdict"].is_null(), row["word"].is_null());
      const std::string* verdict = row["verdict"].to_string();
      EXPECT_TRUE(verdict == nullptr || from_word<Verdict>(*verdict));
      const auto lo = row["lo99"].to_double(), hi = row["hi99"].to_double();
      const auto ratio = row["ratio"].to_double();
      if (lo && hi && ratio) {
        EXPECT_LE(*lo, *ratio) << c.name;
        EXPECT_LE(*ratio, *hi) << c.name;
      }
    }
  }
}

TEST(CompareProperty, JsonTurnsRatesBack) {
  const CompareCase c = all_cases().back();
  const Json rate = compare_json(c.record, c.conclusion)["metrics"].items()[1];
  EXPECT_NEAR(*rate["ratio"].to_double(), 0.9, 1e-12);
  EXPECT_NEAR(*rate["lo99"].to_double(), 1 / 1.13, 1e-12);
  EXPECT_NEAR(*rate["hi99"].to_double(), 1 / 1.1, 1e-12);
  EXPECT_EQ(rate["bound99"], rate["lo99"]);
  EXPECT_EQ(*rate["sign"].to_string(), "slower");
  EXPECT_EQ(*rate["verdict"].to_string(), "SLOWER");
  EXPECT_EQ(*rate["word"].to_string(), "LOWER");
}

// The words of the rows, in order, as each writer shows them.
TEST(CompareProperty, WritersAgreeOnTheWords) {
  const std::regex word(
      "EQUIVALENT|UNDECIDED|SLOWER|FASTER|INVALID|WITHHELD|MORE|LESS|LOWER|HIGHER");
  const auto words_in = [&](const std::string& text) {
    std::vector<std::string> words;
    for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it)
      words.push_back(it->str());
    return words;
  };
  for (const CompareCase& c : all_cases()) {
    std::vector<std::string> words;
    const Json json = compare_json(c.record, c.conclusion);
    for (const Json& row : json["metrics"].items())
      if (!row["word"].is_null()) words.push_back(*row["word"].to_string());
    EXPECT_EQ(words_in(compare_text(c.record, c.conclusion, {}).out), words) << c.name;
    // The heading names the overall verdict first.
    auto heading = words;
    const std::string overall = *json["verdict"].to_string();
    if (overall != "FAILED")
      heading.insert(heading.begin(),
                     json["withheld"].to_bool().value_or(false) ? "WITHHELD" : overall);
    EXPECT_EQ(words_in(compare_markdown(c.record, c.conclusion)), heading) << c.name;
  }
}

TEST(CompareProperty, WithheldVerdictsAreNowhere) {
  CompareCase c = slower_case();
  c.conclusion.withheld = true;
  const Json json = compare_json(c.record, c.conclusion);
  EXPECT_EQ(*json["verdict"].to_string(), "INVALID");
  EXPECT_EQ(json.dump().find("SLOWER"), std::string::npos);
  EXPECT_EQ(compare_text(c.record, c.conclusion, {}).out.find("SLOWER"), std::string::npos);
  EXPECT_EQ(compare_markdown(c.record, c.conclusion).find("SLOWER"), std::string::npos);
}

TEST(CompareProperty, SwappingTheSidesInvertsTheRatio) {
  for (const double ratio : {0.5, 0.93, 1.0, 1.07, 3.0}) {
    auto spec = open_spec();
    spec.ratio = ratio, spec.lo99 = ratio * 0.9, spec.hi99 = ratio * 1.1;
    auto swapped = spec;
    swapped.ratio = 1 / ratio, swapped.lo99 = 1 / spec.hi99, swapped.hi99 = 1 / spec.lo99;
    const Plan plan = support::compare_plan();
    const Row row = make_row(plan, support::finding(spec), false);
    const Row back = make_row(plan, support::finding(swapped), false);
    EXPECT_NEAR(*row.ratio * *back.ratio, 1, 1e-12);
    EXPECT_NEAR(*row.lo99 * *back.hi99, 1, 1e-12);
  }
}

TEST(CompareProperty, NumbersThatAreNoneStayOut) {
  CompareCase c = slower_case();
  for (MetricFinding& finding : c.conclusion.findings) {
    finding.reading.estimate = std::nan("");
    finding.reading.lo99 = -1e9;
    finding.reading.hi99 = 1e9;
    finding.baseline_median = INFINITY;
  }
  const std::string text = compare_text(c.record, c.conclusion, {}).out;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  EXPECT_TRUE(compare_json(c.record, c.conclusion)["metrics"].items()[0]["ratio"].is_null());
}

}  // namespace
}  // namespace assay::report
