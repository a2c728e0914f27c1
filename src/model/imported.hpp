// SPDX-License-Identifier: Apache-2.0
// A result file of another tool, as the store keeps it: its own bytes, so that nothing of it is
// lost and a better reader reads more. results/ reads them; assay has made none of these runs.
#pragma once

#include <string>

namespace assay {

struct ImportedFile {
  std::string name = {};    // path as it was given
  std::string format = {};  // a reader's name: "gbench"
  std::string digest = {};  // sha256 of `text`
  std::string text = {};    // all bytes; of a criterion folder, its files as one JSON object

  bool operator==(const ImportedFile&) const = default;
};

}  // namespace assay
