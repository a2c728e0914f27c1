// SPDX-License-Identifier: Apache-2.0
// The Store contract, for every backend: another one adds a line to kBackends.
#include "history/store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "history/test_records.hpp"

namespace assay::history {
namespace {

struct Backend {
  const char* name;
  // Opens the store that lives in `folder`, creating it the first time.
  Result<std::unique_ptr<Store>> (*open)(const std::string& folder);
};

const Backend kBackends[] = {
    {"Sqlite", [](const std::string& folder) { return open_store(folder + "/lab.db"); }}};

class StoreContract : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override { reopen(); }
  void reopen() {
    store_.reset();
    auto store = GetParam().open(folder_.path());
    ASSERT_TRUE(store) << store.error().to_text();
    store_ = std::move(*store);
  }
  std::string create(std::int64_t created_at_ms = 1000) {
    const auto id = store_->create(sample_header(created_at_ms));
    EXPECT_TRUE(id);
    return id ? *id : "";
  }
  void append(const std::string& id, const Entry& entry) {
    const auto done = store_->append(id, entry);
    ASSERT_TRUE(done) << done.error().to_text();
  }
  void conclude(const std::string& id, const Conclusion& conclusion) {
    const auto done = store_->conclude(id, conclusion);
    ASSERT_TRUE(done) << done.error().to_text();
  }
  std::string where() const { return store_->location(); }

