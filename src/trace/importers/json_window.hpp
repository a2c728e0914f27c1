// SPDX-License-Identifier: Apache-2.0
// A ByteSource as a moving window of padded text (json_scan.hpp): a document of any size is read in
// the memory of its largest value that is wanted, and never more than kLongest.
#pragma once

#include <string_view>
#include <vector>

#include "trace/importer.hpp"

namespace assay::trace::json {

class JsonWindow {
 public:
  static constexpr std::size_t kBlock = std::size_t{512} << 10;  // stays in a core's cache
  static constexpr std::size_t kLongest = std::size_t{16} << 20;

  JsonWindow(ByteSource& source, const ImportOptions& options);

  // The unread bytes are [at, end). Advance `at` as you please.
  const char* at = nullptr;
  const char* end = nullptr;

  // Reads more behind `end`; `at` and `end` move to other memory. False at the end of the input, or
  // when the unread bytes are as many as the window may hold (is_full()). Errors: the source's,
  // more than options.most_bytes, interrupted.
  Result<bool> more();
  bool is_full() const { return static_cast<std::size_t>(end - at) >= kLongest; }

  // The next byte that is no space, not consumed; 0 at the end of the input (or a NUL).
  Result<char> peek();
  // The next value as it is written, consumed; valid until the next call. Nothing when the input
  // ends inside it (all is consumed then), when there is no value (one byte is consumed), or when
  // it is longer than the window: then it is skipped, and counted.
  Result<std::optional<std::string_view>> value();
  // Skips the next value, whatever its length. False when the input ends inside it.
  Result<bool> skip();

  std::uint64_t bytes() const { return bytes_; }  // read so far
  std::uint64_t offset() const { return bytes_ - static_cast<std::uint64_t>(end - at); }
  std::uint64_t long_values() const { return long_values_; }  // skipped
  void count_long_value() { ++long_values_; }

 private:
  void pad();

  ByteSource& source_;
  const ImportOptions& options_;
  std::vector<char> buffer_;
  std::uint64_t bytes_ = 0, long_values_ = 0;
  bool has_ended_ = false;
};

// The next bytes of `source` into `into`, with the limits of `options` kept: `bytes` counts what
// was read. 0 = the end.
Result<std::size_t> read_within(ByteSource& source, const ImportOptions& options,
                                std::span<char> into, std::uint64_t& bytes);

}  // namespace assay::trace::json
