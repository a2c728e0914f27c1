// SPDX-License-Identifier: Apache-2.0
#include "cli/read_log.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/system.hpp"
#include "base/text.hpp"
#include "trace/importer.hpp"
#include "trace/importers/text.hpp"
#include "trace/load.hpp"
#include "trace/source.hpp"
#include "trace/topology.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kQuietFor{1000};  // short reads show nothing
constexpr std::chrono::milliseconds kRefresh{200};

// Bytes to come, where they can be told: not of streams, and not of compressed files, whose reading
// counts what comes out.
std::optional<double> size_of(const std::string& path) {
  if (path.ends_with(".gz") || path.ends_with(".zst")) return std::nullopt;
  std::error_code status;
  if (!fs::is_regular_file(path, status)) return std::nullopt;
  const auto size = fs::file_size(path, status);
  if (status || size == 0) return std::nullopt;
  return static_cast<double>(size);
}

class Meter {
 public:
  Meter(const std::string& path, Terminal& terminal)
      : path_(shorten(printable(path), 40)), size_(size_of(path)), terminal_(terminal) {}

  void tell(std::uint64_t bytes_read) {
    const auto now = Clock::now();
    if (!terminal_.err_is_terminal() || now - start_ < kQuietFor || now - last_ < kRefresh) return;
    last_ = now;
    const auto bytes = static_cast<double>(bytes_read);
    std::string line = fmt::format("reading {}: {}", path_, format_bytes(bytes));
    if (size_ && bytes > 0 && bytes <= *size_) {
      const double seconds = std::chrono::duration<double>(now - start_).count();
      line += fmt::format(" of {}, about {} left", format_bytes(*size_),
                          format_duration(seconds * (*size_ / bytes - 1)));
    }
    terminal_.progress(line);
  }

 private:
  std::string path_;
  std::optional<double> size_;
  Terminal& terminal_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

trace::ImportOptions options_with(Meter& meter, const trace::Rules* rules) {
  trace::ImportOptions options;
  options.rules = rules;
  options.progress = [&meter](std::uint64_t bytes_read) {
    meter.tell(bytes_read);
    return true;
  };
  return options;
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const trace::Importer* importer : trace::importers()) names.push_back(importer->name());
  return names;
}

}  // namespace

Flag format_flag() {
  return {.name = "format",
          .value = "NAME",
          .help = "read the log as this format (default: by its content)",
          .details = "'assay trace formats' says what each format can tell and what it cannot.",
          .group = "Reading",
          .choices = format_names(),
          .common = true};
}

Flag rules_flag() {
  return {.name = "rules",
          .value = "FILE",
          .help = "what the lines mean, and the topology that no log states",
          .details =
              "TOML; 'assay trace rules --suggest LOG' writes a first one from the log's own "
              "shape, 'assay trace rules --show timeline' prints those that are built in. "
              "With other formats only the topology counts.",
          .group = "Reading",
          .complete = Complete::file,
          .common = true};
}

Result<std::optional<trace::Rules>> rules_of(const Arguments& arguments, std::string_view option) {
  const auto path = arguments.value(option);
  if (!path) return std::optional<trace::Rules>();
  const auto text = System::real().read_file(*path);
  if (!text) return fail(text.error());
  auto rules = trace::parse_rules(*text, *path);
  if (!rules) return fail(rules.error());
  return std::optional(std::move(*rules));
}

Result<trace::Trace> read_log(const std::string& path, const std::string& format,
                              const std::optional<trace::Rules>& rules, Terminal& terminal) {
  Meter meter(path, terminal);
  auto run = trace::load_trace(path, format, options_with(meter, rules ? &*rules : nullptr));
  terminal.clear_progress();
  return run;
}

Result<trace::Trace> read_log_by_rules(const std::string& path, const trace::Rules& rules,
                                       std::vector<std::uint64_t>& matches, Terminal& terminal) {
  const auto source = trace::open_source(path);
  if (!source) return fail(source.error());
  Meter meter(path, terminal);
  auto run = trace::read_by_rules(**source, options_with(meter, &rules), rules, "rules", &matches);
  terminal.clear_progress();
  if (!run) return run;
  run->source = path;
  trace::lay_topology(*run, rules);
  trace::warn_of_losses(*run);
  return run;
}

Result<void> check_output(const std::optional<std::string>& output,
                          const std::vector<std::string>& inputs) {
  if (!output || *output == "-") return {};
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (input == "-" || !std::filesystem::equivalent(*output, input, ignored)) continue;
    return fail("the output would overwrite '" + printable(input) + "', which is read", *output,
                "name another file");
  }
  return {};
}

Result<void> check_repeated(const std::vector<std::string>& logs) {
  for (std::size_t i = 0; i < logs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code ignored;
      if (logs[i] == "-" || !std::filesystem::equivalent(logs[i], logs[j], ignored)) continue;
      return fail("this log is given twice on one side", logs[i],
                  "several logs are several runs: intervals over copies would mean nothing");
    }
  return {};
}

}  // namespace assay::cli