  TempFolder folder_;
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(Backends, StoreContract, testing::ValuesIn(kBackends),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(StoreContract, GivesBackWhatWasWritten) {
  Record expected = sample_header();
  expected.id = create();
  EXPECT_EQ(*store_->load(expected.id), expected);
  for (std::uint32_t i = 0; i < 30; ++i) expected.entries.push_back(sample_trial(i));
  expected.entries.push_back(Build{1, "c0ffee", false, true, std::chrono::seconds(3), "error: no"});
  expected.entries.push_back(Stop{StopReason::disk_full, 77});
  expected.entries.push_back(Trial(sample_trial(30)));
  for (const Entry& entry : expected.entries) append(expected.id, entry);
  ASSERT_TRUE(store_->make_durable());
  expected.conclusion = sample_conclusion();
  expected.conclusion->failed_trial = 30;
  conclude(expected.id, *expected.conclusion);
  EXPECT_EQ(*store_->load(expected.id), expected);
  reopen();
  const auto record = store_->load(expected.id);
  ASSERT_TRUE(record) << record.error().to_text();
  EXPECT_EQ(*record, expected);
}

TEST_P(StoreContract, GivesIdsOfEightLettersAndDigits) {
  std::set<std::string> ids;
  for (int i = 0; i < 50; ++i) {
    const std::string id = create();
    EXPECT_EQ(id.size(), 8u);
    EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos)
        << id;
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 50u);
}

TEST_P(StoreContract, ReplacesAConclusion) {
  const std::string id = create();
  Conclusion cut;
  cut.ended_by = EndedBy::interrupted;
  conclude(id, cut);
  EXPECT_TRUE(store_->list()->front().interrupted);
  conclude(id, sample_conclusion());
  EXPECT_EQ(store_->load(id)->conclusion, sample_conclusion());
  EXPECT_FALSE(store_->list()->front().interrupted);
}

TEST_P(StoreContract, ACompleteRecordTakesNothingMore) {
  const std::string id = create();
  append(id, sample_trial(0));
  Conclusion cut;
  cut.ended_by = EndedBy::interrupted;
  conclude(id, cut);
  append(id, sample_trial(1));  // resumed
  conclude(id, sample_conclusion());
  const std::string text = where() + ": record " + id +
                           " is complete: there is nothing to resume\n  'assay show " + id +
                           "' prints it";
  EXPECT_EQ(store_->append(id, sample_trial(2)).error().to_text(), text);
  conclude(id, sample_conclusion());  // its writer may still add to the conclusion
  reopen();
  EXPECT_EQ(store_->append(id, sample_trial(2)).error().to_text(), text);
  EXPECT_EQ(store_->conclude(id, cut).error().to_text(), text);
  EXPECT_EQ(store_->load_to_continue(id).error().to_text(), text);
  EXPECT_EQ(store_->load(id)->entries.size(), 2u);
  EXPECT_EQ(store_->load(id)->conclusion, sample_conclusion());
}

TEST_P(StoreContract, ARecordHasOneWriter) {
  const std::string id = create();
  append(id, sample_trial(0));
  auto other = GetParam().open(folder_.path());
  ASSERT_TRUE(other);
  const std::string what = "record " + id + " is being written by another process";
  EXPECT_EQ((*other)->load_to_continue(id).error().what, what);
  EXPECT_EQ((*other)->append(id, sample_trial(1)).error().what, what);
  EXPECT_EQ((*other)->conclude(id, Conclusion{}).error().what, what);
  EXPECT_EQ((*other)->remove(id).error().what, what);
  EXPECT_EQ(*(*other)->collect(5000, Interrupted::drop), 0u);
  EXPECT_TRUE((*other)->list()->front().running);
  store_.reset();  // closed: whoever comes next
  EXPECT_TRUE((*other)->list()->front().interrupted);
  EXPECT_EQ((*other)->load_to_continue(id.substr(0, 7))->entries.size(), 1u);
  EXPECT_TRUE((*other)->append(id, sample_trial(1)));
  reopen();
  EXPECT_EQ(store_->append(id, sample_trial(1)).error().what, what);
  EXPECT_EQ(store_->load(id)->entries.size(), 2u);
}

TEST_P(StoreContract, ListsNewestFirst) {
  const std::string old = create(1000), newest = create(3000), middle = create(2000);
  for (std::uint32_t i = 0; i < 5; ++i) append(middle, sample_trial(i));
  append(middle, Stop{});
  conclude(newest, sample_conclusion());
  const auto list = store_->list();
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 3u);
  EXPECT_EQ((*list)[0].id, newest);
  EXPECT_EQ((*list)[0].created_at_ms, 3000);
  EXPECT_EQ((*list)[0].overall, Verdict::slower);
  EXPECT_FALSE((*list)[0].interrupted);
  EXPECT_EQ((*list)[1].id, middle);
  EXPECT_EQ((*list)[1].trials, 5u);
  EXPECT_EQ((*list)[1].title, "encode -6 vs encode -7");
  EXPECT_EQ((*list)[1].overall, std::nullopt);
  EXPECT_TRUE((*list)[1].interrupted);
  EXPECT_EQ((*list)[2].id, old);
}

TEST_P(StoreContract, TitlesFallBackToTheCommands) {
  Record header = sample_header();
  header.plan.name = "level";
  ASSERT_TRUE(store_->create(header));
  EXPECT_EQ(store_->list()->front().title, "level");
  header.plan.name = "";
  header.created_at_ms = 2000;
  header.plan.arms[0].label = "";
  header.plan.arms[0].argv = {"cat", "a b"};
  ASSERT_TRUE(store_->create(header));
  EXPECT_EQ(store_->list()->front().title, "cat 'a b' vs encode -7");
}

TEST_P(StoreContract, ListsTheAnswerOfAnExperimentOverManyArms) {
  Record record = sample_header();
  record.plan.kind = PlanKind::sweep;
  record.plan.runs = 24;
  record.plan.metrics[0].gating = false;
  record.plan.design = Design{.parameters = {{.name = "level", .levels = {"-6", "-7"}}}};
  const auto id = store_->create(record);
  ASSERT_TRUE(id) << id.error().to_text();
  Conclusion conclusion = sample_conclusion();
  conclusion.answer = "STEP at level=-7";
  conclusion.sweep = SweepFinding{.parameters = {{.parameter = 0, .shape = Shape::step, .at = 1}},
                                  .levels = {{.arm = 0}, {.arm = 1}},
                                  .pareto = {0}};
  EXPECT_TRUE(store_->conclude(*id, conclusion));
  const auto list = store_->list();
  ASSERT_TRUE(list);
  EXPECT_EQ(list->front().answer, "STEP at level=-7");
  EXPECT_EQ(list->front().title, "./encode -7 in.bin");
  // Reports follow indices: those that lead nowhere are refused.
  const auto refused = [&](auto change, const char* what) {
    Conclusion bad = conclusion;
    change(bad);
    EXPECT_TRUE(store_->conclude(*id, bad));
    const auto loaded = store_->load(*id);
    ASSERT_FALSE(loaded) << what;
    EXPECT_NE(loaded.error().to_text().find(what), std::string::npos) << loaded.error().to_text();
  };
  refused([](Conclusion& c) { c.sweep->levels[1].arm = 2; }, "arm 2 of 2");
  refused([](Conclusion& c) { c.sweep->parameters[0].at = 2; }, "level 2 of 2");
  refused([](Conclusion& c) { c.sweep->parameters[0].parameter = 1; }, "parameter 1 of 1");
  refused([](Conclusion& c) { c.broken = {{.arm = 9}}; }, "arm 9 of 2");
  refused([](Conclusion& c) { c.bisect = BisectFinding{.commits = {{.commit = 0}}}; },
          "commit 0 of 0");
  refused([](Conclusion& c) { c.ablate = AblateFinding{.terms = {{.changes = {3}}}}; },
          "change 3 of 0");
}

TEST_P(StoreContract, LoadsByAnUnambiguousPrefix) {
  EXPECT_EQ(store_->load("ab").error().to_text(), where() + ": no record 'ab': the store is empty");
  std::vector<std::string> ids;  // 40 of them: by the pigeonhole two share their first letter
  for (int i = 0; i < 40; ++i) ids.push_back(create(i));
  EXPECT_EQ(store_->load(ids[3].substr(0, 7))->id, ids[3]);

  const auto same = [&](const std::string& id) {
    return std::count_if(ids.begin(), ids.end(),
                         [&](const auto& other) { return other[0] == id[0]; });
  };
  const auto shared =
      std::find_if(ids.begin(), ids.end(), [&](const auto& id) { return same(id) > 1; });
  ASSERT_NE(shared, ids.end());
  const std::string prefix = shared->substr(0, 1);
  std::string fitting;
  int shown = 0;
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    if ((*id)[0] != prefix[0] || ++shown > 5) continue;
    fitting += (fitting.empty() ? "" : ", ") + *id;
  }
  EXPECT_EQ(store_->load(prefix).error().to_text(),
            where() + ": '" + prefix + "' fits " + std::to_string(same(prefix)) + " records: " +
                fitting + (same(prefix) > 5 ? ", ..." : "") + "\n  give more letters of the id");
  EXPECT_EQ(store_->remove(prefix).error().what, store_->load(prefix).error().what);
  EXPECT_EQ(store_->list()->size(), ids.size());

