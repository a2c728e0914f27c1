// SPDX-License-Identifier: Apache-2.0
#include "trace/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace assay::trace {
namespace {

constexpr std::size_t kInput = std::size_t{256} << 10;  // compressed bytes read at once
constexpr std::size_t kMagic = 4;                       // what tells the compression

class FileSource : public ByteSource {
 public:
  FileSource(int descriptor, std::string name, std::optional<std::uint64_t> size)
      : descriptor_(descriptor), name_(std::move(name)), size_(size) {}
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return size_; }
  Result<std::size_t> read(std::span<char> into) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, into.data(), into.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return fail(system_error("cannot read", errno, name_));
    }
  }

 private:
  int descriptor_;
  std::string name_;
  std::optional<std::uint64_t> size_;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::string bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size() - at_);
    std::memcpy(into.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_, name_;
  std::size_t at_ = 0;
};

// A source whose first bytes were looked at already.
class PeekedSource : public ByteSource {
 public:
  PeekedSource(std::unique_ptr<ByteSource> rest, std::string_view head)
      : rest_(std::move(rest)), head_(head) {}

  const std::string& name() const override { return rest_->name(); }
  std::optional<std::uint64_t> size() const override { return rest_->size(); }
  Result<std::size_t> read(std::span<char> into) override {
    if (head_.empty()) return rest_->read(into);
    const std::size_t count = std::min(into.size(), head_.size());
    std::memcpy(into.data(), head_.data(), count);
    head_.erase(0, count);
    return count;
  }

 private:
  std::unique_ptr<ByteSource> rest_;
  std::string head_;
};

// The compressed side of a decoder: a block of input and where it stands in the stream.
class Input {
 public:
  explicit Input(std::unique_ptr<ByteSource> raw) : raw_(std::move(raw)), block_(kInput) {}

  const std::string& name() const { return raw_->name(); }
  std::span<const char> unread() const { return {block_.data() + at_, end_ - at_}; }
  std::uint64_t offset() const { return read_ - (end_ - at_); }
  void advance(std::size_t count) { at_ += count; }
  // Whether there is a byte to read.
  Result<bool> fill() {
    if (at_ < end_) return true;
    const Result<std::size_t> got = raw_->read(block_);
    if (!got) return fail(got.error());
    at_ = 0;
    end_ = *got;
    read_ += *got;
    return end_ > 0;
  }
  tl::unexpected<Error> damaged(std::string_view kind, std::string_view why,
                                std::string_view tool) const {
    return assay::fail(
        fmt::format("the {} stream is damaged: {}", kind, why),
        fmt::format("{}: offset {}", name(), offset()),
        fmt::format("'{} < FILE > FILE.part' saves what can be read before that place", tool));
  }

