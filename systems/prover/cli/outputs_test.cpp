// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/outputs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "prover/cli/program_support.hpp"

namespace prover::cli {
namespace {

class Outputs : public InFolder {
 protected:
  std::string refusal(std::vector<std::string> inputs, std::vector<std::string> outputs) {
    const auto checked = check_outputs(inputs, outputs);
    return checked ? "" : checked.error().what;
  }
};

TEST_F(Outputs, MayBeNoInputAndNoOtherOutput) {
  std::ofstream(path("in")) << "x";
  std::filesystem::create_symlink(path("in"), path("link"));
  EXPECT_EQ(refusal({path("in")}, {path("a"), path("b")}), "");
  EXPECT_EQ(refusal({path("in")}, {"/dev/null", "/dev/null"}), "");
  EXPECT_EQ(refusal({"/dev/stdin"}, {"/dev/stdin"}), "");
  for (const std::string& same : {path("in"), path("link"), path("./in")})
    EXPECT_EQ(refusal({path("in")}, {path("a"), same}),
              "this file would be written over what is read from it");
  for (const std::string& same : {path("new"), path("./new"), path("x/../new")})
    EXPECT_EQ(refusal({}, {path("new"), same}), "two results would be written to this one file")
        << same;
}

TEST_F(Outputs, MustBeWritable) {
  EXPECT_EQ(refusal({}, {path("missing/a")}),
            "the file cannot be written: No such file or directory");
  EXPECT_EQ(refusal({}, {path("")}), "this is a directory");
  EXPECT_EQ(refusal({}, {path("a")}), "");
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

}  // namespace
}  // namespace prover::cli
