// SPDX-License-Identifier: Apache-2.0
// The words of the reports: how metrics, changes and reasons are called, in one place.
// Ratios are candidate / baseline everywhere in this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/conclusion.hpp"
#include "model/metric.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"
#include "report/plain.hpp"

namespace assay::report {

// Metrics fall into families that are spoken of differently.
enum class Family { wall, cpu, time, amount, rate };
Family family_of(const Metric& metric);

// In tables: "wall", "peak mem", "latency".
std::string title_of(const Metric& metric);
// In sentences: "the wall time", "CPU time", "peak memory", "latency".
std::string noun_of(const Metric& metric);
// A noun that starts a sentence; names that the user gave stay as they are.
std::string subject_of(const Metric& metric);
// How memory was obtained, which matters to read it ("largest process"); empty for other metrics.
std::string method_of(const Metric& metric);
// The first letter as a capital, for the start of a sentence.
std::string capitalised(std::string text);

// The printed verdict word: SLOWER/FASTER for times, MORE/LESS for amounts, LOWER/HIGHER where more
// is better; EQUIVALENT, UNDECIDED, INVALID and FAILED for every metric.
std::string_view word_of(const Metric& metric, Verdict verdict);
Tone tone_of(Verdict verdict);

// A change without its sign: 1.069 -> "6.9 %", 0.95 -> "5.0 %".
std::string size_of_change(double ratio);
// A fraction as it was asked for: 0.02 -> "2 %", 0.005 -> "0.5 %".
std::string percent(double fraction);
// "[+5.1, +8.8]" and, in sentences, "+5.1 to +8.8 %".
std::string bracket(double lo, double hi);
std::string range(double lo, double hi);

// "18 + 18 runs"; the noun fits the plan ("sessions").
std::string runs_text(std::uint32_t runs, const Plan& plan);

// Why no verdict was possible, as a clause: "a run gave zero or a negative value".
std::string clause_of(Reason reason);

// A duration as an option takes it, rounded up: 38 -> "40s", 2870 -> "48m".
std::string option_duration(double seconds);
// The same for limits that may be short, hardly rounded: 0.01 -> "10ms", 5 -> "5s".
std::string option_limit(double seconds);

// The options that allow `more` runs a side and are not in the plan yet:
// " --max-runs 420 --time-budget 48m"; may be empty. `round_seconds` is that of samples.hpp.
std::string options_for(const Plan& plan, std::optional<double> round_seconds, std::uint32_t more);

// "a, b and c".
std::string join_and(const std::vector<std::string>& items);

// "exited with status 2", "was killed by signal 11 (SIGSEGV)", "timed out after 10 s",
// "could not be started: No such file or directory".
std::string ending_clause(const Exit& exit, const RunOptions& options);
// What a user can do about it, whole sentences.
std::string way_out(const Exit& exit, const RunOptions& options);

}  // namespace assay::report
