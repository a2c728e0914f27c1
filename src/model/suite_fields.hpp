// SPDX-License-Identifier: Apache-2.0
// The lists of members of suites and of what their benchmarks said. For codec.cpp only.
#pragma once

#include "model/fields.hpp"
#include "model/suite.hpp"

namespace assay::fields {

template <>
struct Fields<SuiteUnit> {
  static void visit(auto& v) {
    v.must("name", &SuiteUnit::name);
    v.may("ids", &SuiteUnit::ids);
  }
};

template <>
struct Fields<SuitePlan> {
  static void visit(auto& v) {
    v.must("adapter", &SuitePlan::adapter);
    v.may_text("rules", &SuitePlan::rules);
    v.may("rules_name", &SuitePlan::rules_name);
    v.must("units", &SuitePlan::units);
    v.may("reorders", &SuitePlan::reorders);
    v.may("isolation", &SuitePlan::isolation);
    v.may("memory_budget", &SuitePlan::memory_budget);
    v.may("controls", &SuitePlan::controls);
  }
};

template <>
struct Fields<Fact> {
  static void visit(auto& v) {
    v.must("name", &Fact::name);
    v.must("value", &Fact::value);
  }
};

template <>
struct Fields<Measurement> {
  static void visit(auto& v) {
    v.may("position", &Measurement::position);
    v.must("id", &Measurement::id);
    v.may("status", &Measurement::status);
    v.may("value", &Measurement::value);
    v.may("samples", &Measurement::samples);
    v.may("iterations", &Measurement::iterations);
    v.may("total_s", &Measurement::total_s);
    v.may("warmup_s", &Measurement::warmup_s);
    v.may("setup_s", &Measurement::setup_s);
    v.may("memory_before", &Measurement::memory_before);
    v.may("memory_after", &Measurement::memory_after);
    v.may("gc_s", &Measurement::gc_s);
    v.may_text("stop", &Measurement::stop);
    v.may_text("message", &Measurement::message);
    v.may("facts", &Measurement::facts);
  }
};

}  // namespace assay::fields
