// SPDX-License-Identifier: Apache-2.0
// The seam of importers: bytes in, a Trace out. One importer a format, one file an importer; each
// states its caveats, and counts what it loses in Trace::losses. Importers never touch files: a
// ByteSource does.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/events.hpp"

namespace assay::trace {

struct Rules;  // trace/rules.hpp

// Bytes in order. read() fills the front of `into` and returns how many bytes; 0 = the end, for
// good.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual const std::string& name() const = 0;  // for messages
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  // Uncompressed size when it is known beforehand.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
};

struct ImportOptions {
  const Rules* rules = nullptr;  // text formats: what to look for; all formats: the topology
  std::uint64_t most_bytes = std::uint64_t{64} << 30;  // after decompression; more is an error
  // Called now and then with the bytes read so far; false = stop (the import fails "interrupted").
  std::function<bool(std::uint64_t bytes_read)> progress = {};
};

class Importer {
 public:
  virtual ~Importer() = default;
  virtual std::string_view name() const = 0;    // "chrome", as --format takes it
  virtual std::string_view caveat() const = 0;  // one sentence: what this format cannot say
  // How sure this importer is that `head`, the first bytes of the input (<= 64 KiB), is its format:
  // 0 = no, 100 = certain.
  virtual int sniff(std::string_view head) const = 0;
  virtual Result<Trace> read(ByteSource& source, const ImportOptions& options) const = 0;
};

// Every importer, in the order in which equal sniffs win.
std::span<const Importer* const> importers();

// The importer that recognises content which begins with `head`; null when none does.
const Importer* recognise(std::string_view head);

// Reads `source` by the importer called `format`, or, when that is empty, by the one that
// recognises the content; options.rules without `format` means the rules importer. Afterwards the
// topology of the rules is laid over the run, settings named by it are resolved, and the losses
// become warnings. Errors: unknown format (with the nearest), unrecognised or binary content (with
// what was tried).
Result<Trace> import_run(ByteSource& source, const std::string& format,
                         const ImportOptions& options);

}  // namespace assay::trace
