// SPDX-License-Identifier: Apache-2.0
// Where in a program's output a metric is found, and in which unit it is printed there.
//
// Metric::source is the rule as the user wrote it, with the unit in front when the name carried one
// in brackets, because Metric::unit is already the base unit:
//   latency_ms=re:gpu_ms=(\d+)        name latency_ms, unit s, source "re:gpu_ms=(\d+)"
//   rate[req/s,higher]=json:/rps      name rate, unit req/s, source "[req/s]json:/rps"
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/metric.hpp"

namespace assay::measure {

// A printed unit as a multiple of a base unit: "ms" -> {0.001, "s"}, "KiB" -> {1024, "B"},
// "%" -> {0.01, "1"}; a unit that is not known stays as it is: "req/s" -> {1, "req/s"}.
struct Scale {
  double factor = 1;
  std::string unit = "1";

  bool operator==(const Scale&) const = default;
};
Scale scale_of_unit(std::string_view unit);

// By the ending of a metric's name: _ns _us _ms _s _bytes _kib _mib. Nothing for every other name,
// and for names that end in _per_s: those are rates, not seconds.
std::optional<Scale> scale_of_name(std::string_view name);

enum class SourceKind { pattern, json, lines };

struct Source {
  SourceKind kind = SourceKind::lines;
  std::string text;            // the pattern, the pointer, or the name in the ASSAY lines
  std::optional<Scale> scale;  // nothing when neither name nor brackets say the unit
};

// Errors: unknown source (with the nearest known one), a pointer that does not begin with '/'.
Result<Source> read_source(const Metric& metric);

}  // namespace assay::measure
