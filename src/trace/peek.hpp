// SPDX-License-Identifier: Apache-2.0
// A source whose first bytes were looked at already.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "trace/importer.hpp"

namespace assay::trace {

// Up to `count` bytes of the front of `source`.
inline Result<std::string> read_head(ByteSource& source, std::size_t count) {
  std::string head(count, '\0');
  std::size_t size = 0;
  while (size < count) {
    const auto more = source.read({head.data() + size, count - size});
    if (!more) return fail(more.error());
    if (*more == 0) break;
    size += *more;
  }
  head.resize(size);
  return head;
}

// `head`, then what `rest` still has.
class HeadedSource final : public ByteSource {
 public:
  HeadedSource(std::string head, ByteSource& rest) : head_(std::move(head)), rest_(rest) {}

  const std::string& name() const override { return rest_.name(); }
  std::optional<std::uint64_t> size() const override { return rest_.size(); }
  Result<std::size_t> read(std::span<char> into) override {
    if (used_ == head_.size()) return rest_.read(into);
    const std::size_t count = std::min(into.size(), head_.size() - used_);
    std::memcpy(into.data(), head_.data() + used_, count);
    used_ += count;
    return count;
  }

 private:
  std::string head_;
  std::size_t used_ = 0;
  ByteSource& rest_;
};

}  // namespace assay::trace
