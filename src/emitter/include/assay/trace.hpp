// SPDX-License-Identifier: Apache-2.0
// Records what a program does, so that `assay explain` can say where its time went: spans of work
// and of waiting, moments, sampled values, memory, the topology of a pipeline, settings.
// Header-only, C++17, Linux; needs nothing but libc and pthread. docs/manual/emitter.md shows how.
//
//   assay::emit::declare({"prove", "synthesise", nullptr, 2});
//   ...
//   ASSAY_SPAN("prove", assay::emit::Kind::service, {job, partition});
//
// Off unless the environment names a folder in ASSAY_EVENTS, and then a span costs one predictable
// branch. On, each process writes one file there, and every recorded event survives however the
// process ends, SIGKILL included. A full ring drops new events and counts them; nothing ever
// blocks, throws, prints or ends the program. Everything may be called from any thread, before main
// and during exit, but not from signal handlers.
//
// Environment, read once:
//   ASSAY_EVENTS        the folder; made when it is missing (its last component)
//   ASSAY_EVENTS_RING   the most bytes a thread may record, default 64M; a span takes 40
//   ASSAY_EVENTS_LIMIT  the most bytes of a process's file, default 1G
//   ASSAY_EVENTS_CLOCK  "steady": CLOCK_MONOTONIC even where the time-stamp counter would do
#pragma once

#include <assay/trace_format.hpp>
#include <assay/trace_recorder.hpp>
#include <assay/trace_slow_paths.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace assay {
namespace emit {

// What a span belongs to: a job, and a part of it. kNoKey = absent.
struct Item {
  std::uint64_t job = kNoKey;
  std::uint64_t part = kNoKey;
};

// Whether events are recorded. To skip preparing what would only be recorded.
inline bool enabled() noexcept { return detail::is_on(); }

// A name of stages, moments or counters. Make it once, `static` and from a literal: then it is
// initialised before the program runs and costs nothing until it is used first. Texts behind
// pointers and in writable arrays are copied at once. At most 16,384 different names a process,
// 4,096 bytes each.
class Name {
 public:
  template <std::size_t N>
  constexpr explicit Name(const char (&literal)[N]) noexcept : text_(literal) {}
  template <std::size_t N>
  explicit Name(char (&text)[N]) noexcept : Name(static_cast<const char*>(text)) {}
  template <class Text,
            std::enable_if_t<std::is_convertible_v<Text, const char*> && std::is_pointer_v<Text>,
                             int> = 0>
  explicit Name(const Text& text) noexcept : text_(text) {
    if (detail::is_on()) register_text();
    text_ = nullptr;
  }
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;

  // For the recorder: the name's id in this process. The recorder is on.
  std::uint32_t id() const noexcept {
    const std::uint32_t id = id_.load(std::memory_order_relaxed);
    return ASSAY_LIKELY(id != 0) ? id : register_text();
  }

 private:
  ASSAY_COLD std::uint32_t register_text() const noexcept {
    const std::uint32_t id = detail::intern(text_);
    id_.store(id, std::memory_order_relaxed);
    return id;
  }

  const char* text_;
  mutable std::atomic<std::uint32_t> id_{0};
};

// From construction to end() or destruction. Its slot is taken at the beginning, so a span that is
// open when the process dies is seen as open. May be moved, and ended on another thread.
class Span {
 public:
  Span() noexcept = default;  // of nothing
  explicit Span(const Name& stage, Kind kind = Kind::service, Item item = {}) noexcept {
    if (detail::is_on()) begin(stage.id(), kind, item);
  }
  Span(Span&& other) noexcept : slot_(other.slot_), generation_(other.generation_) {
    other.slot_ = nullptr;
  }
  Span& operator=(Span&& other) noexcept {
    if (this != &other) {
      end();
      slot_ = other.slot_;
      generation_ = other.generation_;
      other.slot_ = nullptr;
    }
    return *this;
  }
  ~Span() { end(); }

  void end() noexcept {
    if (slot_ == nullptr) return;
    // After a fork the child has the parent's open spans; ending them is the parent's affair.
    if (generation_ == detail::recorder.generation.load(std::memory_order_relaxed)) {
      __atomic_store_n(&slot_->end, detail::now(), __ATOMIC_RELEASE);
    }
    slot_ = nullptr;
  }

