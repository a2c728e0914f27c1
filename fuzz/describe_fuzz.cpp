// SPDX-License-Identifier: Apache-2.0
// A trace made of the bytes, however odd, is described without a crash, and what is said adds up.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "attribution/description.hpp"
#include "base/check.hpp"

namespace {

using assay::trace::kNone;
using assay::trace::Nanos;

// Takes numbers off the front of the input; zeros once it is used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  std::uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  std::int64_t wide() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return static_cast<std::int64_t>(value);
  }
  // A short time, or, rarely, any 64 bits.
  Nanos time() {
    const std::uint8_t form = byte();
    if (form >= 250) return wide();
    return (Nanos{form} << 8 | byte()) * (form % 3 == 0 ? 1000000 : 1);
  }
  // An index below `count`, kNone, or one that is out of range.
  std::uint32_t index(std::size_t count) {
    const std::uint8_t value = byte();
    if (value == 255) return kNone;
    if (value == 254 || count == 0) return 1000000;
    return static_cast<std::uint32_t>(value % count);
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

assay::trace::Trace trace_from(Bytes& bytes) {
  assay::trace::Trace run;
  const std::size_t stages = bytes.byte() % 6, items = bytes.byte() % 20,
                    workers = bytes.byte() % 5;
  run.clock.resolution_ns = bytes.time();
  for (std::size_t s = 0; s < stages; ++s) {
    const std::uint32_t id = run.stage_id("s" + std::to_string(s));
    const std::uint8_t has = bytes.byte();
    if (has & 1) run.stages[id].servers = bytes.byte() % 5;
    if (has & 2) run.stages[id].capacity = bytes.byte() % 5;
    if (has & 4) run.stages[id].permits = bytes.byte() % 5;
    if (has & 8) run.stages[id].parent = bytes.index(stages);
    if (has & 16) run.edges.push_back({bytes.index(stages), bytes.index(stages)});
    if (has & 32) run.stages[id].servers = kNone;
    if (has & 64) run.stages[id].capacity = ~std::uint64_t{0};
  }
  for (std::size_t i = 0; i < items; ++i)
    run.items.intern(run.strings.intern("j" + std::to_string(i / 4) + "/" + std::to_string(i)));
  for (std::size_t w = 0; w < workers; ++w) run.worker_id(bytes.index(stages), std::to_string(w));
  const std::size_t samples = bytes.byte() % 16;
  if (samples > 0) run.memory.emplace_back();
  for (std::size_t i = 0; i < samples; ++i) {
    run.memory[0].at.push_back(bytes.time());
    run.memory[0].bytes.push_back(static_cast<std::uint64_t>(bytes.wide()));
  }
  if (bytes.byte() % 8 == 0) ++run.lost(assay::trace::Loss::missing_end);
  while (!bytes.empty()) {
    const Nanos from = bytes.time(), length = bytes.time();
    Nanos to = 0;
    if (length < 0 || __builtin_add_overflow(from, length, &to)) to = from;
    const std::uint8_t kinds = bytes.byte();
    const auto kind = kinds < 128 ? assay::trace::SpanKind::service
                                  : static_cast<assay::trace::SpanKind>(kinds % 8);
    const std::uint32_t item = bytes.index(items), stage = bytes.index(stages);
    run.spans.push(from, to, item, stage, bytes.index(workers), kind,
                   static_cast<assay::trace::Quality>(kinds % 3));
  }
  return run;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const assay::trace::Trace run = trace_from(bytes);
  const assay::attribution::RunDescription described = assay::attribution::describe(run);
  for (const auto& book : described.books) {
    double sum = book.unknown_s, scale = std::fabs(book.wall_s) + std::fabs(book.unknown_s);
    for (const double seconds : book.seconds) {
      sum += seconds;
      scale += seconds;
      ASSAY_CHECK(seconds >= 0, "no kind of time is negative");
    }
    ASSAY_CHECK(std::fabs(sum - book.wall_s) <= 1e-9 + 1e-12 * scale, "the books close");
  }
  for (const auto& row : described.spans_by_name)
    ASSAY_CHECK(row.self_s >= 0 && row.self_s <= row.total_s, "self is a part of the total");
  for (const auto& model : described.memory)
    for (const auto& term : model.terms)
      ASSAY_CHECK(term.bytes_per_item >= 0, "no item has negative bytes");
  return 0;
}
