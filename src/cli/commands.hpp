// SPDX-License-Identifier: Apache-2.0
// Every command: its rows and its function. A function returns the exit code (terminal.hpp has the
// names); an Error that it returns is printed by main and exits 2. What could not be measured is
// printed with terminal.error(error, kNotMeasured), whose value the function returns.
#pragma once

#include <span>

#include "base/result.hpp"
#include "cli/flags.hpp"
#include "cli/terminal.hpp"

namespace assay::cli {

const CommandSpec& compare_spec();
const CommandSpec& measure_spec();
const CommandSpec& explain_spec();
const CommandSpec& trade_spec();
const CommandSpec& trace_spec();
const CommandSpec& diverge_spec();
const CommandSpec& import_spec();
const CommandSpec& accept_spec();
const CommandSpec& sweep_spec();
const CommandSpec& timeline_spec();
const CommandSpec& ablate_spec();
const CommandSpec& bisect_spec();
const CommandSpec& suite_spec();
// Of run, compare, audit or list: the rows for its help, and the options beside the shared ones.
const CommandSpec* suite_verb_spec(std::string_view verb);
std::vector<Flag> suite_verb_flags(std::string_view verb);
const CommandSpec& run_spec();
const CommandSpec& case_spec();
const CommandSpec& calibrate_spec();
const CommandSpec& doctor_spec();
const CommandSpec& list_spec();
const CommandSpec& show_spec();
const CommandSpec& resume_spec();
const CommandSpec& rejudge_spec();
const CommandSpec& export_spec();
const CommandSpec& rm_spec();
const CommandSpec& gc_spec();
const CommandSpec& cache_spec();
const CommandSpec& judge_spec();
const CommandSpec& simulate_spec();
const CommandSpec& completion_spec();
const CommandSpec& help_spec();
const CommandSpec& version_spec();

Result<int> run_compare(const Arguments& arguments, Terminal& terminal);
Result<int> run_compare_imported(const Arguments& arguments, Terminal& terminal);  // --imported
Result<int> run_import(const Arguments& arguments, Terminal& terminal);
Result<int> run_measure(const Arguments& arguments, Terminal& terminal);
Result<int> run_explain(const Arguments& arguments, Terminal& terminal);
Result<int> run_trade(const Arguments& arguments, Terminal& terminal);
Result<int> run_trace(const Arguments& arguments, Terminal& terminal);
Result<int> run_diverge(const Arguments& arguments, Terminal& terminal);
Result<int> run_timeline(const Arguments& arguments, Terminal& terminal);
Result<int> run_accept(const Arguments& arguments, Terminal& terminal);
Result<int> run_sweep(const Arguments& arguments, Terminal& terminal);
Result<int> run_ablate(const Arguments& arguments, Terminal& terminal);
Result<int> run_bisect(const Arguments& arguments, Terminal& terminal);
Result<int> run_suite(const Arguments& arguments, Terminal& terminal);
Result<int> run_run(const Arguments& arguments, Terminal& terminal);
Result<int> run_case(const Arguments& arguments, Terminal& terminal);
Result<int> run_calibrate(const Arguments& arguments, Terminal& terminal);
Result<int> run_doctor(const Arguments& arguments, Terminal& terminal);
Result<int> run_list(const Arguments& arguments, Terminal& terminal);
Result<int> run_show(const Arguments& arguments, Terminal& terminal);
Result<int> run_resume(const Arguments& arguments, Terminal& terminal);
Result<int> run_rejudge(const Arguments& arguments, Terminal& terminal);
Result<int> run_export(const Arguments& arguments, Terminal& terminal);
Result<int> run_rm(const Arguments& arguments, Terminal& terminal);
Result<int> run_gc(const Arguments& arguments, Terminal& terminal);
Result<int> run_cache(const Arguments& arguments, Terminal& terminal);
Result<int> run_judge(const Arguments& arguments, Terminal& terminal);
Result<int> run_simulate(const Arguments& arguments, Terminal& terminal);
Result<int> run_completion(const Arguments& arguments, Terminal& terminal);
Result<int> run_help(const Arguments& arguments, Terminal& terminal);
Result<int> run_version(const Arguments& arguments, Terminal& terminal);

using RunFunction = Result<int> (*)(const Arguments&, Terminal&);
RunFunction function_of(const CommandSpec& spec);  // one of all_specs()

// All of them, in the order of the overview.
std::span<const CommandSpec* const> all_specs();
const CommandSpec* find_spec(std::string_view name);
// "'comparee' is not a command of assay", with the nearest one.
Error unknown_command(std::string_view name);

}  // namespace assay::cli
