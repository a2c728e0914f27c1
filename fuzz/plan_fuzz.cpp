// SPDX-License-Identifier: Apache-2.0
// Any bytes either are plans, whose commands can be split and whose options are known, or an error
// with a place.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/text.hpp"
#include "plan/plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using assay::plan::OptionKind;
  using assay::plan::TableShape;
  static const assay::plan::TableRules kTables[] = {
      {"compare",
       TableShape::sides,
       {},
       {{"tolerance", OptionKind::number},
        {"gate", OptionKind::list},
        {"name", OptionKind::text},
        {"baseline-rev", OptionKind::text},
        {"shell", OptionKind::flag},
        {"candidate-rev", OptionKind::list}}},
      {"measure",
       TableShape::word,
       {},
       {{"runs", OptionKind::number}, {"shell", OptionKind::flag}}},
      {"sweep",
       TableShape::trailing,
       {},
       {{"param", OptionKind::list}, {"shell", OptionKind::flag}}},
      {"timeline", TableShape::trailing, "range", {{"build", OptionKind::text}}}};
  const auto plans =
      assay::plan::parse_plans({reinterpret_cast<const char*>(data), size}, "f", kTables);
  if (!plans) {
    ASSAY_CHECK(!plans.error().what.empty() && plans.error().where.starts_with("f"),
                "an error says what is wrong and where");
    return 0;
  }
  for (const auto& plan : *plans) {
    const std::size_t least = plan.command == "compare" ? 2 : 1;
    ASSAY_CHECK(plan.commands.size() >= least || !plan.trailing.empty(), "a plan runs something");
    const bool shell =
        std::ranges::any_of(plan.options, [](const auto& o) { return o.name == "shell"; });
    for (const auto& command : plan.commands)
      ASSAY_CHECK(shell || plan.command == "timeline" || assay::split_command(command),
                  "a command can be split");
    for (const auto& word : assay::plan::option_words(plan))
      ASSAY_CHECK(word.starts_with("--"), "an option begins with dashes");
    const std::string names[] = {plan.command + "." + plan.name};
    ASSAY_CHECK(assay::plan::select_plans(*plans, names, "f"), "a plan is found by its name");
  }
  return 0;
}
