// SPDX-License-Identifier: Apache-2.0
#include "suite/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/process.hpp"
#include "base/text.hpp"
#include "measure/command.hpp"
#include "suite/adapter.hpp"
#include "suite/ids.hpp"
#include "suite/last_words.hpp"

namespace assay::suite {
namespace {

constexpr std::size_t kMostListed = std::size_t{16} << 20;  // bytes

struct Said {
  std::string out, err;
};

// What the process printed; nothing when it was interrupted.
Result<std::optional<Said>> output_of(const Subject& subject, const Invocation& invocation,
                                      const std::atomic<bool>* interrupted) {
  ProcessRequest request;
  request.argv = invocation.argv;
  request.cwd = subject.cwd;
  request.env = measure::environment_of(subject);
  for (const auto& [name, value] : invocation.env) set_variable(*request.env, name, value);
  request.keep_bytes = kMostListed;
  request.interrupted = interrupted;
  request.deadline = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(kListingLimit));
  const auto result = run_process(request);
  if (!result) return fail(result.error().within("the suite could not be listed"));
  if (result->interrupted) return std::optional<Said>();
  const std::string command = join_command(invocation.argv);
  if (result->timed_out)
    return fail(fmt::format("the suite does not list its benchmarks within {}",
                            format_duration(kListingLimit)),
                command, "is --adapter the right one?");
  const bool ended = result->ok() || (invocation.any_status && !result->signalled);
  if (!ended) {
    const std::string words = last_words(result->err, result->out);
    return fail(fmt::format("the suite could not be listed: it {}{}{}", result->describe_end(),
                            words.empty() ? "" : ", and said: ", words),
                command, "is --adapter the right one?");
  }
  if (result->out_dropped > 0)
    return fail(fmt::format("the suite's listing is longer than {}",
                            format_bytes(static_cast<double>(kMostListed))),
                command);
  return std::optional(Said{result->out, result->err});
}

}  // namespace

Result<std::optional<std::vector<std::string>>> list_units(const Subject& subject, SuitePlan& plan,
                                                           const std::atomic<bool>* interrupted) {
  const auto adapter = make_adapter(plan);
  if (!adapter) return fail(adapter.error());
  const auto listings = (*adapter)->listings(subject);
  if (!listings) return fail(listings.error());
  std::vector<std::string> outputs;
  std::string errors;
  for (const Invocation& listing : *listings) {
    auto output = output_of(subject, listing, interrupted);
    if (!output) return fail(output.error());
    if (!*output) return std::optional<std::vector<std::string>>();
    outputs.push_back(std::move((**output).out));
    errors += (**output).err;
  }
  auto units = (*adapter)->read_listing(subject, outputs);
  if (!units) {
    Error error = units.error();
    if (const std::string words = last_words(errors, {}); !words.empty())
      error.what += "; it said: " + words;
    return fail(error);
  }
  // Names are handed to the suite as words of a command.
  for (const SuiteUnit& unit : *units) {
    const auto is_bad = [](const std::string& name) {
      return name.empty() || name.find('\0') != std::string::npos;
    };
    const auto bad = std::ranges::find_if(unit.ids, is_bad);
    if (!is_bad(unit.name) && bad == unit.ids.end()) continue;
    return fail(fmt::format("the suite lists a name that is empty or has a NUL byte in it: '{}'",
                            printable(bad == unit.ids.end() ? unit.name : *bad)),
                subject.label, "no command can be given such a name");
  }
  std::vector<std::string> doubts;
  const std::size_t renamed = merge_units(*units);
  if (renamed > 0)
    doubts.push_back(
        fmt::format("{} benchmark{} of the suite {} the name of another one; the second is called "
                    "'name#2' here",
                    renamed, renamed == 1 ? "" : "s", renamed == 1 ? "has" : "have"));
  const std::size_t all = units->size();
  keep_matching(*units, plan.only);
  if (units->empty() && all > 0)
    return fail(fmt::format("none of {} units matches --only", all), {},
                "'assay suite list' prints their names; '*' stands for any characters");
  if (units->empty()) return fail("the suite has no benchmark", subject.label);
  plan.units = std::move(*units);
  const Abilities abilities = (*adapter)->abilities(subject);
  plan.joins = abilities.joins;
  plan.reorders = abilities.reorders;
  plan.repeats = abilities.repeats;
  return std::optional(std::move(doubts));
}

Result<std::optional<std::vector<std::string>>> list_more_units(
    const Subject& subject, SuitePlan& plan, const std::atomic<bool>* interrupted) {
  SuitePlan other = plan;
  auto doubts = list_units(subject, other, interrupted);
  if (!doubts) return fail(doubts.error());
  if (!*doubts) return doubts;
  for (SuiteUnit& unit : other.units) {
    const auto own = std::ranges::find(plan.units, unit.name, &SuiteUnit::name);
    if (own == plan.units.end()) {
      plan.units.push_back(std::move(unit));
      continue;
    }
    for (std::string& id : unit.ids)
      if (std::ranges::find(own->ids, id) == own->ids.end()) own->ids.push_back(std::move(id));
  }
  return doubts;
}

}  // namespace assay::suite
