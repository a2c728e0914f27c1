// SPDX-License-Identifier: Apache-2.0
#include "beacon/suite/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "beacon/spec/spec.hpp"

namespace beacon::suite {
namespace {

Result<std::uint64_t> number_in(const std::string& text, const std::string& word,
                                std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return fail(
        "'" + text + "' is no number from " + std::to_string(least) + " to " + std::to_string(most),
        word);
  return value;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::string default_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/beacon";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/beacon";
  std::error_code error;
  return (std::filesystem::temp_directory_path(error) / "beacon").string();
}

// Takes one word; false when it is none of ours.
Result<bool> take_word(Settings& settings, const std::string& name, const std::string& value) {
  const auto number = [&](std::uint64_t& into, std::uint64_t least,
                          std::uint64_t most) -> Result<bool> {
    const auto parsed = number_in(value, name, least, most);
    if (!parsed) return fail(parsed.error());
    into = *parsed;
    return true;
  };
  Switches& switches = settings.switches;
  if (name == "--validators") return number(settings.validators, 512, spec::kMostValidators);
  if (name == "--iterations") return number(settings.iterations, 1, 1'000'000);
  if (name == "--repetitions") return number(settings.repetitions, 1, 10'000);
  if (name == "--units") {
    settings.units = split(value);
  } else if (name == "--list-units") {
    settings.list_units = true;
  } else if (name == "--help" || name == "-h") {
    settings.help = true;
  } else if (name == "--clock") {
    if (value != "cpu" && value != "wall")
      return fail("'" + value + "' is neither cpu nor wall", name);
    settings.wall = value == "wall";
  } else if (name == "--state-folder") {
    settings.state_folder = value;
  } else if (name == "--step") {
    std::uint64_t step = 0;
    if (auto done = number(step, 0, kSteps); !done) return done;
    switches = *switches_of_step(step);
  } else if (name == "--resident-forks") {
    switches.resident_forks = true;
  } else if (name == "--copy-caches") {
    switches.copies = Copies::with_caches;
  } else if (name == "--cache-only-default") {
    switches.only_default_cached = true;
  } else if (name == "--clear-in-teardown") {
    switches.clear_in_teardown = true;
  } else if (name == "--release-after-setup") {
    switches.release_after_setup = true;
  } else if (name == "--rebuild-in-timing") {
    switches.copies = Copies::without_caches;
  } else if (name == "--small-under-large") {
    switches.small_under_large = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<Switches> switches_of_step(std::uint64_t step) {
  if (step > kSteps) return fail("there are steps 0 to 7", "--step");
  Switches switches;
  switches.resident_forks = step > 0;
  if (step == 2) switches.copies = Copies::with_caches;
  switches.only_default_cached = step == 3;
  switches.clear_in_teardown = step == 4;
  switches.release_after_setup = step == 5;
  if (step == 6) switches.copies = Copies::without_caches;
  switches.small_under_large = step == 7;
  return switches;
}

Result<Settings> take_settings(std::vector<std::string>& words) {
  Settings settings;
  std::vector<std::string> ours, others;
  for (const auto& [variable, name] :
       {std::pair("BEACON_VALIDATORS", "--validators="), std::pair("BEACON_STEP", "--step="),
        std::pair("BEACON_STATES", "--state-folder=")})
    if (const char* value = std::getenv(variable); value && *value)
      ours.push_back(name + std::string(value));
  ours.insert(ours.end(), words.begin(), words.end());
  for (const std::string& word : ours) {
    const std::size_t sign = std::min(word.find('='), word.size());
    const auto taken = take_word(settings, word.substr(0, sign),
                                 sign < word.size() ? word.substr(sign + 1) : std::string());
    if (!taken) return fail(taken.error());
    if (!*taken) others.push_back(word);
  }
  if (settings.state_folder.empty()) settings.state_folder = default_folder();
  words = std::move(others);
  return settings;
}

std::string help_text() {
  return R"(beacon-bench: the beacon chain's state transition (Altair), as a suite with shared fixtures

  --units=a,b,a          the units to run, in this order, in this process; all by default
  --list-units           a unit and a benchmark a line, with a tab between them
  --validators=N         of the state that is measured: 512 to 500000 (250000)
  --iterations=N         in each repetition (8)
  --repetitions=N        of each benchmark (4)
  --clock=cpu|wall       of an iteration (cpu: the thread's own)
  --state-folder=FOLDER  of states in SSZ files, which are made when they are not there

Steps of the story; --step=N is the suite after N of them:
  --resident-forks       1  states of three other forks stay in memory (from step 1 on)
  --copy-caches          2  each copy of a state gets a copy of its caches
  --cache-only-default   3  fixtures of other sizes are made anew at each use
  --clear-in-teardown    4  the unit state_root clears the cache behind itself
  --release-after-setup  5  the cache keeps nothing, each setup makes what it needs
  --rebuild-in-timing    6  each copy of a state derives its caches anew, in the timing
  --small-under-large    7  the unit small_state leaves its state under the default's name

Every other word is Google Benchmark's: --benchmark_filter, --benchmark_out=FILE, ...
Environment: BEACON_VALIDATORS, BEACON_STEP and BEACON_STATES (the folder).
)";
}

}  // namespace beacon::suite
