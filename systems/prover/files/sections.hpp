// SPDX-License-Identifier: Apache-2.0
// The container of .zkey, .wtns and .r1cs files: 4 bytes of magic, u32 version, u32 number of
// sections, then for each section u32 id, u64 size and its bytes; little-endian, in any order.
// Source: iden3's binfileutils and the documentation of the r1cs format (r1csfile).
//
// The table is walked once, and nothing is believed: each size is compared with what is left of the
// file before it is used, no id may come twice, and the last section ends where the file ends.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prover/base/result.hpp"
#include "prover/files/mapped_file.hpp"

namespace prover::files {

struct SectionName {
  std::uint32_t id;
  std::string_view name;
  bool required;
};

// What a kind of file looks like. Sections that `names` does not know are allowed. `names` must
// outlive the tables made with it.
struct Format {
  std::string_view magic;  // 4 bytes
  std::uint32_t version;
  std::string_view made_by;  // a hint: who writes such files
  std::span<const SectionName> names;
};

struct Section {
  std::uint32_t id = 0;
  std::uint64_t offset = 0;  // of its first byte, from the start of the file
  Bytes bytes;
};

inline constexpr std::uint32_t kMostSections = 64;

// The table of one file. It points into the bytes it was made from.
class SectionTable {
 public:
  // `path` is only for messages.
  static Result<SectionTable> parse(Bytes file, std::string path, const Format& format);

  const Section* find(std::uint32_t id) const;
  // A section that the format requires, so that it is there.
  const Section& at(std::uint32_t id) const;
  const std::vector<Section>& all() const { return sections_; }
  const std::string& path() const { return path_; }
  std::string_view name_of(std::uint32_t id) const;

  // Where a byte of a section lies, for Error.where: "k.zkey: section 4 (coefficients), offset
  // 1234". The offset shown counts from the start of the file, as hexdump does;
  // `offset_in_section` from the start of the section.
  std::string where(std::uint32_t id, std::uint64_t offset_in_section = 0) const;

 private:
  Result<std::uint32_t> parse_head(Bytes file, const Format& format) const;
  Result<void> add_section(Bytes file, std::uint64_t& at);
  std::string label(std::uint32_t id) const;

  std::string path_;  // printable
  std::span<const SectionName> names_;
  std::vector<Section> sections_;
};

// Little-endian, at any alignment; the caller has checked the size.
std::uint32_t load_u32(const std::byte* at);
std::uint64_t load_u64(const std::byte* at);

}  // namespace prover::files
