// SPDX-License-Identifier: Apache-2.0
#include "diverge/step_reader.hpp"

#include <algorithm>
#include <utility>

namespace assay::diverge {
namespace {

constexpr std::size_t kMostExcerpt = 4096;   // bytes kept of a line
constexpr std::uint64_t kLinesOfNames = 50;  // in which names are looked for
constexpr std::size_t kMostNames = 40;

// The front line of `block`, which is not empty, without its end; `block` moves behind it.
std::string_view take_line(std::string_view& block) {
  const std::size_t newline = block.find('\n');
  std::string_view line = block.substr(0, newline);
  block.remove_prefix(newline == std::string_view::npos ? block.size() : newline + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void count(std::uint64_t& count, std::uint64_t& first, std::uint64_t line) {
  if (count++ == 0) first = line;
}

}  // namespace

StepReader::StepReader(std::unique_ptr<trace::ByteSource> source, const LineFields& fields,
                       const trace::ImportOptions& options)
    : source_(std::move(source)),
      fields_(&fields),
      reader_(std::make_unique<trace::LineReader>(*source_, options)) {}

// What could have been meant, for the case that no line has an answer.
void StepReader::note_names(std::string_view line) {
  if (lines_.with_answer > 0 || lines_.lines > kLinesOfNames) return;
  for (std::string& name : names_in(line))
    if (lines_.names.size() < kMostNames &&
        std::ranges::find(lines_.names, name) == lines_.names.end())
      lines_.names.push_back(std::move(name));
}

std::optional<Observation> StepReader::observe(std::string_view line) {
  LineReading reading = fields_->read(line);
  if (reading.kind == LineKind::other || reading.kind == LineKind::no_value) note_names(line);
  switch (reading.kind) {
    case LineKind::other:
      return {};
    case LineKind::no_value:
      count(lines_.no_value, lines_.first_no_value, line_);
      return {};
    case LineKind::bad_step:
      count(lines_.bad_step, lines_.first_bad_step, line_);
      return {};
    case LineKind::bad_json:
      count(lines_.bad_json, lines_.first_bad_json, line_);
      return {};
    case LineKind::answer:
      break;
  }
  ++lines_.with_answer;
  return Observation{reading.step, std::move(reading.value), line_};
}

Result<std::optional<Observation>> StepReader::next() {
  while (!ended_) {
    if (block_.empty()) {
      const Result<std::string_view> block = reader_->next();
      if (!block) return fail(block.error());
      block_ = *block;
      if (block_.empty()) {
        ended_ = true;
        lines_.bytes = reader_->bytes();
        lines_.long_lines = reader_->long_lines();
        lines_.torn = reader_->torn().find_first_not_of(" \t\r") != std::string_view::npos;
        break;
      }
      line_ = reader_->first_line() - 1;
    }
    ++line_;
    ++lines_.lines;
    if (auto seen = observe(take_line(block_))) return seen;
  }
  return std::optional<Observation>();
}

Result<Excerpt> read_around(trace::ByteSource& source, std::uint64_t line, std::uint64_t around) {
  const trace::ImportOptions options;
  trace::LineReader reader(source, options);
  Excerpt excerpt{.first_line = line > around ? line - around : 1};
  for (;;) {
    const Result<std::string_view> read = reader.next();
    if (!read) return fail(read.error());
    if (read->empty()) return excerpt;
    if (reader.first_line() + reader.lines_given() <= excerpt.first_line) continue;
    std::string_view block = *read;
    for (std::uint64_t number = reader.first_line(); !block.empty(); ++number) {
      if (number > line + around) return excerpt;
      const std::string_view text = take_line(block);
      if (number >= excerpt.first_line) excerpt.lines.emplace_back(text.substr(0, kMostExcerpt));
    }
  }
}

}  // namespace assay::diverge
