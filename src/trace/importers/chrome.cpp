// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/chrome.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trace/importers/chrome_builder.hpp"
#include "trace/importers/json_scan.hpp"
#include "trace/importers/json_window.hpp"
#include "trace/rules.hpp"

namespace assay::trace {
namespace {

class Reader {
 public:
  Reader(ByteSource& source, const ImportOptions& options)
      : source_(source),
        window_(source, options),
        builder_(options.rules != nullptr ? options.rules->item : std::vector<std::string>{}) {}

  Result<Trace> read() {
    const Result<void> done = read_document();
    if (!done) return fail(done.error());
    if (!has_events_) {
      return fail("holds no \"traceEvents\", so it is not a Chrome trace", source_.name(),
                  "--format names the format when it is not recognised");
    }
    const Result<char> next = window_.peek();
    if (!next) return fail(next.error());
    if (window_.at < window_.end) {
      builder_.trace().warn(
          TraceWarningKind::other,
          fmt::format("the document ends at offset {}; what follows was not read: split the file "
                      "there",
                      window_.offset()));
    }
    Trace& trace = builder_.trace();
    trace.source = source_.name();
    trace.format = "chrome";
    trace.bytes_read = window_.bytes();
    trace.lost(Loss::long_line) += window_.long_values();
    return builder_.finish(decimals_);
  }

 private:
  Result<void> read_document() {
    Result<char> first = window_.peek();
    if (!first) return fail(first.error());
    if (*first == '\xef') {
      // A byte order mark.
      while (window_.end - window_.at < 3) {
        const Result<bool> has_more = window_.more();
        if (!has_more) return fail(has_more.error());
        if (!*has_more) break;
      }
      window_.at = std::min(window_.at + 3, window_.end);
      first = window_.peek();
      if (!first) return fail(first.error());
    }
    if (*first == '[') {
      ++window_.at;
      return read_events();
    }
    if (*first == '{') {
      ++window_.at;
      return read_members();
    }
    return fail("is not a Chrome trace: it begins neither with '[' nor with '{'",
                fmt::format("{}: offset {}", source_.name(), window_.offset()),
                "--format names the format when it is not recognised");
  }

  // The members of the outermost object.
  Result<void> read_members() {
    for (;;) {
      const Result<char> next = window_.peek();
      if (!next) return fail(next.error());
      if (window_.at == window_.end) {
        // Cut off behind the events: nothing of the trace is lost.
        return {};
      }
      if (*next == ',') {
        ++window_.at;
        continue;
      }
      if (*next == '}') {
        ++window_.at;
        return {};
      }
      const Result<void> done = *next == '"' ? read_member() : skip_malformed();
      if (!done) return done;
    }
  }

  Result<void> read_member() {
    const auto written = window_.value();
    if (!written) return fail(written.error());
    if (!*written) return {};
    const std::string key((**written).substr(1, (**written).size() - 2));
    const Result<char> colon = window_.peek();
    if (!colon) return fail(colon.error());
    if (*colon != ':') {
      ++builder_.trace().lost(Loss::malformed_record);
      return {};
    }
    ++window_.at;
    const Result<char> first = window_.peek();
    if (!first) return fail(first.error());
    if (key == "traceEvents" && *first == '[') {
      ++window_.at;
      return read_events();
    }
    if (key == "baseTimeNanoseconds" || key == "otherData") {
      const auto value = window_.value();
      if (!value) return fail(value.error());
      if (*value) note_member(key, **value);
      return {};
    }
    const Result<bool> skipped = window_.skip();
    if (!skipped) return fail(skipped.error());
    return {};
  }

  void note_member(std::string_view key, std::string_view value) {
    if (key == "otherData") {
      if (json::member(value, "writer") == "\"assay\"") builder_.set_own();
      return;
    }
    Nanos base = 0;
    int decimals = 0;
    if (json::scan_fixed<0>(value.data(), base, decimals) != nullptr) builder_.set_base_time(base);
  }

