// SPDX-License-Identifier: Apache-2.0
#include "prover/files/output_file.hpp"

#include <fcntl.h>
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

// Whether files without names are to be had there; the kernel's manual says how.
bool has_unnamed_files(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

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
  }
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_EQ(folder.size(), 1U);
}

// So that a process that is killed leaves nothing behind.
TEST(OutputFile, HasNoNameWhileItIsWritten) {
  Folder folder;
  if (!has_unnamed_files(folder / "")) GTEST_SKIP() << "no O_TMPFILE on this file system";
  write_text(folder / "old", "old");
  for (const char* const name : {"new", "old"}) {
    const std::size_t before = folder.size();
    Result<OutputFile> out = OutputFile::create(folder / name);
    ASSERT_TRUE(out && out->write(bytes(std::string(3 << 20, 'x'))));
    EXPECT_EQ(folder.size(), before);
    ASSERT_EQ(said(out->finish()), "fine");
    EXPECT_EQ(read_text(folder / name).size(), std::size_t{3} << 20);
  }
  EXPECT_EQ(folder.size(), 2U);
}

// Another's file that came meanwhile, and one in the way of the temporary name.
TEST(OutputFile, ReplacesWhatCameMeanwhile) {
  Folder folder;
  if (!has_unnamed_files(folder / "")) GTEST_SKIP() << "no O_TMPFILE on this file system";
  Result<OutputFile> out = OutputFile::create(folder / "a");
  ASSERT_TRUE(out && out->write(bytes("new")));
  write_text(folder / "a", "meanwhile");
  write_text((folder / "a.tmp-") + std::to_string(::getpid()) + "-0", "in the way");
  ASSERT_EQ(said(out->finish()), "fine");
  EXPECT_EQ(read_text(folder / "a"), "new");
  EXPECT_EQ(folder.size(), 2U);
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
  write_text(folder / "file", "");
  EXPECT_EQ(said(OutputFile::create(folder / "file/a")),
            (folder / "file/a") + ": the file cannot be written: Not a directory");
  for (const char* const path : {"", "none/a", "file/a"})
    EXPECT_EQ(OutputFile::create(folder / path).error().kind, ErrorKind::usage) << path;
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
  EXPECT_EQ(write_file("/dev/full", "x").error().kind, ErrorKind::failed);
  EXPECT_EQ(write_file("/dev/full", "x").error().hint,
            "make room on that disk or write to another");
}

// What a shell opened for the program stays where it is and what it is.
TEST(WriteFile, WritesOwnDescriptorsWhereTheyStand) {
  Folder folder;
  const std::string path = folder / "log";
  write_text(path, "precious\n");
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_TRUE(write_file("/dev/fd/" + std::to_string(fd), "more\n"));
  ::close(fd);
  EXPECT_EQ(read_text(path), "precious\nmore\n");
}

TEST(WriteFiles, AllOrNone) {
  Folder folder;
  write_text(folder / "a", "old");
  const Content bad[] = {{folder / "a", "new"}, {folder / "none/b", "new"}};
  EXPECT_FALSE(write_files(bad));
  EXPECT_EQ(read_text(folder / "a"), "old");
  const Content good[] = {{folder / "a", "1"}, {folder / "b", "2"}};
  EXPECT_TRUE(write_files(good));
  EXPECT_EQ(read_text(folder / "a") + read_text(folder / "b"), "12");
  EXPECT_EQ(folder.size(), 2U);
}

TEST(OutputFile, RefusesALinkThatLeadsNowhere) {
  Folder folder;
  std::filesystem::create_symlink(folder / "missing", folder / "link");
  EXPECT_EQ(said(OutputFile::create(folder / "link")),
            (folder / "link") + ": this is a symbolic link that leads nowhere");
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
