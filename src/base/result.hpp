// SPDX-License-Identifier: Apache-2.0
// Expected failures: a value or an Error that says what, where and how to go on.
// Three channels exist (docs/design.md): ASSAY_CHECK for our bugs, Result for expected failures,
// warnings inside values for doubtful data. No exception crosses a library boundary.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace assay {

// What went wrong, for a person. `what` is a plain clause without a full stop; `where` is
// file:line:col, an argv or empty; `hint` is the way out or empty.
struct Error {
  std::string what;
  std::string where;
  std::string hint;

  // "where: what" and, on a second line, the hint.
  std::string to_text() const;
  // The same error seen from one level further out: "context: what". Causes are never dropped.
  Error within(const std::string& context) const;
};

template <class T>
struct [[nodiscard]] Result : tl::expected<T, Error> {
  using tl::expected<T, Error>::expected;
};

// An Error to return from a function whose result is any Result<T>.
inline tl::unexpected<Error> fail(std::string what, std::string where = {}, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(what), std::move(where), std::move(hint)});
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

// "what: strerror(number)" for the errno value of a failed system call.
Error system_error(const std::string& what, int number, std::string where = {},
                   std::string hint = {});

}  // namespace assay
