// SPDX-License-Identifier: Apache-2.0
// Input: the logs of up to four participants, each behind a line "====". Whatever they hold, the
// counts add up, and the findings do not depend on the size of the reads.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "diverge/diverge.hpp"
#include "diverge/step_reader.hpp"
#include "trace_fuzz.hpp"

namespace {

using namespace assay;

struct Run {
  diverge::RunFindings found;
  std::vector<diverge::Lines> lines;
};

Run run_of(const std::vector<std::string>& logs, const diverge::LineFields& fields,
           std::size_t piece) {
  const trace::ImportOptions options;
  std::vector<diverge::StepReader> readers;
  for (const std::string& log : logs)
    readers.emplace_back(std::make_unique<fuzz::DripSource>(log, piece), fields, options);
  std::vector<diverge::NextAnswer> next;
  for (diverge::StepReader& reader : readers) next.push_back([&reader] { return reader.next(); });
  auto found = diverge::compare_run(next);
  ASSAY_CHECK(found.has_value(), "bytes in memory can be read");
  Run run{std::move(*found), {}};
  for (const diverge::StepReader& reader : readers) run.lines.push_back(reader.lines());
  return run;
}

void check(const Run& run) {
  const diverge::RunFindings& found = run.found;
  std::uint64_t in_phases = found.phases_left_out;
  for (const diverge::Phase& phase : found.phases) {
    ASSAY_CHECK(phase.from <= phase.to && phase.steps > 0, "a phase has steps");
    in_phases += phase.steps;
  }
  ASSAY_CHECK(in_phases == found.common, "every common step is in a phase");
  ASSAY_CHECK((found.disagreements > 0) == found.first_disagreed.has_value(), "a first of some");
  if (found.first_disagreed && found.last_agreed)
    ASSAY_CHECK(found.last_agreed->step < found.first_disagreed->step, "agreed before");
  for (std::size_t p = 0; p < run.lines.size(); ++p) {
    const diverge::ParticipantFindings& one = found.participants[p];
    const diverge::Lines& lines = run.lines[p];
    ASSAY_CHECK(one.answers == lines.with_answer, "each answer was compared");
    ASSAY_CHECK(lines.with_answer + lines.no_value + lines.bad_step + lines.bad_json <= lines.lines,
                "no line is two things");
    ASSAY_CHECK(one.missing_count + (one.answers > 0 ? 1 : 0) <= found.steps, "missing of all");
    for (const diverge::Range& range : one.missing)
      ASSAY_CHECK(range.from <= range.to && range.steps > 0, "a range has steps");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> logs;
  for (std::size_t at = 0; at <= text.size() && logs.size() < 4;) {
    const std::size_t end = std::min(text.find("====\n", at), text.size());
    logs.push_back(text.substr(at, end - at));
    at = end + 5;
  }
  static const std::vector<diverge::LineFields> kFields = [] {
    std::vector<diverge::LineFields> fields;
    fields.push_back(*diverge::LineFields::make({}));
    fields.push_back(*diverge::LineFields::make({.where = {{"e", "b"}}, .bare_hex = true}));
    fields.push_back(*diverge::LineFields::make({.key = "/d/slot", .value = "/d/state_root"}));
    fields.push_back(
        *diverge::LineFields::make({.pattern = "(?P<slot>[0-9a-fx-]+) (?P<state_root>\\S*)"}));
    return fields;
  }();
  for (const diverge::LineFields& fields : kFields) {
    const Run whole = run_of(logs, fields, 1 << 16);
    check(whole);
    const Run pieces = run_of(logs, fields, 1 + size % 13);
    ASSAY_CHECK(whole.found.common == pieces.found.common &&
                    whole.found.disagreements == pieces.found.disagreements &&
                    whole.found.steps == pieces.found.steps,
                "the size of the reads does not matter");
  }
  return 0;
}