 private:
  void begin(std::uint32_t stage, Kind kind, const Item& item) noexcept {
    slot_ = detail::reserve();
    if (slot_ == nullptr) return;
    generation_ = detail::recorder.generation.load(std::memory_order_relaxed);
    slot_->job = item.job;
    slot_->part = item.part;
    slot_->begin = detail::now();
    detail::publish(slot_, format::SlotType::span, kind, stage);
  }

  format::Slot* slot_ = nullptr;
  std::uint32_t generation_ = 0;
};

// A moment.
inline void instant(const Name& name, Item item = {}) noexcept {
  if (!detail::is_on()) return;
  detail::record(format::SlotType::instant, name.id(), 0, item.job, item.part);
}

// A sampled value, e.g. of items in flight.
inline void counter(const Name& name, double value) noexcept {
  if (!detail::is_on()) return;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  detail::record(format::SlotType::counter, name.id(), bits, kNoKey, kNoKey);
}

// Memory in use by "pid", "tree", "cgroup", "gpu" or a scope of the program's own.
inline void memory(const char* scope, std::uint64_t bytes) noexcept {
  if (!detail::is_on()) return;
  detail::record(format::SlotType::memory, detail::intern(scope), bytes, kNoKey, kNoKey);
}

// The configuration in effect, e.g. setting("lookahead", "4"): it is compared between two runs
// before any time is. Values are cut at 4,096 bytes.
inline void setting(const char* name, const char* value) noexcept {
  if (!detail::is_on()) return;
  const std::uint32_t value_id = detail::intern(value);
  detail::record(format::SlotType::setting, detail::intern(name), 0, value_id, kNoKey);
}

// A stage of the pipeline, so that no rules file is needed.
struct Stage {
  const char* name;
  const char* after = nullptr;   // the stage whose output it takes
  const char* parent = nullptr;  // the stage that it is a part of
  int servers = 0;               // workers that serve it at once; 0 = not said
  long capacity = -1;            // items its queue holds; -1 = not said
  int permits = 0;               // items allowed in it at once; 0 = not said
};

inline void declare(const Stage& stage) noexcept {
  if (!detail::is_on() || stage.name == nullptr) return;
  const std::uint64_t after = detail::intern(stage.after);
  const std::uint64_t parent = detail::intern(stage.parent);
  const auto servers = static_cast<std::uint32_t>(stage.servers);
  const auto permits = static_cast<std::uint32_t>(stage.permits);
  detail::record(format::SlotType::stage, detail::intern(stage.name),
                 static_cast<std::uint64_t>(stage.capacity), after | parent << 32,
                 servers | static_cast<std::uint64_t>(permits) << 32);
}

// Says that the calling thread is worker number `worker` of `stage`, until it says otherwise.
inline void name_thread(const char* stage, int worker) noexcept {
  if (!detail::is_on()) return;
  detail::record(format::SlotType::worker, detail::intern(stage), 0, kNoKey,
                 static_cast<std::uint64_t>(worker));
}

namespace detail {
inline Span scoped(const Name& name, const char*, Kind kind = Kind::service,
                   Item item = {}) noexcept {
  return Span(name, kind, item);
}
}  // namespace detail

}  // namespace emit
}  // namespace assay

#define ASSAY_JOIN_AGAIN(a, b) a##b
#define ASSAY_JOIN(a, b) ASSAY_JOIN_AGAIN(a, b)
#define ASSAY_FIRST_OF(first, ...) first

// ASSAY_SPAN("stage"), ASSAY_SPAN("stage", kind), ASSAY_SPAN("stage", kind, {job, part}): a span
// until the end of the scope. The name is a literal.
#define ASSAY_SPAN(...)                                                                            \
  ASSAY_CONSTINIT static ::assay::emit::Name ASSAY_JOIN(assay_name_,                               \
                                                        __LINE__){ASSAY_FIRST_OF(__VA_ARGS__, 0)}; \
  const ::assay::emit::Span ASSAY_JOIN(assay_span_, __LINE__) =                                    \
      ::assay::emit::detail::scoped(ASSAY_JOIN(assay_name_, __LINE__), __VA_ARGS__)
