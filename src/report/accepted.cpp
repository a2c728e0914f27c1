// SPDX-License-Identifier: Apache-2.0
#include "report/accepted.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>

#include "base/text.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kListed = 5, kShort = 10, kWhat = 40;

std::string day_text(std::int64_t at_ms) {
  using namespace std::chrono;
  const year_month_day day{floor<days>(sys_time<milliseconds>(milliseconds(at_ms)))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

// By metric, and of memory over those that know it.
struct Product {
  std::map<std::string, double> ratios;
  std::optional<double> memory;
};

Product product_of(std::span<const Accepted> accepted) {
  Product product;
  for (const Accepted& one : accepted) {
    product.ratios.try_emplace(one.metric, 1.0).first->second *= one.ratio;
    if (one.memory_ratio) product.memory = product.memory.value_or(1) * *one.memory_ratio;
  }
  return product;
}

std::string name_of(const Accepted& one) {
  const std::string what = fit(plain(one.what), kWhat);
  if (one.commit.empty()) return what;
  return plain(one.commit.substr(0, kShort)) + (what.empty() ? "" : " '" + what + "'");
}

}  // namespace

std::vector<std::string> accepted_sentences(std::span<const Accepted> accepted) {
  if (accepted.empty()) return {};
  const Product product = product_of(accepted);
  std::vector<std::string> sizes;
  for (const auto& [metric, ratio] : product.ratios)
    sizes.push_back(format_change(ratio) + " " + plain(metric));
  if (product.memory) sizes.push_back(format_change(*product.memory) + " peak memory");
  std::vector<std::string> all = {fmt::format("Accepted so far: {} regression{}, together {}.",
                                              accepted.size(), accepted.size() == 1 ? "" : "s",
                                              join_and(sizes))};
  for (std::size_t i = accepted.size(); i-- > 0 && all.size() <= kListed;) {
    const Accepted& one = accepted[i];
    all.push_back(fmt::format("  {} {}: {} (record {}, {})", name_of(one), format_change(one.ratio),
                              plain(one.reason), plain(one.record), day_text(one.at_ms)));
  }
  if (accepted.size() > kListed)
    all.push_back(fmt::format("  and {} more: assay accept --list", accepted.size() - kListed));
  return all;
}

Json accepted_json(std::span<const Accepted> accepted) {
  const Product product = product_of(accepted);
  Json ratios = Json::object(), items = Json::array();
  for (const auto& [metric, ratio] : product.ratios) ratios.set(metric, ratio);
  for (const Accepted& one : accepted)
    items.push(Json::object()
                   .set("record", one.record)
                   .set("commit", one.commit.empty() ? Json() : Json(one.commit))
                   .set("what", one.what)
                   .set("metric", one.metric)
                   .set("ratio", one.ratio)
                   .set("memory_ratio", one.memory_ratio)
                   .set("reason", one.reason)
                   .set("at_ms", one.at_ms));
  return Json::object()
      .set("count", std::uint64_t{accepted.size()})
      .set("ratios", std::move(ratios))
      .set("memory_ratio", product.memory)
      .set("items", std::move(items));
}

std::string accepted_table(std::span<const Accepted> accepted, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (std::size_t i = accepted.size(); i-- > 0;) {
    const Accepted& one = accepted[i];
    rows.push_back({.cells = {day_text(one.at_ms), plain(one.record), name_of(one),
                              plain(one.metric), format_change(one.ratio),
                              one.memory_ratio ? format_change(*one.memory_ratio) : ""},
                    .note = plain(one.reason)});
  }
  return draw_table({{.head = "day", .left = true},
                     {.head = "record", .left = true},
                     {.head = "what", .left = true},
                     {.head = "metric", .left = true},
                     {.head = "change"},
                     {.head = "peak mem"}},
                    rows, options);
}

}  // namespace assay::report
