// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "cli/commands.hpp"
#include "cli/store_access.hpp"
#include "lab/events.hpp"

namespace assay::cli {

const CommandSpec& rm_spec() {
  static const CommandSpec kSpec = {
      .name = "rm",
      .summary = "Remove records from the store, for good",
      .usage = {"rm [options] ID ..."},
      .details =
          "A record that was removed no longer counts when the same comparison is run again, so "
          "do not remove one because its verdict is unwelcome. A record that is being written by a "
          "running experiment is refused.",
      .positionals = {{.name = "ID",
                       .help = "the records, or the first characters of their ids",
                       .at_least = 1,
                       .at_most = Positional::kAny,
                       .complete = Complete::record}},
      .examples = {{"assay rm k3f9a2bc", "Forget one experiment"}},
      .flags = {}};
  return kSpec;
}

Result<int> run_rm(const Arguments& arguments, Terminal& terminal) {
  const auto store = open_existing_store(arguments);
  if (!store) return fail(store.error());
  // All are looked up before the first is removed: a misspelt id removes nothing.
  std::set<std::string> ids;
  for (const std::string& asked : arguments.positionals) {
    const auto id = (*store)->find_id(asked);
    if (!id) return fail(id.error());
    ids.insert(*id);
  }
  for (const std::string& id : ids) {
    if (const auto removed = (*store)->remove(id); !removed) return fail(removed.error());
    (void)lab::remove_events((*store)->location(),
                             [&](const std::string& kept) { return kept != id; }, false);
    terminal.note(fmt::format("removed {}", id));
  }
  return kFine;
}

}  // namespace assay::cli
