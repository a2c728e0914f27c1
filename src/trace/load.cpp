// SPDX-License-Identifier: Apache-2.0
#include "trace/load.hpp"

#include "trace/source.hpp"

namespace assay::trace {

Result<Trace> load_trace(const std::string& path, const std::string& format,
                         const ImportOptions& options) {
  const auto source = open_source(path);
  if (!source) return fail(source.error());
  return import_run(**source, format, options);
}

}  // namespace assay::trace
