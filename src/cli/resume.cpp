// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/run_session.hpp"
#include "cli/store_access.hpp"

namespace assay::cli {

Result<int> run_resume(const Arguments& arguments, Terminal& terminal) {
  if (auto store = open_existing_store(arguments); !store) return fail(store.error());
  const std::string id =
      arguments.positionals.empty() ? std::string() : arguments.positionals.front();
  return resume_and_report(id, arguments, terminal);
}

}  // namespace assay::cli
