// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "results/reading.hpp"

namespace assay::results {
namespace {

// Reads cells one after the other; a quoted one may span lines.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, char separator, const std::string& name)
      : text_(text), separator_(separator), name_(name) {}

  Result<std::vector<CsvRow>> rows() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      if (take_newline()) continue;
      CsvRow& row = rows.emplace_back();
      row.line = line_;
      for (;;) {
        if (row.cells.size() >= kMostCells)
          return fail(fmt::format("more than {} cells in a line", kMostCells),
                      at_line(name_, line_));
        if (auto done = cell(row.cells.emplace_back()); !done) return fail(done.error());
        if (at_ >= text_.size() || text_[at_] != separator_) break;
        ++at_;
      }
      take_newline();
    }
    return rows;
  }

 private:
  bool at_newline() const {
    return text_[at_] == '\n' ||
           (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n');
  }
  bool take_newline() {
    if (at_ >= text_.size() || !at_newline()) return false;
    at_ += text_[at_] == '\r' ? 2 : 1;
    ++line_;
    return true;
  }

  Result<void> cell(std::string& out) {
    if (at_ < text_.size() && text_[at_] == '"') return in_quotes(out);
    while (at_ < text_.size() && text_[at_] != separator_ && !at_newline()) out += text_[at_++];
    return {};
  }

  Result<void> in_quotes(std::string& out) {
    const std::size_t opened = line_;
    for (++at_;; ++at_) {
      if (at_ >= text_.size())
        return fail("a quote that is never closed", at_line(name_, opened),
                    "a quote inside quotes is written twice");
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      }
      if (text_[at_] == '\n') ++line_;
      out += text_[at_];
    }
    ++at_;
    if (at_ < text_.size() && text_[at_] != separator_ && !at_newline())
      return fail("text behind a closing quote", at_line(name_, line_),
                  "quote the whole cell, or nothing of it");
    return {};
  }

  std::string_view text_;
  char separator_;
  const std::string& name_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

Result<std::vector<CsvRow>> read_csv(std::string_view text, char separator,
                                     const std::string& name) {
  return CsvScanner(text, separator, name).rows();
}

}  // namespace assay::results
