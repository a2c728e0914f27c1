// SPDX-License-Identifier: Apache-2.0
#include "model/codec.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "base/random.hpp"
#include "model/words.hpp"

namespace assay {
namespace {

// Values of every kind, none of them a default. Every struct is taken apart with a structured
// binding: a new member does not compile until it is filled here, and then the round trip tells
// whether the codec knows it.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : random_(seed) {}

  template <class... M>
  void all(M&... members) {
    (fill(members), ...);
  }

  void fill(bool& v) { v = !v; }
  void fill(double& v) { v = (random_.uniform() - 0.3) * 1e3; }
  void fill(std::string& v) {
    static const char* const kTexts[] = {"a",          "two words", "\"quoted\" \\ \n\t",
                                         "grün 🙂", "'",         "\x01\x7f"};
    v = kTexts[random_.below(std::size(kTexts))] + std::to_string(random_.below(1000));
  }
  void fill(std::chrono::nanoseconds& v) {
    v = std::chrono::nanoseconds(static_cast<std::int64_t>(random_.next() >> 2));
  }
  template <class T>
  requires std::is_integral_v<T>
  void fill(T& v) {
    v = static_cast<T>(random_.next());
    if (v == T{}) v = 1;
  }
  template <class E>
  requires std::is_enum_v<E>
  void fill(E& v) {
    do v = static_cast<E>(random_.below(32));
    while (!known(v));
  }
  template <class T>
  void fill(std::optional<T>& v) {
    fill(v.emplace());
  }
  template <class T>
  void fill(std::vector<T>& v) {
    v.resize(1 + random_.below(4));
    for (T& item : v) fill(item);
  }
  template <class A, class B>
  void fill(std::pair<A, B>& v) {
    all(v.first, v.second);
  }
  void fill(TreeStep& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(BuildSpec& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(Subject& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    all(a, b, c, d, e, f, g, h, i, j, k);
  }
  void fill(Metric& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(NoiseFloor& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(RunOptions& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(EventsPlan& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(Parameter& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(Change& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(Commit& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(Design& v) {
    auto& [a, b, c, d, e, f, g, h, i] = v;
    all(a, b, c, d, e, f, g, h, i);
  }
  void fill(SuiteUnit& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(SuitePlan& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  }
  void fill(Fact& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(Measurement& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  }
  void fill(BenchmarkRow& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
  void fill(UnitRow& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(SuiteRunFinding& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(ImportedFile& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(Plan& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  }
  void fill(Host& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(Exit& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(Contention& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(Output& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(MemorySample& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(StageReading& v) {
    auto& [a, b, c, d, e, f] = v;
    all(a, b, c, d, e, f);
  }
  void fill(Trial& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  }
  void fill(Build& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(Stop& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(Reading& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    all(a, b, c, d, e, f, g, h, i, j, k);
  }
  void fill(MetricFinding& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    all(a, b, c, d, e, f, g, h, i, j, k);
  }
  void fill(StageFinding& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(Warning& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(Conclusion::Floor& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(Estimate& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(BrokenArm& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(ArmFinding& v) {
    auto& [a, b, c, d, e, f] = v;
    all(a, b, c, d, e, f);
  }
  void fill(ParameterFinding& v) {
    auto& [a, b, c, d, e, f] = v;
    all(a, b, c, d, e, f);
  }
  void fill(Interaction& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(MemoryLine& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(SweepFinding& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(Term& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(EffectRow& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(FailureRule& v) {
    auto& [a, b] = v;
    all(a, b);
  }
  void fill(AblateFinding& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m);
  }
  void fill(CommitFinding& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(Culprit& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(BisectFinding& v) {
    auto& [a, b, c, d, e, f] = v;
    all(a, b, c, d, e, f);
  }
  void fill(TimelineCommit& v) {
    auto& [a, b, c, d, e, f, g, h] = v;
    all(a, b, c, d, e, f, g, h);
  }
  void fill(TimelineFinding& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(FactChange& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(SuiteCompareUnit& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(SuiteCompareRow& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(SuiteCompareFinding& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(AuditDoubt& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(Polluter& v) {
    auto& [a, b, c, d, e] = v;
    all(a, b, c, d, e);
  }
  void fill(AuditVictim& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  }
  void fill(AuditOpen& v) {
    auto& [a, b, c, d] = v;
    all(a, b, c, d);
  }
  void fill(AuditMissing& v) {
    auto& [a, b, c, d, e, f] = v;
    all(a, b, c, d, e, f);
  }
  void fill(UnitMemory& v) {
    auto& [a, b, c, d, e, f, g] = v;
    all(a, b, c, d, e, f, g);
  }
  void fill(AuditMoved& v) {
    auto& [a, b, c, d, e, f] = v;
    all(a, b, c, d, e, f);
  }
  void fill(AuditCost& v) {
    auto& [a, b, c] = v;
    all(a, b, c);
  }
  void fill(AuditChanged& v) {
    auto& [a, b, c, d, e, f] = v;
    all(a, b, c, d, e, f);
  }
  void fill(AuditTimes& v) {
    auto& [a, b, c, d, e, f, g, h, i, j] = v;
    all(a, b, c, d, e, f, g, h, i, j);
  }
  void fill(AuditFinding& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  }
  void fill(Conclusion& v) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = v;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  }

 private:
  static bool known(Verdict v) { return v <= Verdict::failed; }
  static bool known(Sign v) { return v <= Sign::faster; }
  static bool known(Reason v) { return v <= Reason::workload_differs; }
  static bool known(WarningKind v) { return v <= WarningKind::counters; }
  static bool known(EndedBy v) { return v <= EndedBy::runs_done; }
  static bool known(PlanKind v) { return v <= PlanKind::imported; }
  static bool known(Isolation v) { return v <= Isolation::suite; }
  static bool known(Presence v) { return v <= Presence::neither; }
  static bool known(MeasurementStatus v) { return v <= MeasurementStatus::skipped; }
  static bool known(DoubtKind v) { return v <= DoubtKind::too_fast; }
  static bool known(AuditOrder v) { return v <= AuditOrder::twice; }
  static bool known(Mechanism v) { return v <= Mechanism::cache; }
  static bool known(MovedBy v) { return v <= MovedBy::coverage; }
  static bool known(Better v) { return v <= Better::higher; }
  static bool known(MetricOrigin v) { return v <= MetricOrigin::output; }
  static bool known(Ending v) { return v <= Ending::not_started; }
  static bool known(TreeStepKind v) { return v <= TreeStepKind::revert; }
  static bool known(ChangeKind v) { return v <= ChangeKind::commit; }
  static bool known(Shape v) { return v <= Shape::undecided; }
  static bool known(Reproduced v) { return v <= Reproduced::unknown; }
  static bool known(StopReason v) { return v <= StopReason::disk_full; }

  Random random_;
};

template <class T>
T filled(std::uint64_t seed) {
  T value;
  Filler(seed).fill(value);
  return value;
}

// Through the text, as the store does it.
template <class T, class Read>
void expect_round_trip(const T& value, Read read) {
  const std::string text = to_json(value).dump();
  const auto json = parse_json(text);
  ASSERT_TRUE(json) << text;
  const auto back = read(*json);
  ASSERT_TRUE(back) << back.error().to_text() << "\n" << text;
  EXPECT_TRUE(*back == value) << text << "\n" << to_json(*back).dump();
}

TEST(Codec, RoundTripsEveryMember) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    expect_round_trip(filled<Plan>(seed), plan_from_json);
    expect_round_trip(filled<Host>(seed), host_from_json);
    expect_round_trip(filled<Conclusion>(seed), conclusion_from_json);
    expect_round_trip(Entry(filled<Trial>(seed)), entry_from_json);
    expect_round_trip(Entry(filled<Build>(seed)), entry_from_json);
    expect_round_trip(Entry(filled<Stop>(seed)), entry_from_json);
  }
}

TEST(Codec, RoundTripsDefaults) {
  expect_round_trip(Plan{}, plan_from_json);
  expect_round_trip(Host{}, host_from_json);
  expect_round_trip(Conclusion{}, conclusion_from_json);
  for (const Entry& entry : {Entry(Trial{}), Entry(Build{}), Entry(Stop{})})
    expect_round_trip(entry, entry_from_json);
}

TEST(Codec, RoundTripsTheLimitsOfNumbers) {
  Plan plan;
  plan.seed = std::numeric_limits<std::uint64_t>::max();
  plan.tolerance = std::numeric_limits<double>::denorm_min();
  plan.time_budget_s = std::numeric_limits<double>::max();
  plan.max_runs = std::numeric_limits<std::uint32_t>::max();
  expect_round_trip(plan, plan_from_json);
  Trial trial;
  trial.started_at_ms = std::numeric_limits<std::int64_t>::min();
  trial.duration = std::chrono::nanoseconds::max();
  trial.values = {std::nullopt, 0.1, -0.0, 3, 1e300, 1.0 / 3};
  expect_round_trip(Entry(trial), entry_from_json);
}

TEST(Codec, KeepsBytesThatAreNotUtf8InCommands) {
  Plan plan;
  plan.arms.resize(1);
  plan.arms[0].argv = {"cat", "caf\xe9.txt", std::string("nul\0byte", 8), "\xed\xa0\x80"};
  plan.arms[0].env = {{"LC_ALL", "\xff"}};
  plan.arms[0].cwd = "/tmp/\xc3";
  EXPECT_NE(to_json(plan).dump().find(R"({"hex":"636166e92e747874"})"), std::string::npos);
  expect_round_trip(plan, plan_from_json);
}

TEST(Codec, ReplacesBytesThatAreNotUtf8InTextForPeople) {
  Trial trial;
  trial.output.stderr_tail = "caf\xe9";
  const auto json = parse_json(to_json(Entry(trial)).dump());
  ASSERT_TRUE(json);
  EXPECT_EQ(*(*json)["output"]["stderr_tail"].to_string(), "caf\xEF\xBF\xBD");
}

TEST(Codec, WritesWhatIsNotFiniteAsAbsent) {
  Trial trial;
  trial.values = {std::numeric_limits<double>::quiet_NaN(), 1.0};
  Conclusion conclusion;
  conclusion.findings.resize(1);
  conclusion.findings[0].baseline_median = std::numeric_limits<double>::infinity();
  const auto entry = entry_from_json(*parse_json(to_json(Entry(trial)).dump()));
  ASSERT_TRUE(entry);
  EXPECT_EQ(std::get<Trial>(*entry).values,
            (std::vector<std::optional<double>>{std::nullopt, 1.0}));
  const auto back = conclusion_from_json(*parse_json(to_json(conclusion).dump()));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->findings[0].baseline_median, 0);
}

TEST(Codec, WritesTrialsWithoutDefaults) {
  Trial trial;
  trial.arm = 1;
  trial.block = 3;
  trial.started_at_ms = 1700000000000;
  trial.duration = std::chrono::milliseconds(38);
  trial.values = {0.0381, std::nullopt};
  trial.memory = {{std::chrono::microseconds(10), 4096}};
  EXPECT_EQ(to_json(Entry(trial)).dump(),
            R"({"type":"trial","arm":1,"block":3,"slot":0,"started_at_ms":1700000000000,)"
            R"("duration_ns":38000000,"values":[0.0381,null],"memory":[[10000,4096]]})");
}

TEST(Codec, IgnoresUnknownMembersOfNewerWriters) {
  const auto stop = entry_from_json(
      *parse_json(R"({"type": "stop", "reason": "interrupted", "at_ms": 5, "signal": 2})"));
  ASSERT_TRUE(stop);
  EXPECT_EQ(std::get<Stop>(*stop), (Stop{StopReason::interrupted, 5}));
}

// The valid text of a value with one member replaced (or left out, when `value` is empty).
std::string with(const Json& valid, const std::string& member, const std::string& value) {
  Json out = Json::object();
  for (const auto& [name, old] : valid.members())
    if (name != member) out.set(name, old);
  if (!value.empty()) out.set(member, *parse_json(value));
  return out.dump();
}

TEST(Codec, PlanErrorsNameTheMember) {
  Plan plan;
  plan.arms.resize(2);
  plan.arms[0].argv = {"a"};
  plan.arms[1].argv = {"b"};
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"arms", R"([{"argv": ["a"]}, {"argv": 3}])", "plan: arms[1].argv: not a list"},
      {"arms", R"([{"argv": ["a", 5]}])", "plan: arms[0].argv[1]: not a string"},
      {"arms", R"([{"argv": [{"hex": "6"}]}])", "plan: arms[0].argv[0]: not a string"},
      {"arms", R"([{}])", "plan: arms[0].argv: missing"},
      {"arms", R"([7])", "plan: arms[0]: not an object"},
      {"arms", R"([{"argv": ["a"], "env": [["A"]]}])", "plan: arms[0].env[0]: not a list of two"},
      {"arms", "", "plan: arms: missing"},
      {"kind", R"("race")", "plan: kind: unknown word 'race'"},
      {"kind", "1", "plan: kind: not a string"},
      {"seed", "-1", "plan: seed: not between 0 and 18446744073709551615"},
      {"max_runs", "4294967296", "plan: max_runs: not between 0 and 4294967295"},
      {"max_runs", "1.5", "plan: max_runs: not a whole number"},
      {"tolerance", "null", "plan: tolerance: not a number"},
      {"tails", "0", "plan: tails: not true or false"},
      {"run", R"({"timeout_s": "1"})", "plan: run.timeout_s: not a number"}};
  for (const auto& [member, value, text] : cases) {
    const auto read = plan_from_json(*parse_json(with(to_json(plan), member, value)));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().to_text(), text);
  }
  EXPECT_EQ(plan_from_json(Json(3)).error().to_text(), "plan: not an object");
}

TEST(Codec, EntryErrorsNameTheMember) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([])", "entry: type: missing or not a string"},
      {R"({"type": "tr\u001bial"})", "entry: type: unknown word 'tr\\x1bial'"},
      {R"({"type": "trial"})", "trial: arm: missing"},
      {R"({"type": "stop", "reason": "bored", "at_ms": 1})", "stop: reason: unknown word 'bored'"},
      {R"({"type": "build", "arm": 0, "commit": "", "ok": true, "duration_ns": 1e3})",
       "build: duration_ns: not a whole number"},
      {R"({"type": "trial", "arm": 0, "block": 0, "slot": 0, "started_at_ms": 1, "duration_ns": 1,
           "values": [], "memory": [[1, -1]]})",
       "trial: memory[0][1]: not between 0 and 18446744073709551615"}};
  for (const auto& [text, message] : cases) {
    const auto read = entry_from_json(*parse_json(text));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().to_text(), message);
  }
}

std::string document() {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/docs/record_format.md");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_GT(text.str().size(), 1000u);
  return text.str();
}

void expect_documented(const Json& json, const std::string& document) {
  for (const auto& [name, value] : json.members()) {
    EXPECT_NE(document.find("`" + name + "`"), std::string::npos) << name;
    expect_documented(value, document);
  }
  for (const Json& item : json.items()) expect_documented(item, document);
}

TEST(RecordFormat, NamesEveryMemberAndEveryWord) {
  const std::string text = document();
  expect_documented(to_json(filled<Plan>(1)), text);
  expect_documented(to_json(filled<Host>(1)), text);
  expect_documented(to_json(filled<Conclusion>(1)), text);
  expect_documented(to_json(Entry(filled<Trial>(1))), text);
  expect_documented(to_json(Entry(filled<Build>(1))), text);
  expect_documented(to_json(Entry(filled<Stop>(1))), text);
  const auto expect_word = [&](auto value) {
    EXPECT_NE(text.find(to_word(value)), std::string::npos) << to_word(value);
  };
  for (int i = 0; i <= static_cast<int>(Reason::workload_differs); ++i)
    expect_word(static_cast<Reason>(i));
  for (int i = 0; i <= static_cast<int>(WarningKind::counters); ++i)
    expect_word(static_cast<WarningKind>(i));
  for (int i = 0; i <= static_cast<int>(EndedBy::runs_done); ++i)
    expect_word(static_cast<EndedBy>(i));
}

// Each line of its JSON block is read, and written as it stands there.
TEST(RecordFormat, ShowsExamplesThatAreTrue) {
  const std::string text = document();
  std::istringstream lines(text.substr(text.find("```json") + 8));
  int examples = 0;
  for (std::string line; std::getline(lines, line) && line != "```"; ++examples) {
    const auto json = parse_json(line);
    ASSERT_TRUE(json) << line;
    std::string again;
    if (json->has("type"))
      again = to_json(entry_from_json(*json).value()).dump();
    else if (json->has("arms"))
      again = to_json(plan_from_json(*json).value()).dump();
    else if (json->has("overall"))
      again = to_json(conclusion_from_json(*json).value()).dump();
    else
      again = to_json(host_from_json(*json).value()).dump();
    EXPECT_EQ(again, line);
  }
  EXPECT_EQ(examples, 6);
}

template <class E>
void expect_words(E last, std::initializer_list<std::string_view> words) {
  std::vector<std::string_view> got;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const E value = static_cast<E>(i);
    got.push_back(to_word(value));
    EXPECT_EQ(from_word<E>(to_word(value)), value);
  }
  EXPECT_EQ(got, std::vector<std::string_view>(words));
  EXPECT_FALSE(from_word<E>(""));
  EXPECT_FALSE(from_word<E>("slower "));
}

TEST(Words, AreStableAndRoundTrip) {
  expect_words(Verdict::failed,
               {"EQUIVALENT", "FASTER", "UNDECIDED", "SLOWER", "INVALID", "FAILED"});
  expect_words(Sign::faster, {"none", "slower", "faster"});
  expect_words(Reason::workload_differs,
               {"decided", "exact", "borderline", "noisy", "too-few", "noise-floor", "non-positive",
                "missing-metric", "unreplicated-baseline", "run-failed", "timed-out",
                "control-moved", "sampled-too-little", "workload-differs"});
  expect_words(WarningKind::counters, {"drift",
                                       "position",
                                       "bimodal",
                                       "outliers",
                                       "contention",
                                       "outputs-differ",
                                       "tails",
                                       "short-runs",
                                       "torn-log",
                                       "control",
                                       "left-behind",
                                       "reruns",
                                       "few-memory-samples",
                                       "budget",
                                       "spread",
                                       "not-isolated",
                                       "host",
                                       "exit-codes",
                                       "noise-floor",
                                       "interrupted",
                                       "counters"});
  expect_words(EndedBy::runs_done, {"decided", "max-runs", "time-budget", "futility", "interrupted",
                                    "failure", "runs-done"});
  expect_words(PlanKind::imported,
               {"compare", "measure", "calibrate", "sessions", "sweep", "ablate", "bisect",
                "timeline", "suite-run", "suite-compare", "suite-audit", "imported"});
  expect_words(Isolation::suite, {"unit", "suite"});
  expect_words(MeasurementStatus::skipped, {"ok", "failed", "missing", "skipped"});
  expect_words(Better::higher, {"lower", "higher"});
  expect_words(MetricOrigin::output, {"builtin", "output"});
  expect_words(Ending::not_started, {"exited", "signalled", "timed-out", "not-started"});
  expect_words(StopReason::disk_full, {"interrupted", "disk-full"});
}

}  // namespace
}  // namespace assay