  const std::string newest =
      ids[39] + ", " + ids[38] + ", " + ids[37] + ", " + ids[36] + ", " + ids[35];
  for (const char* absent : {"", "ab%", "*", "'; DROP TABLE entries", "aaaaaaaaa"})
    EXPECT_EQ(store_->load(absent).error().to_text(), where() + ": no record '" + absent +
                                                          "': the newest are " + newest +
                                                          "\n  'assay list' shows all");
}

TEST_P(StoreContract, RefusesToWriteIntoARecordThatIsNotThere) {
  const std::string id = create();
  const std::string text =
      where() + ": no record 'zz': the newest is " + id + "\n  'assay list' shows all";
  EXPECT_EQ(store_->append("zz", Stop{}).error().to_text(), text);
  EXPECT_EQ(store_->conclude("zz", Conclusion{}).error().to_text(), text);
  EXPECT_EQ(store_->remove("zz").error().to_text(), text);
  append(id, Stop{});  // the store goes on
  ASSERT_TRUE(store_->remove(id));
  EXPECT_FALSE(store_->append(id, Stop{}));
}

TEST_P(StoreContract, RemovesARecordAndNothingElse) {
  const std::string gone = create(), stays = create();
  append(gone, sample_trial(0));
  append(stays, sample_trial(1));
  conclude(gone, sample_conclusion());
  ASSERT_TRUE(store_->remove(gone.substr(0, 8)));
  EXPECT_FALSE(store_->load(gone));
  EXPECT_EQ(store_->load(stays)->entries, std::vector<Entry>{sample_trial(1)});
  EXPECT_EQ(store_->list()->size(), 1u);
  EXPECT_TRUE(store_->earlier_runs(comparison_key(sample_header().plan), 0)->empty());
}

