// SPDX-License-Identifier: Apache-2.0
// Any bytes as a compressed file: what comes out does not depend on the size of the reads, or the
// error has a place.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "trace/source.hpp"

namespace {

// The first bytes that come out, and whether it ended in an error.
std::string drain(const std::string& bytes, std::size_t piece, bool* failed) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::string all;
  *failed = false;
  auto source = assay::trace::decompressed(assay::trace::memory_source(bytes, "f"));
  ASSAY_CHECK(source, "memory can be read");
  std::vector<char> block(piece);
  while (all.size() < kMost) {
    const auto got = (*source)->read(block);
    if (!got) {
      ASSAY_CHECK(got.error().where.starts_with("f: offset "), "an error says where");
      *failed = true;
      break;
    }
    if (*got == 0) break;
    ASSAY_CHECK(*got <= piece, "no more than asked for");
    all.append(block.data(), *got);
  }
  all.resize(std::min(all.size(), kMost));
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  bool failed = false, failed_too = false;
  const std::string whole = drain(bytes, 65536, &failed);
  const std::string pieces = drain(bytes, 777, &failed_too);
  // A damaged stream may give up at another byte.
  if (!failed && !failed_too) {
    ASSAY_CHECK(whole == pieces, "the size of the reads does not matter");
  }
  return 0;
}
