// SPDX-License-Identifier: Apache-2.0
// What the readers' tests share.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "results/results.hpp"

namespace assay::results {

// A file that a real tool wrote: tests/data/results/FILE.
inline std::string data_file(const std::string& file) {
  std::ifstream in(std::string(ASSAY_RESULTS_DATA) + "/" + file, std::ios::binary);
  EXPECT_TRUE(in.good()) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline const Series* find_series(const File& file, const std::string& id,
                                 const std::string& metric = "time",
                                 const std::string& build = {}) {
  for (const Series& series : file.series)
    if (series.id == id && series.metric == metric && series.build == build) return &series;
  return nullptr;
}

inline bool has_doubt(const std::vector<Doubt>& doubts, const std::string& kind) {
  for (const Doubt& doubt : doubts)
    if (doubt.kind == kind) return true;
  return false;
}

// Of a read that must fail.
inline std::string error_of(std::string_view text, const std::string& format = {}) {
  const auto file = read(text, "f", format);
  return file ? "read" : file.error().where + ": " + file.error().what;
}

}  // namespace assay::results
