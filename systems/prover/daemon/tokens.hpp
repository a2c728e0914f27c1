// SPDX-License-Identifier: Apache-2.0
// Who may come over tcp. A file of lines `NAME TOKEN`; # begins a comment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prover/base/result.hpp"

namespace prover::daemon {

class Tokens {
 public:
  // Errors: a file that others may read, a line of another shape, a token of fewer than 16
  // characters, no token at all. Tokens are never printed.
  static Result<Tokens> read(const std::string& path);
  static Result<Tokens> parse(std::string_view text, const std::string& path);

  // The name that the token stands for. Takes the same time for every token of the same length.
  std::optional<std::string> name_of(std::string_view token) const;

 private:
  std::vector<std::pair<std::string, std::string>> tokens_;  // name, token
};

// What a client sends: the one token of a file, with a name before it or alone.
Result<std::string> read_client_token(const std::string& path);

}  // namespace prover::daemon
