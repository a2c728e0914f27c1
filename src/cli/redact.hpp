// SPDX-License-Identifier: Apache-2.0
// A record without what tells whose it is: `assay export --redact`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "model/record.hpp"

namespace assay::cli {

// Hides values of environment variables (<env>), the host's name and fingerprint (<host>), users'
// names
// (<user>) and paths (<path-1>, <path-2>, ...; the same path keeps its number, so that what was
// equal stays equal). Metrics, digests, ids, the CPU, the kernel and all numbers stay.
class Redactor {
 public:
  // Learns what to hide from the whole record; `user` is the name of the person who exports.
  Redactor(const Record& record, std::string_view user);

  Record hide(Record record) const;  // the members that are secret by their kind: env, host
  Json hide(const Json& value);      // whatever is left in strings, of any part of the record
  std::string hide_text(std::string text);

 private:
  std::string hide_paths(std::string_view text);

  std::vector<std::string> secrets_;  // environment values, longest first
  std::vector<std::string> users_;
  std::string host_;
  std::vector<std::string> paths_;  // in order of first appearance
};

}  // namespace assay::cli