TEST_P(StoreContract, FindsEarlierRunsOfTheSameComparison) {
  const std::string key = comparison_key(sample_header().plan);
  const std::string second = create(2000), first = create(1000);
  create(3000);  // never concluded
  conclude(first, sample_conclusion(0.04, 1e-9));
  conclude(second, sample_conclusion(0.5));
  Record other = sample_header();
  other.plan.arms[1].argv[1] = "-8";
  conclude(*store_->create(other), sample_conclusion());

  const auto runs = store_->earlier_runs(key, 0);
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ((*runs)[0].id, first);
  EXPECT_EQ((*runs)[0].created_at_ms, 1000);
  EXPECT_EQ((*runs)[0].p_seq, 0.04);  // the smaller p of the memory metric does not gate
  EXPECT_EQ((*runs)[1].id, second);
  EXPECT_TRUE(store_->earlier_runs(key, std::int64_t{1} << 60)->empty());
  EXPECT_TRUE(store_->earlier_runs("", 0)->empty());
}

TEST_P(StoreContract, KeepsTheNewestFloorPerMetric) {
  const NoiseFloor old{"wall", 0.01, 5, 0.03, 1000}, young{"wall", 0.002, 6, 0.02, 2000},
      cpu{"cpu", 0, 5, 0.01, 1500};
  for (const NoiseFloor& floor : {young, old, cpu}) ASSERT_TRUE(store_->put_floor("h", "s", floor));
  ASSERT_TRUE(store_->put_floor("h2", "s", old));
  EXPECT_EQ(*store_->floors("h", "s", 0), (std::vector<NoiseFloor>{cpu, young}));
  EXPECT_EQ(*store_->floors("h", "s", 1501), (std::vector<NoiseFloor>{young}));
  EXPECT_EQ(*store_->floors("h2", "s", 0), (std::vector<NoiseFloor>{old}));
  EXPECT_TRUE(store_->floors("h", "t", 0)->empty());
  NoiseFloor again = young;
  for (const NoiseFloor& damaged :  // such as no calibrate would write
       {NoiseFloor{"wall", -1, 5, 0.03, 3000}, NoiseFloor{"wall", 0.01, 0, 0.03, 3001},
        NoiseFloor{"wall", 1e300, 5, 0.03, 3002}, NoiseFloor{"cpu", 0.01, 5, -2, 3003}})
    ASSERT_TRUE(store_->put_floor("h", "s", damaged));
  EXPECT_EQ(*store_->floors("h", "s", 0), (std::vector<NoiseFloor>{cpu, young}));
  again.sys_k = 9;
  ASSERT_TRUE(store_->put_floor("h", "s", again));  // the same moment: replaced
  EXPECT_EQ(store_->floors("h", "s", 1501)->front().sys_k, 9);
}

