// SPDX-License-Identifier: Apache-2.0
// assay-emit-example: how a program records events, and that they survive its death. Two readers
// hand `count` items through a queue of four to one renderer; then the process dies as asked, with
// one span open. The work is arithmetic, always the same.
#include <signal.h>
#include <unistd.h>

#include <assay/trace.hpp>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace {

using assay::emit::Item;
using assay::emit::Kind;
using assay::emit::Name;
using assay::emit::Span;

constexpr std::size_t kRoom = 4;
constexpr int kReaders = 2;

Name read_stage{"read"};
Name render_stage{"render"};
Name depth{"queue depth"};

thread_local volatile std::uint64_t sink;  // so that the work is done

void work(int rounds) {
  std::uint64_t state = 1;
  for (int i = 0; i < rounds; ++i) state = state * 6364136223846793005U + 1442695040888963407U;
  sink = state;
}

class Queue {
 public:
  void put(std::uint64_t item) {
    std::unique_lock lock(mutex_);
    if (items_.size() == kRoom) {
      const Span blocked(read_stage, Kind::blocked_send, Item{item});
      changed_.wait(lock, [this] { return items_.size() < kRoom; });
    }
    items_.emplace_back(item, Span(render_stage, Kind::queue_wait, Item{item}));
    assay::emit::counter(depth, static_cast<double>(items_.size()));
    changed_.notify_all();
  }
  std::uint64_t take() {
    std::unique_lock lock(mutex_);
    if (items_.empty()) {
      const Span starved(render_stage, Kind::starved);
      changed_.wait(lock, [this] { return !items_.empty(); });
    }
    const std::uint64_t item = items_.front().first;
    items_.pop_front();  // its wait ends, which began on another thread
    changed_.notify_all();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::uint64_t, Span>> items_;
};

void read_items(Queue& queue, int reader, std::uint64_t count) {
  assay::emit::name_thread("read", reader);
  for (std::uint64_t item = static_cast<std::uint64_t>(reader); item < count; item += kReaders) {
    {
      const Span span(read_stage, Kind::service, Item{item});
      work(20000);
    }
    queue.put(item);
  }
}

void render_items(Queue& queue, std::uint64_t count) {
  assay::emit::name_thread("render", 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t item = queue.take();
    ASSAY_SPAN("render", Kind::service, Item{item});
    work(15000);
  }
}

void run(std::uint64_t count) {
  assay::emit::declare({"read", nullptr, nullptr, kReaders});
  assay::emit::declare({"render", "read", nullptr, 1, static_cast<long>(kRoom)});
  assay::emit::setting("count", std::to_string(count).c_str());
  Queue queue;
  std::thread first(read_items, std::ref(queue), 0, count);
  std::thread second(read_items, std::ref(queue), 1, count);
  std::thread last(render_items, std::ref(queue), count);
  first.join();
  second.join();
  last.join();
}

[[noreturn]] void die(const char* how) {
  if (std::strcmp(how, "kill") == 0) raise(SIGKILL);
  if (std::strcmp(how, "term") == 0) raise(SIGTERM);
  if (std::strcmp(how, "abort") == 0) std::abort();
  _exit(0);
}

int usage() {
  std::fputs("usage: assay-emit-example --count N --die kill|term|abort|exit\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t count = 0;
  const char* how = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) {
    char* rest = nullptr;
    if (std::strcmp(argv[i], "--count") == 0) {
      count = std::strtoull(argv[i + 1], &rest, 10);
      if (*rest != '\0' || argv[i + 1][0] == '-') return usage();
    } else if (std::strcmp(argv[i], "--die") == 0) {
      how = argv[i + 1];
    } else {
      return usage();
    }
  }
  if (argc != 5 || count == 0 || how == nullptr) return usage();
  if (std::strcmp(how, "kill") != 0 && std::strcmp(how, "term") != 0 &&
      std::strcmp(how, "abort") != 0 && std::strcmp(how, "exit") != 0) {
    return usage();
  }
  run(count);
  std::printf("%llu items read and rendered\n", static_cast<unsigned long long>(count));
  std::fflush(stdout);
  static const Name dying{"dying"};
  const Span open(dying);
  die(how);
}
