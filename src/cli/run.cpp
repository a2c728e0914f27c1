// SPDX-License-Identifier: Apache-2.0
// `assay run`: the experiments of a file, one after the other, as if each had been typed.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/plan_tables.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"
#include "model/words.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct Item {
  plan::NamedPlan plan;
  Arguments arguments;
};

// What became of one of them.
struct Done {
  std::string record = {};       // id; empty when there is none
  std::string answer = {};       // a clause
  std::optional<int> code = {};  // nothing: not run
};

// A terminal that says nothing: for a rehearsal.
class Mute {
 public:
  Mute()
      : fd_(::open("/dev/null", O_WRONLY | O_CLOEXEC)), terminal_(fd_, fd_, Colour::never, true) {}
  Mute(const Mute&) = delete;
  Mute& operator=(const Mute&) = delete;
  ~Mute() {
    if (fd_ >= 0) ::close(fd_);
  }
  Terminal& terminal() { return terminal_; }

 private:
  int fd_;
  Terminal terminal_;
};

std::string title_of(const plan::NamedPlan& plan) {
  return fmt::format("{} {}", plan.command, plan.name);
}

bool is_file_name(const std::string& word) {
  return word.ends_with(".toml") || word.find('/') != std::string::npos;
}

// The file and the names on the command line.
Result<std::string> file_of(const Arguments& arguments, std::vector<std::string>& names) {
  names = arguments.positionals;
  if (!names.empty() && is_file_name(names.front())) {
    std::string file = names.front();
    names.erase(names.begin());
    return file;
  }
  std::error_code ignored;
  const auto found = plan::find_plan_file(fs::current_path(ignored).string());
  if (!found)
    return fail("there is no assay.toml here or above", {}, "name the file: assay run plan.toml");
  return *found;
}

// All experiments of the file parsed and rehearsed, so that whatever can be known to be wrong is
// said before the first of them starts; then those that were asked for.
Result<std::vector<Item>> items_of(const std::string& file, const std::vector<std::string>& names,
                                   const Arguments& globals) {
  const auto plans = plan::load_plans(file, plan_tables());
  if (!plans) return fail(plans.error());
  const auto selected = plan::select_plans(*plans, names, file);
  if (!selected) return fail(selected.error());
  std::vector<Item> items;
  for (const plan::NamedPlan& plan : *plans) {
    auto arguments = arguments_of(plan, globals);
    if (!arguments) return fail(arguments.error());
    if (std::ranges::find(*selected, plan) != selected->end())
      items.push_back({plan, std::move(*arguments)});
  }
  return items;
}

Result<void> rehearse(const std::vector<Item>& items) {
  for (const Item& item : items) {
    if (find_flag(item.arguments.spec(), "dry-run") == nullptr) continue;
    Arguments dry = item.arguments;
    dry.add("dry-run", "");
    Mute mute;
    const auto result = function_of(dry.spec())(dry, mute.terminal());
    if (!result) return fail(at_plan(result.error(), item.plan));
  }
  return {};
}

std::set<std::string> ids_in(const std::string& store) {
  std::set<std::string> ids;
  std::error_code status;
  if (!fs::exists(store, status)) return ids;
  const auto opened = history::open_store_to_read(store);
  if (!opened) return ids;
  if (const auto list = (*opened)->list())
    for (const history::Summary& summary : *list) ids.insert(summary.id);
  return ids;
}

// The record that was not there before.
void find_record(const std::string& store, const std::set<std::string>& before, Done& done) {
  const auto opened = history::open_store_to_read(store);
  if (!opened) return;
  const auto list = (*opened)->list();
  if (!list) return;
  for (const history::Summary& summary : *list) {
    if (before.contains(summary.id)) continue;
    done.record = summary.id;
    done.answer = !summary.answer.empty() ? summary.answer
                  : summary.overall && summary.kind != PlanKind::measure &&
                          summary.kind != PlanKind::calibrate
                      ? std::string(to_word(*summary.overall))
                      : "";
    return;
  }
}

std::string meaning_of(const Done& done) {
  if (!done.code) return "not run";
  switch (*done.code) {
    case kFine:
      return "fine";
    case kRegression:
      return "regression";
    case kBadInput:
      return "bad input";
    case kUndecided:
      return "undecided";
    case kInterrupted:
      return "interrupted";
    default:
      return "not measured";
  }
}

// Worst first.
int worst_of(const std::vector<Done>& all) {
  for (const int code : {kInterrupted, kNotMeasured, kBadInput, kRegression, kUndecided})
    for (const Done& done : all)
      if (done.code == code) return code;
  return kFine;
}

std::string summary_text(const std::vector<Item>& items, const std::vector<Done>& done,
                         const report::TextOptions& options) {
  std::vector<report::TableRow> rows;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool good = done[i].code == kFine;
    rows.push_back({.cells = {{report::plain(title_of(items[i].plan)), report::Tone::strong},
                              done[i].record,
                              {meaning_of(done[i]), good ? report::Tone::good : report::Tone::bad},
                              report::plain(done[i].answer)}});
  }
  return report::draw_table({{.head = "experiment", .left = true},
                             {.head = "record", .left = true},
                             {.head = "", .left = true},
                             {.head = "answer", .left = true}},
                            rows, options);
}

