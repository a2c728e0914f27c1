// SPDX-License-Identifier: Apache-2.0
// The answers of one participant, in the order of its file, read as they are asked for. A last line
// without a newline is not used (the program was killed, or still writes) and is counted.
#pragma once

#include <memory>

#include "diverge/findings.hpp"
#include "diverge/line_fields.hpp"
#include "trace/line_reader.hpp"

namespace assay::diverge {

class StepReader {
 public:
  // `fields` and `options` outlive the reader.
  StepReader(std::unique_ptr<trace::ByteSource> source, const LineFields& fields,
             const trace::ImportOptions& options);

  // Nothing at the end. Errors: the source's.
  Result<std::optional<Observation>> next();

  const Lines& lines() const { return lines_; }  // complete at the end

 private:
  std::optional<Observation> observe(std::string_view line);
  void note_names(std::string_view line);

  std::unique_ptr<trace::ByteSource> source_;
  const LineFields* fields_;
  std::unique_ptr<trace::LineReader> reader_;
  std::string_view block_ = {};
  std::uint64_t line_ = 0;  // of the line before block_
  bool ended_ = false;
  Lines lines_ = {};
};

// Lines first - around to last + around of a source, whose numbers begin at the first of them.
struct Excerpt {
  std::uint64_t first_line = 0;
  std::vector<std::string> lines = {};
};
Result<Excerpt> read_around(trace::ByteSource& source, std::uint64_t line, std::uint64_t around);

}  // namespace assay::diverge
