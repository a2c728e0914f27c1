// SPDX-License-Identifier: Apache-2.0
#include "trace/events.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.hpp"

namespace assay::trace {
namespace {

constexpr std::array<std::string_view, kSpanKinds> kKindWords = {
    "service", "queue_wait", "blocked_send", "wait_permit",
    "starved", "lock_wait",  "transfer",     "other"};

constexpr std::array<std::string_view, kLosses> kLossTexts = {
    "torn last line",
    "line over the length limit",
    "line with NUL or invalid UTF-8 bytes",
    "line with a field that does not parse",
    "end without begin",
    "begin without end",
    "begin repeated for one key",
    "span that ends before it begins",
    "timestamp that goes backwards",
    "duration that differs from its span",
    "event dropped by the program",
    "record of an unknown kind",
    "malformed record"};

constexpr std::array<std::string_view, 19> kWarningWords = {
    "empty",          "binary",           "block-buffered",  "torn",       "lost-events",
    "never-occurs",   "unbalanced",       "counts-disagree", "two-clocks", "clock-backwards",
    "duplicate-keys", "duration-differs", "derived",         "overlap",    "setting-changed",
    "sequence-gap",   "coarse-clock",     "topology",        "other"};

constexpr std::size_t kBlock = std::size_t{64} << 10;

}  // namespace

std::string_view to_word(SpanKind kind) { return kKindWords[static_cast<std::size_t>(kind)]; }

std::optional<SpanKind> span_kind(std::string_view word) {
  const auto found = std::find(kKindWords.begin(), kKindWords.end(), word);
  if (found == kKindWords.end()) return std::nullopt;
  return static_cast<SpanKind>(found - kKindWords.begin());
}

std::string_view to_word(Quality quality) {
  switch (quality) {
    case Quality::exact:
      return "exact";
    case Quality::derived:
      return "derived";
    case Quality::clipped:
      return "clipped";
  }
  return "";
}

std::string_view to_text(Loss kind) { return kLossTexts[static_cast<std::size_t>(kind)]; }
std::string_view to_word(TraceWarningKind kind) {
  return kWarningWords[static_cast<std::size_t>(kind)];
}

std::uint64_t Strings::hash_of(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
  std::uint64_t hash = text.size() * kOdd + 0x51f0a3c9U;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
  };
  const char* p = text.data();
  std::size_t left = text.size();
  std::uint64_t word = 0;
  for (; left > 8; left -= 8, p += 8) {
    std::memcpy(&word, p, 8);
    mix(word);
  }
  word = 0;
  if (left == 8) {
    std::memcpy(&word, p, 8);
  } else {
    for (std::size_t i = 0; i < left; ++i) word = word << 8 | static_cast<unsigned char>(p[i]);
  }
  mix(word);
  return hash * kOdd;
}

const Strings::Slot* Strings::look(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash);
  for (std::size_t at = (hash >> 32) & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.id == kNone || (slot.hash == tag && texts_[slot.id] == text)) return &slot;
  }
}

void Strings::grow() {
  std::vector<Slot> larger(std::max<std::size_t>(64, slots_.size() * 2));
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.id == kNone) continue;
    std::size_t at = (hash_of(texts_[slot.id]) >> 32) & mask;
    while (larger[at].id != kNone) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_.swap(larger);
}

std::uint32_t Strings::intern(std::string_view text, std::uint64_t hash) {
  if ((texts_.size() + 1) * 2 > slots_.size()) grow();
  const Slot* found = look(text, hash);
  if (found->id != kNone) return found->id;
  ASSAY_CHECK(texts_.size() < kNone, "a run holds fewer than 2^32 - 1 distinct strings");
  if (text.size() > room_ - used_) {
    room_ = std::max(kBlock, text.size());
    used_ = 0;
    blocks_.push_back(std::make_unique<char[]>(room_));
  }
  char* place = blocks_.empty() ? nullptr : blocks_.back().get() + used_;
  if (!text.empty()) std::memcpy(place, text.data(), text.size());
  used_ += text.size();
  const auto id = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(place, text.size());
  slots_[static_cast<std::size_t>(found - slots_.data())] = {static_cast<std::uint32_t>(hash), id};
  return id;
}

std::uint32_t Strings::find(std::string_view text) const {
  return slots_.empty() ? kNone : look(text, hash_of(text))->id;
}

std::uint32_t Items::intern(std::uint32_t key_string) {
  if (key_string >= by_string_.size()) {
    by_string_.resize(std::max<std::size_t>(key_string + std::size_t{1}, by_string_.size() * 2),
                      kNone);
  }
  std::uint32_t& slot = by_string_[key_string];
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(key.size());
    key.push_back(key_string);
    label.push_back(kNone);
    bytes.push_back(0);
  }
  return slot;
}

void Spans::push(Nanos from, Nanos to, std::uint32_t item_id, std::uint32_t stage_id,
                 std::uint32_t worker_id, SpanKind span_kind, Quality span_quality) {
  ASSAY_CHECK(to >= from, "a span does not end before it begins");
  begin.push_back(from);
  end.push_back(to);
  item.push_back(item_id);
  stage.push_back(stage_id);
  worker.push_back(worker_id);
  kind.push_back(span_kind);
  quality.push_back(span_quality);
}

void Spans::reserve(std::size_t count) {
  begin.reserve(count);
  end.reserve(count);
  item.reserve(count);
  stage.reserve(count);
  worker.reserve(count);
  kind.reserve(count);
  quality.reserve(count);
}

std::uint32_t Trace::stage_id(std::string_view name) {
  const auto [place, is_new] =
      stage_ids_.try_emplace(std::string(name), static_cast<std::uint32_t>(stages.size()));
  if (is_new) {
    stages.emplace_back();
    stages.back().name = name;
  }
  return place->second;
}

std::uint32_t Trace::find_stage(std::string_view name) const {
  const auto found = stage_ids_.find(std::string(name));
  return found == stage_ids_.end() ? kNone : found->second;
}

const Setting* Trace::find_setting(std::string_view name) const {
  for (const Setting& setting : settings) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

void Trace::set(std::string_view name, std::string_view value) {
  for (Setting& setting : settings) {
    if (setting.name != name) continue;
    if (setting.value != value) {
      setting.changed = true;
      setting.value = value;
    }
    return;
  }
  settings.push_back({std::string(name), std::string(value)});
}

std::uint32_t Trace::worker_id(std::uint32_t stage, std::string_view label) {
  std::string key = std::to_string(stage) + '/' + std::string(label);
  const auto [place, is_new] =
      worker_ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(workers.size()));
  if (is_new) workers.push_back({stage, std::string(label)});
  return place->second;
}

void Trace::lose(Loss kind, std::uint64_t line) {
  if (lost(kind)++ == 0 && line > 0)
    first_lost[static_cast<std::size_t>(kind)] = source + ':' + std::to_string(line);
}

void Trace::warn(TraceWarningKind kind, std::string text) {
  warnings.push_back({kind, std::move(text)});
}

}  // namespace assay::trace
