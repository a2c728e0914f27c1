// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "report/compare.hpp"
#include "report/compare_cases.hpp"

namespace assay::report {
namespace {

TEST(CompareMarkdown, IsAPullRequestComment) {
  CompareCase c = slower_case();
  c.record.plan.name = "encode";
  EXPECT_EQ(compare_markdown(c.record, c.conclusion),
            "### assay encode: SLOWER\n"
            "\n"
            "B <code>./encode -7 in.bin</code> against A <code>./encode -6 in.bin</code>\n"
            "\n"
            "| metric | baseline | candidate | change | 99 % interval | verdict | runs |\n"
            "|---|--:|--:|--:|---|---|---|\n"
            "| **wall** | 2.31 s | 2.47 s | +6.9 % | +5.1 to +8.8 % | **SLOWER** | 18 + 18 runs |\n"
            "| **cpu** | 2.28 s | 2.44 s | +7.0 % | +6.4 to +7.5 % | **SLOWER** | 12 + 12 runs |\n"
            "| peak mem | 41.0 MiB | 57.2 MiB | +39 % | +39 to +39 % | MORE | 18 + 18 runs, exact, "
            "largest "
            "process |\n"
            "\n"
            "./encode -7 in.bin is slower by 6.9 % (99 % interval +5.1 to +8.8 %).\n"
            "\n"
            "- warning: outputs differ between the sides (sha256 3fa1... / 9c0e...)\n"
            "\n"
            "<details><summary>Commands, seed and machine</summary>\n"
            "\n"
            "- A: <code>./encode -6 in.bin</code>\n"
            "- B: <code>./encode -7 in.bin</code>\n"
            "- tolerance 2 %, seed 42, record <code>k3v9x2ab</code>\n"
            "- machine: bench1, Example CPU, 6.1.0, performance, 8 cores, 16.0 GiB\n"
            "\n"
            "To ask the same question again:\n"
            "\n"
            "```sh\n"
            "assay compare --name encode --seed 42 './encode -6 in.bin' './encode -7 in.bin'\n"
            "```\n"
            "\n"
            "</details>\n");
}

TEST(CompareMarkdown, EscapesCommands) {
  CompareCase c = two("", Verdict::slower, {slower_spec(), slower_spec()});
  c.record.plan.arms = {support::subject("./a"), support::subject("./a")};
  c.record.plan.arms[1].argv = {"sh", "-c", "a | `b` <i> @me #7 **x** ```` &amp; $5"};
  c.record.plan.arms[1].label = "x|`y`";
  const std::string text = compare_markdown(c.record, c.conclusion);
  EXPECT_NE(text.find("B <code>x&#124;&#96;y&#96;</code> against A <code>./a</code>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<code>sh -c 'a &#124; &#96;b&#96; &#60;i&#62; @<!-- -->me #<!-- -->7 "
                      "&#42;&#42;x&#42;&#42; &#96;&#96;&#96;&#96; &#38;amp; &#36;5'</code>"),
            std::string::npos)
      << text;
  // Inside the fence the command stands as it is, and the fence is longer than what it holds.
  EXPECT_NE(text.find("`````sh\nassay compare --seed 42 ./a 'sh -c '\\''a | `b` <i>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n`````\n"), std::string::npos);
}

TEST(CompareMarkdown, ShowsAFailure) {
  const CompareCase c = failed_case({Ending::exited, 2}, "cannot open ```in.bin\n");
  const std::string text = compare_markdown(c.record, c.conclusion);
  EXPECT_EQ(text.substr(0, text.find("<details>")),
            "### assay: FAILED\n"
            "\n"
            "Run 4 (B) exited with status 2, so nothing is concluded. Mend the command, or accept "
            "exit statuses other than 0 with --ignore-exit.\n"
            "\n"
            "<code>./encode -7 in.bin</code>\n"
            "\n"
            "````text\n"
            "cannot open ```in.bin\n"
            "````\n"
            "\n");
}

TEST(CompareMarkdown, NamesRevisions) {
  CompareCase c = two("", Verdict::equivalent, {equal_spec(), equal_spec()});
  const char* revisions[] = {"main", "HEAD"};
  for (std::size_t arm = 0; arm < 2; ++arm) {
    BuildSpec build;
    build.revision = revisions[arm];
    build.commit = std::string(40, static_cast<char>('a' + arm));
    build.command = "make -j2";
    c.record.plan.arms[arm].argv = {"./prove", "a b"};
    c.record.plan.arms[arm].label = revisions[arm];
    c.record.plan.arms[arm].build = build;
  }
  const std::string text = compare_markdown(c.record, c.conclusion);
  EXPECT_NE(text.find("- B: <code>./prove 'a b'</code> built from <code>HEAD</code> "
                      "<code>bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb</code>\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("assay compare --seed 42 --baseline-rev main --candidate-rev HEAD --build "
                      "'make -j2' -- ./prove 'a b'\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("HEAD is equivalent to main: wall and CPU time agree within 2 %."),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace assay::report
