// SPDX-License-Identifier: Apache-2.0
// What every importer owes whatever the bytes: an error that says where, or a Trace whose ids point
// at something and whose spans end no earlier than they begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "trace/importer.hpp"
#include "trace/source.hpp"

namespace assay::fuzz {

inline void check(const trace::Trace& run) {
  const auto is_id = [](std::uint32_t id, std::size_t size) {
    return id == trace::kNone || id < size;
  };
  const trace::Spans& spans = run.spans;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    ASSAY_CHECK(spans.begin[i] <= spans.end[i], "a span does not end before it begins");
    ASSAY_CHECK(spans.stage[i] < run.stages.size(), "a span has a stage");
    ASSAY_CHECK(is_id(spans.worker[i], run.workers.size()), "a worker exists");
    ASSAY_CHECK(is_id(spans.item[i], run.items.size()), "an item exists");
  }
  ASSAY_CHECK(spans.end.size() == spans.size() && spans.stage.size() == spans.size() &&
                  spans.worker.size() == spans.size() && spans.item.size() == spans.size() &&
                  spans.kind.size() == spans.size() && spans.quality.size() == spans.size(),
              "columns are equally long");
  for (const std::uint32_t key : run.items.key) {
    ASSAY_CHECK(key < run.strings.size(), "a key is a string");
  }
  for (const trace::Stage& stage : run.stages) {
    ASSAY_CHECK(is_id(stage.parent, run.stages.size()), "a parent exists");
  }
  for (const trace::Worker& worker : run.workers) {
    ASSAY_CHECK(is_id(worker.stage, run.stages.size()), "a worker's stage exists");
  }
  for (const trace::Link& link : run.links) {
    ASSAY_CHECK(link.from < spans.size() && link.to < spans.size(), "a link joins spans");
  }
  for (const std::uint32_t name : run.counters.name) {
    ASSAY_CHECK(name < run.strings.size(), "a counter has a name");
  }
  for (std::size_t i = 0; i < run.instants.size(); ++i) {
    ASSAY_CHECK(run.instants.name[i] < run.strings.size(), "an instant has a name");
    ASSAY_CHECK(is_id(run.instants.item[i], run.items.size()), "an instant's item exists");
  }
  for (const trace::MemorySeries& series : run.memory) {
    ASSAY_CHECK(series.at.size() == series.bytes.size(), "each value has its time");
  }
  for (const trace::TraceWarning& warning : run.warnings) {
    ASSAY_CHECK(!warning.text.empty(), "a warning says something");
  }
}

// Hands out a few bytes a read: a value may be cut anywhere.
class DripSource : public trace::ByteSource {
 public:
  DripSource(std::string bytes, std::size_t piece) : bytes_(std::move(bytes)), piece_(piece) {}
  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), piece_, bytes_.size() - at_});
    std::copy_n(bytes_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }

 private:
  std::string bytes_, name_ = "f";
  std::size_t piece_, at_ = 0;
};

// The same input read in small pieces gives the same spans.
inline void check_pieces(const trace::Importer& importer, const std::string& bytes,
                         const Result<trace::Trace>& whole) {
  DripSource source(bytes, 1 + bytes.size() % 13);
  const Result<trace::Trace> run = importer.read(source, trace::ImportOptions());
  ASSAY_CHECK(run.has_value() == whole.has_value(), "the size of the reads does not matter");
  if (!run) return;
  check(*run);
  ASSAY_CHECK(run->spans.begin == whole->spans.begin && run->spans.end == whole->spans.end &&
                  run->spans.stage == whole->spans.stage,
              "the spans do not depend on the size of the reads");
  for (std::size_t i = 0; i < trace::kLosses; ++i) {
    ASSAY_CHECK(run->losses[i] == whole->losses[i], "nor do the losses");
  }
}

inline Result<trace::Trace> import(const trace::Importer& importer, const std::string& bytes) {
  const auto source = trace::memory_source(bytes, "f");
  const trace::ImportOptions options;
  const int sure = importer.sniff(std::string_view(bytes).substr(0, 65536));
  ASSAY_CHECK(sure >= 0 && sure <= 100, "a sniff is a percentage");
  Result<trace::Trace> run = importer.read(*source, options);
  if (run) {
    check(*run);
  } else {
    ASSAY_CHECK(!run.error().what.empty() && run.error().where.starts_with("f"),
                "an error says what and where");
  }
  return run;
}

}  // namespace assay::fuzz