  // The elements of the array, up to its ']' or the end of the input.
  Result<void> read_events() {
    has_events_ = true;
    ChromeEvent event;
    for (;;) {
      const char* p = json::skip_space(window_.at);
      while (*p == ',') p = json::skip_space(p + 1);
      const char* begin = p;
      if (p < window_.end && *p == '{') {
        const Scan scan = scan_chrome_event(p, window_.end, event, decimals_);
        if (scan == Scan::complete) {
          window_.at = p;
          // {} is put behind the last comma by some writers.
          const bool is_filler = event.phase == 0 && p - begin <= 3;
          if (!is_filler) builder_.add(event);
          continue;
        }
        window_.at = begin;
        const Result<bool> goes_on = scan == Scan::malformed ? skip_event() : continue_event();
        if (!goes_on) return fail(goes_on.error());
        if (!*goes_on) return {};
        continue;
      }
      window_.at = std::min(begin, window_.end);
      if (window_.at < window_.end && *begin == ']') {
        ++window_.at;
        return {};
      }
      if (window_.at < window_.end) {
        const Result<void> skipped = skip_malformed();
        if (!skipped) return skipped;
        continue;
      }
      make_room();
      const Result<bool> has_more = window_.more();
      if (!has_more) return fail(has_more.error());
      if (!*has_more) return {};
    }
  }

  // More input for an event that goes beyond the window. False at the end of the input.
  Result<bool> continue_event() {
    make_room();
    const Result<bool> has_more = window_.more();
    if (!has_more || *has_more) return has_more;
    if (window_.is_full()) {
      window_.count_long_value();
      return skip_torn();
    }
    ++builder_.trace().lost(Loss::torn_line);
    window_.at = window_.end;
    return false;
  }

  // An event that breaks the rules of JSON: its brackets still tell where it ends.
  Result<bool> skip_event() {
    ++builder_.trace().lost(Loss::malformed_record);
    return skip_torn();
  }

  Result<bool> skip_torn() {
    const Result<bool> is_whole = window_.skip();
    if (is_whole && !*is_whole) ++builder_.trace().lost(Loss::torn_line);
    return is_whole;
  }

  // What is no event and no member.
  Result<void> skip_malformed() {
    ++builder_.trace().lost(Loss::malformed_record);
    const char c = *window_.at;
    if (c == '}' || c == ']' || c == ':' || c == ',') {
      ++window_.at;
      return {};
    }
    const Result<bool> skipped = window_.skip();
    if (!skipped) return fail(skipped.error());
    return {};
  }

  // Columns of the size that the first window makes likely, so that they need not be moved.
  void make_room() {
    constexpr std::size_t kMost = std::size_t{1} << 24;
    const std::size_t count = builder_.trace().spans.size();
    if (has_room_ || count < 1000 || !source_.size()) return;
    has_room_ = true;
    const double per_byte = static_cast<double>(count) / static_cast<double>(window_.offset());
    const double expected = per_byte * static_cast<double>(*source_.size()) * 1.02;
    builder_.trace().spans.reserve(
        static_cast<std::size_t>(std::min(expected, static_cast<double>(kMost))));
  }

  ByteSource& source_;
  json::JsonWindow window_;
  ChromeBuilder builder_;
  int decimals_ = 0;
  bool has_events_ = false, has_room_ = false;
};

class ChromeImporter : public Importer {
 public:
  std::string_view name() const override { return "chrome"; }
  std::string_view caveat() const override {
    return "a Chrome trace names no queues and no items: what a span waited for is known only "
           "where "
           "the program wrote it as a span, and asynchronous spans have no worker";
  }
  int sniff(std::string_view head) const override {
    if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return 0;
    const auto has = [&](std::string_view text) {
      return head.find(text) != std::string_view::npos;
    };
    if (head[first] == '{') {
      if (has("\"traceEvents\"")) return 95;
      return has("\"deviceProperties\"") && has("\"schemaVersion\"") ? 80 : 0;
    }
    if (head[first] != '[') return 0;
    if (has("\"ph\"") && (has("\"ts\"") || has("\"pid\""))) return 90;
    return 0;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    return Reader(source, options).read();
  }
};

}  // namespace

const Importer& chrome_importer() {
  static const ChromeImporter importer;
  return importer;
}

}  // namespace assay::trace
