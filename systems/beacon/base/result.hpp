// SPDX-License-Identifier: Apache-2.0
// Expected failures: a value or an Error that says what, where and how to go on. BEACON_CHECK is
// for our own bugs and is on in release. No exception leaves a public function.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace beacon {

// `what` is a plain clause without a full stop; `where` is a file, a field, a rule of the
// specification or empty; `hint` is the way out or empty.
struct Error {
  std::string what;
  std::string where;
  std::string hint;

  // "where: what" and, on a second line, the hint.
  std::string to_text() const;
};

template <class T>
struct [[nodiscard]] Result : tl::expected<T, Error> {
  using tl::expected<T, Error>::expected;
};
using Status = Result<void>;

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> fail(std::string what, std::string where = {}, std::string hint = {}) {
  return fail(Error{std::move(what), std::move(where), std::move(hint)});
}

[[noreturn]] void check_failed(const char* condition, const char* message, const char* file,
                               int line);

}  // namespace beacon

#define BEACON_CHECK(condition, message) \
  ((condition) ? void(0) : ::beacon::check_failed(#condition, message, __FILE__, __LINE__))
