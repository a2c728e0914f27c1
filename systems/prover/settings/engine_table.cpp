// SPDX-License-Identifier: Apache-2.0
#include "prover/settings/engine_table.hpp"

#include <fmt/format.h>

#include "prover/settings/values.hpp"

namespace prover::settings {
namespace {

constexpr std::uint64_t kMostWorkers = 1024, kMostQueued = 1u << 20, kMostBatch = 256,
                        kMostWaitMs = 600000;

using S = EngineSettings;

constexpr Row kRows[] = {
    {"partition-workers", "P", "synthesis workers, and as many permits (default 4)",
     [](S& s, Text t) { return read_count(t, 1, kMostWorkers, s.engine.partition_workers); },
     [](const S& s) { return show_count(s.engine.partition_workers); }},
    {"prove-workers", "W", "prove workers; one at a time starts on the device (default 1)",
     [](S& s, Text t) { return read_count(t, 1, kMostWorkers, s.engine.prove_workers); },
     [](const S& s) { return show_count(s.engine.prove_workers); }},
    {"prove-threads", "N", "threads of a partition's transforms and sums (default 1)",
     [](S& s, Text t) {
       std::uint32_t threads = 0;
       auto ok = read_count(t, 1, kMostWorkers, threads);
       if (ok) s.work.prove_threads = threads;
       return ok;
     },
     [](const S& s) { return show_count(s.work.prove_threads); }, Part::proving},
    {"synthesis-jobs", "N|any", "jobs whose partitions are synthesised at once (default any)",
     [](S& s, Text t) { return read_count_or(t, "any", 1, kMostQueued, s.engine.synthesis_jobs); },
     [](const S& s) {
       return s.engine.synthesis_jobs ? show_count(*s.engine.synthesis_jobs) : std::string("any");
     }},
    {"slots", "N|any", "partitions in the engine at once, proved ones apart (default any)",
     [](S& s, Text t) { return read_count_or(t, "any", 1, kMostQueued, s.engine.slots); },
     [](const S& s) { return s.engine.slots ? show_count(*s.engine.slots) : std::string("any"); }},
    {"lookahead", "N", "partitions synthesised ahead, for --channel auto (default 1)",
     [](S& s, Text t) { return read_count(t, 0, kMostQueued, s.engine.lookahead); },
     [](const S& s) { return show_count(s.engine.lookahead); }},
    {"channel", "auto|N",
     "capacity of the queue before the prove workers; auto (the default) is the larger of "
     "--lookahead and --prove-workers",
     [](S& s, Text t) { return read_count_or(t, "auto", 1, kMostQueued, s.engine.channel); },
     [](const S& s) { return show_count(s.engine.capacity()); }},
    {"order", "priority|fifo",
     "which partition is next: strictly by job and partition (default), or the jobs in turn",
     [](S& s, Text t) {
       return read_word<Order>(t, {{"priority", Order::priority}, {"fifo", Order::fifo}},
                               s.engine.order);
     },
     [](const S& s) -> std::string {
       return s.engine.order == Order::priority ? "priority" : "fifo";
     }},
    {"permit-scope", "send|synthesis",
     "how far a partition carries its permit: into the queue (default), or to the end of its "
     "synthesis, which lets finished partitions pile up before a full queue",
     [](S& s, Text t) {
       return read_word<PermitScope>(
           t, {{"send", PermitScope::send}, {"synthesis", PermitScope::synthesis}},
           s.engine.permit_scope);
     },
     [](const S& s) -> std::string {
       return s.engine.permit_scope == PermitScope::send ? "send" : "synthesis";
     }},
    {"split", "on|off",
     "whether finish (G2, assembly) leaves the device to the next start (default on)",
     [](S& s, Text t) { return read_switch(t, s.engine.split); },
     [](const S& s) { return show_switch(s.engine.split); }},
    {"early-free", "on|off",
     "free a, b, c when start is done (default), or with the rest of the partition",
     [](S& s, Text t) { return read_switch(t, s.engine.early_free); },
     [](const S& s) { return show_switch(s.engine.early_free); }},
    {"async-free", "on|off", "free what partitions held on a thread of its own (default off)",
     [](S& s, Text t) { return read_switch(t, s.engine.async_free); },
     [](const S& s) { return show_switch(s.engine.async_free); }},
    {"batch", "N", "jobs that are collected, released and checked together (default 1)",
     [](S& s, Text t) { return read_count(t, 1, kMostBatch, s.engine.batch); },
     [](const S& s) { return show_count(s.engine.batch); }},
    {"batch-wait", "MS", "how long a batch waits to be full (default 100)",
     [](S& s, Text t) {
       std::uint32_t ms = 0;
       auto ok = read_count(t, 0, kMostWaitMs, ms);
       if (ok) s.engine.batch_wait = std::chrono::milliseconds(ms);
       return ok;
     },
     [](const S& s) {
       return show_count(static_cast<std::uint64_t>(s.engine.batch_wait.count()));
     }},
    {"srs", "resident|per-job",
     "keep loaded keys and circuits for later jobs (default), or load them for each job",
     [](S& s, Text t) {
       return read_word<SrsPolicy>(
           t, {{"resident", SrsPolicy::resident}, {"per-job", SrsPolicy::per_job}}, s.engine.srs);
     },
     [](const S& s) -> std::string {
       return s.engine.srs == SrsPolicy::resident ? "resident" : "per-job";
     }},
    {"memory-budget", "BYTES",
     "what the program may hold, e.g. 512MiB or 4GiB; none (the default) is no bound",
     [](S& s, Text t) { return read_bytes_or_none(t, s.engine.memory_budget); },
     [](const S& s) {
       return s.engine.memory_budget ? show_count(*s.engine.memory_budget) : std::string("none");
     }},
    {"log-sink", "off|stderr|async",
     "a log line for each event of a partition: none (default), written at once, or by a thread",
     [](S& s, Text t) {
       return read_word<LogSink>(
           t, {{"off", LogSink::off}, {"stderr", LogSink::stderr_}, {"async", LogSink::async}},
           s.engine.log_sink);
     },
     [](const S& s) -> std::string {
       return s.engine.log_sink == LogSink::off       ? "off"
              : s.engine.log_sink == LogSink::stderr_ ? "stderr"
                                                      : "async";
     }},
    {"compiled", "on|off",
     "synthesis: a, b, c as matrices times witness (default), or by the circuit's builder",
     [](S& s, Text t) { return read_switch(t, s.work.compiled); },
     [](const S& s) { return show_switch(s.work.compiled); }, Part::synthesis},
    {"lc-pool", "on|off", "builder: recycle linear combinations (default on)",
     [](S& s, Text t) { return read_switch(t, s.work.lc_pool); },
     [](const S& s) { return show_switch(s.work.lc_pool); }, Part::synthesis},
    {"lc-inline", "0|1|2|4", "builder: terms that a linear combination holds inside (default 0)",
     [](S& s, Text t) {
       return read_word<std::uint32_t>(t, {{"0", 0}, {"1", 1}, {"2", 2}, {"4", 4}},
                                       s.work.lc_inline);
     },
     [](const S& s) { return show_count(s.work.lc_inline); }, Part::synthesis},
    {"presize", "on|off", "synthesis: vectors get their size beforehand (default), or grow",
     [](S& s, Text t) { return read_switch(t, s.work.presize); },
     [](const S& s) { return show_switch(s.work.presize); }, Part::synthesis},
    {"pin", "on|off", "lock the pages of a partition's vectors (mlock; default off)",
     [](S& s, Text t) { return read_switch(t, s.work.pin); },
     [](const S& s) { return show_switch(s.work.pin); }, Part::synthesis},
    {"g2", "serial|parallel",
     "the sum in G2: a part of finish (default), or beside start on a thread of its own",
     [](S& s, Text t) {
       return read_word<work::G2>(
           t, {{"serial", work::G2::serial}, {"parallel", work::G2::parallel}}, s.work.g2);
     },
     [](const S& s) -> std::string {
       return s.work.g2 == work::G2::serial ? "serial" : "parallel";
     },
     Part::proving},
    {"window", "auto|N", "bits of a digit in every sum; auto (the default): best for each",
     [](S& s, Text t) {
       std::optional<std::uint32_t> bits;
       auto ok = read_count_or(t, "auto", work::kLeastWindow, work::kMostWindow, bits);
       if (ok) s.work.window = bits;
       return ok;
     },
     [](const S& s) { return s.work.window ? show_count(*s.work.window) : std::string("auto"); },
     Part::proving},
};

}  // namespace

std::span<const Row> engine_table() { return kRows; }

Result<void> check(const EngineSettings& settings) { return prover::check(settings.engine); }

}  // namespace prover::settings
