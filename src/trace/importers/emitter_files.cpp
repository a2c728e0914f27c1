// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/emitter_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <assay/trace_format.hpp>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "trace/importers/emitter_builder.hpp"

namespace assay::trace {
namespace {

namespace format = emit::format;
using format::ChunkHeader;
using format::ChunkKind;
using format::FileHeader;
using format::Slot;

constexpr std::size_t kBuffer = std::size_t{64} << 10;
constexpr std::uint32_t kLargestHeader = std::uint32_t{1} << 20;  // a page of any machine

// Bytes of a source, counted. Never holds more than the buffer.
class Bytes {
 public:
  Bytes(ByteSource& source, const ImportOptions& options, std::uint64_t read_before)
      : source_(source), options_(options), read_before_(read_before), buffer_(kBuffer) {}

  std::uint64_t offset() const { return offset_; }  // of the next byte in the file
  std::string where() const { return fmt::format("{}: offset {}", source_.name(), offset_); }
  std::uint64_t read_so_far() const { return read_; }

  // The next `count` (<= kBuffer / 2) bytes into `into`; false at the end of the file before them.
  Result<bool> take(void* into, std::size_t count) {
    const Result<bool> there = fill(count);
    if (!there || !*there) return there;
    std::memcpy(into, buffer_.data() + begin_, count);
    begin_ += count;
    offset_ += count;
    return true;
  }
  Result<bool> skip(std::uint64_t count) {
    while (count > 0) {
      const Result<bool> there = fill(1);
      if (!there || !*there) return there;
      const std::uint64_t step = std::min<std::uint64_t>(count, end_ - begin_);
      begin_ += static_cast<std::size_t>(step);
      offset_ += step;
      count -= step;
    }
    return true;
  }

 private:
  Result<bool> fill(std::size_t count) {
    while (end_ - begin_ < count) {
      if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
      }
      const auto got = source_.read({buffer_.data() + end_, buffer_.size() - end_});
      if (!got) return fail(got.error());
      if (*got == 0) return false;
      end_ += *got;
      read_ += *got;
      if (read_before_ + read_ > options_.most_bytes) {
        return fail(
            fmt::format("longer than {}", format_bytes(static_cast<double>(options_.most_bytes))),
            where(), "record less: ASSAY_EVENTS_LIMIT bounds a process's file");
      }
      if (options_.progress && !options_.progress(read_before_ + read_)) {
        return fail("interrupted", where());
      }
    }
    return true;
  }

  ByteSource& source_;
  const ImportOptions& options_;
  std::uint64_t read_before_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // unread bytes of buffer_
  std::uint64_t offset_ = 0, read_ = 0;
};

Result<FileHeader> read_header(Bytes& bytes, const std::string& name) {
  FileHeader header = {};
  const Result<bool> there = bytes.take(static_cast<void*>(&header), sizeof header);
  if (!there) return fail(there.error());
  if (!*there || header.magic != format::kFileMagic) {
    return fail("is no event file", fmt::format("{}: offset 0", name),
                "ASSAY_EVENTS names the folder where programs with assay/trace.hpp leave them");
  }
  if (header.version != format::kVersion || header.slot_bytes != sizeof(Slot)) {
    return fail(fmt::format("an event file of version {}; this assay reads version {}",
                            header.version, format::kVersion),
                fmt::format("{}: offset 8", name), "use the assay that came with its trace.hpp");
  }
  if (header.header_bytes < sizeof header || header.header_bytes > kLargestHeader ||
      header.header_bytes % 8 != 0) {
    return fail(fmt::format("the header says that it has {} bytes", header.header_bytes),
                fmt::format("{}: offset 12", name), "the file is damaged");
  }
  return header;
}

class FileReader {
 public:
  FileReader(ByteSource& source, const ImportOptions& options, EmitterBuilder& builder)
      : bytes_(source, options, builder.trace().bytes_read),
        name_(source.name()),
        builder_(builder) {}

  Result<void> read() {
    const Result<FileHeader> header = read_header(bytes_, name_);
    if (!header) return fail(header.error());
    if (const auto begun = builder_.begin_file(*header, name_); !begun) return begun;
    Result<bool> going_on = bytes_.skip(header->header_bytes - sizeof *header);
    while (going_on && *going_on) going_on = chunk();
    if (!going_on) return fail(going_on.error());
    builder_.end_file();
    builder_.trace().bytes_read += bytes_.read_so_far();
    return {};
  }

 private:
  // One chunk; false = there are no more.
  Result<bool> chunk() {
    ChunkHeader header = {};
    const std::uint64_t at = bytes_.offset();
    Result<bool> there = bytes_.take(static_cast<void*>(&header), sizeof header);
    if (!there || !*there || header.magic == 0) return there ? Result<bool>(false) : there;
    if (header.magic != format::kChunkMagic || header.bytes < sizeof header ||
        header.bytes % 8 != 0) {
      damaged(at, "is no chunk: what follows was not read");
      return false;
    }
    const std::uint64_t body = header.bytes - sizeof header;
    if (header.kind == ChunkKind::slots) {
      builder_.begin_chunk(header.dropped);
      there = slots(body);
    } else if (header.kind == ChunkKind::names) {
      there = names(body);
    } else {
      builder_.trace().lose(Loss::unknown_record);
    }
    if (there && *there) there = bytes_.skip(at + header.bytes - bytes_.offset());
    if (there && !*there) damaged(bytes_.offset(), "the file ends within a chunk");
    return there;
  }

