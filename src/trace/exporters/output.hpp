// SPDX-License-Identifier: Apache-2.0
// Where exporters write: pieces of a document, in order, so that a large trace streams.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace assay::trace {

// Takes the next piece; an error ends the writing.
using Sink = std::function<Result<void>(std::string_view)>;

// Collects small pieces into large ones. After an error of the sink nothing more is written.
class Output {
 public:
  explicit Output(const Sink& sink) : sink_(sink) {}

  void raw(std::string_view text) {
    out_.append(text.data(), text.data() + text.size());
    if (out_.size() >= kPiece) flush();
  }
  template <class... Args>
  void print(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
    if (out_.size() >= kPiece) flush();
  }
  bool has_failed() const { return !state_; }
  // Hands out the rest.
  Result<void> finish() {
    flush();
    return std::move(state_);
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{256} << 10;

  void flush() {
    if (state_ && out_.size() > 0) state_ = sink_({out_.data(), out_.size()});
    out_.clear();
  }

  const Sink& sink_;
  fmt::memory_buffer out_;
  Result<void> state_ = {};
};

}  // namespace assay::trace
