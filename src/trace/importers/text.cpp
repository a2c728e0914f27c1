// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/text.hpp"

#include <fmt/format.h>

#include "trace/importers/text_scan.hpp"
#include "trace/line_reader.hpp"

namespace assay::trace {
namespace {

class RulesImporter final : public Importer {
 public:
  std::string_view name() const override { return "rules"; }
  std::string_view caveat() const override {
    return "what no rule matches is not seen; a line with another shape is not missed";
  }
  int sniff(std::string_view) const override { return 0; }  // only with rules, or by name
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    if (options.rules == nullptr)
      return fail("the format 'rules' needs rules", source.name(),
                  "give them with --rules FILE; 'assay trace rules --suggest LOG' proposes some");
    return read_by_rules(source, options, *options.rules, name());
  }
};

}  // namespace

Result<Trace> read_by_rules(ByteSource& source, const ImportOptions& options, const Rules& rules,
                            std::string_view format, std::vector<std::uint64_t>* matches) {
  Trace trace;
  trace.source = source.name();
  trace.format = format;
  TextScan scan(rules, trace);
  LineReader lines(source, options);
  for (;;) {
    const auto block = lines.next();
    if (!block) return fail(block.error());
    if (block->empty()) break;
    scan.block(*block, lines.first_line());
    trace.lines_read = lines.first_line() - 1 + lines.lines_given();
  }
  trace.bytes_read = lines.bytes();
  if (!lines.torn().empty()) trace.lose(Loss::torn_line, trace.lines_read + 1);
  trace.lost(Loss::long_line) += lines.long_lines();
  scan.finish();
  if (matches != nullptr) *matches = scan.matches();
  return trace;
}

const Importer& rules_importer() {
  static const RulesImporter importer;
  return importer;
}

}  // namespace assay::trace
