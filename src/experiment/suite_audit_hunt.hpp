// SPDX-License-Identifier: Apache-2.0
// The search of an audit: from benchmarks that looked different behind others to confirmed
// polluters. Asks for blocks of runs and gets their trials; knows nothing of how they are made.
//   verify     everything once more, fresh: what does not come again is dropped
//   polluter   PolluterSearch for the suspicion in front, one run a question (up to three when the
//              value lies between)
//   confirm    three times [polluter, victims] and [victims], with every open suspicion that had
//              this polluter in front: victims share the runs
//   another    without the polluter: is there a second one?
//   cleaner    which unit between the two makes it harmless?
// It stops at `limit_s`, which is a multiple of the suite's own time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiment/suite_audit_search.hpp"
#include "experiment/suite_audit_table.hpp"
#include "model/audit_findings.hpp"
#include "model/trial.hpp"

namespace assay::experiment {

// One order in which the suite ran; twice: none.
struct AuditSequence {
  AuditOrder kind = AuditOrder::suite;
  std::vector<std::uint32_t> units = {};
};

// What the pairs gave: what a benchmark is alone, and how much it varies.
struct AuditBase {
  AuditReadings alone = {};
  std::vector<Scatter> scatters = {};  // by benchmark
  std::vector<double> unit_s = {};     // of a process with the unit alone, by unit
  double suite_s = 0;                  // of a run of the whole suite
  bool reorders = false, repeats = false;
  double limit_s = 0;  // of the search
};

class AuditHunt {
 public:
  using Units = PolluterSearch::Units;

  AuditHunt(const AuditTable& table, AuditBase base, std::vector<AuditSequence> orders);

  // A benchmark that is different in the order with this index (the last: twice); readings: there.
  void suspect(std::uint32_t order, std::uint32_t benchmark, const PairJudgement& judgement,
               std::vector<SuiteReading> readings);
  // Behind the last suspicion.
  void begin();

  // Processes to run next, in any order; empty = over.
  const std::vector<Units>& wanted() const { return wanted_; }
  // Their trials, in the order of wanted().
  void answer(std::span<const Trial* const> trials);

  // Victims; and into `open` what was not seen again.
  std::vector<AuditVictim> victims(std::vector<AuditOpen>& open) const;
  bool reached_limit() const { return reached_limit_; }
  double seconds() const { return seconds_; }
  // "looking for what slows 'process_epoch': 12 units left".
  std::string status() const;

 private:
  enum class Stage { verify, polluter, confirm, another, cleaner, share_cleaner, over };

  struct Member {
    std::uint32_t benchmark = 0;
    PairJudgement judgement = {};
    std::vector<SuiteReading> behind = {};  // where it was suspected, then of the confirmation
    std::vector<SuiteReading> fresh_alone = {};
    std::vector<Polluter> polluters = {};
    bool from_confirmation = false;  // `behind` is
    std::optional<double> again_s = {};
  };
  // A unit whose benchmarks moved the same way in one order.
  struct Suspicion {
    std::uint32_t unit = 0, order = 0;
    bool slower = true;
    std::vector<Member> members = {};  // the clearest first: it leads
    Units before = {};
    bool reproduced = false, done = false;
    std::optional<PolluterSearch> search = {};
    std::vector<Units> tried = {};
    std::vector<Units> cleaners = {};
    std::string open = {};
  };

  bool is_twice(const Suspicion& one) const { return orders_[one.order].kind == AuditOrder::twice; }
  // Log odds, on these values of its leading benchmark, that it is as behind the others.
  double odds(const Suspicion& one, std::span<const double> logs) const;
  double cost_of(std::span<const std::uint32_t> units) const;
  bool affords(std::span<const Units> runs, double times = 1);
  void give_up(Suspicion& one);

  std::size_t members_suspected() const;
  void advance();
  void end_verify(std::span<const Trial* const> trials);
  // Whether the question is answered: then `polluted` says what.
  bool hear(const Trial& trial, bool& polluted);
  bool ask(const Units& front, Units part);  // false: the limit forbids it
  void begin_confirm(Units polluter, std::vector<std::size_t> group);
  std::vector<std::size_t> sharers_of(const Units& polluter) const;
  void ask_confirm();
  void end_confirm_round(std::span<const Trial* const> trials);
  void end_confirm();
  bool judge(std::size_t in_group);  // whether the leading benchmark is confirmed
  void begin_another();
  void go_on_another(bool polluted);
  void begin_cleaner();
  void go_on_cleaner(bool polluted);
  void share_cleaner(const Trial& trial);
  AuditVictim victim_of(const Suspicion& one, const Member& member) const;

  const AuditTable& table_;
  AuditBase base_;
  double process_s_ = 0;  // of a process, beside its units
  std::vector<AuditSequence> orders_;
  std::vector<Suspicion> suspicions_;
  Stage stage_ = Stage::over;
  std::vector<Units> wanted_;
  std::vector<std::pair<std::uint32_t, std::size_t>> verify_;  // what each wanted run is for
  std::size_t current_ = 0;
  std::vector<Units> known_;  // confirmed polluters, the newest first

  Units part_;                 // that the open question is about
  std::vector<double> heard_;  // logs of the leading benchmark behind it
  std::uint32_t asked_ = 0;    // runs for this question

  Units polluter_;                       // to be confirmed, or confirmed last
  std::vector<std::size_t> group_ = {};  // suspicions that share the confirmation; the first leads
  std::uint32_t round_ = 0;
  std::vector<AuditReadings> with_ = {}, without_ = {};  // by group
  std::optional<PolluterSearch> side_;                   // another polluter, or a cleaner
  Units rest_;                                           // what `side_` looks among
  double seconds_ = 0;
  bool reached_limit_ = false;
};

}  // namespace assay::experiment
