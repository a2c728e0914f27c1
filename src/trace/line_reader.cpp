// SPDX-License-Identifier: Apache-2.0
#include "trace/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "trace/scanner.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kTornKept = 4096;  // of a torn line, for a message

std::size_t behind_last_newline(const char* data, std::size_t size) {
  const void* found = memrchr(data, '\n', size);
  return found == nullptr ? 0
                          : static_cast<std::size_t>(static_cast<const char*>(found) - data) + 1;
}

}  // namespace

// Reads more bytes behind end_; false at the end of the source.
Result<bool> LineReader::fill() {
  if (buffer_.empty()) buffer_.resize(kBlock);
  if (begin_ > 0) {  // what is left of the block before: a part of one line
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(std::min(buffer_.size() * 2, kLongestLine));
  const auto count = source_.read({buffer_.data() + end_, buffer_.size() - end_});
  if (!count) return fail(count.error());
  if (*count == 0) return false;
  end_ += *count;
  bytes_ += *count;
  if (bytes_ > options_.most_bytes)
    return fail(fmt::format("more than {} of text", format_bytes(double(options_.most_bytes))),
                printable(source_.name()), "cut the part of interest out of it first");
  if (options_.progress && !options_.progress(bytes_)) return fail("interrupted");
  return true;
}

// Throws bytes away up to the end of the line that is too long; true when that end was seen.
bool LineReader::skip_line() {
  const void* found = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
  if (found == nullptr) {
    begin_ = end_ = 0;
    return false;
  }
  begin_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
  ++first_line_;
  skipping_ = false;
  return true;
}

Result<std::string_view> LineReader::next() {
  first_line_ += lines_given_;
  lines_given_ = 0;
  while (!ended_) {
    std::size_t searched = end_ - begin_;  // left of the block before: no newline
    const auto more = fill();
    if (!more) return fail(more.error());
    if (!*more) {
      ended_ = true;
      if (!skipping_) torn_.assign(buffer_.data() + begin_, std::min(end_ - begin_, kTornKept));
      break;
    }
    if (skipping_) {
      if (!skip_line()) continue;
      searched = 0;
    }
    const std::size_t from = std::max(begin_, searched);
    const std::size_t whole = behind_last_newline(buffer_.data() + from, end_ - from);
    if (whole > 0) {
      const std::string_view block(buffer_.data() + begin_, from + whole - begin_);
      begin_ = from + whole;
      lines_given_ = count_newlines(block);
      return block;
    }
    if (end_ - begin_ >= kLongestLine) {
      ++long_lines_;
      skipping_ = true;
      begin_ = end_ = 0;
    }
  }
  return std::string_view();
}

}  // namespace assay::trace
