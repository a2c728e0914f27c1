// SPDX-License-Identifier: Apache-2.0
#include "measure/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace assay::measure {
namespace {

void print(const OutputReader& reader, OutputReader::Stream stream, const std::string& text) {
  ASSERT_EQ(::write(reader.child_end(stream), text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
}

TEST(Tail, KeepsTheLastWholeLines) {
  const std::string line(99, 'x');
  std::string text;
  for (int i = 0; i < 100; ++i) text += line + "\n";
  const struct {
    std::string name, text;
    std::size_t chunk;
    std::string kept;
  } cases[] = {
      {"short", "a\nb", 1, "a\nb"},
      {"empty", "", 1, ""},
      {"exactly full", text.substr(0, Tail::kBytes), 7, text.substr(0, Tail::kBytes)},
      {"many lines", text, 7, text.substr(0, 4000)},
      {"at once", text, text.size(), text.substr(0, 4000)},
      {"no line at all", std::string(10000, 'y'), 1000, std::string(Tail::kBytes, 'y')},
  };
  for (const auto& c : cases) {
    Tail tail;
    for (std::size_t at = 0; at < c.text.size(); at += c.chunk)
      tail.add(std::string_view(c.text).substr(at, c.chunk));
    EXPECT_EQ(tail.take(), c.kept) << c.name;
    EXPECT_EQ(tail.take(), "") << c.name;
  }
}

TEST(Output, IsTornWithoutAFinalNewline) {
  EXPECT_FALSE(is_torn(0, '\n', false));
  EXPECT_FALSE(is_torn(4096, '\n', false));
  EXPECT_TRUE(is_torn(4096, 'x', false));
  EXPECT_TRUE(is_torn(5, 'x', false));
  EXPECT_FALSE(is_torn(5, 'x', true));
}

TEST(Output, IsCopiedWholeAndAnewEachRun) {
  const std::string path = testing::TempDir() + "/copy.log";
  const auto content = [&] {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  OutputReader reader(nullptr, false);
  reader.copy_to(OutputReader::Stream::err, path);
  for (const std::string text : {"first line\nsecond\n", "other\n"}) {
    ASSERT_TRUE(reader.open());
    print(reader, OutputReader::Stream::out, "not copied\n");
    print(reader, OutputReader::Stream::err, text);
    (void)reader.finish(false);
    EXPECT_FALSE(reader.copy_error());
    EXPECT_EQ(content(), text);
  }
}

// A full disk costs the copy, not the run.
TEST(Output, ACopyThatCannotBeWrittenIsSaid) {
  OutputReader reader(nullptr, false);
  reader.copy_to(OutputReader::Stream::out, "/dev/full");
  ASSERT_TRUE(reader.open());
  print(reader, OutputReader::Stream::out, "hello\n");
  EXPECT_EQ(reader.finish(false).bytes, 6u);
  ASSERT_TRUE(reader.copy_error());
  EXPECT_NE(reader.copy_error()->to_text().find("/dev/full"), std::string::npos);
}

TEST(Output, IsDigestedAndCounted) {
  OutputReader reader(nullptr, false);
  const struct {
    std::string out;
    bool torn;
  } cases[] = {{"hello\n", false}, {"", false}, {"no end", true}, {std::string("\0\n", 2), false}};
  for (const auto& c : cases) {
    ASSERT_TRUE(reader.open());
    print(reader, OutputReader::Stream::out, c.out);
    print(reader, OutputReader::Stream::err, "trouble\n");
    const Output output = reader.finish(true);
    EXPECT_EQ(output.digest, sha256(c.out));
    EXPECT_EQ(output.bytes, c.out.size());
    EXPECT_EQ(output.torn, c.torn);
    EXPECT_EQ(output.stderr_tail, "trouble\n");
  }
}

TEST(Output, OfOneRunIsNotThatOfTheNext) {
  OutputReader reader(nullptr, false);
  ASSERT_TRUE(reader.open());
  print(reader, OutputReader::Stream::out, "first");
  print(reader, OutputReader::Stream::err, "first\n");
  EXPECT_TRUE(reader.finish(false).stderr_tail.empty());
  ASSERT_TRUE(reader.open());
  const Output output = reader.finish(true);
  EXPECT_EQ(output.digest, sha256(""));
  EXPECT_EQ(output.stderr_tail, "");
  EXPECT_FALSE(output.torn);
}

TEST(Output, FeedsTheMetricRules) {
  Metric metric;
  metric.name = "p99_ms";
  metric.unit = "s";
  metric.origin = MetricOrigin::output;
  metric.source = "re:p99=([0-9.]+)";
  Result<MetricRules> rules = MetricRules::make({&metric, 1});
  ASSERT_TRUE(rules);
  OutputReader reader(&*rules, false);
  ASSERT_TRUE(reader.open());
  print(reader, OutputReader::Stream::out, "p99=12");
  reader.read(OutputReader::Stream::out);
  print(reader, OutputReader::Stream::out, "5\n");
  reader.finish(false);
  const std::vector<std::optional<double>> values = rules->finish();
  ASSERT_EQ(values.size(), 1u);
  ASSERT_TRUE(values[0]);
  EXPECT_DOUBLE_EQ(*values[0], 0.125);
}

// Whoever else holds the other end, its end of file is not waited for.
TEST(Output, EndsThoughSomebodyStillHoldsTheChannel) {
  for (const bool pty : {false, true}) {
    OutputReader reader(nullptr, pty);
    ASSERT_TRUE(reader.open());
    const Fd held(::dup(reader.child_end(OutputReader::Stream::out)));
    print(reader, OutputReader::Stream::out, "text\n");
    EXPECT_EQ(reader.finish(false).bytes, 5u) << pty;
  }
}

TEST(Output, TerminalPassesBytesAsTheyAre) {
  OutputReader reader(nullptr, true);
  ASSERT_TRUE(reader.open());
  EXPECT_EQ(::isatty(reader.child_end(OutputReader::Stream::out)), 1);
  EXPECT_EQ(::isatty(reader.child_end(OutputReader::Stream::err)), 0);
  const std::string text = "a\nb\r\n\x04\x03\x1b[0m\n";
  print(reader, OutputReader::Stream::out, text);
  const Output output = reader.finish(false);
  EXPECT_EQ(output.digest, sha256(text));
  EXPECT_EQ(output.bytes, text.size());
}

// A trickle may rest, a stream may not: the writer would wait for us.
TEST(Output, RestsOnlyAfterALittle) {
  OutputReader reader(nullptr, false);
  ASSERT_TRUE(reader.open());
  const int size = ::fcntl(reader.own_end(OutputReader::Stream::out), F_GETPIPE_SZ);
  if (size < 1 << 20) GTEST_SKIP() << "this host allows no pipe of 1 MiB";
  print(reader, OutputReader::Stream::out, "a line\n");
  EXPECT_GT(reader.read(OutputReader::Stream::out).count(), 0);
  print(reader, OutputReader::Stream::out, std::string(100000, 'x'));
  EXPECT_EQ(reader.read(OutputReader::Stream::out).count(), 0);
  print(reader, OutputReader::Stream::err, "a line\n");
  EXPECT_EQ(reader.read(OutputReader::Stream::err).count(), 0);
}

}  // namespace
}  // namespace assay::measure
