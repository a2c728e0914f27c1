// SPDX-License-Identifier: Apache-2.0
// Three plots, each as text for a terminal and as SVG for a page, from the same data: values with
// intervals (levels, commits, configurations), bars (posterior), lines (interaction).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/options.hpp"
#include "report/plain.hpp"

namespace assay::report {

struct PlotPoint {
  std::string label = {};
  double value = 0;
  std::optional<double> lo = {}, hi = {};
  Tone tone = Tone::neutral;
  std::string note = {};  // behind the point: "+6.1 %  12 runs"
};

// One row a point, the value along a common axis.
struct IntervalPlot {
  std::string title = {};
  std::string axis = {};  // what the values are, with unit: "ratio to cap=1, %"
  std::vector<PlotPoint> points = {};
  std::optional<double> reference = {};              // a line across, such as 0
  std::optional<double> band_lo = {}, band_hi = {};  // around it: the tolerance
  bool powers = false;  // all values are powers of ten: the axis is logarithmic
};

struct Bar {
  std::string label = {};
  double value = 0;  // >= 0
  Tone tone = Tone::neutral;
  std::string note = {};
};

struct BarPlot {
  std::string title = {}, axis = {};
  double full = 1;  // value of a bar of full length
  std::vector<Bar> bars = {};
};

// y over named places on x: an interaction plot has two places (off, on) and two lines.
struct LinePlot {
  struct Line {
    std::string name = {};
    std::vector<std::optional<double>> y = {};  // one a place; nothing = not measured
  };
  std::string title = {}, axis = {};
  std::vector<std::string> places = {};
  std::vector<Line> lines = {};
};

// Lines that end with newlines, none longer than the width.
std::string draw(const IntervalPlot& plot, const TextOptions& options);
std::string draw(const BarPlot& plot, const TextOptions& options);
std::string draw(const LinePlot& plot, const TextOptions& options);

// One <svg> element, text escaped, colours from the page's classes; readable without colour.
std::string svg(const IntervalPlot& plot);
std::string svg(const BarPlot& plot);
std::string svg(const LinePlot& plot);

}  // namespace assay::report
