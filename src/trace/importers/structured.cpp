// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/structured.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "trace/importers/text.hpp"
#include "trace/peek.hpp"
#include "trace/rules.hpp"
#include "trace/suggest.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kSample = std::size_t{8} << 20;
constexpr int kGuessed = 20;  // less than any format that is certain

std::string_view whole_lines(std::string_view text) {
  const std::size_t last = text.rfind('\n');
  return last == std::string_view::npos ? text : text.substr(0, last + 1);
}

class GuessingImporter final : public Importer {
 public:
  std::string_view name() const override { return "text"; }
  std::string_view caveat() const override {
    return "its rules are guessed from the log's own shape: check them, then write them down";
  }
  int sniff(std::string_view head) const override {
    const auto rules = parse_rules(suggest_rules(whole_lines(head)), "guessed");
    return rules && !rules->events.empty() ? kGuessed : 0;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    auto sample = read_head(source, kSample);
    if (!sample) return fail(sample.error());
    auto rules = parse_rules(suggest_rules(whole_lines(*sample)), "guessed");
    if (!rules) return fail(rules.error().within("our own guess of rules"));
    if (rules->events.empty())
      return fail("no pairs of begin and end, and no durations, in the first 8 MiB",
                  printable(source.name()),
                  "say what its lines mean with --rules FILE (docs/manual)");
    rules->quiet = true;
    HeadedSource whole(std::move(*sample), source);
    auto trace = read_by_rules(whole, options, *rules, name());
    if (!trace) return trace;
    trace->warnings.insert(
        trace->warnings.begin(),
        {TraceWarningKind::other,
         fmt::format("the rules of this log were guessed from its shape ({} event{}): 'assay trace "
                     "rules --suggest {}' prints them; write them down and give them with --rules",
                     rules->events.size(), rules->events.size() == 1 ? "" : "s",
                     printable(source.name()))});
    return trace;
  }
};

}  // namespace

const Importer& guessing_importer() {
  static const GuessingImporter importer;
  return importer;
}

}  // namespace assay::trace
