// SPDX-License-Identifier: Apache-2.0
// Whole lines of a ByteSource, in blocks of many: text importers scan a block at a time instead of
// calling once a line. Memory: one block, grown up to the longest line that is allowed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/importer.hpp"

namespace assay::trace {

class LineReader {
 public:
  static constexpr std::size_t kBlock = std::size_t{512} << 10;       // stays in the L2 cache
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;  // longer: skipped and counted

  LineReader(ByteSource& source, const ImportOptions& options)
      : source_(source), options_(options) {}

  // The next bytes, each line complete with its '\n'. Empty at the end. A last line without newline
  // is not part of any block; torn() has its front afterwards. Valid until the next call.
  // Errors: the source's, more than most_bytes, "interrupted".
  Result<std::string_view> next();

  std::string_view torn() const { return torn_; }
  std::uint64_t bytes() const { return bytes_; }  // read so far
  std::uint64_t first_line() const {
    return first_line_;
  }  // 1-based number of the block's first line
  std::uint64_t lines_given() const { return lines_given_; }  // in the block
  std::uint64_t long_lines() const { return long_lines_; }    // skipped

 private:
  Result<bool> fill();
  bool skip_line();

  ByteSource& source_;
  const ImportOptions& options_;
  std::vector<char> buffer_ = {};
  std::size_t begin_ = 0, end_ = 0;  // unread bytes of buffer_
  std::string torn_ = {};
  std::uint64_t bytes_ = 0, first_line_ = 1, lines_given_ = 0, long_lines_ = 0;
  bool ended_ = false, skipping_ = false;
};

}  // namespace assay::trace
