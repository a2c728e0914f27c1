// SPDX-License-Identifier: Apache-2.0
// Any bytes as an event file, read whole and in small pieces: the same spans, which keep the rules
// of the event model. What is not an event file at all gets a good header, so that the chunks are
// reached.
#include <assay/trace_format.hpp>
#include <cstring>

#include "trace/importers/emitter_files.hpp"
#include "trace_fuzz.hpp"

namespace {

std::string with_header(std::string bytes) {
  using namespace assay::emit::format;
  FileHeader header = {};
  header.magic = kFileMagic;
  header.version = kVersion;
  header.header_bytes = sizeof header;
  header.slot_bytes = sizeof(Slot);
  header.clock = bytes.size() % 2 == 0 ? Clock::tsc : Clock::monotonic;
  header.pairs[1] = {3000, 1000};
  header.latest = 1;
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (assay::trace::emitter_importer().sniff(bytes) == 0) bytes = with_header(std::move(bytes));
  const auto run = assay::fuzz::import(assay::trace::emitter_importer(), bytes);
  assay::fuzz::check_pieces(assay::trace::emitter_importer(), bytes, run);
  return 0;
}
