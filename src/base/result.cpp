// SPDX-License-Identifier: Apache-2.0
#include "base/result.hpp"

#include <system_error>

namespace assay {

std::string Error::to_text() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!hint.empty()) text += "\n  " + hint;
  return text;
}

Error Error::within(const std::string& context) const {
  return {context + ": " + what, where, hint};
}

Error system_error(const std::string& what, int number, std::string where, std::string hint) {
  return {what + ": " + std::generic_category().message(number), std::move(where), std::move(hint)};
}

}  // namespace assay
