// SPDX-License-Identifier: Apache-2.0
// The lists of members of what an audit found. For codec.cpp only.
#pragma once

#include "model/audit_findings.hpp"
#include "model/fields.hpp"

namespace assay::fields {

template <>
struct Fields<AuditDoubt> {
  static void visit(auto& v) {
    v.must("kind", &AuditDoubt::kind);
    v.may("unit", &AuditDoubt::unit);
    v.must("id", &AuditDoubt::id);
    v.may("figure", &AuditDoubt::figure);
    v.may_text("text", &AuditDoubt::text);
  }
};

template <>
struct Fields<Polluter> {
  static void visit(auto& v) {
    v.must("units", &Polluter::units);
    v.may("factor", &Polluter::factor);
    v.may("runs", &Polluter::runs);
    v.may("confirmed", &Polluter::confirmed);
    v.may("shared", &Polluter::shared);
  }
};

template <>
struct Fields<AuditVictim> {
  static void visit(auto& v) {
    v.must("unit", &AuditVictim::unit);
    v.must("id", &AuditVictim::id);
    v.may("slower", &AuditVictim::slower);
    v.may("order", &AuditVictim::order);
    v.may("alone_s", &AuditVictim::alone_s);
    v.may("behind_s", &AuditVictim::behind_s);
    v.may("factor", &AuditVictim::factor);
    v.may("threshold", &AuditVictim::threshold);
    v.may("p", &AuditVictim::p);
    v.may("alone_n", &AuditVictim::alone_n);
    v.may("behind_n", &AuditVictim::behind_n);
    v.may("polluters", &AuditVictim::polluters);
    v.may("cleaners", &AuditVictim::cleaners);
    v.may("mechanism", &AuditVictim::mechanism);
    v.may_text("evidence", &AuditVictim::evidence);
    v.may_text("open", &AuditVictim::open);
    v.may("reproduced", &AuditVictim::reproduced);
  }
};

template <>
struct Fields<AuditOpen> {
  static void visit(auto& v) {
    v.must("unit", &AuditOpen::unit);
    v.must("id", &AuditOpen::id);
    v.may("factor", &AuditOpen::factor);
    v.may_text("why", &AuditOpen::why);
  }
};

template <>
struct Fields<AuditMissing> {
  static void visit(auto& v) {
    v.must("unit", &AuditMissing::unit);
    v.must("id", &AuditMissing::id);
    v.may("alone", &AuditMissing::alone);
    v.may("in_suite", &AuditMissing::in_suite);
    v.may("exit_zero", &AuditMissing::exit_zero);
    v.may_text("message", &AuditMissing::message);
  }
};

template <>
struct Fields<UnitMemory> {
  static void visit(auto& v) {
    v.must("unit", &UnitMemory::unit);
    v.may("retained", &UnitMemory::retained);
    v.may("transient", &UnitMemory::transient);
    v.may("peak", &UnitMemory::peak);
    v.may("held", &UnitMemory::held);
    v.may("crosses", &UnitMemory::crosses);
    v.may("fills", &UnitMemory::fills);
  }
};

template <>
struct Fields<AuditMoved> {
  static void visit(auto& v) {
    v.must("unit", &AuditMoved::unit);
    v.must("id", &AuditMoved::id);
    v.must("by", &AuditMoved::by);
    v.may("alone", &AuditMoved::alone);
    v.may("in_suite", &AuditMoved::in_suite);
    v.may_text("text", &AuditMoved::text);
  }
};

template <>
struct Fields<AuditChanged> {
  static void visit(auto& v) {
    v.must("unit", &AuditChanged::unit);
    v.must("id", &AuditChanged::id);
    v.may_text("text", &AuditChanged::text);
    v.may("behind", &AuditChanged::behind);
    v.may("changed", &AuditChanged::changed);
    v.may("same", &AuditChanged::same);
  }
};

template <>
struct Fields<AuditTimes> {
  static void visit(auto& v) {
    v.must("unit", &AuditTimes::unit);
    v.must("id", &AuditTimes::id);
    v.may("alone_s", &AuditTimes::alone_s);
    v.may("behind_s", &AuditTimes::behind_s);
    v.may("alone_n", &AuditTimes::alone_n);
    v.may("behind_n", &AuditTimes::behind_n);
    v.may("alone_runs", &AuditTimes::alone_runs);
    v.may("behind_runs", &AuditTimes::behind_runs);
    v.may("least_seen", &AuditTimes::least_seen);
    v.may("judged", &AuditTimes::judged);
  }
};

template <>
struct Fields<AuditCost> {
  static void visit(auto& v) {
    v.must("stage", &AuditCost::stage);
    v.may("runs", &AuditCost::runs);
    v.may("seconds", &AuditCost::seconds);
  }
};

template <>
struct Fields<AuditFinding> {
  static void visit(auto& v) {
    v.must("benchmarks", &AuditFinding::benchmarks);
    v.may("judged", &AuditFinding::judged);
    v.may("spread", &AuditFinding::spread);
    v.may("shift", &AuditFinding::shift);
    v.may("suite_s", &AuditFinding::suite_s);
    v.may("victims", &AuditFinding::victims);
    v.may("open", &AuditFinding::open);
    v.may("doubts", &AuditFinding::doubts);
    v.may("missing", &AuditFinding::missing);
    v.may("memory", &AuditFinding::memory);
    v.may("moved", &AuditFinding::moved);
    v.may("costs", &AuditFinding::costs);
    v.may("left_out", &AuditFinding::left_out);
    v.may_text("unfinished", &AuditFinding::unfinished);
    v.may("least_seen", &AuditFinding::least_seen);
    v.may("more_repeats", &AuditFinding::more_repeats);
    v.may("least_seen_then", &AuditFinding::least_seen_then);
    v.may("changed", &AuditFinding::changed);
    v.may("times", &AuditFinding::times);
  }
};

}  // namespace assay::fields