TEST_P(StoreContract, CollectsOldRecordsAndCompacts) {
  const std::string old = create(1000), older = create(10), young = create(2000);
  const std::string cut = create(20);
  append(cut, sample_trial(3));
  for (std::uint32_t i = 0; i < 400; ++i) append(old, sample_trial(i));
  append(young, sample_trial(7));
  ASSERT_TRUE(store_->put_floor("h", "s", {"wall", 0.01, 5, 0.03, 1}));
  ASSERT_TRUE(store_->make_durable());
  conclude(old, sample_conclusion());
  conclude(older, sample_conclusion());
  const std::uint64_t before = store_->size_bytes();
  EXPECT_EQ(*store_->collect(2000, Interrupted::keep), 2u);
  EXPECT_LT(store_->size_bytes(), before - 100000);
  EXPECT_EQ(store_->list()->size(), 2u);
  EXPECT_EQ(*store_->collect(2000, Interrupted::drop), 0u);  // it is being written, by us
  reopen();
  EXPECT_EQ(*store_->collect(2000, Interrupted::keep), 0u);
  EXPECT_EQ(*store_->collect(2000, Interrupted::drop), 1u);
  EXPECT_EQ(store_->load(young)->entries, std::vector<Entry>{sample_trial(7)});
  EXPECT_EQ(store_->floors("h", "s", 0)->size(), 1u);
  EXPECT_EQ(*store_->collect(2000, Interrupted::drop), 0u);
  append(young, sample_trial(8));  // and goes on
}

TEST(Keys, TellComparisonsApart) {
  const Plan plan = sample_header().plan;
  const std::string key = comparison_key(plan);
  EXPECT_EQ(key.size(), 64u);
  const auto changed = [&](auto change) {
    Plan other = plan;
    change(other);
    return comparison_key(other) != key;
  };
  EXPECT_TRUE(changed([](Plan& p) { p.arms[1].argv[1] = "-8"; }));
  EXPECT_TRUE(changed([](Plan& p) { std::swap(p.arms[0], p.arms[1]); }));
  EXPECT_TRUE(changed([](Plan& p) { p.arms[0].argv = {"./encode -6", "in.bin"}; }));
  EXPECT_TRUE(changed([](Plan& p) { p.arms[0].env = {{"A", "1"}}; }));
  EXPECT_TRUE(changed([](Plan& p) { p.arms[0].binary_digest = "ff"; }));
  EXPECT_TRUE(changed([](Plan& p) { p.arms[0].cwd = "/tmp"; }));
  EXPECT_TRUE(changed([](Plan& p) { p.arms[0].input = "/tmp/x"; }));
  EXPECT_TRUE(changed([](Plan& p) { p.arms[0].build = BuildSpec{"/r", "main", "c0ffee", ""}; }));
  EXPECT_TRUE(changed([](Plan& p) { p.metrics[2].gating = true; }));
  EXPECT_TRUE(changed([](Plan& p) { p.kind = PlanKind::sessions; }));

  EXPECT_FALSE(changed([](Plan& p) { p.seed = 7; }));
  EXPECT_FALSE(changed([](Plan& p) { p.name = "x"; }));
  EXPECT_FALSE(changed([](Plan& p) { p.tolerance = 0.5; }));
  EXPECT_FALSE(changed([](Plan& p) { p.arms[0].label = "x"; }));
  EXPECT_FALSE(changed([](Plan& p) { std::swap(p.metrics[0], p.metrics[1]); }));
  EXPECT_FALSE(changed([](Plan& p) {
    p.arms.push_back(p.arms[0]);
    p.control = 2;
  }));
}

TEST(Keys, NoiseFloorsBelongToArgvAndEnv) {
  Subject subject;
  subject.argv = {"./encode"};
  subject.env = {{"A", "1"}, {"B", "2"}};
  const std::string key = subject_key(subject);
  EXPECT_EQ(key.size(), 64u);
  Subject same = subject;
  same.label = "x";
  same.binary_digest = "ff";
  same.env = {{"B", "2"}, {"A", "1"}};
  EXPECT_EQ(subject_key(same), key);
  same.env = {{"A", "1"}};
  EXPECT_NE(subject_key(same), key);
  same = subject;
  same.argv.push_back("-6");
  EXPECT_NE(subject_key(same), key);
}

}  // namespace
}  // namespace assay::history
