// SPDX-License-Identifier: Apache-2.0
#include "measure/command.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/measured.hpp"

namespace assay::measure {
namespace {

class Command : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("bin/gzip", "#!/bin/sh\n", true);
    folder_.write("bin/zstd", "#!/bin/sh\n", true);
    folder_.write("here/run.sh", "#!/bin/sh\n", true);
    folder_.write("here/plain.sh", "#!/bin/sh\n");
    folder_.write("here/odd.py", "#! /nowhere/pyton3 -u\n", true);
    folder_.write("here/folder/file", "");
    subject_.cwd = folder_ / "here";
    subject_.env = {{"PATH", folder_ / "bin"}};
  }
  Result<std::string> resolve(std::vector<std::string> argv) {
    subject_.argv = std::move(argv);
    return resolve_command(subject_, environment_of(subject_));
  }

  TempFolder folder_;
  Subject subject_;
};

TEST_F(Command, IsFoundOnThePathOrInTheFolder) {
  EXPECT_EQ(*resolve({"gzip", "-9"}), folder_ / "bin/gzip");
  EXPECT_EQ(*resolve({"./run.sh"}), "./run.sh");
  EXPECT_EQ(*resolve({folder_ / "here/run.sh"}), folder_ / "here/run.sh");
}

TEST_F(Command, ErrorsSayTheWayOut) {
  // Holds for root too: access(2) lets root execute only what somebody may execute.
  const struct {
    std::vector<std::string> argv;
    std::string text;
  } cases[] = {
      {{}, "the command is empty\n  give a command, such as 'sleep 1'"},
      {{""}, "the command is empty\n  give a command, such as 'sleep 1'"},
      {{"gzpi", "-9"}, "command not found: 'gzpi'\n  did you mean 'gzip'?"},
      {{"entirely-else"}, "command not found: 'entirely-else'\n  give its path, or mend PATH"},
      {{"gzip -9 file"},
       "command not found: 'gzip -9 file'\n"
       "  the name holds blanks: quote the command once, not its parts"},
      {{"cd", "x", "&&", "make"}, "command not found: 'cd'\n  for shell syntax use --shell"},
      {{"A=1", "gzip"}, "command not found: 'A=1'\n  for shell syntax use --shell"},
      {{"nothing", "|", "wc"}, "command not found: 'nothing'\n  for shell syntax use --shell"},
      {{"./rnu.sh"}, "command not found: './rnu.sh'\n  did you mean './run.sh'?"},
      {{"./folder"}, "cannot run './folder': it is a folder\n  name the program inside it"},
      {{"./plain.sh"},
       "cannot run './plain.sh': it is not executable\n"
       "  'chmod +x ./plain.sh', or name its interpreter: 'sh ./plain.sh'"},
      {{"./odd.py"},
       "cannot run './odd.py': its interpreter '/nowhere/pyton3' does not exist\n"
       "  mend its first line, or install the interpreter"},
      {{"\x1b[31m"}, "command not found: '\\x1b[31m'\n  give its path, or mend PATH"},
  };
  for (const auto& c : cases) {
    const Result<std::string> path = resolve(c.argv);
    ASSERT_FALSE(path) << c.text;
    EXPECT_EQ(path.error().to_text(), c.text);
  }
}

TEST_F(Command, FolderMustExist) {
  subject_.cwd = folder_ / "gone";
  Result<std::string> path = resolve({"gzip"});
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().to_text(), (folder_ / "gone") +
                                        ": cannot run there: No such file or directory\n"
                                        "  make the folder first");
  subject_.cwd = folder_ / "bin/gzip";
  path = resolve({"gzip"});
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().to_text(),
            (folder_ / "bin/gzip") + ": cannot run there: it is no folder\n  name a folder");
}

TEST_F(Command, InputMustBeReadable) {
  EXPECT_TRUE(open_input(subject_));
  subject_.input = folder_ / "none";
  Result<Fd> input = open_input(subject_);
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().to_text(), (folder_ / "none") +
                                         ": cannot read the input: No such file or directory\n"
                                         "  name a readable file with --input");
  subject_.input = folder_ / "here";
  input = open_input(subject_);
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().to_text(), (folder_ / "here") + ": the input is a folder\n  name a file");
}

TEST_F(Command, EnvironmentHasNoPadOfAnOuterAssay) {
  ::setenv("ASSAY_PAD", "xxx", 1);
  subject_.env = {{"A", "1"}, {"A", "2"}};
  const std::vector<std::string> env = environment_of(subject_);
  ::unsetenv("ASSAY_PAD");
  std::size_t found = 0;
  for (const std::string& entry : env) {
    EXPECT_FALSE(entry.starts_with("ASSAY_PAD="));
    found += entry == "A=2";
    EXPECT_NE(entry, "A=1");
  }
  EXPECT_EQ(found, 1u);
}

}  // namespace
}  // namespace assay::measure
