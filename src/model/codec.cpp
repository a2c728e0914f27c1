// SPDX-License-Identifier: Apache-2.0
// The lists of members. Trials are written once a run, so whatever has its default is left out.
#include "model/codec.hpp"

#include "base/text.hpp"
#include "model/audit_fields.hpp"
#include "model/design_fields.hpp"
#include "model/fields.hpp"
#include "model/suite_fields.hpp"

namespace assay {
namespace fields {

template <>
struct Fields<TreeStep> {
  static void visit(auto& v) {
    v.must("kind", &TreeStep::kind);
    v.may_text("what", &TreeStep::what);
    v.must("data", &TreeStep::data);
  }
};

template <>
struct Fields<BuildSpec> {
  static void visit(auto& v) {
    v.must("repository", &BuildSpec::repository);
    v.must("revision", &BuildSpec::revision);
    v.may("commit", &BuildSpec::commit);
    v.may("command", &BuildSpec::command);
    v.may("steps", &BuildSpec::steps);
  }
};

template <>
struct Fields<Subject> {
  static void visit(auto& v) {
    v.may("label", &Subject::label);
    v.must("argv", &Subject::argv);
    v.may("env", &Subject::env);
    v.may("cwd", &Subject::cwd);
    v.may("input", &Subject::input);
    v.may("setup", &Subject::setup);
    v.may("cleanup", &Subject::cleanup);
    v.may("prepare", &Subject::prepare);
    v.may("conclude", &Subject::conclude);
    v.may("build", &Subject::build);
    v.may("binary_digest", &Subject::binary_digest);
  }
};

template <>
struct Fields<Metric> {
  static void visit(auto& v) {
    v.must("name", &Metric::name);
    v.must("unit", &Metric::unit);
    v.must("better", &Metric::better);
    v.may("gating", &Metric::gating);
    v.may("origin", &Metric::origin);
    v.may("source", &Metric::source);
    v.may("method", &Metric::method);
  }
};

template <>
struct Fields<NoiseFloor> {
  static void visit(auto& v) {
    v.must("metric", &NoiseFloor::metric);
    v.must("sys_sigma", &NoiseFloor::sys_sigma);
    v.must("sys_k", &NoiseFloor::sys_k);
    v.may("pair_sigma", &NoiseFloor::pair_sigma);
    v.may("measured_at_ms", &NoiseFloor::measured_at_ms);
  }
};

template <>
struct Fields<RunOptions> {
  static void visit(auto& v) {
    v.may("timeout_s", &RunOptions::timeout_s);
    v.may("cooldown_s", &RunOptions::cooldown_s);
    v.may("ignore_exit", &RunOptions::ignore_exit);
    v.may("line_buffered", &RunOptions::line_buffered);
    v.may("isolate", &RunOptions::isolate);
    v.may("pin", &RunOptions::pin);
    v.may("exact", &RunOptions::exact);
  }
};

template <>
struct Fields<EventsPlan> {
  static void visit(auto& v) {
    v.must("source", &EventsPlan::source);
    v.may("format", &EventsPlan::format);
    v.may("rules", &EventsPlan::rules);
    v.may("rules_name", &EventsPlan::rules_name);
    v.may("logs", &EventsPlan::logs);
  }
};

template <>
struct Fields<ImportedFile> {
  static void visit(auto& v) {
    v.must("name", &ImportedFile::name);
    v.must("format", &ImportedFile::format);
    v.must("digest", &ImportedFile::digest);
    v.must("text", &ImportedFile::text);
  }
};

template <>
struct Fields<Plan> {
  static void visit(auto& v) {
    v.must("kind", &Plan::kind);
    v.may("name", &Plan::name);
    v.must("seed", &Plan::seed);
    v.must("arms", &Plan::arms);
    v.may("control", &Plan::control);
    v.must("metrics", &Plan::metrics);
    v.must("tolerance", &Plan::tolerance);
    v.must("max_runs", &Plan::max_runs);
    v.must("time_budget_s", &Plan::time_budget_s);
    v.may("runs", &Plan::runs);
    v.may("tails", &Plan::tails);
    v.may("run", &Plan::run);
    v.may("events", &Plan::events);
    v.may("design", &Plan::design);
    v.may("suite", &Plan::suite);
    v.may("floors", &Plan::floors);
    v.may("earlier_p", &Plan::earlier_p);
    v.may("id_for_order", &Plan::id_for_order);
    v.may("imported", &Plan::imported);
  }
};

template <>
struct Fields<Host> {
  static void visit(auto& v) {
    v.must("fingerprint", &Host::fingerprint);
    v.may("name", &Host::name);
    v.may("cpu", &Host::cpu);
    v.may("kernel", &Host::kernel);
    v.may("governor", &Host::governor);
    v.may("cores", &Host::cores);
    v.may("memory_bytes", &Host::memory_bytes);
  }
};

template <>
struct Fields<Exit> {
  static void visit(auto& v) {
    v.must("how", &Exit::how);
    v.may("code", &Exit::code);
  }
};

template <>
struct Fields<Contention> {
  static void visit(auto& v) {
    v.may("psi_cpu_s", &Contention::psi_cpu_s);
    v.may("psi_memory_s", &Contention::psi_memory_s);
    v.may("psi_io_s", &Contention::psi_io_s);
    v.may("steal_s", &Contention::steal_s);
    v.may("run_delay_s", &Contention::run_delay_s);
    v.may("voluntary_switches", &Contention::voluntary_switches);
    v.may("involuntary_switches", &Contention::involuntary_switches);
  }
};

template <>
struct Fields<Output> {
  static void visit(auto& v) {
    v.may("digest", &Output::digest);
    v.may("bytes", &Output::bytes);
    v.may("torn", &Output::torn);
    v.may_text("stderr_tail", &Output::stderr_tail);
  }
};

template <>
struct Fields<StageReading> {
  static void visit(auto& v) {
    v.must("stage", &StageReading::stage);
    v.may("spans", &StageReading::spans);
    v.may("service_s", &StageReading::service_s);
    v.may("queue_wait_s", &StageReading::queue_wait_s);
    v.may("blocked_send_s", &StageReading::blocked_send_s);
    v.may("lock_wait_s", &StageReading::lock_wait_s);
  }
};

template <>
struct Fields<Trial> {
  static void visit(auto& v) {
    v.must("arm", &Trial::arm);
    v.must("block", &Trial::block);
    v.must("slot", &Trial::slot);
    v.may("pad", &Trial::pad);
    v.may("warmup", &Trial::warmup);
    v.must("started_at_ms", &Trial::started_at_ms);
    v.must("duration_ns", &Trial::duration);
    v.may("exit", &Trial::exit);
    v.must("values", &Trial::values);
    v.may("contention", &Trial::contention);
    v.may("output", &Trial::output);
    v.may("memory", &Trial::memory);
    v.may("memory_samples", &Trial::memory_samples);
    v.may("left_behind", &Trial::left_behind);
    v.may("stages", &Trial::stages);
    v.may("units", &Trial::units);
    v.may("measurements", &Trial::measurements);
  }
};

template <>
struct Fields<Build> {
  static void visit(auto& v) {
    v.must("arm", &Build::arm);
    v.must("commit", &Build::commit);
    v.must("ok", &Build::ok);
    v.may("cached", &Build::cached);
    v.must("duration_ns", &Build::duration);
    v.may_text("log_tail", &Build::log_tail);
    v.may_text("reason", &Build::reason);
  }
};

template <>
struct Fields<Stop> {
  static void visit(auto& v) {
    v.must("reason", &Stop::reason);
    v.must("at_ms", &Stop::at_ms);
  }
};

template <>
struct Fields<Reading> {
  static void visit(auto& v) {
    v.must("runs", &Reading::runs);
    v.may("estimate", &Reading::estimate);
    v.may("lo99", &Reading::lo99);
    v.may("hi99", &Reading::hi99);
    v.may("lo95", &Reading::lo95);
    v.may("hi95", &Reading::hi95);
    v.may("sign", &Reading::sign);
    v.may("p_seq", &Reading::p_seq);
    v.may("more", &Reading::more);
    v.may("guard", &Reading::guard);
    v.may("tail_z", &Reading::tail_z);
  }
};

template <>
struct Fields<MetricFinding> {
  static void visit(auto& v) {
    v.must("arm", &MetricFinding::arm);
    v.must("metric", &MetricFinding::metric);
    v.must("verdict", &MetricFinding::verdict);
    v.must("reason", &MetricFinding::reason);
    v.may("reading", &MetricFinding::reading);
    v.may("judged", &MetricFinding::judged);
    v.may("by_holm", &MetricFinding::by_holm);
    v.may("since_then", &MetricFinding::since_then);
    v.may("all_runs", &MetricFinding::all_runs);
    v.may("baseline_median", &MetricFinding::baseline_median);
    v.may("candidate_median", &MetricFinding::candidate_median);
  }
};

template <>
struct Fields<StageFinding> {
  static void visit(auto& v) {
    v.must("stage", &StageFinding::stage);
    v.must("finding", &StageFinding::finding);
  }
};

template <>
struct Fields<Warning> {
  static void visit(auto& v) {
    v.must("kind", &Warning::kind);
    v.must("text", &Warning::text);
  }
};

template <>
struct Fields<Conclusion::Floor> {
  static void visit(auto& v) {
    v.must("metric", &Conclusion::Floor::metric);
    v.may("sys_sigma", &Conclusion::Floor::sys_sigma);
    v.may("sys_k", &Conclusion::Floor::sys_k);
    v.may("pair_sigma", &Conclusion::Floor::pair_sigma);
    v.may("mdt_198", &Conclusion::Floor::mdt_198);
  }
};

template <>
struct Fields<FactChange> {
  static void visit(auto& v) {
    v.must("name", &FactChange::name);
    v.must("baseline", &FactChange::baseline);
    v.must("candidate", &FactChange::candidate);
  }
};

template <>
struct Fields<SuiteCompareUnit> {
  static void visit(auto& v) {
    v.must("unit", &SuiteCompareUnit::unit);
    v.may("runs", &SuiteCompareUnit::runs);
    v.may("baseline_memory", &SuiteCompareUnit::baseline_memory);
    v.may("candidate_memory", &SuiteCompareUnit::candidate_memory);
    v.may_text("trouble", &SuiteCompareUnit::trouble);
  }
};

template <>
struct Fields<SuiteCompareRow> {
  static void visit(auto& v) {
    v.must("unit", &SuiteCompareRow::unit);
    v.must("id", &SuiteCompareRow::id);
    v.may("control", &SuiteCompareRow::control);
    v.may("presence", &SuiteCompareRow::presence);
    v.must("finding", &SuiteCompareRow::finding);
    v.may("facts", &SuiteCompareRow::facts);
    v.may_text("trouble", &SuiteCompareRow::trouble);
  }
};

template <>
struct Fields<SuiteCompareFinding> {
  static void visit(auto& v) {
    v.must("family", &SuiteCompareFinding::family);
    v.may("rows", &SuiteCompareFinding::rows);
    v.may("units", &SuiteCompareFinding::units);
    v.may("geometric_mean", &SuiteCompareFinding::geometric_mean);
    v.may("mean_of", &SuiteCompareFinding::mean_of);
  }
};

template <>
struct Fields<Conclusion> {
  static void visit(auto& v) {
    v.must("overall", &Conclusion::overall);
    v.must("ended_by", &Conclusion::ended_by);
    v.must("findings", &Conclusion::findings);
    v.may("stages", &Conclusion::stages);
    v.may("warnings", &Conclusion::warnings);
    v.may("withheld", &Conclusion::withheld);
    v.may("exploratory", &Conclusion::exploratory);
    v.may("failed_trial", &Conclusion::failed_trial);
    v.may_text("failure", &Conclusion::failure);
    v.may("floors", &Conclusion::floors);
    v.may_text("answer", &Conclusion::answer);
    v.may("broken", &Conclusion::broken);
    v.may("sweep", &Conclusion::sweep);
    v.may("ablate", &Conclusion::ablate);
    v.may("bisect", &Conclusion::bisect);
    v.may("timeline", &Conclusion::timeline);
    v.may("suite_run", &Conclusion::suite_run);
    v.may("suite_compare", &Conclusion::suite_compare);
    v.may("audit", &Conclusion::audit);
  }
};

}  // namespace fields

using fields::read_root;
using fields::write_value;

namespace {

template <class T>
Json typed(const char* type, const T& value) {
  Json::Object head;
  head.reserve(20);
  head.emplace_back("type", Json(type));
  fields::Writer<T> writer(value, std::move(head));
  fields::Fields<T>::visit(writer);
  return writer.take();
}

template <class T>
Result<Entry> read_entry(const Json& json, const char* name) {
  Result<T> value = read_root<T>(json, name);
  if (!value) return fail(value.error());
  return Entry(std::move(*value));
}

}  // namespace

Json to_json(const Plan& plan) { return write_value(plan); }
Json to_json(const Host& host) { return write_value(host); }
Json to_json(const Trial& trial) { return write_value(trial); }
Json to_json(const Build& build) { return write_value(build); }
Json to_json(const Stop& stop) { return write_value(stop); }
Json to_json(const Conclusion& conclusion) { return write_value(conclusion); }
Json to_json(const Subject& subject) { return write_value(subject); }
Json to_json(const Metric& metric) { return write_value(metric); }

Json to_json(const Entry& entry) {
  if (const auto* trial = std::get_if<Trial>(&entry)) return typed("trial", *trial);
  if (const auto* build = std::get_if<Build>(&entry)) return typed("build", *build);
  return typed("stop", std::get<Stop>(entry));
}

Result<Plan> plan_from_json(const Json& json) { return read_root<Plan>(json, "plan"); }
Result<Host> host_from_json(const Json& json) { return read_root<Host>(json, "host"); }

Result<Entry> entry_from_json(const Json& json) {
  const std::string* type = json["type"].to_string();
  if (type == nullptr) return fail("type: missing or not a string", "entry");
  if (*type == "trial") return read_entry<Trial>(json, "trial");
  if (*type == "build") return read_entry<Build>(json, "build");
  if (*type == "stop") return read_entry<Stop>(json, "stop");
  return fail(fmt::format("type: unknown word '{}'", printable(*type)), "entry");
}

Result<Conclusion> conclusion_from_json(const Json& json) {
  return read_root<Conclusion>(json, "conclusion");
}

}  // namespace assay
