// SPDX-License-Identifier: Apache-2.0
// What stands behind an explanation: books that close, phases, laws, the bottleneck over time,
// permits, spans that are not what their name says, memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "report/explain_sentence.hpp"
#include "report/explain_text.hpp"
#include "report/numbers.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"

namespace assay::report::explain {
namespace {

using attribution::Book;
using attribution::Bottleneck;
using attribution::Challenge;
using attribution::LawCheck;
using attribution::MemoryModel;
using attribution::PermitCheck;
using attribution::RunDescription;

constexpr double kMuchUnknown = 0.05;  // of a book's wall time: painted

// In the order of trace::SpanKind.
constexpr std::array<std::string_view, trace::kSpanKinds> kShortWords = {
    "service", "queued", "blocked", "permit", "starved", "lock", "transfer", "other"};

std::string book_table(const RunDescription& run, const ExplainOptions& options) {
  std::vector<Column> columns = {{.head = "where the time went", .left = true}, {.head = "wall"}};
  for (const std::string_view word : kShortWords) columns.push_back({.head = std::string(word)});
  columns.push_back({.head = "unknown"});
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < rows_shown(run.books.size(), options); ++i) {
    const Book& book = run.books[i];
    const auto share = [&](double seconds) {
      return book.wall_s > 0 ? seconds / book.wall_s : 0.0;
    };
    TableRow row;
    row.cells = {plain(book.who), seconds_text(book.wall_s)};
    for (const double seconds : book.seconds)
      row.cells.emplace_back(seconds == 0 ? "-" : share_text(share(seconds)));
    const double unknown = share(book.unknown_s);
    row.cells.emplace_back(share_text(unknown),
                           std::fabs(unknown) > kMuchUnknown ? Tone::open : Tone::neutral);
    rows.push_back(std::move(row));
  }
  std::string text = draw_table(columns, rows, options.text) + left_out(run.books.size(), options);
  if (std::ranges::any_of(run.books, &Book::starved_derived))
    text += prose("starved: no span records it; read off the gaps in which the queue was empty",
                  options);
  return text;
}

std::string phases_line(const RunDescription& run) {
  if (!run.phases) return {};
  const auto& p = *run.phases;
  return fmt::format(
      "phases: fill {}, steady {}, drain {}; first completion {} + {} of intervals = {}",
      seconds_text(p.fill_s), seconds_text(p.steady_s), seconds_text(p.drain_s),
      seconds_text(p.first_completion_s), seconds_text(p.interval_sum_s),
      seconds_text(p.makespan_s));
}

std::string law_lines(const RunDescription& run, const ExplainOptions& options) {
  std::string text;
  for (const LawCheck& law : run.laws) {
    if (!law.violated && !options.all) continue;
    std::string line =
        fmt::format("law {} at {}: {:.3g} and {:.3g}, {} apart", plain(law.law), plain(law.stage),
                    law.left, law.right, share_text(law.difference));
    if (law.violated) line += ": events are missing, a worker count is wrong, or clocks are mixed";
    text += prose(line, options);
  }
  return text;
}

// One letter a window, the same letter for the same stage.
std::string bottleneck_strip(const RunDescription& run, const ExplainOptions& options) {
  if (!run.bottleneck || run.bottleneck->window_stage.empty()) return {};
  const Bottleneck& b = *run.bottleneck;
  struct Seen {
    char letter = 'a';
    double least = 1, most = 0;
  };
  std::map<std::string, Seen> seen;
  std::vector<std::string> order;
  std::string strip, used;
  for (std::size_t i = 0; i < b.window_stage.size(); ++i) {
    const std::string& stage = b.window_stage[i];
    if (stage.empty()) {
      strip += '.';
      continue;
    }
    auto [it, is_new] = seen.try_emplace(stage);
    if (is_new) {
      char letter = stage.front();
      if (letter < 'a' || letter > 'z' || used.find(letter) != std::string::npos)
        for (letter = 'a'; letter < 'z' && used.find(letter) != std::string::npos;) ++letter;
      it->second.letter = letter;
      used += letter;
      order.push_back(stage);
    }
    strip += it->second.letter;
    if (i >= b.window_utilisation.size()) continue;
    it->second.least = std::min(it->second.least, b.window_utilisation[i]);
    it->second.most = std::max(it->second.most, b.window_utilisation[i]);
  }
  std::string text = fmt::format("busiest stage over time: {}", strip);
  std::string legend;
  for (const std::string& stage : order) {
    const Seen& s = seen[stage];
    const std::string least = share_text(s.least), most = share_text(s.most);
    legend += fmt::format("{}{} = {} ({})", legend.empty() ? "  " : ", ", s.letter, plain(stage),
                          least == most ? least : least + " to " + most);
  }
  text += legend;
  if (!b.next.empty())
    text += fmt::format("; {} would bind next, {} below", plain(b.next), share_text(b.headroom));
  return prose(text, options);
}

std::string permit_lines(const RunDescription& run, const ExplainOptions& options) {
  std::string text;
  for (const PermitCheck& check : run.permits) {
    if (!check.exceeded && !options.all) continue;
    const std::string most = grouped(static_cast<double>(check.most));
    std::string allowed = fmt::format("{} permits + room for {}", check.permits, check.capacity);
    if (check.in_hand > 0) allowed += fmt::format(" + {} in the hands of workers", check.in_hand);
    text +=
        prose(check.exceeded
                  ? fmt::format(
                        "permits of {}: {} items were begun and not yet taken downstream (at {}), "
                        "more than {}: a permit was released before its send",
                        plain(check.stage), most, seconds_text(check.at_s), allowed)
                  : fmt::format("permits of {}: at most {} items at once, within {}",
                                plain(check.stage), most, allowed),
              options);
  }
  return text;
}

std::string challenge_lines(const RunDescription& run, const ExplainOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < rows_shown(run.challenges.size(), options); ++i) {
    const Challenge& challenge = run.challenges[i];
    std::string shares;
    for (const Challenge::Share& share : challenge.shares)
      shares +=
          fmt::format("{}{} {} ({})", shares.empty() ? "" : " + ", plain(share.name),
                      seconds_text(share.seconds),
                      share_text(challenge.total_s > 0 ? share.seconds / challenge.total_s : 0));
    text += prose(fmt::format("{} is not all what its name says: {} = {}", plain(challenge.stage),
                              seconds_text(challenge.total_s), shares),
                  options);
  }
  return text;
}

