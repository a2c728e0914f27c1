// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/completion_script.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "prover/cli/command.hpp"

namespace prover::cli {
namespace {

// What bash prints, on standard error too, when it runs the lines.
std::string by_bash(const std::string& lines) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("prover-completion-" + std::to_string(::getpid()));
  std::ofstream(file) << lines;
  std::FILE* pipe = ::popen(("bash --norc --noprofile " + file.string() + " 2>&1").c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text.append(buffer, size);
  ::pclose(pipe);
  std::filesystem::remove(file);
  return text;
}

// The words that bash offers for the last of `words`.
std::string offered(const std::string& words) {
  return by_bash(bash_completion() + "COMP_WORDS=(" + words +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); compopt() { :; }\n"
                 "_prover; printf '%s\\n' \"${COMPREPLY[@]}\"\n");
}

TEST(BashCompletion, OffersCommandsOptionsChoicesAndFiles) {
  EXPECT_EQ(offered("prover circ"), "circuit\n");
  EXPECT_EQ(offered("prover circuit p"), "poseidon\nporep\n");
  EXPECT_EQ(offered("prover circuit dense --cons"), "--constraints\n");
  EXPECT_EQ(offered("prover circuit dense --curve b"), "bn254\nbls12-381\n");
  EXPECT_EQ(offered("prover circuit dense --wtns /proc/sel"), "/proc/self\n");
  EXPECT_EQ(offered("prover info /proc/sel"), "/proc/self\n");
  EXPECT_EQ(offered("prover info --j"), "--json\n");
  EXPECT_EQ(offered("prover completion ''"), "bash\nzsh\nfish\n");
  EXPECT_EQ(offered("prover bench batch --lookahead ''"), "\n");
  EXPECT_EQ(offered("prover nonsense ''"), "\n");
}

TEST(Completion, NamesEveryOptionOfEveryCommand) {
  for (const std::string& script : {bash_completion(), zsh_completion(), fish_completion()})
    for (const Command& command : commands())
      for (const Option& option : command.options)
        EXPECT_NE(script.find(option.name), std::string::npos) << command.name << option.name;
}

// A shell that is not installed is not asked.
TEST(Completion, ShellsAcceptTheirScripts) {
  const auto check = [](const std::string& shell, const std::string& script) {
    EXPECT_EQ(by_bash("command -v " + shell +
                      " >/dev/null || exit 0\nfile=$(mktemp)\ncat > $file "
                      "<<'THE_END'\n" +
                      script + "THE_END\n" + shell + " -n $file; rm -f $file\n"),
              "")
        << shell;
  };
  check("bash", bash_completion());
  check("zsh", zsh_completion());
  check("fish", fish_completion());
}

}  // namespace
}  // namespace prover::cli