  Result<bool> slots(std::uint64_t left) {
    for (; left >= sizeof(Slot); left -= sizeof(Slot)) {
      Slot slot = {};
      const Result<bool> there = bytes_.take(static_cast<void*>(&slot), sizeof slot);
      if (!there || !*there) return there;
      if (slot.head == 0) break;
      builder_.slot(slot);
    }
    return true;
  }

  Result<bool> names(std::uint64_t left) {
    while (left >= sizeof(std::uint64_t)) {
      const std::uint64_t at = bytes_.offset();
      std::uint64_t head = 0;
      Result<bool> there = bytes_.take(&head, sizeof head);
      if (!there || !*there || head == 0) return there;
      const std::uint64_t size = head >> 32;
      const std::uint64_t record = format::name_record_bytes(size);
      if (size > format::kLongestName || record > left) {
        damaged(at, "a name longer than its chunk: its chunk's other names are lost");
        return true;
      }
      std::string text(static_cast<std::size_t>(record - sizeof head), '\0');
      there = bytes_.take(text.data(), text.size());
      if (!there || !*there) return there;
      text.resize(static_cast<std::size_t>(size));
      if (!builder_.name(static_cast<std::uint32_t>(head), text)) {
        builder_.trace().lose(Loss::malformed_record);
      }
      left -= record;
    }
    return true;
  }

  void damaged(std::uint64_t offset, std::string_view what) {
    builder_.trace().lose(Loss::malformed_record);
    builder_.trace().warn(TraceWarningKind::torn, fmt::format("{}: offset {}: {}; was it copied "
                                                              "while the program ran?",
                                                              printable(name_), offset, what));
  }

  Bytes bytes_;
  std::string name_;
  EmitterBuilder& builder_;
};

class EmitterImporter final : public Importer {
 public:
  std::string_view name() const override { return "emitter"; }
  std::string_view caveat() const override {
    return "what did not fit into the program's ring was dropped: its number is known, no more";
  }
  int sniff(std::string_view head) const override {
    std::uint64_t magic = 0;
    if (head.size() < sizeof magic) return 0;
    std::memcpy(&magic, head.data(), sizeof magic);
    return magic == format::kFileMagic ? 100 : 0;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    EmitterBuilder builder;
    const Result<void> done = FileReader(source, options, builder).read();
    if (!done) return fail(done.error());
    Trace trace = builder.finish();
    trace.source = source.name();
    return trace;
  }
};

// Whose file it is: pid, start and boot. Nothing for what is no event file.
std::optional<std::string> process_of(ByteSource& source) {
  std::array<char, offsetof(format::FileHeader, realtime_ns)> head;
  std::size_t have = 0;
  while (have < head.size()) {
    const auto got = source.read(std::span(head).subspan(have));
    if (!got || *got == 0) return std::nullopt;
    have += *got;
  }
  std::uint64_t magic = 0;
  std::memcpy(&magic, head.data(), sizeof magic);
  if (magic != format::kFileMagic) return std::nullopt;
  return std::string(head.data() + offsetof(format::FileHeader, pid),
                     head.size() - offsetof(format::FileHeader, pid));
}

}  // namespace

const Importer& emitter_importer() {
  static const EmitterImporter importer;
  return importer;
}

Result<Trace> read_emitter_files(
    std::size_t count, const std::function<Result<std::unique_ptr<ByteSource>>(std::size_t)>& open,
    const ImportOptions& options) {
  EmitterBuilder builder;
  std::set<std::string> processes;
  std::size_t read = 0;
  std::optional<Error> first;  // of the files that are none
  for (std::size_t i = 0; i < count; ++i) {
    const auto probe = open(i);
    if (!probe) return fail(probe.error());
    // A copy of a file would count its process twice.
    if (const auto process = process_of(**probe); process && !processes.insert(*process).second) {
      builder.trace().warn(TraceWarningKind::duplicate_keys,
                           fmt::format("{} is of the same process as a file before it: not read",
                                       printable((*probe)->name())));
      continue;
    }
    const auto source = open(i);
    if (!source) return fail(source.error());
    const Result<void> done = FileReader(**source, options, builder).read();
    if (done) {
      ++read;
      continue;
    }
    if (options.progress && !options.progress(0)) return fail(done.error());
    builder.trace().warn(TraceWarningKind::other, "not read: " + done.error().to_text());
    if (!first) first = done.error();
  }
  if (read == 0 && first) return fail(*first);
  return builder.finish();
}

}  // namespace assay::trace
