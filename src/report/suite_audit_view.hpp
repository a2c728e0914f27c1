// SPDX-License-Identifier: Apache-2.0
// What the writers of an audit's report share: names, words, sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/record.hpp"
#include "report/suite_names.hpp"

namespace assay::report {

class AuditTeller {
 public:
  AuditTeller(const Record& record, const Conclusion& conclusion);

  const AuditFinding& found() const { return found_; }
  const SuiteNames& names() const { return names_; }
  // "clear_cache", "a with b".
  std::string names_of(const std::vector<std::uint32_t>& units) const;
  std::string who_of(const AuditChanged& changed) const;
  // The answer, a sentence each.
  std::vector<std::string> sentences() const;
  // Who, by what, undone by whom: the clauses behind a victim.
  std::vector<std::string> clauses_of(const AuditVictim& victim) const;
  std::vector<std::string> memory_sentences() const;
  // "64 runs in 3 min 20 s: 14 times the suite's own 14.0 s".
  std::string cost_sentence() const;

 private:
  std::string suspect_sentence() const;
  std::vector<std::string> found_parts() const;

  const Plan& plan_;
  SuiteNames names_;
  const Conclusion& conclusion_;
  AuditFinding found_;
};

// "VICTIM", "BRITTLE".
std::string_view word_of(const AuditVictim& victim);
// "in the suite's own order", "in the reversed order", ...
std::string_view phrase_of(AuditOrder order);
// "not shown", "setup inside the timing", ...
std::string_view phrase_of(Mechanism mechanism);
// 12.9 -> "x 12.9", 1012 -> "x 1010".
std::string times_text(double factor);

}  // namespace assay::report
