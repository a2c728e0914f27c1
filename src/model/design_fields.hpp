// SPDX-License-Identifier: Apache-2.0
// The lists of members of designs and of what experiments over many arms found. For codec.cpp only.
#pragma once

#include "model/fields.hpp"
#include "model/findings.hpp"

namespace assay::fields {

template <>
struct Fields<Parameter> {
  static void visit(auto& v) {
    v.must("name", &Parameter::name);
    v.must("levels", &Parameter::levels);
  }
};

template <>
struct Fields<Change> {
  static void visit(auto& v) {
    v.must("name", &Change::name);
    v.must("kind", &Change::kind);
    v.must("spec", &Change::spec);
  }
};

template <>
struct Fields<Commit> {
  static void visit(auto& v) {
    v.must("id", &Commit::id);
    v.may_text("subject", &Commit::subject);
    v.may("parents", &Commit::parents);
    v.may("weight", &Commit::weight);
  }
};

template <>
struct Fields<Design> {
  static void visit(auto& v) {
    v.may("parameters", &Design::parameters);
    v.may("memory_budget", &Design::memory_budget);
    v.may("changes", &Design::changes);
    v.may("anyway", &Design::anyway);
    v.may("adaptive", &Design::adaptive);
    v.may("commits", &Design::commits);
    v.may("expect", &Design::expect);
    v.may("build_timeout_s", &Design::build_timeout_s);
    v.may("asked", &Design::asked);
  }
};

template <>
struct Fields<Estimate> {
  static void visit(auto& v) {
    v.must("value", &Estimate::value);
    v.may("lo", &Estimate::lo);
    v.may("hi", &Estimate::hi);
  }
};

template <>
struct Fields<BrokenArm> {
  static void visit(auto& v) {
    v.must("arm", &BrokenArm::arm);
    v.may("built", &BrokenArm::built);
    v.may_text("why", &BrokenArm::why);
  }
};

template <>
struct Fields<ArmFinding> {
  static void visit(auto& v) {
    v.must("arm", &ArmFinding::arm);
    v.must("runs", &ArmFinding::runs);
    v.may("median", &ArmFinding::median);
    v.may("effect", &ArmFinding::effect);
    v.may("memory", &ArmFinding::memory);
    v.may("memory_effect", &ArmFinding::memory_effect);
  }
};

template <>
struct Fields<ParameterFinding> {
  static void visit(auto& v) {
    v.must("parameter", &ParameterFinding::parameter);
    v.must("shape", &ParameterFinding::shape);
    v.may("at", &ParameterFinding::at);
    v.may("z", &ParameterFinding::z);
    v.may("p_holm", &ParameterFinding::p_holm);
    v.may("effect", &ParameterFinding::effect);
  }
};

template <>
struct Fields<Interaction> {
  static void visit(auto& v) {
    v.must("arm", &Interaction::arm);
    v.may("effect", &Interaction::effect);
  }
};

template <>
struct Fields<MemoryLine> {
  static void visit(auto& v) {
    v.must("base", &MemoryLine::base);
    v.must("slope", &MemoryLine::slope);
    v.may("largest_residual", &MemoryLine::largest_residual);
    v.may("largest_fit", &MemoryLine::largest_fit);
    v.may("predicted_fit", &MemoryLine::predicted_fit);
  }
};

template <>
struct Fields<SweepFinding> {
  static void visit(auto& v) {
    v.must("rounds", &SweepFinding::rounds);
    v.must("parameters", &SweepFinding::parameters);
    v.may("levels", &SweepFinding::levels);
    v.may("pareto", &SweepFinding::pareto);
    v.may("knee", &SweepFinding::knee);
    v.may("memory", &SweepFinding::memory);
    v.may("interaction", &SweepFinding::interaction);
  }
};

template <>
struct Fields<Term> {
  static void visit(auto& v) {
    v.must("changes", &Term::changes);
    v.may("either", &Term::either);
    v.may("effect", &Term::effect);
    v.may("probability", &Term::probability);
    v.may("named", &Term::named);
    v.may("finding", &Term::finding);
    v.may("reverting", &Term::reverting);
  }
};

template <>
struct Fields<EffectRow> {
  static void visit(auto& v) {
    v.must("changes", &EffectRow::changes);
    v.may("effect", &EffectRow::effect);
    v.may("p_holm", &EffectRow::p_holm);
  }
};

template <>
struct Fields<FailureRule> {
  static void visit(auto& v) {
    v.may("on", &FailureRule::on);
    v.may("off", &FailureRule::off);
  }
};

template <>
struct Fields<AblateFinding> {
  static void visit(auto& v) {
    v.must("reproduced", &AblateFinding::reproduced);
    v.may("revert_all", &AblateFinding::revert_all);
    v.may("terms", &AblateFinding::terms);
    v.may("undecided", &AblateFinding::undecided);
    v.may("more_runs", &AblateFinding::more_runs);
    v.may("certainty", &AblateFinding::certainty);
    v.may("configurations", &AblateFinding::configurations);
    v.may("effects", &AblateFinding::effects);
    v.may("best", &AblateFinding::best);
    v.may("best_effect", &AblateFinding::best_effect);
    v.may("remainder", &AblateFinding::remainder);
    v.may("runs", &AblateFinding::runs);
    v.may("failures", &AblateFinding::failures);
  }
};

template <>
struct Fields<CommitFinding> {
  static void visit(auto& v) {
    v.must("commit", &CommitFinding::commit);
    v.may("runs", &CommitFinding::runs);
    v.may("median", &CommitFinding::median);
    v.may("probability", &CommitFinding::probability);
  }
};

template <>
struct Fields<Culprit> {
  static void visit(auto& v) {
    v.must("commit", &Culprit::commit);
    v.may("probability", &Culprit::probability);
    v.may("effect", &Culprit::effect);
    v.may("set", &Culprit::set);
    v.may("named", &Culprit::named);
    v.may("finding", &Culprit::finding);
    v.may("reverted", &Culprit::reverted);
  }
};

template <>
struct Fields<BisectFinding> {
  static void visit(auto& v) {
    v.must("reproduced", &BisectFinding::reproduced);
    v.may("anchors", &BisectFinding::anchors);
    v.may("culprits", &BisectFinding::culprits);
    v.may("commits", &BisectFinding::commits);
    v.may("runs", &BisectFinding::runs);
    v.may("more_runs", &BisectFinding::more_runs);
  }
};

template <>
struct Fields<TimelineCommit> {
  static void visit(auto& v) {
    v.must("to_first", &TimelineCommit::to_first);
    v.may("to_parent", &TimelineCommit::to_parent);
    v.may("memory_to_parent", &TimelineCommit::memory_to_parent);
    v.may("step", &TimelineCommit::step);
    v.may("memory_step", &TimelineCommit::memory_step);
    v.may("step_effect", &TimelineCommit::step_effect);
    v.may("memory_step_effect", &TimelineCommit::memory_step_effect);
    v.may("undone_by", &TimelineCommit::undone_by);
  }
};

template <>
struct Fields<TimelineFinding> {
  static void visit(auto& v) {
    v.must("rounds", &TimelineFinding::rounds);
    v.may("commits", &TimelineFinding::commits);
    v.may("back_at_first", &TimelineFinding::back_at_first);
  }
};

}  // namespace assay::fields
