// SPDX-License-Identifier: Apache-2.0
#include "prover/files/mapped_file.hpp"

#include <sys/stat.h>

#include "prover/files/testing.hpp"

namespace prover::files {
namespace {

TEST(MappedFile, IsTheFile) {
  Folder folder;
  const std::string text(10'000, 'x');
  write_text(folder / "a", text + "end");
  Result<MappedFile> file = MappedFile::open(folder / "a");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->bytes().size(), text.size() + 3);
  EXPECT_EQ(std::memcmp(file->bytes().data() + text.size(), "end", 3), 0);
}

TEST(MappedFile, MovesWithoutMovingTheBytes) {
  Folder folder;
  write_text(folder / "a", "first");
  write_text(folder / "b", "second");
  Result<MappedFile> a = MappedFile::open(folder / "a");
  Result<MappedFile> b = MappedFile::open(folder / "b");
  ASSERT_TRUE(a && b);
  const std::byte* const data = b->bytes().data();
  *a = std::move(*b);
  const MappedFile moved(std::move(*a));
  EXPECT_EQ(moved.bytes().data(), data);
  EXPECT_EQ(moved.path(), folder / "b");
  EXPECT_TRUE(a->bytes().empty());
}

TEST(MappedFile, AdviceChangesNoByte) {
  Folder folder;
  write_text(folder / "a", std::string(50'000, 'x'));
  const Result<MappedFile> file = MappedFile::open(folder / "a");
  ASSERT_TRUE(file);
  for (const Use use : {Use::sequential, Use::random, Use::soon, Use::done})
    for (const std::size_t start : {0, 1, 4095, 4096, 49'999})
      for (const std::size_t size : {0, 1, 4096, 9000})
        if (start + size <= 50'000) file->advise(file->bytes().subspan(start, size), use);
  for (const std::byte byte : file->bytes()) ASSERT_EQ(byte, std::byte{'x'});
}

TEST(MappedFile, RefusesWhatIsNoFileOfBytes) {
  Folder folder;
  write_text(folder / "empty", "");
  write_text(folder / "large", "12345");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const struct {
    std::string path;
    const char* what;
  } cases[] = {
      {folder / "none", "the file cannot be opened: No such file or directory"},
      {folder / "", "this is a directory"},
      {folder / "empty", "the file is empty"},
      {folder / "pipe", "this is a pipe, which cannot be mapped"},
      {folder / "large", "the file has 5 B, more than the 4 B such a file may have"},
      {"/dev/null", "this is a device, which cannot be mapped"},
  };
  for (const auto& it : cases)
    EXPECT_EQ(said(MappedFile::open(it.path, 4)), it.path + ": " + it.what);
}

}  // namespace
}  // namespace prover::files