std::string model_lines(const RunDescription& run, const MemoryModel& model,
                        const ExplainOptions& options) {
  std::string text = fmt::format("memory ({}, {}, {} samples): peak {} at {}", plain(model.scope),
                                 plain(model.method), grouped(static_cast<double>(model.samples)),
                                 format_bytes(model.peak_bytes), seconds_text(model.peak_at_s));
  if (!model.terms.empty()) {
    text += fmt::format(" = base {}", format_bytes(model.base_bytes));
    for (const MemoryModel::Term& term : model.terms)
      text += fmt::format(" + {:.3g} in {} x {}", term.in_flight_at_peak, plain(term.stage),
                          format_bytes(term.bytes_per_item));
    text += fmt::format(" = {} by the model, which explains {} of the variation and is off by {}",
                        format_bytes(model.peak_model_bytes), share_text(model.explained),
                        format_bytes(model.residual_bytes));
  }
  text = prose(text, options);
  if (!options.memory_budget) return text;
  const auto answer = budget_answer(run, model, *options.memory_budget);
  return text + prose(answer ? sentence_of(*answer, model, *options.memory_budget)
                             : "What a budget allows cannot be said: no stage's items explain the "
                               "memory.",
                      options);
}

}  // namespace

std::string_view short_word(trace::SpanKind kind) {
  return kShortWords.at(static_cast<std::size_t>(kind));
}

std::string memory_lines(const RunDescription& run, const ExplainOptions& options) {
  std::string text;
  for (const MemoryModel& model : run.memory) text += model_lines(run, model, options);
  if (run.memory.empty() && options.memory_budget)
    text += prose("What a budget allows cannot be said: the log has no memory readings.", options);
  return text;
}

std::string evidence(const RunDescription& run, const ExplainOptions& options) {
  const std::string lines = bottleneck_strip(run, options) + prose(phases_line(run), options) +
                            law_lines(run, options) + permit_lines(run, options) +
                            challenge_lines(run, options) + memory_lines(run, options);
  return section("", book_table(run, options)) + section("", lines);
}

}  // namespace assay::report::explain
