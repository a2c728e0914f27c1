// SPDX-License-Identifier: Apache-2.0
// The lists of members of suites and of what their benchmarks said. For codec.cpp only.
#pragma once

#include "model/fields.hpp"
#include "model/suite.hpp"
#include "model/suite_findings.hpp"

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
    v.may("unit_by", &SuitePlan::unit_by);
    v.may("only", &SuitePlan::only);
    v.must("units", &SuitePlan::units);
    v.may("joins", &SuitePlan::joins);
    v.may("reorders", &SuitePlan::reorders);
    v.may("repeats", &SuitePlan::repeats);
    v.may("isolation", &SuitePlan::isolation);
    v.may("memory_budget", &SuitePlan::memory_budget);
    v.may("controls", &SuitePlan::controls);
    v.may("random_orders", &SuitePlan::random_orders);
    v.may("search_limit", &SuitePlan::search_limit);
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

template <>
struct Fields<BenchmarkRow> {
  static void visit(auto& v) {
    v.must("unit", &BenchmarkRow::unit);
    v.must("id", &BenchmarkRow::id);
    v.may("listed", &BenchmarkRow::listed);
    v.may("ok", &BenchmarkRow::ok);
    v.may("failed", &BenchmarkRow::failed);
    v.may("missing", &BenchmarkRow::missing);
    v.may("skipped", &BenchmarkRow::skipped);
    v.may("median", &BenchmarkRow::median);
    v.may("lo", &BenchmarkRow::lo);
    v.may("hi", &BenchmarkRow::hi);
    v.may("spread", &BenchmarkRow::spread);
    v.may("iterations", &BenchmarkRow::iterations);
    v.may("setup_s", &BenchmarkRow::setup_s);
    v.may("facts", &BenchmarkRow::facts);
    v.may_text("message", &BenchmarkRow::message);
    v.may("doubts", &BenchmarkRow::doubts);
  }
};

template <>
struct Fields<UnitRow> {
  static void visit(auto& v) {
    v.must("unit", &UnitRow::unit);
    v.may("runs", &UnitRow::runs);
    v.may("failed", &UnitRow::failed);
    v.may("wall", &UnitRow::wall);
    v.may("peak_memory", &UnitRow::peak_memory);
    v.may_text("message", &UnitRow::message);
    v.may("given_up", &UnitRow::given_up);
  }
};

template <>
struct Fields<SuiteRunFinding> {
  static void visit(auto& v) {
    v.must("rounds", &SuiteRunFinding::rounds);
    v.may("benchmarks", &SuiteRunFinding::benchmarks);
    v.may("units", &SuiteRunFinding::units);
  }
};

}  // namespace assay::fields
