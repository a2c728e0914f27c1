// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/otlp.hpp"

#include <gtest/gtest.h>

#include "trace/importers/importer_lines.hpp"
#include "trace/importers/json_window.hpp"
#include "trace/rules.hpp"

namespace assay::trace {
namespace {

using testing::import;
using testing::Lines;
using testing::spans_of;

std::string resource(const std::string& service, const std::string& spans) {
  return R"({"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"h"}},)"
         R"({"key":"service.name","value":{"stringValue":")" +
         service + R"("}}]},"scopeSpans":[{"scope":{"name":"s"},"spans":[)" + spans + "]}]}";
}

std::string span(const std::string& trace, const std::string& id, const std::string& parent,
                 const std::string& name, const std::string& begin, const std::string& end,
                 const std::string& more = "") {
  return R"({"traceId":")" + trace + R"(","spanId":")" + id + R"(","parentSpanId":")" + parent +
         R"(","name":")" + name + R"(","startTimeUnixNano":")" + begin +
         R"(","endTimeUnixNano":")" + end + "\"" + more + "}";
}

constexpr const char* kStart = "1700000000000000000";

TEST(OtlpImporter, LinesAndOneDocumentAreTheSame) {
  const std::string a =
      resource("web", span("t1", "a", "", "GET /", kStart, "1700000000000005000"));
  const std::string b = resource(
      "db", span("t1", "b", "a", "que\\\"ry", "1700000000000001000", "1700000000000002000") + "," +
                span("t2", "c", "0000", "GET /", kStart, "1700000000000000001"));
  const Lines expected = {"web / GET / service 0..5000 trace t1 exact -",
                          "db / que\"ry service 1000..2000 trace t1 exact -",
                          "db / GET / service 0..1 trace t2 exact -"};
  for (const std::string& text :
       {"{\"resourceSpans\":[" + a + "]}\n{\"resourceSpans\":[" + b + "]}\n",
        "{\"x\":[{}],\"resourceSpans\":[" + a + "," + b + "],\"y\":1}",
        "{\"resource_spans\" : [\n" + a + " ,\n" + b + "\n] }\n"}) {
    const auto run = import(otlp_importer(), text);
    ASSERT_TRUE(run) << run.error().to_text();
    EXPECT_EQ(spans_of(*run), expected) << text;
    EXPECT_EQ(run->clock.epoch_ns, 1700000000000000000);
    ASSERT_EQ(run->links.size(), 1U);
    EXPECT_EQ(run->links[0].from, 0U);
    EXPECT_EQ(run->links[0].to, 1U);
    EXPECT_TRUE(run->warnings.empty());
    for (const std::uint64_t lost : run->losses) EXPECT_EQ(lost, 0U);
  }
}

TEST(OtlpImporter, TheServiceMayComeBehindItsSpans) {
  const auto run =
      import(otlp_importer(), "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" +
                                  span("t", "a", "", "f", "1", "2") +
                                  "]}],\"resource\":{\"attributes\":[{\"key\":\"service.name\","
                                  "\"value\":{\"stringValue\":\"w\"}}]}},"
                                  "{\"scopeSpans\":[{\"spans\":[" +
                                  span("t", "b", "", "f", "1", "2") + "]}]}]}");
  ASSERT_TRUE(run);
  EXPECT_EQ(spans_of(*run),
            (Lines{"w / f service 0..1 trace t exact -", "f service 0..1 trace t exact -"}));
}

TEST(OtlpImporter, ItemsEventsStatusAndMissingParents) {
  Rules rules;
  rules.item = {"attributes.job", "part"};
  const std::string more =
      R"(,"attributes":[{"key":"job","value":{"stringValue":"j1"}},{"key":"part","value":{"intValue":"7"}}],)"
      R"("events":[{"timeUnixNano":"1700000000000000500","name":"retry"}],"status":{"code":2})";
  const auto run = import(
      otlp_importer(),
      "{\"resourceSpans\":[" +
          resource("w", span("t", "a", "gone", "f", kStart, "1700000000000001000", more)) + "]}",
      &rules);
  ASSERT_TRUE(run);
  EXPECT_EQ(spans_of(*run), Lines{"w / f service 0..1000 trace t exact j1/7"});
  ASSERT_EQ(run->instants.size(), 1U);
  EXPECT_EQ(run->instants.at[0], 500);
  ASSERT_EQ(run->warnings.size(), 2U);
  EXPECT_NE(run->warnings[0].text.find("parent"), std::string::npos);
  EXPECT_NE(run->warnings[1].text.find("status ERROR"), std::string::npos);
}

TEST(OtlpImporter, LossIsCountedByKind) {
  const std::string good = span("t", "z", "", "f", "1", "2");
  const struct {
    const char* name;
    std::string spans;
    Loss loss;
    std::size_t left;
  } cases[] = {
      {"written twice", good + "," + good, Loss::duplicate, 1},
      {"no begin", R"({"traceId":"t","spanId":"q"},)" + good, Loss::malformed_record, 1},
      {"begin is no number", span("t", "q", "", "f", "x", "2") + "," + good, Loss::bad_field, 1},
      {"begin is 0", span("t", "q", "", "f", "0", "2") + "," + good, Loss::bad_field, 1},
      {"begin is negative", span("t", "q", "", "f", "-5", "2") + "," + good, Loss::bad_field, 1},
      {"end is too large", span("t", "q", "", "f", "1", "99999999999999999999") + "," + good,
       Loss::bad_field, 1},
      {"ends before", span("t", "q", "", "f", "5", "2") + "," + good, Loss::negative_span, 1},
      {"not ended", span("t", "q", "", "f", "1", "0") + "," + good, Loss::missing_end, 2},
      {"not objects", "1,[2],null," + good, Loss::malformed_record, 1},
      {"broken object", "{\"a\" 5}," + good, Loss::malformed_record, 1},
      {"invalid UTF-8", span("t", "q", "", "\xff", "1", "2") + "," + good, Loss::bad_bytes, 2},
      {"no ids", R"({"name":"f","startTimeUnixNano":"1","endTimeUnixNano":2},)" + good,
       Loss::bad_field, 2},
      {"longer than the window",
       span("t", "q", "", std::string(json::JsonWindow::kLongest + 1, '{'), "1", "2") + "," + good,
       Loss::long_line, 1},
  };
  for (const auto& c : cases) {
    const auto run =
        import(otlp_importer(), "{\"resourceSpans\":[" + resource("w", c.spans) + "]}");
    ASSERT_TRUE(run) << c.name;
    EXPECT_GE(run->lost(c.loss), 1U) << c.name;
    EXPECT_EQ(run->spans.size(), c.left) << c.name;
  }
  const std::string whole = "{\"resourceSpans\":[" + resource("w", good) + "]}";
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const auto run = import(otlp_importer(), whole.substr(0, length));
    if (!run) continue;
    EXPECT_EQ(run->lost(Loss::torn_line), 1U) << length;
  }
}

TEST(OtlpImporter, WhatHasNoSpansIsAnError) {
  for (const char* text :
       {"", "[]", "{}", "{\"resourceLogs\":[]}", "hello", "{\"resourceSpans\""}) {
    EXPECT_FALSE(import(otlp_importer(), text)) << text;
  }
  EXPECT_EQ(otlp_importer().sniff("{\"resourceSpans\":["), 95);
  EXPECT_EQ(otlp_importer().sniff("{\"traceEvents\":["), 0);
}

}  // namespace
}  // namespace assay::trace
