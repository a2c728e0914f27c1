// SPDX-License-Identifier: Apache-2.0
#include "trace/source.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <fstream>

#include "base/random.hpp"

namespace assay::trace {
namespace {

std::string gzip(const std::string& text) {
  z_stream state = {};
  EXPECT_EQ(deflateInit2(&state, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&state, text.size()) + 32, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// Hands out one byte a read, as a slow pipe does.
class SlowSource : public ByteSource {
 public:
  explicit SlowSource(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& name() const override { return name_; }
  Result<std::size_t> read(std::span<char> into) override {
    if (at_ == bytes_.size() || into.empty()) return std::size_t{0};
    into[0] = bytes_[at_++];
    return std::size_t{1};
  }

 private:
  std::string bytes_, name_ = "slow";
  std::size_t at_ = 0;
};

Result<std::string> drain(ByteSource& source, std::size_t piece) {
  std::string all;
  std::vector<char> block(piece);
  for (;;) {
    const Result<std::size_t> got = source.read(block);
    if (!got) return fail(got.error());
    if (*got == 0) return all;
    all.append(block.data(), *got);
  }
}

Result<std::string> read_all(std::unique_ptr<ByteSource> raw, std::size_t piece = 4096) {
  auto source = decompressed(std::move(raw));
  if (!source) return fail(source.error());
  return drain(**source, piece);
}

std::string noise(std::size_t count) {
  Random random(7);
  std::string text;
  while (text.size() < count) text += std::to_string(random.below(100000)) + ",GPU_END\n";
  return text;
}

TEST(Source, ContentDecidesTheCompression) {
  const std::string text = noise(700000), more = noise(30);
  const std::string empty_frame = zstd("");
  const struct {
    const char* name;
    std::string bytes, expected;
  } cases[] = {
      {"plain", text, text},
      {"empty", "", ""},
      {"short", "{", "{"},
      {"one gzip member", gzip(text), text},
      {"three members", gzip(text) + gzip("") + gzip(more), text + more},
      {"members, padded with zeros", gzip(more) + std::string(1000, '\0'), more},
      {"one zstd frame", zstd(text), text},
      {"three frames", zstd(text) + empty_frame + zstd(more), text + more},
      {"a skippable frame first", std::string("\x51\x2a\x4d\x18\x03\0\0\0abc", 11) + zstd(more),
       more},
      {"looks like gzip for two bytes", "\x1f\x8b plain", "\x1f\x8b plain"},
  };
  for (const auto& c : cases) {
    for (const std::size_t piece : {1U, 1000U, 1U << 20}) {
      if (piece == 1 && c.expected.size() > 1000) continue;
      const auto got = read_all(memory_source(c.bytes), piece);
      ASSERT_TRUE(got) << c.name << ": " << got.error().to_text();
      EXPECT_EQ(*got, c.expected) << c.name << " read by " << piece;
    }
    const auto slow = read_all(std::make_unique<SlowSource>(c.bytes));
    ASSERT_TRUE(slow) << c.name;
    EXPECT_EQ(*slow, c.expected) << c.name << " byte by byte";
  }
}

TEST(Source, DamageIsAnErrorWithItsOffset) {
  std::string flipped = gzip(noise(5000));
  flipped[flipped.size() - 6] ^= 1;  // in the checksum
  std::string broken = zstd(noise(5000));
  broken[9] = static_cast<char>(broken[9] ^ 0xff);
  const struct {
    const char* name;
    std::string bytes, why;
  } cases[] = {
      {"cut gzip", gzip(noise(5000)).substr(0, 300), "cut off"},
      {"cut in the header", gzip("x").substr(0, 5), "cut off"},
      {"checksum", flipped, "incorrect data check"},
      {"second member is no gzip", gzip("x") + "garbage", "incorrect header check"},
      {"cut zstd", zstd(noise(5000)).substr(0, 300), "cut off"},
      {"broken zstd", broken, "damaged"},
      {"second frame is no zstd", zstd("x") + "garbage", "Unknown frame"},
  };
  for (const auto& c : cases) {
    const auto got = read_all(memory_source(c.bytes, "a.log"));
    ASSERT_FALSE(got) << c.name;
    EXPECT_NE(got.error().what.find(c.why), std::string::npos)
        << c.name << ": " << got.error().what;
    EXPECT_TRUE(got.error().where.starts_with("a.log: offset ")) << got.error().where;
    EXPECT_FALSE(got.error().hint.empty());
  }
}

TEST(Source, ABombComesOutInPiecesOfTheReadersSize) {
  const std::string bomb = gzip(std::string(std::size_t{64} << 20, '\0'));
  ASSERT_LT(bomb.size(), 100000U);
  auto source = decompressed(memory_source(bomb));
  ASSERT_TRUE(source);
  std::vector<char> block(1000);
  for (int i = 0; i < 10; ++i) {
    const auto got = (*source)->read(block);
    ASSERT_TRUE(got);
    EXPECT_LE(*got, block.size());
    EXPECT_GT(*got, 0U);
  }
}

TEST(Source, FilesHaveTheirSizeAndTheirErrors) {
  char folder[] = "/tmp/assay_source_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/a.log";
  std::ofstream(path) << "hello";
  auto source = open_source(path);
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->name(), path);
  EXPECT_EQ((*source)->size(), 5U);
  EXPECT_EQ(*drain(**source, 3), "hello");
  std::ofstream(path) << gzip("hello");
  source = open_source(path);
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->size(), std::nullopt);
  EXPECT_EQ(*drain(**source, 3), "hello");

  const auto missing = open_source(path + ".missing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, path + ".missing");
  const auto directory = open_source(folder);
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().what.find("folder"), std::string::npos);
  unlink(path.c_str());
  rmdir(folder);
}

}  // namespace
}  // namespace assay::trace
