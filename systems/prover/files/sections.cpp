// SPDX-License-Identifier: Apache-2.0
#include "prover/files/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "prover/base/text.hpp"
#include "prover/files/kinds.hpp"

namespace prover::files {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kHeaderBytes = 12;  // of the file and of each section
constexpr char kTorn[] = "the file was cut short or damaged: make or copy it again";

std::string magic_of(Bytes file) {
  return printable({reinterpret_cast<const char*>(file.data()), 4});
}

std::string listed(const SectionName& section) {
  return fmt::format("section {} ({})", section.id, section.name);
}

}  // namespace

std::uint32_t load_u32(const std::byte* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint64_t load_u64(const std::byte* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Result<std::uint32_t> SectionTable::parse_head(Bytes file, const Format& format) const {
  const FileKind is = kind_of_file(file);
  const FileKind wanted = kind_of_magic(format.magic);
  if (is != FileKind::unknown && wanted != FileKind::unknown && is != wanted)
    return wrong_kind(is, wanted, path_, format.made_by);
  if (file.size() < kHeaderBytes)
    return fail(
        ErrorKind::usage,
        fmt::format("the file has {} bytes, too few for any {} file", file.size(), format.magic),
        path_, kTorn);
  const std::string magic = magic_of(file);
  if (magic != format.magic)
    return fail(ErrorKind::usage,
                fmt::format("this is no {} file: it begins with '{}'", format.magic, magic), path_,
                std::string(format.made_by));
  const std::uint32_t version = load_u32(file.data() + 4);
  if (version != format.version)
    return fail(ErrorKind::usage,
                fmt::format("version {} of the {} format is not known", version, format.magic),
                path_, fmt::format("version {} is; {}", format.version, format.made_by));
  const std::uint32_t count = load_u32(file.data() + 8);
  if (count == 0 || count > kMostSections)
    return fail(
        ErrorKind::usage,
        fmt::format("the header says {} sections; a file has 1 to {}", count, kMostSections), path_,
        kTorn);
  return count;
}

Result<void> SectionTable::add_section(Bytes file, std::uint64_t& at) {
  const std::uint64_t left = file.size() - at;
  if (left < kHeaderBytes)
    return fail(
        ErrorKind::usage,
        fmt::format("the file ends within the head of its {}. section", sections_.size() + 1),
        fmt::format("{}: offset {}", path_, at), kTorn);
  const std::uint32_t id = load_u32(file.data() + at);
  const std::uint64_t size = load_u64(file.data() + at + 4);
  const std::string where = fmt::format("{}: section {}, offset {}", path_, label(id), at);
  if (size > left - kHeaderBytes)
    return fail(ErrorKind::usage,
                fmt::format("the section's head says {} bytes, and {} are left in the file", size,
                            left - kHeaderBytes),
                where, kTorn);
  if (const Section* first = find(id))
    return fail(
        ErrorKind::usage,
        fmt::format("the section is there twice, first at offset {}", first->offset - kHeaderBytes),
        where, "make the file again");
  at += kHeaderBytes;
  sections_.push_back({id, at, file.subspan(at, size)});
  at += size;
  return {};
}

Result<SectionTable> SectionTable::parse(Bytes file, std::string path, const Format& format) {
  SectionTable table;
  table.path_ = printable(path);
  table.names_ = format.names;
  const Result<std::uint32_t> count = table.parse_head(file, format);
  if (!count) return fail(count.error());
  table.sections_.reserve(*count);
  std::uint64_t at = kHeaderBytes;
  for (std::uint32_t i = 0; i < *count; ++i)
    if (Result<void> added = table.add_section(file, at); !added) return fail(added.error());
  if (at != file.size())
    return fail(ErrorKind::usage, fmt::format("{} bytes follow the last section", file.size() - at),
                fmt::format("{}: offset {}", table.path_, at),
                "something was appended or the header is damaged: make or copy the file again");
  for (const SectionName& name : format.names)
    if (name.required && table.find(name.id) == nullptr)
      return fail(ErrorKind::usage, fmt::format("{} is missing", listed(name)), table.path_,
                  std::string(format.made_by));
  return table;
}

const Section* SectionTable::find(std::uint32_t id) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [id](const Section& section) { return section.id == id; });
  return found == sections_.end() ? nullptr : &*found;
}

const Section& SectionTable::at(std::uint32_t id) const {
  const Section* const section = find(id);
  PROVER_CHECK(section != nullptr, "a section that the format requires");
  return *section;
}

std::string_view SectionTable::name_of(std::uint32_t id) const {
  for (const SectionName& name : names_)
    if (name.id == id) return name.name;
  return "not known";
}

std::string SectionTable::label(std::uint32_t id) const {
  return fmt::format("{} ({})", id, name_of(id));
}

std::string SectionTable::where(std::uint32_t id, std::uint64_t offset_in_section) const {
  const Section* const section = find(id);
  const std::uint64_t start = section == nullptr ? 0 : section->offset;
  return fmt::format("{}: section {}, offset {}", path_, label(id), start + offset_in_section);
}

}  // namespace prover::files
