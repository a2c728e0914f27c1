// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/json_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "trace/importers/json_scan.hpp"

namespace assay::trace::json {
namespace {

constexpr std::size_t kSmallest = 4096;  // of the buffer

}  // namespace

Result<std::size_t> read_within(ByteSource& source, const ImportOptions& options,
                                std::span<char> into, std::uint64_t& bytes) {
  const Result<std::size_t> got = source.read(into);
  if (!got) return got;
  bytes += *got;
  if (bytes > options.most_bytes) {
    return fail(
        fmt::format("holds more than {}", format_bytes(static_cast<double>(options.most_bytes))),
        source.name(),
        "cut out the part of interest; a small file that grows like this is damaged");
  }
  if (options.progress && !options.progress(bytes)) return fail("interrupted", source.name());
  return got;
}

// A small input needs no large buffer.
JsonWindow::JsonWindow(ByteSource& source, const ImportOptions& options)
    : source_(source),
      options_(options),
      buffer_(std::clamp<std::uint64_t>(source.size().value_or(kBlock) + 1, kSmallest, kBlock) +
              kScanPadding) {
  at = end = buffer_.data();
  pad();
}

void JsonWindow::pad() { std::memset(buffer_.data() + (end - buffer_.data()), '"', kScanPadding); }

Result<bool> JsonWindow::more() {
  if (has_ended_ || is_full()) return false;
  const auto kept = static_cast<std::size_t>(end - at);
  const std::size_t room = buffer_.size() - kScanPadding;
  if (kept > room / 2 && room < kLongest) {
    std::vector<char> larger(room * 2 + kScanPadding);
    std::memcpy(larger.data(), at, kept);
    buffer_.swap(larger);
  } else {
    std::memmove(buffer_.data(), at, kept);
  }
  at = buffer_.data();
  end = at + kept;
  const Result<std::size_t> got = read_within(
      source_, options_, {buffer_.data() + kept, buffer_.size() - kScanPadding - kept}, bytes_);
  if (!got) {
    pad();
    return fail(got.error());
  }
  has_ended_ = *got == 0;
  end += *got;
  pad();
  return !has_ended_;
}

Result<char> JsonWindow::peek() {
  for (;;) {
    at = std::min(skip_space(at), end);
    if (at < end) return *at;
    const Result<bool> has_more = more();
    if (!has_more) return fail(has_more.error());
    if (!*has_more) return '\0';
  }
}

Result<std::optional<std::string_view>> JsonWindow::value() {
  const Result<char> first = peek();
  if (!first) return fail(first.error());
  for (;;) {
    if (at == end) return std::optional<std::string_view>();
    const char* behind = skip_value(at, end);
    if (behind == at) {
      ++at;
      return std::optional<std::string_view>();
    }
    if (behind != nullptr) {
      const std::string_view text(at, static_cast<std::size_t>(behind - at));
      at = behind;
      return std::optional<std::string_view>(text);
    }
    const Result<bool> has_more = more();
    if (!has_more) return fail(has_more.error());
    if (*has_more) continue;
    if (is_full()) {
      ++long_values_;
      const Result<bool> skipped = skip();
      if (!skipped) return fail(skipped.error());
    } else {
      at = end;
    }
    return std::optional<std::string_view>();
  }
}

// A state machine over single bytes, so that the value may be longer than any window.
Result<bool> JsonWindow::skip() {
  const Result<char> first = peek();
  if (!first) return fail(first.error());
  const bool is_scalar = *first != '{' && *first != '[' && *first != '"';
  std::uint64_t depth = 0;
  bool is_inside = false, is_escaped = false, is_first = true;
  for (;;) {
    for (; at < end; ++at) {
      const char c = *at;
      if (is_inside) {
        if (is_escaped) {
          is_escaped = false;
        } else if (c == '\\') {
          is_escaped = true;
        } else if (c == '"') {
          is_inside = false;
          if (depth == 0) {
            ++at;
            return true;
          }
        }
      } else if (is_scalar) {
        if (!is_first &&
            (is_space(c) || c == ',' || c == '}' || c == ']' || c == ':' || c == '"')) {
          return true;
        }
      } else if (c == '"') {
        is_inside = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        ++at;
        return true;
      }
      is_first = false;
    }
    const Result<bool> has_more = more();
    if (!has_more) return fail(has_more.error());
    if (!*has_more) return is_scalar;
  }
}

}  // namespace assay::trace::json
