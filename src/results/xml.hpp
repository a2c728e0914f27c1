// SPDX-License-Identifier: Apache-2.0
// XML as a small tree that remembers lines. Parsing is expat's (xml.cpp is the only file that
// includes it).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace assay::results {

struct XmlElement {
  std::string name = {};
  std::size_t line = 1;
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::string text = {};  // of its own, without that of its children
  std::vector<XmlElement> children = {};

  const std::string* attribute(std::string_view wanted) const;
  const XmlElement* child(std::string_view wanted) const;
  std::optional<double> number(std::string_view attribute) const;
};

struct ReadXml {
  XmlElement root = {};
  bool truncated = false;  // the end was missing: open elements are closed where it stopped
};

// Errors: "NAME:LINE:COLUMN: what" for what is not XML, more than 64 levels, a document type (no
// benchmark tool writes one, and entities can be made to grow without end).
Result<ReadXml> read_xml(std::string_view text, const std::string& name);

}  // namespace assay::results
