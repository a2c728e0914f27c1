// SPDX-License-Identifier: Apache-2.0
// SHA-256 of a stream, by OpenSSL's libcrypto; nothing of the stream is held.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  // 64 lower-case hex digits of all bytes so far; afterwards the digest starts anew.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::string_view bytes);
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace assay
