// SPDX-License-Identifier: Apache-2.0
#include "report/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "base/text.hpp"
#include "cases/case_file.hpp"
#include "cli/case_files.hpp"
#include "cli/case_price.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"

namespace assay::cli {
namespace {

// "2026-11-30 10:42", in the time of this place, as people write it by hand.
std::string today(bool with_time) {
  const std::time_t now = static_cast<std::time_t>(now_ms() / 1000);
  std::tm parts{};
  if (::localtime_r(&now, &parts) == nullptr) return {};
  char text[32];
  const std::size_t n =
      std::strftime(text, sizeof text, with_time ? "%Y-%m-%d %H:%M" : "%Y-%m-%d", &parts);
  return std::string(text, n);
}

// A slip inside an option's value, with a caret under it.
Error error_of(const std::string& option, const std::string& text, const cases::Slip& slip) {
  return {fmt::format("--{}: {}\n{}", option, slip.what, point_at(printable(text), slip.offset)),
          {},
          slip.hint};
}

Result<std::unique_ptr<history::Store>> store_of(const CaseFolder& folder) {
  std::error_code status;
  if (!std::filesystem::exists(folder.store, status))
    return fail("there is no store here: nothing has been recorded", folder.store);
  return history::open_store_to_read(folder.store);
}

// The whole id of a record that the store has.
Result<std::string> whole_id(const CaseFolder& folder, const std::string& id) {
  const auto store = store_of(folder);
  if (!store) return fail(store.error());
  return (*store)->find_id(id);
}

Result<Record> load_record(const CaseFolder& folder, const std::string& id) {
  const auto store = store_of(folder);
  if (!store) return fail(store.error());
  return (*store)->load(id);
}

// The price of the tests that would decide what is open, where the file does not state one.
void add_prices(const Arguments& arguments, report::CaseView& view) {
  for (cases::HypothesisStatus& status : view.status.hypotheses) {
    const cases::Hypothesis& hypothesis = view.of.hypotheses[status.hypothesis];
    if (status.word != cases::Word::open || hypothesis.test.empty() || !hypothesis.price.empty() ||
        status.more_runs)
      continue;
    const auto price = price_of(hypothesis.test, arguments);
    if (!price) {
      const std::string& what = price.error().what;
      status.notes.push_back("its test cannot be run as it stands: " +
                             what.substr(0, what.find('\n')));
      continue;
    }
    if (!*price) continue;
    status.price = (*price)->text;
    if ((*price)->runs && view.status.run_seconds)
      status.price +=
          ", about " + format_duration(std::ceil(*(*price)->runs * *view.status.run_seconds));
  }
}

// The case with what the store has of its records.
report::CaseView view_of(const Arguments& arguments, const CaseFolder& folder, cases::Case of) {
  std::vector<Record> records;
  std::vector<std::string> troubles;
  const auto ids = cases::records_of(of);
  if (!ids.empty()) {
    const auto store = store_of(folder);
    if (!store) troubles.push_back(store.error().to_text());
    for (const std::string& id : ids) {
      if (!store) break;
      auto record = (*store)->load(id);
      if (record && record->id == id) records.push_back(std::move(*record));
    }
  }
  report::CaseView view{.of = std::move(of), .file = {}};
  view.file = folder.path_of(view.of.name);
  view.status = cases::status_of(view.of, records);
  view.status.warnings.insert(view.status.warnings.begin(), troubles.begin(), troubles.end());
  add_prices(arguments, view);
  return view;
}

// NAME, or the only case there is.
Result<std::string> chosen_name(const Arguments& arguments, const CaseFolder& folder) {
  if (arguments.positionals.size() > 1) return arguments.positionals[1];
  const auto names = case_names(folder);
  if (names.size() == 1) return names.front();
  if (names.empty())
    return fail("there is no case yet", folder.folder, "assay case new NAME --question TEXT");
  return fail("which case?", folder.folder, fmt::format("there are {}", fmt::join(names, ", ")));
}

Result<void> set_gap(const Arguments& arguments, const CaseFolder& folder, cases::Case& made) {
  const auto gap = arguments.value("gap");
  if (!gap) {
    for (const char* name : {"part", "removes"})
      if (arguments.has(name)) return fail(fmt::format("--{} belongs to a record: --gap ID", name));
    return {};
  }
  // What could be an id is looked for in the store first.
  const bool like_id = !gap->empty() && std::ranges::all_of(*gap, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
  const auto size = cases::parse_size(*gap, cases::OneNumber::exact);
  if (like_id && (!size || gap->size() == 8)) {
    auto id = whole_id(folder, *gap);
    if (!id && !size) return fail(id.error().within("--gap"));
    if (id) {
      made.gap_record = *id;
      made.gap_part = arguments.value("part").value_or("");
      made.gap_removes = arguments.has("removes");
      return {};
    }
  }
  if (!size) return fail(error_of("gap", *gap, size.error()));
  made.gap_text = *gap;
  return {};
}

Result<int> make(const Arguments& arguments, const CaseFolder& folder, Terminal& terminal) {
  if (arguments.positionals.size() < 2)
    return fail("case new needs a NAME", {}, "usage: assay case new NAME --question TEXT");
  cases::Case made{.name = arguments.positionals[1], .opened = today(false)};
  made.question = arguments.value("question").value_or("");
  if (made.question.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail("case new needs --question", {}, "what is to be explained, in one sentence");
  made.metric = arguments.value("metric").value_or("");
  if (auto done = set_gap(arguments, folder, made); !done) return fail(done.error());
  const auto path = create_case(folder, made);
  if (!path) return fail(path.error());
  terminal.print(*path + "\n");
  terminal.note(fmt::format(
      "next: assay case add {} --hypothesis ID --mechanism TEXT --predict SIZE", made.name));
  return kFine;
}

// The table of --hypothesis; empty without.
Result<std::string> hypothesis_table(const Arguments& arguments) {
  if (!arguments.has("hypothesis")) {
    for (const char* name : {"mechanism", "predict", "test", "price"})
      if (arguments.has(name))
        return fail(fmt::format("--{} belongs to a --hypothesis", name), {},
                    "give the hypothesis a name: --hypothesis ID");
    return std::string();
  }
  cases::Hypothesis made{.id = *arguments.value("hypothesis"),
                         .mechanism = arguments.value("mechanism").value_or(""),
                         .predict = arguments.value("predict").value_or(""),
                         .test = arguments.value("test").value_or(""),
                         .price = arguments.value("price").value_or("")};
  if (!cases::is_hypothesis_name(made.id))
    return fail(fmt::format("--hypothesis: '{}' cannot name a hypothesis", printable(made.id)), {},
                "letters, digits and _ . + - make a name");
  if (made.mechanism.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail("a hypothesis needs --mechanism", {}, "how it would cause the difference");
  if (!arguments.has("predict"))
    return fail("a hypothesis needs --predict", {},
                "a size or a shape that a measurement can refute: '2-5 ms', 'falls with cap'");
  const auto prediction = cases::parse_prediction(made.predict);
  if (!prediction) return fail(error_of("predict", made.predict, prediction.error()));
  return cases::to_toml(made);
}

// The tables of --record and --round.
Result<std::string> record_tables(const Arguments& arguments, const CaseFolder& folder,
                                  const cases::Case& there) {
  std::string tables, id, result;
  if (const auto given = arguments.value("record")) {
    const auto record = load_record(folder, *given);
    if (!record) return fail(record.error().within("--record"));
    id = record->id;
    result = cases::fact_of(*record, there.metric);
  } else {
    for (const char* name : {"for", "removes", "part", "note"})
      if (arguments.has(name)) return fail(fmt::format("--{} belongs to a --record", name));
  }
  const std::string hypothesis = arguments.value("for").value_or("");
  if (!hypothesis.empty() && arguments.value("hypothesis") != hypothesis) {
    std::vector<std::string> names;
    for (const cases::Hypothesis& h : there.hypotheses) names.push_back(h.id);
    if (std::ranges::find(names, hypothesis) == names.end()) {
      const auto near = nearest(hypothesis, names);
      return fail(fmt::format("no hypothesis of case '{}' is called '{}'", there.name,
                              printable(hypothesis)),
                  folder.path_of(there.name),
                  near            ? fmt::format("did you mean '{}'?", *near)
                  : names.empty() ? "add it first: --hypothesis ID --mechanism TEXT --predict SIZE"
                                  : fmt::format("the case has {}", fmt::join(names, ", ")));
    }
  }
  const bool round = arguments.has("round");
  // A record of a round alone belongs to the round.
  if (!id.empty() && (!hypothesis.empty() || !round))
    tables += cases::to_toml(cases::Evidence{.record = id,
                                             .hypothesis = hypothesis,
                                             .removes = arguments.has("removes"),
                                             .part = arguments.value("part").value_or(""),
                                             .note = arguments.value("note").value_or("")});
  if (!round) return tables;
  const std::string text = arguments.value("round").value_or("");
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail("--round is empty", {}, "say what was tried");
  return tables + cases::to_toml(cases::Round{
                      .date = today(true), .text = text, .record = id, .result = result});
}

Result<int> add(const Arguments& arguments, const CaseFolder& folder, Terminal& terminal) {
  if (arguments.positionals.size() < 2)
    return fail("case add needs the NAME of a case", {}, "usage: assay case add NAME ...");
  const std::string& name = arguments.positionals[1];
  const auto there = load_case(folder, name);
  if (!there) return fail(there.error());
  const auto hypothesis = hypothesis_table(arguments);
  if (!hypothesis) return fail(hypothesis.error());
  if (!hypothesis->empty() && std::ranges::find(there->hypotheses, *arguments.value("hypothesis"),
                                                &cases::Hypothesis::id) != there->hypotheses.end())
    return fail(fmt::format("case '{}' has a hypothesis '{}' already", name,
                            *arguments.value("hypothesis")),
                folder.path_of(name), "edit it in the file, or choose another name");
  const auto tables = record_tables(arguments, folder, *there);
  if (!tables) return fail(tables.error());
  if (hypothesis->empty() && tables->empty())
    return fail("there is nothing to add", {}, "--hypothesis, --record or --round");
  if (const auto done = append_to_case(folder, name, *hypothesis + *tables); !done)
    return fail(done.error());
  const auto now = load_case(folder, name);
  if (!now) return fail(now.error());
  terminal.note("added to " + folder.path_of(name));
  if (arguments.has("round") && now->rounds.size() >= cases::kPatchOnPatch)
    terminal.note(fmt::format("that is round {}: 'assay case status {}' shows all of them",
                              now->rounds.size(), name));
  return kFine;
}

Result<int> status(const Arguments& arguments, const CaseFolder& folder, Terminal& terminal) {
  const auto name = chosen_name(arguments, folder);
  if (!name) return fail(name.error());
  auto found = load_case(folder, *name);
  if (!found) return fail(found.error());
  const report::CaseView view = view_of(arguments, folder, std::move(*found));
  if (arguments.has("json")) {
    terminal.print(report::case_json(view).dump(2) + "\n");
    return kFine;
  }
  const report::Text text = report::case_text(view, text_options(terminal));
  for (const std::string& warning : view.status.warnings) terminal.warn(warning);
  terminal.print(text.out);
  terminal.note("the case is in " + view.file);
  return kFine;
}

Result<int> write(const Arguments& arguments, const CaseFolder& folder, Terminal& terminal) {
  const auto name = chosen_name(arguments, folder);
  if (!name) return fail(name.error());
  auto found = load_case(folder, *name);
  if (!found) return fail(found.error());
  const report::CaseView view = view_of(arguments, folder, std::move(*found));
  for (const std::string& warning : view.status.warnings) terminal.warn(warning);
  if (const auto file = arguments.value("html")) {
    if (auto done = write_result(*file, report::case_html(view), terminal); !done)
      return terminal.error(done.error(), kNotMeasured);
    if (*file != "-") terminal.note("the page is in " + *file);
  }
  if (arguments.has("markdown") || !arguments.has("html")) {
    const std::string file = arguments.value("markdown").value_or("-");
    if (auto done = write_result(file, report::case_markdown(view), terminal); !done)
      return terminal.error(done.error(), kNotMeasured);
  }
  return kFine;
}

Result<int> list(const Arguments& arguments, const CaseFolder& folder, Terminal& terminal) {
  std::vector<report::CaseView> views;
  if (arguments.has("names")) {
    for (const std::string& name : case_names(folder)) terminal.print(name + "\n");
    return kFine;
  }
  for (const std::string& name : case_names(folder)) {
    auto found = load_case(folder, name);
    if (found)
      views.push_back(view_of(arguments, folder, std::move(*found)));
    else
      terminal.warn(found.error().to_text());
  }
  if (arguments.has("json"))
    terminal.print(report::cases_json(views).dump(2) + "\n");
  else if (views.empty())
    terminal.note("there is no case in " + folder.folder);
  else
    terminal.print(report::cases_text(views, text_options(terminal)));
  return kFine;
}

struct Verb {
  std::string_view name;
  std::vector<std::string_view> options;
  Result<int> (*run)(const Arguments&, const CaseFolder&, Terminal&);
};

const std::array<Verb, 5>& verbs() {
  static const std::array<Verb, 5> kVerbs = {
      {{"new", {"question", "gap", "metric", "part", "removes"}, make},
       {"add",
        {"hypothesis", "mechanism", "predict", "test", "price", "record", "for", "removes", "part",
         "note", "round"},
        add},
       {"status", {"json"}, status},
       {"report", {"markdown", "html"}, write},
       {"list", {"json", "names"}, list}}};
  return kVerbs;
}

}  // namespace

Result<int> run_case(const Arguments& arguments, Terminal& terminal) {
  exit_on_interrupt();
  const std::string& name = arguments.positionals.front();
  const Verb& verb = *std::ranges::find(verbs(), name, &Verb::name);  // one of the choices
  for (const Flag& flag : arguments.spec().flags)
    if (arguments.has(flag.name) &&
        std::ranges::find(verb.options, flag.name) == verb.options.end())
      return fail(fmt::format("--{} is not an option of case {}", flag.name, name), {},
                  "'assay case -h' lists the options");
  if (name == "list" && arguments.positionals.size() > 1)
    return fail(fmt::format("case list does not know what to do with '{}'",
                            printable(arguments.positionals[1])));
  const auto folder = case_folder(arguments);
  if (!folder) return fail(folder.error());
  return verb.run(arguments, *folder, terminal);
}

}  // namespace assay::cli
