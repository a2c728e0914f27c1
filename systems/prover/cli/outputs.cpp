// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/outputs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "prover/base/text.hpp"
#include "prover/files/output_file.hpp"

namespace prover::cli {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(a, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return false;
  if (std::filesystem::equivalent(a, b, error)) return true;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

}  // namespace

Result<void> check_outputs(std::span<const std::string> inputs,
                           std::span<const std::string> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const std::string& input : inputs)
      if (is_same_file(outputs[i], input))
        return fail(ErrorKind::usage, "this file would be written over what is read from it",
                    printable(outputs[i]), "name another file to write");
    for (const std::string& other : outputs.subspan(0, i))
      if (is_same_file(outputs[i], other))
        return fail(ErrorKind::usage, "two results would be written to this one file",
                    printable(outputs[i]), "name two files");
    if (auto writable = files::check_writable(outputs[i]); !writable) return writable;
  }
  return {};
}

}  // namespace prover::cli
