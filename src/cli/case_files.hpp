// SPDX-License-Identifier: Apache-2.0
// Where cases lie, and how they are read and added to: the folder cases/ beside the store. A file
// is only ever replaced whole, under a lock, and only when it is still what was read.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cases/case.hpp"
#include "cli/flags.hpp"

namespace assay::cli {

struct CaseFolder {
  std::string store;   // path of the store's file
  std::string folder;  // of the cases; may not exist yet
  std::string path_of(const std::string& name) const { return folder + "/" + name + ".toml"; }
};

Result<CaseFolder> case_folder(const Arguments& arguments);

// Names of the cases, ascending.
std::vector<std::string> case_names(const CaseFolder& folder);

// Errors: a name that none has (with the nearest one), what cases::parse_case refuses.
Result<cases::Case> load_case(const CaseFolder& folder, const std::string& name);

// Writes a case that must not exist yet. Returns its path.
Result<std::string> create_case(const CaseFolder& folder, const cases::Case& made);

// Puts `tables` behind the file: what stands there, comments too, stays as it is. Two that add at
// the same time do so one after the other. Errors: the file as it is, or with the tables, is no
// case; it was edited by hand in between.
Result<void> append_to_case(const CaseFolder& folder, const std::string& name,
                            const std::string& tables);

}  // namespace assay::cli
