// SPDX-License-Identifier: Apache-2.0
// Catch2 (2 and 3), --reporter xml: <BenchmarkResults> inside test cases and sections. The id is
// the path "TEST CASE/SECTION/BENCHMARK". Values are nanoseconds. Cannot say: the samples
// themselves (a mean with a bootstrap interval and a standard deviation are left of them), so
// neither order nor warm-up; where iterations > 1, one sample is a mean.
#include <fmt/format.h>

#include "results/formats/formats.hpp"
#include "results/reading.hpp"
#include "results/xml.hpp"

namespace assay::results {
namespace {

constexpr double kCatchUnit = 1e-9;

bool is_catch2(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  return head.find("<Catch2TestRun") != std::string_view::npos ||
         head.find("<Catch name=") != std::string_view::npos;
}

class CatchReader {
 public:
  CatchReader(File& file, const std::string& name) : file_(file), name_(name) {}

  Result<void> walk(const XmlElement& element, const std::string& path) {
    const std::string* called = element.attribute("name");
    if (element.name == "BenchmarkResults") return benchmark(element, path);
    std::string below = path;
    if ((element.name == "TestCase" || element.name == "Section") && called)
      below += (path.empty() ? "" : "/") + *called;
    const std::size_t before = file_.series.size();
    for (const XmlElement& child : element.children)
      if (auto done = walk(child, below); !done) return done;
    if (element.name == "TestCase") end_of_case(element, below, before);
    if (table_.too_many()) return fail("too many benchmarks in one file", name_);
    return {};
  }

 private:
  Result<void> benchmark(const XmlElement& element, const std::string& path) {
    const std::string* called = element.attribute("name");
    if (called == nullptr)
      return fail("a BenchmarkResults without name", at_line(name_, element.line));
    Series& series = table_.at(path.empty() ? *called : path + "/" + *called, "time");
    if (series.centre || series.state != State::ok) {
      series.doubts.push_back({"duplicate-id", "the same id stands twice: the first one is kept"});
      return {};
    }
    for (const char* field : {"samples", "iterations", "resamples"})
      if (const auto value = element.number(field)) series.fields.push_back({field, *value});
    if (const XmlElement* failed = element.child("failed")) {
      const std::string* why = failed->attribute("message");
      series.state = State::failed;
      series.message = why && !why->empty() ? *why : "without a message";
      return {};
    }
    const XmlElement* mean = element.child("mean");
    const auto value = mean ? mean->number("value") : std::nullopt;
    if (!value) {
      series.state = State::failed;
      series.message = "it began and gave no number";
      return {};
    }
    series.centre = *value * kCatchUnit;
    series.centre_is = "mean";
    if (const XmlElement* deviation = element.child("standardDeviation"))
      if (const auto spread = deviation->number("value")) {
        series.spread = *spread * kCatchUnit;
        series.spread_is = "standard deviation";
      }
    return {};
  }

  // A test case that failed before a benchmark came, or was skipped, leaves no BenchmarkResults.
  void end_of_case(const XmlElement& element, const std::string& path, std::size_t before) {
    const XmlElement* overall = element.child("OverallResult");
    if (overall == nullptr || file_.series.size() > before) return;
    const std::string* success = overall->attribute("success");
    const auto skips = overall->number("skips");
    const bool failed = success && *success == "false";
    if (!failed && !(skips && *skips > 0)) return;
    Series& series = table_.at(path, "time");
    series.state = failed ? State::failed : State::skipped;
    series.message = failed ? "the test case failed before a benchmark gave a number"
                            : "the test case was skipped";
  }

  File& file_;
  SeriesTable table_{file_};
  const std::string& name_;
};

Result<File> read_catch2(std::string_view text, const std::string& name) {
  const auto parsed = read_xml(text, name);
  if (!parsed) return fail(parsed.error());
  File file;
  const XmlElement& root = parsed->root;
  if (const std::string* version = root.attribute("catch2-version")) file.version = *version;
  for (const auto& [key, value] : root.attributes) file.context.emplace_back(key, value);
  const std::string* schema = root.attribute("xml-format-version");
  if (schema && *schema != "2" && *schema != "3")
    file.doubts.push_back(
        {"unknown-version", fmt::format("XML format {}: known are 2 and 3", *schema)});
  CatchReader reader(file, name);
  if (auto done = reader.walk(root, ""); !done) return fail(done.error());
  if (parsed->truncated)
    file.doubts.push_back(
        {"truncated", "the file ends in the middle: what ran then left no result"});
  file.doubts.push_back({"summary-only", "Catch2 writes the mean of its samples, not the samples"});
  return file;
}

}  // namespace

constinit const Format kCatch2 = {"catch2", "Catch2, XML", is_catch2, read_catch2};

}  // namespace assay::results
