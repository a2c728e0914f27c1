// SPDX-License-Identifier: Apache-2.0
// How the suites of one benchmark tool are listed and run, and what their processes print. Pure:
// command lines and texts in, command lines and values out. The processes are started by list.cpp
// and runner.cpp. One file an adapter (gbench.cpp, toml.cpp, ...).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/subject.hpp"
#include "model/suite.hpp"
#include "model/trial.hpp"

namespace assay::suite {

// One process, ready to start.
struct Invocation {
  std::vector<std::string> argv = {};
  std::vector<std::pair<std::string, std::string>> env = {};    // on top of the subject's
  std::vector<std::pair<std::string, std::string>> files = {};  // path, text: to be there before
  bool any_status = false;  // listings: an exit status other than 0 is no failure
};

// What a process left, as text. A stream that was not kept is empty.
struct Leavings {
  std::string out = {}, err = {};
  std::string results = {};  // of the file that Adapter::invocation was given
  Exit exit = {};
  bool twice = false;  // it ran some unit more than once
  bool cut = false;    // it did not end well, or a copy of a stream is not whole
};

// What a text that may have been cut says for certain: its lines but for a last one without an end,
// whose number may go on.
std::string_view whole_lines(const Leavings& leavings, std::string_view text);

// What the adapter made of it. `position` of a measurement is not set yet (see reconcile.hpp).
struct Reading {
  std::vector<Measurement> measurements = {};  // in the order in which they came out
  // The unit of each, where the tool tells (a file's name, perhaps with more of its path); empty,
  // or one a measurement.
  std::vector<std::string> homes = {};
  std::vector<std::string> doubts = {};  // clauses: what could not be read, or lies
  // Those that matter for the level of times alone: not where runs of one build are compared.
  std::vector<std::string> level_doubts = {};
  bool may_be_none = false;  // a unit that ended well and gave nothing has no benchmark
};

// What a process of the suite can be asked for.
struct Abilities {
  bool joins = true;     // several units in one process
  bool reorders = true;  // in another order than the suite's own
  bool repeats = true;   // one unit twice in one process
};

class Adapter {
 public:
  virtual ~Adapter() = default;

  virtual Abilities abilities(const Subject& subject) const = 0;

  // Processes that print the suite's units, to be run one behind another; none = `read_listing`
  // knows them without any. Errors: the subject's command makes no sense to this tool.
  virtual Result<std::vector<Invocation>> listings(const Subject& subject) const = 0;
  // `outputs`: stdout of each. Errors: not a listing of this tool.
  virtual Result<std::vector<SuiteUnit>> read_listing(
      const Subject& subject, std::span<const std::string> outputs) const = 0;

  // The process that runs these units, in this order; it may write its results to `results`, a file
  // that is not there yet.
  virtual Result<Invocation> invocation(const Subject& subject,
                                        std::span<const SuiteUnit* const> units,
                                        const std::string& results) const = 0;
  virtual Reading read(const Leavings& leavings) const = 0;
};

// For the plan's adapter. Errors: unknown name, rules that do not parse (with the place).
Result<std::unique_ptr<Adapter>> make_adapter(const SuitePlan& plan);

// Names that --adapter takes, beside a file, and what each is for.
struct AdapterName {
  std::string_view name, summary;
};
std::span<const AdapterName> adapter_names();

// The adapter that a command line looks like; "gbench" when it looks like nothing else.
std::string_view guess_adapter(const std::vector<std::string>& argv);

// The command that a rules file brings along, for when none was given; empty if it has none.
Result<std::vector<std::string>> command_of_rules(const SuitePlan& plan);

// The adapters, in files of their own.
std::unique_ptr<Adapter> make_gbench(const SuitePlan& plan);
std::unique_ptr<Adapter> make_chainsafe(const SuitePlan& plan);
std::unique_ptr<Adapter> make_catch2();
std::unique_ptr<Adapter> make_go();
std::unique_ptr<Adapter> make_pytest();
Result<std::unique_ptr<Adapter>> make_toml(const SuitePlan& plan);

}  // namespace assay::suite
