// SPDX-License-Identifier: Apache-2.0
#include "prover/files/output_file.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "prover/files/testing.hpp"

namespace prover::files {
namespace {

Bytes bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

// While it lives, no file can grow beyond `most`: what a full disk does to a writer.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t most) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{most, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  SmallFiles(const SmallFiles&) = delete;
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST(OutputFile, AppearsWhole) {
  Folder folder;
  const std::string path = folder / "a";
  Result<OutputFile> out = OutputFile::create(path);
  ASSERT_TRUE(out);
  std::string expected;
  for (const std::size_t size : {3U, 1U << 20, 100U, (3U << 20) + 1, 0U, 5U}) {
    const std::string part(size, static_cast<char>('a' + size % 26));
    ASSERT_TRUE(out->write(bytes(part)));
    expected += part;
  }
  EXPECT_EQ(out->size(), expected.size());
  ASSERT_TRUE(out->overwrite(1, bytes("XY")));
  expected.replace(1, 2, "XY");
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(out->finish());
  EXPECT_EQ(read_text(path), expected);
  EXPECT_EQ(folder.size(), 1U);
}

TEST(OutputFile, LeavesTheTargetAsItWas) {
  Folder folder;
  write_text(folder / "a", "old");
  {
    Result<OutputFile> out = OutputFile::create(folder / "a");
    ASSERT_TRUE(out && out->write(bytes("new")));
    EXPECT_EQ(folder.size(), 2U);
  }
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_EQ(folder.size(), 1U);
}

TEST(OutputFile, KeepsPermissionsAndFollowsLinks) {
  Folder folder;
  write_text(folder / "a", "old");
  std::filesystem::permissions(folder / "a", std::filesystem::perms(0640));
  std::filesystem::create_symlink("a", folder / "link");
  ASSERT_TRUE(write_file(folder / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "a"), "new");
  EXPECT_EQ(std::filesystem::status(folder / "a").permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(folder.size(), 2U);
}

TEST(OutputFile, ReportsWhatTheDiskDoesNotTake) {
  Folder folder;
  write_text(folder / "a", "old");
  const std::string large(3 << 20, 'x');
  const std::string refused = (folder / "a") + ": the file cannot be written: File too large";
  {
    const SmallFiles limit(2 << 20);
    Result<OutputFile> out = OutputFile::create(folder / "a");
    ASSERT_TRUE(out);
    EXPECT_EQ(said(out->write(bytes(large))), refused);
    EXPECT_EQ(said(out->write(bytes("more"))), refused);
    EXPECT_EQ(said(out->overwrite(0, bytes("m"))), refused);
    EXPECT_EQ(said(out->finish()), refused);
    EXPECT_EQ(folder.size(), 1U);
  }
  EXPECT_EQ(read_text(folder / "a"), "old");
}

TEST(OutputFile, RefusesTargetsThatAreNoFiles) {
  Folder folder;
  EXPECT_EQ(said(OutputFile::create(folder / "")), (folder / "") + ": this is a directory");
  EXPECT_EQ(said(OutputFile::create("/dev/null")), "/dev/null: this is no regular file");
  EXPECT_EQ(said(OutputFile::create(folder / "none/a")),
            (folder / "none/a") + ": the file cannot be written: No such file or directory");
}

TEST(WriteFile, WritesPipesAndDevicesAsTheyAre) {
  Folder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_text(path); });
  EXPECT_TRUE(write_file(path, "through"));
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_EQ(said(write_file("/dev/full", "x")),
            "/dev/full: the file cannot be written: No space left on device");
  EXPECT_EQ(write_file("/dev/full", "x").error().hint,
            "make room on that disk or write to another");
}

TEST(SectionWriter, WritesWhatTheTableReads) {
  Folder folder;
  Result<SectionWriter> out = SectionWriter::create(folder / "a", "test", 7);
  ASSERT_TRUE(out);
  ASSERT_TRUE(out->begin(5));
  ASSERT_TRUE(out->write_u32(1));
  ASSERT_TRUE(out->write_u64(2));
  EXPECT_EQ(out->section_size(), 12U);
  ASSERT_TRUE(out->overwrite_u32(0, 9));
  ASSERT_TRUE(out->end());
  ASSERT_TRUE(out->begin(4));
  ASSERT_TRUE(out->end());
  ASSERT_TRUE(out->finish());
  const Edit file(read_text(folder / "a"));
  const Result<SectionTable> table = SectionTable::parse(file.bytes(), "a", {"test", 7, "", {}});
  ASSERT_EQ(said(table), "fine");
  ASSERT_EQ(table->all().size(), 2U);
  EXPECT_EQ(load_u32(table->at(5).bytes.data()), 9U);
  EXPECT_EQ(load_u64(table->at(5).bytes.data() + 4), 2U);
  EXPECT_TRUE(table->at(4).bytes.empty());
}

}  // namespace
}  // namespace prover::files
