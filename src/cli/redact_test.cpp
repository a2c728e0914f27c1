// SPDX-License-Identifier: Apache-2.0
#include "cli/redact.hpp"

#include <gtest/gtest.h>

#include "model/codec.hpp"

namespace assay::cli {
namespace {

Record sample() {
  Record record;
  record.id = "k3f9a2bc";
  record.host = {.fingerprint = "0123456789abcdef",
                 .name = "vega",
                 .cpu = "AMD EPYC 9/64",
                 .kernel = "6.1",
                 .governor = "powersave",
                 .cores = 8,
                 .memory_bytes = 1 << 30};
  Subject arm;
  arm.label = "/home/ada/bin/encode -6";
  arm.argv = {"/home/ada/bin/encode", "-6", "--out=/tmp/x y", "--key=swordfish"};
  arm.env = {{"TOKEN", "swordfish"}, {"LEVEL", "1"}};
  arm.cwd = "/home/ada/data";
  arm.prepare = "cp -r src/ada /tmp/x";
  arm.binary_digest = "3fa1";
  record.plan.arms = {arm, arm};
  record.plan.arms[1].cwd = "/srv/other";
  Metric rate;
  rate.name = "rate";
  rate.unit = "req/s";
  record.plan.metrics = {rate};
  Trial trial;
  trial.exit = {.how = Ending::exited, .code = 1};
  trial.output.stderr_tail =
      "encode: /home/ada/data/in.bin: no such file on vega (user ada, adamant)\n";
  record.entries = {trial};
  return record;
}

std::string redacted(const Record& record, std::string_view user) {
  Redactor redactor(record, user);
  const Record hidden = redactor.hide(record);
  std::string text = redactor.hide(to_json(hidden.plan)).dump() + "\n";
  text += redactor.hide(to_json(hidden.host)).dump() + "\n";
  for (const Entry& entry : hidden.entries) text += redactor.hide(to_json(entry)).dump() + "\n";
  return text;
}

TEST(Redactor, LeavesNothingThatNamesAnybody) {
  const std::string text = redacted(sample(), "grace");
  for (const std::string secret : {"ada/", "\"ada", " ada,", "swordfish", "vega", "/home", "/tmp",
                                   "/srv", "0123456789abcdef", "in.bin", "src/"})
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << " in\n" << text;
  for (const std::string kept : {"req/s", "AMD EPYC 9/64", "TOKEN", "LEVEL", "-6", "3fa1",
                                 "adamant", "<user>", "<env>", "<host>", "no such file"})
    EXPECT_NE(text.find(kept), std::string::npos) << kept << " in\n" << text;
}

TEST(Redactor, HidesTheExportingUser) {
  Record record = sample();
  record.plan.name = "for grace";
  EXPECT_EQ(redacted(record, "grace").find("grace"), std::string::npos);
  EXPECT_NE(redacted(record, "").find("grace"), std::string::npos);
}

TEST(Redactor, HidesTheTextOfPatches) {
  Record record = sample();
  record.plan.arms[0].build =
      BuildSpec{.steps = {{.kind = TreeStepKind::patch, .what = "fast", .data = "+our trick\n"},
                          {.kind = TreeStepKind::revert, .what = "HEAD~2", .data = "c0ffee"}}};
  const std::string text = redacted(record, "grace");
  EXPECT_EQ(text.find("our trick"), std::string::npos) << text;
  EXPECT_NE(text.find("<patch>"), std::string::npos);
  EXPECT_NE(text.find("c0ffee"), std::string::npos);
}

TEST(Redactor, EqualPathsStayEqual) {
  Redactor redactor(sample(), "");
  EXPECT_EQ(redactor.hide_text("a/b c/d a/b"), "<path-1> <path-2> <path-1>");
  EXPECT_EQ(redactor.hide_text("--x=c/d,'a/b'"), "--x=<path-2>,'<path-1>'");
  EXPECT_EQ(redactor.hide_text("3 / 4, ./ and .."), "3 / 4, ./ and ..");
}

}  // namespace
}  // namespace assay::cli
