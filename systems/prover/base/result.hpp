// SPDX-License-Identifier: Apache-2.0
// Expected failures of the prover: a value or an Error that says what, where and how to go on.
// PROVER_CHECK is for our own bugs and is on in release. No exception leaves a public function.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace prover {

enum class ErrorKind {
  failed,         // the work itself: a bad witness, a device that gave up
  usage,          // what was asked for cannot be
  too_large,      // needs more than the memory budget allows, however long it waits
  out_of_memory,  // the system refused an allocation: ends the engine, not only the job
  cancelled,
  deadline,   // the job was not done in time
  draining,   // no new jobs are taken
  not_found,  // no such job, circuit or key
  exhausted,  // a limit of clients or of the queue is reached: later it may go
  self_check,
};

// `what` is a plain clause without a full stop; `where` is a file, an option or empty; `hint` is
// the way out or empty.
struct Error {
  std::string what;
  std::string where;
  std::string hint;
  ErrorKind kind = ErrorKind::failed;

  // "where: what" and, on a second line, the hint.
  std::string to_text() const;
};

template <class T>
struct [[nodiscard]] Result : tl::expected<T, Error> {
  using tl::expected<T, Error>::expected;
};

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> fail(ErrorKind kind, std::string what, std::string where = {},
                                  std::string hint = {}) {
  return fail(Error{std::move(what), std::move(where), std::move(hint), kind});
}

[[noreturn]] void check_failed(const char* condition, const char* message, const char* file,
                               int line);

}  // namespace prover

#define PROVER_CHECK(condition, message) \
  ((condition) ? void(0) : ::prover::check_failed(#condition, message, __FILE__, __LINE__))