Json summary_json(const std::string& file, const std::vector<Item>& items,
                  const std::vector<Done>& done) {
  Json list = Json::array();
  for (std::size_t i = 0; i < items.size(); ++i)
    list.push(Json::object()
                  .set("command", items[i].plan.command)
                  .set("name", items[i].plan.name)
                  .set("record", done[i].record.empty() ? Json() : Json(done[i].record))
                  .set("answer", done[i].answer)
                  .set("exit", done[i].code ? Json(*done[i].code) : Json())
                  .set("means", meaning_of(done[i])));
  return Json::object()
      .set("schema_version", 1)
      .set("kind", "run")
      .set("file", file)
      .set("experiments", std::move(list))
      .set("warnings", Json::array());
}

// How to go on behind an interruption.
void say_how_to_resume(const std::string& file, const std::vector<Item>& items,
                       const std::vector<Done>& done, Terminal& terminal) {
  std::string rest;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!done[i].code) rest += fmt::format(" {}.{}", items[i].plan.command, items[i].plan.name);
  const auto cut = std::ranges::find(done, std::optional<int>(kInterrupted), &Done::code);
  std::string text = "interrupted:";
  if (cut != done.end() && !cut->record.empty())
    text += fmt::format(" 'assay resume {}' goes on with the one that was cut", cut->record);
  if (!rest.empty())
    text += fmt::format("{} 'assay run {}{}' runs the others", text.ends_with(':') ? "" : ",",
                        printable(file), rest);
  terminal.note(text);
}

Result<int> dry_run(const std::vector<Item>& items, Terminal& terminal) {
  for (const Item& item : items) {
    terminal.print(fmt::format("{}{}: ", &item == items.data() ? "" : "\n",
                               report::plain(title_of(item.plan))));
    Arguments dry = item.arguments;
    dry.add("dry-run", "");
    const auto result = function_of(dry.spec())(dry, terminal);
    if (!result) return fail(result.error());
  }
  return kFine;
}

std::vector<Done> run_all(const std::vector<Item>& items, const std::string& store,
                          Terminal& terminal, Terminal& reports) {
  std::vector<Done> all(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (watch_interrupts()) break;
    terminal.note(fmt::format("{} of {}: {}", i + 1, items.size(), title_of(items[i].plan)));
    if (items.size() > 1 && &terminal == &reports)
      terminal.print(fmt::format("{}{}\n", i == 0 ? "" : "\n",
                                 report::paint(report::plain(title_of(items[i].plan)),
                                               report::Tone::strong, terminal.colour())));
    const auto before = ids_in(store);
    const auto result = function_of(items[i].arguments.spec())(items[i].arguments, reports);
    reports.clear_progress();
    all[i].code = result ? *result : terminal.error(result.error(), kBadInput);
    if (!result) all[i].answer = result.error().what.substr(0, result.error().what.find('\n'));
    find_record(store, before, all[i]);
    if (all[i].code == kInterrupted) break;
  }
  return all;
}

}  // namespace

Result<int> run_run(const Arguments& arguments, Terminal& terminal) {
  std::vector<std::string> names;
  auto file = file_of(arguments, names);
  if (!file) return fail(file.error());
  Arguments globals = arguments;
  auto store = store_path(arguments);
  if (!store) return fail(store.error());
  std::error_code status;
  const std::string where = fs::absolute(*file, status).lexically_normal().string();
  *store = fs::absolute(*store, status).lexically_normal().string();
  if (!globals.has("store")) globals.add("store", *store);
  const auto json = arguments.value("json");
  const std::string json_file =
      json && *json != "-" ? fs::absolute(*json, status).string() : json.value_or("");
  const auto items = items_of(*file, names, globals);
  if (!items) return fail(items.error());
  // Commands and files of a plan are relative to its file.
  fs::current_path(fs::path(where).parent_path(), status);
  if (status) return fail(system_error("cannot go to the plan's folder", status.value(), where));
  watch_interrupts();
  if (const auto ready = rehearse(*items); !ready) return fail(ready.error());
  if (arguments.has("dry-run")) return dry_run(*items, terminal);
  Mute mute;
  const bool only_json = json_file == "-";
  const auto done = run_all(*items, *store, terminal, only_json ? mute.terminal() : terminal);
  if (!only_json) terminal.print("\n" + summary_text(*items, done, text_options(terminal)));
  const int code = worst_of(done);
  if (code == kInterrupted || watch_interrupts()) say_how_to_resume(*file, *items, done, terminal);
  if (json) {
    const auto text = summary_json(*file, *items, done).dump(2) + "\n";
    if (const auto written = write_result(json_file, text, terminal); !written)
      return terminal.error(written.error(), kNotMeasured);
  }
  return watch_interrupts() ? kInterrupted : code;
}

}  // namespace assay::cli
