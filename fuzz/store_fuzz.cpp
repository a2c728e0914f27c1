// SPDX-License-Identifier: Apache-2.0
// The store reader. Bytes that look like an SQLite file are opened as a store and read; all others
// are read as JSON by every reader of the model. Either ends in an error with text or in a value
// that is written the way it is read again.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "history/sqlite_store.hpp"
#include "model/codec.hpp"

namespace {

using assay::Json;

template <class Read>
void check_reader(const Json& json, Read read) {
  const auto value = read(json);
  if (!value) {
    ASSAY_CHECK(!value.error().what.empty(), "an error says what is wrong");
    return;
  }
  const std::string text = assay::to_json(*value).dump();
  const auto again = assay::parse_json(text);
  ASSAY_CHECK(again, "what is written parses");
  const auto same = read(*again);
  ASSAY_CHECK(same && assay::to_json(*same).dump() == text, "what is written reads the same");
}

void check_json(std::string_view bytes) {
  const auto json = assay::parse_json(bytes);
  if (!json) return;
  check_reader(*json, assay::plan_from_json);
  check_reader(*json, assay::host_from_json);
  check_reader(*json, assay::entry_from_json);
  check_reader(*json, assay::conclusion_from_json);
}

// In memory where the system has such a folder.
std::string scratch_file() {
  const std::filesystem::path memory = "/dev/shm";
  const auto folder =
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  return folder / ("assay-store-fuzz-" + std::to_string(getpid()) + ".db");
}

void check_file(std::string_view bytes) {
  static const std::string path = scratch_file();
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  {
    auto store = assay::history::SqliteStore::open(path, {std::chrono::milliseconds(0)});
    if (store) {
      if (const auto list = (*store)->list())
        for (const auto& summary : *list) static_cast<void>((*store)->load(summary.id));
      static_cast<void>((*store)->earlier_runs("", 0));
      static_cast<void>((*store)->floors("", "", 0));
      static_cast<void>((*store)->load("a"));
    } else {
      ASSAY_CHECK(!store.error().what.empty(), "an error says what is wrong");
    }
  }
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(path + suffix);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("SQLite format 3"))
    check_file(bytes);
  else
    check_json(bytes);
  return 0;
}
