// SPDX-License-Identifier: Apache-2.0
// Numbers for texts, dense from 0, for loops that look up some text for every event: texts are
// looked up as they are written in the input, so that what has to be done to a text (unescape,
// check, name a stage) is done once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace assay::trace {

class TextIndex {
 public:
  TextIndex() : slots_(kFirst) {}

  // The number of (text, tag); size() - 1 when it is new. Texts need 8 readable bytes behind them.
  std::uint32_t find(std::string_view text, std::uint32_t tag = 0) {
    const std::uint64_t hash = hash_of(text, tag);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.number == kFree) return add(at, hash, text);
      if (slot.hash == hash && is_equal(texts_[slot.number], text)) return slot.number;
    }
  }
  // For short texts: a call of memcmp costs more. Both need 8 readable bytes behind them, as at()
  // has.
  static bool is_equal(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    const char *p = a.data(), *q = b.data();
    std::size_t left = a.size();
    for (; left >= 8; left -= 8, p += 8, q += 8) {
      if (load(p) != load(q)) return false;
    }
    return left == 0 || ((load(p) ^ load(q)) << (64 - 8 * left)) == 0;
  }

  std::string_view at(std::uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }

 private:
  static constexpr std::size_t kFirst = 1024;
  static constexpr std::uint32_t kFree = 0xffffffffU;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = kFree;
  };

  static_assert(std::endian::native == std::endian::little);  // tails of texts are shifted words
  static std::uint64_t load(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
  }
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 29);
  }
  // The tag is in the hash alone: equal hashes of one text under two tags do not happen, because
  // each step is a bijection of the hash before it.
  static std::uint64_t hash_of(std::string_view text, std::uint32_t tag) {
    std::uint64_t hash = (std::uint64_t{tag} << 32) + text.size() + 0x51f0a3c9U;
    const char* p = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, p += 8) hash = mixed(hash, load(p));
    if (left > 0) hash = mixed(hash, load(p) << (64 - 8 * left));
    return mixed(hash, 0);
  }

  std::uint32_t add(std::size_t at, std::uint64_t hash, std::string_view text) {
    if (text.size() > room_ - used_) {
      room_ = std::max(std::size_t{64} << 10, text.size());
      used_ = 0;
      blocks_.push_back(std::make_unique<char[]>(room_ + 8));  // is_equal reads words
    }
    char* place = blocks_.empty() ? nullptr : blocks_.back().get() + used_;
    if (!text.empty()) std::memcpy(place, text.data(), text.size());
    used_ += text.size();
    const auto number = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(place, text.size());
    slots_[at] = {hash, number};
    if (texts_.size() * 2 > slots_.size()) grow();
    return number;
  }

  void grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    for (const Slot& slot : slots_) {
      if (slot.number == kFree) continue;
      std::size_t at = slot.hash & (larger.size() - 1);
      while (larger[at].number != kFree) at = (at + 1) & (larger.size() - 1);
      larger[at] = slot;
    }
    slots_.swap(larger);
  }

  std::vector<Slot> slots_;
  std::vector<std::string_view> texts_ = {};
  std::vector<std::unique_ptr<char[]>> blocks_ = {};
  std::size_t used_ = 0, room_ = 0;
};

}  // namespace assay::trace
