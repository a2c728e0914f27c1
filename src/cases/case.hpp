// SPDX-License-Identifier: Apache-2.0
// A case: what is to be explained, what was believed about it, and what was tried when. Plain data;
// as it stands in its file (case_file.hpp). Records are named by the ids of the store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cases/size.hpp"

namespace assay::cases {

// A belief. It is held against what its test measured, never against itself.
struct Hypothesis {
  std::string id = {};         // letters, digits and _ . + -
  std::string mechanism = {};  // how it would come about
  std::string predict = {};    // as it was written
  Prediction prediction = {};  // the same, understood
  std::string test = {};       // a command line of assay that would decide it; may be empty
  std::string price = {};      // of that test, as somebody estimated it; may be empty

  bool operator==(const Hypothesis&) const = default;
};

// A record of the store and what it is to the case. Without a hypothesis it is a fact.
struct Evidence {
  std::string record = {};
  std::string hypothesis = {};  // that it tests
  bool removes = false;  // the candidate takes the cause away: its effect counts the other way
  // Which part of the record: the changes of an ablation ("pin+presize"), the level of a sweep, the
  // commit of a timeline, the number of a candidate (1, 2, ...); empty = the hypothesis' own name
  // if the record has it, else the first, the last or the whole (docs/manual/case.md).
  std::string part = {};
  std::string note = {};

  bool operator==(const Evidence&) const = default;
};

// What was tried. The order in the file is the order of events.
struct Round {
  std::string date = {};  // "2026-11-30 10:42", as written
  std::string text = {};
  std::string record = {};  // may be empty
  std::string result = {};  // may be empty

  bool operator==(const Round&) const = default;
};

struct Case {
  std::string name = {};  // of the file, without .toml
  std::string question = {};
  std::string opened = {};
  std::string gap_record = {};        // a record whose difference is to be explained, or
  std::string gap_text = {};          // a stated size, as written; both empty: not known yet
  std::optional<Size> gap_size = {};  // the same, understood
  std::string gap_part = {};          // as Evidence::part
  bool gap_removes = false;           // the record's candidate is the better one
  std::string metric = {};            // that times are read from; empty = the first that gates
  std::vector<Evidence> evidence = {};
  std::vector<Hypothesis> hypotheses = {};
  std::vector<Round> rounds = {};

  bool operator==(const Case&) const = default;
};

}  // namespace assay::cases
