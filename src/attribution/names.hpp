// SPDX-License-Identifier: Apache-2.0
// Names of spans that differ between two builds though they mean the same.
#pragma once

#include <string>
#include <string_view>

namespace assay::attribution {

// Without what compilers and runs put into names: template arguments, symbol hashes, addresses,
// line numbers, other numbers, clone suffixes, anonymous namespaces, blanks.
//   "ntt::<Fr>::run::h0123456789abcdef" -> "ntt::run"   "f<int>(int) [clone .isra.0]" -> "f<>(int)"
//   "at prove.cc:217 (0x7f00dead)" -> "at prove.cc:# (#)"   "operator<<" stays
// Different names may become one; never empty unless `name` is.
std::string normalised_name(std::string_view name);

}  // namespace assay::attribution
