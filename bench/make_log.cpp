// SPDX-License-Identifier: Apache-2.0
// Logs of any size for bench/trace.py, the same bytes for the same arguments:
//   make_log KIND BYTES > file
//     sparse    an application's log; one line in fifty is a TIMELINE event of a two-stage pipeline
//     timeline  TIMELINE events and nothing else
//     logfmt    ten key=value pairs a line
//     unknown   text of a program that assay has no rules for: "... step=decode ... took 12.3ms"
//     chrome    Chrome trace JSON, complete events
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

namespace {

constexpr std::uint64_t kMarkEvery = 50;

class Log {
 public:
  explicit Log(std::uint64_t bytes) : wanted_(bytes) {}
  bool full() const { return written_ + out_.size() >= wanted_; }
  std::string& text() {
    if (out_.size() > (1U << 20)) flush();
    return out_;
  }
  void flush() {
    written_ += std::fwrite(out_.data(), 1, out_.size(), stdout);
    out_.clear();
  }

 private:
  std::uint64_t wanted_, written_ = 0;
  std::string out_;
};

// A multiplicative generator: a benchmark needs variety, not quality.
class Numbers {
 public:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_ = 7;
};

template <class... T>
void line(Log& log, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(log.text()), format, std::forward<T>(values)...);
}

// Event number `n` of a pipeline whose two workers take an item each every 12 s, in the order of
// time.
void timeline(Log& log, Numbers& numbers, std::uint64_t n) {
  static constexpr std::uint64_t kStart[] = {0, 3500};  // ms in the round, by worker
  static std::uint64_t service[2];
  static constexpr int kOrder[] = {0, 1, 2, 10, 11, 12, 3, 13};  // worker x 10 + event of the item
  const std::uint64_t step = static_cast<std::uint64_t>(kOrder[n % 8]), worker = step / 10;
  const std::uint64_t item = n / 8 * 2 + worker, job = item / 10, part = item % 10;
  const std::uint64_t start = n / 8 * 12000 + kStart[worker];
  switch (step % 10) {
    case 0:
      line(log, "TIMELINE,{},SYNTH_START,{:08x},partition={}\n", start, job, part);
      break;
    case 1:
      line(log, "TIMELINE,{},SYNTH_END,{:08x},partition={},synth_ms=200\n", start + 200, job, part);
      break;
    case 2:
      service[worker] = 6500 + numbers.below(1200);
      line(log, "TIMELINE,{},GPU_START,{:08x},worker={},partition={}\n", start + 210, job, worker,
           part);
      break;
    default:
      line(log, "TIMELINE,{},GPU_END,{:08x},worker={},partition={},gpu_ms={}\n",
           start + 210 + service[worker], job, worker, part, service[worker]);
  }
}

std::string clock_of(std::uint64_t us) {
  return fmt::format("2026-03-04T{:02}:{:02}:{:02}.{:06}Z", us / 3'600'000'000 % 24,
                     us / 60'000'000 % 60, us / 1'000'000 % 60, us % 1'000'000);
}

void sparse(Log& log, Numbers& numbers, std::uint64_t n) {
  if (n % kMarkEvery == 0) return timeline(log, numbers, n / kMarkEvery);
  line(log, "{}  INFO engine::cache: evicted entry {:016x} after {} hits, {} bytes resident\n",
       clock_of(n * 37), numbers.below(1ULL << 31) << 20, numbers.below(1000),
       numbers.below(1ULL << 30));
}

void logfmt(Log& log, Numbers& numbers, std::uint64_t n) {
  line(log,
       "ts={} level=info msg=served method=GET path=/v1/items/{} status=200 bytes={} worker={} "
       "queue_ms={} duration_ms={}\n",
       clock_of(n * 211), numbers.below(100000), numbers.below(1U << 20), numbers.below(8),
       numbers.below(40), 5 + numbers.below(90));
}

void unknown(Log& log, Numbers& numbers, std::uint64_t n) {
  static const char* const kSteps[] = {"fetch", "decode", "transform", "store"};
  static const std::uint64_t kTypical[] = {40, 12, 95, 20};
  const std::uint64_t step = n % 4;
  line(log, "[{}] worker-{} task {} step={} finished, took {}.{}ms\n", clock_of(n * 911), n / 4 % 8,
       n / 4, kSteps[step], kTypical[step] + numbers.below(10), numbers.below(10));
}

void chrome(Log& log, Numbers& numbers, std::uint64_t n) {
  line(log,
       "{}{{\"name\":\"kernel_{}\",\"cat\":\"kernel\",\"ph\":\"X\",\"ts\":{}.{:03},\"dur\":{}.5,"
       "\"pid\":1,\"tid\":{},\"args\":{{\"correlation\":{},\"stream\":7,\"grid\":[128,1,1]}}}}",
       n == 0 ? "{\"traceEvents\":[\n" : ",\n", numbers.below(40), n * 12, numbers.below(1000),
       3 + numbers.below(8), n % 4, n);
}

}  // namespace

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*write)(Log&, Numbers&, std::uint64_t);
  } kinds[] = {{"sparse", sparse},
               {"timeline", timeline},
               {"logfmt", logfmt},
               {"unknown", unknown},
               {"chrome", chrome}};
  for (const auto& kind : kinds) {
    if (argc != 3 || std::strcmp(argv[1], kind.name) != 0) continue;
    Log log(std::strtoull(argv[2], nullptr, 10));
    Numbers numbers;
    for (std::uint64_t n = 0; !log.full(); ++n) kind.write(log, numbers, n);
    if (kind.write == chrome) log.text() += "\n]}\n";
    log.flush();
    return 0;
  }
  std::fprintf(stderr, "usage: make_log sparse|timeline|logfmt|unknown|chrome BYTES > FILE\n");
  return 2;
}
