// SPDX-License-Identifier: Apache-2.0
#include "cli/completion_script.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/commands.hpp"

namespace assay::cli {
namespace {

// What `command` prints, run by bash; its stderr must be empty.
std::string by_bash(const std::string& script, const std::string& command) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("assay-completion-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "run") << script << "\n" << command << "\n";
  const std::string line = "bash --norc --noprofile " + (folder / "run").string() + " 2>&1";
  std::FILE* pipe = ::popen(line.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, size);
  ::pclose(pipe);
  std::filesystem::remove_all(folder);
  return text;
}

// The words that bash offers for the last of `words`.
std::string offered(const std::string& words) {
  return by_bash(bash_completion(all_specs()),
                 "COMP_WORDS=(" + words +
                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); compopt() { :; }\n"
                     "_assay; printf '%s\\n' \"${COMPREPLY[@]}\"");
}

TEST(BashCompletion, OffersCommandsOptionsAndChoices) {
  EXPECT_EQ(offered("assay comp"), "compare\ncompletion\n");
  EXPECT_EQ(offered("assay compare --tol"), "--tolerance\n");
  EXPECT_EQ(offered("assay --store x compare --tol"), "--tolerance\n");
  EXPECT_EQ(offered("assay completion ''"), "bash\nzsh\nfish\n");
  EXPECT_EQ(offered("assay compare --colour a"), "auto\nalways\n");
  EXPECT_EQ(offered("assay help comp"), "compare\ncompletion\n");
  EXPECT_EQ(offered("assay compare --tolerance ''"), "\n");
  EXPECT_EQ(offered("assay gc --older"), "--older-than\n");
  EXPECT_EQ(offered("assay trace ch"), "check\n");
  EXPECT_EQ(offered("assay trace check /proc/sel"), "/proc/self\n");
  EXPECT_EQ(offered("assay trace export --to c"), "chrome\ncsv\ncollapsed\n");
  EXPECT_EQ(offered("assay explain --format time"), "timeline\n");
}

TEST(Completion, NamesEveryOptionOfEveryCommand) {
  for (const std::string& script :
       {bash_completion(all_specs()), zsh_completion(all_specs()), fish_completion(all_specs())})
    for (const CommandSpec* spec : all_specs()) {
      EXPECT_NE(script.find(spec->name), std::string::npos);
      for (const Flag& flag : spec->flags)
        EXPECT_NE(script.find(flag.name), std::string::npos) << spec->name << " --" << flag.name;
    }
}

// A shell reads its script without complaint; a shell that is not installed is not asked.
TEST(Completion, ShellsAcceptTheirScripts) {
  const auto check = [](const std::string& shell, const std::string& script) {
    const std::string quoted = "cat > script <<'THE_END'\n" + script + "THE_END\n";
    const std::string text = by_bash(
        "cd \"$(mktemp -d)\" || exit\ncommand -v " + shell + " >/dev/null || exit 0\n" + quoted,
        shell + " -n script; rm -f script");
    EXPECT_EQ(text, "") << shell;
  };
  check("bash", bash_completion(all_specs()));
  check("zsh", zsh_completion(all_specs()));
  check("fish", fish_completion(all_specs()));
}

}  // namespace
}  // namespace assay::cli