 private:
  std::unique_ptr<ByteSource> raw_;
  std::vector<char> block_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t read_ = 0;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> raw) : input_(std::move(raw)) {
    is_ready_ = inflateInit2(&state_, MAX_WBITS + 16) == Z_OK;
  }
  ~GzipSource() override {
    if (is_ready_) inflateEnd(&state_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  const std::string& name() const override { return input_.name(); }

  Result<std::size_t> read(std::span<char> into) override {
    if (!is_ready_) return fail("not enough memory to read gzip", name());
    const std::size_t room = std::min<std::size_t>(into.size(), std::size_t{1} << 30);
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    state_.avail_out = static_cast<uInt>(room);
    while (state_.avail_out == room && room > 0 && !is_padding_) {
      const Result<bool> has_more = input_.fill();
      if (!has_more) return fail(has_more.error());
      if (!*has_more) {
        if (!is_between_) return input_.damaged("gzip", "it is cut off", "zcat");
        return std::size_t{0};
      }
      if (is_between_ && input_.unread().front() == '\0') {
        // Tapes and block devices pad with zeros.
        is_padding_ = true;
        break;
      }
      const Result<void> step = inflate_some();
      if (!step) return fail(step.error());
    }
    return room - state_.avail_out;
  }

 private:
  Result<void> inflate_some() {
    const std::span<const char> bytes = input_.unread();
    // zlib's input is not const; it does not write to it.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    state_.avail_in = static_cast<uInt>(bytes.size());
    is_between_ = false;
    const int status = inflate(&state_, Z_NO_FLUSH);
    input_.advance(bytes.size() - state_.avail_in);
    if (status == Z_STREAM_END) {
      is_between_ = true;
      inflateReset(&state_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return input_.damaged("gzip", state_.msg != nullptr ? state_.msg : "unknown content", "zcat");
    }
    return {};
  }

  Input input_;
  z_stream state_ = {};
  bool is_ready_ = false;
  bool is_between_ = false;  // a member has ended
  bool is_padding_ = false;
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> raw)
      : input_(std::move(raw)), state_(ZSTD_createDStream()) {}
  ~ZstdSource() override { ZSTD_freeDStream(state_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  const std::string& name() const override { return input_.name(); }

  Result<std::size_t> read(std::span<char> into) override {
    if (state_ == nullptr) return fail("not enough memory to read zstd", name());
    ZSTD_outBuffer out = {into.data(), into.size(), 0};
    while (out.pos == 0 && out.size > 0) {
      const Result<bool> has_more = input_.fill();
      if (!has_more) return fail(has_more.error());
      // Without input the decoder may still hold output of the block before.
      ZSTD_inBuffer in = {input_.unread().data(), input_.unread().size(), 0};
      if (!*has_more && wanted_ == 0) return std::size_t{0};
      const std::size_t status = ZSTD_decompressStream(state_, &out, &in);
      input_.advance(in.pos);
      if (ZSTD_isError(status) != 0) {
        return input_.damaged("zstd", ZSTD_getErrorName(status), "zstd -dc");
      }
      wanted_ = status;
      if (!*has_more && out.pos == 0 && wanted_ != 0) {
        return input_.damaged("zstd", "it is cut off", "zstd -dc");
      }
    }
    return out.pos;
  }

 private:
  Input input_;
  ZSTD_DStream* state_;
  std::size_t wanted_ = 0;  // bytes the frame still wants; 0 = between frames
};

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b\x08"); }

bool is_zstd(std::string_view head) {
  if (head.size() < kMagic) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(head[i]); };
  const bool is_frame = head.starts_with("\x28\xb5\x2f\xfd");
  const bool is_skippable =
      (byte(0) & 0xf0U) == 0x50 && byte(1) == 0x2a && byte(2) == 0x4d && byte(3) == 0x18;
  return is_frame || is_skippable;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> raw) {
  char head[kMagic];
  std::size_t count = 0;
  while (count < kMagic) {
    const Result<std::size_t> got = raw->read({head + count, kMagic - count});
    if (!got) return fail(got.error());
    if (*got == 0) break;
    count += *got;
  }
  const std::string_view seen(head, count);
  auto whole = std::make_unique<PeekedSource>(std::move(raw), seen);
  if (is_gzip(seen)) return std::make_unique<GzipSource>(std::move(whole));
  if (is_zstd(seen)) return std::make_unique<ZstdSource>(std::move(whole));
  return whole;
}

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  if (path == "-") {
    return decompressed(std::make_unique<FileSource>(STDIN_FILENO, "-", std::nullopt));
  }
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(system_error("cannot open", errno, path));
  struct stat info = {};
  std::optional<std::uint64_t> size;
  if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode)) {
    size = static_cast<std::uint64_t>(info.st_size);
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  auto file = std::make_unique<FileSource>(descriptor, path, size);
  if (S_ISDIR(info.st_mode)) {
    return fail("is a folder, not a log", path, "name a file in it");
  }
  return decompressed(std::move(file));
}

std::unique_ptr<ByteSource> memory_source(std::string bytes, std::string name) {
  return std::make_unique<MemorySource>(std::move(bytes), std::move(name));
}

}  // namespace assay::trace
