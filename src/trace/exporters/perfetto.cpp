// SPDX-License-Identifier: Apache-2.0
#include "trace/exporters/perfetto.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace assay::trace {
namespace {

// Field numbers of the messages that are written.
namespace field {
constexpr unsigned kPacket = 1;                                                    // Trace
constexpr unsigned kTimestamp = 8, kSequence = 10, kEvent = 11, kDescriptor = 60;  // TracePacket
constexpr unsigned kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5,  // TrackDescriptor
    kCounter = 8;
constexpr unsigned kPid = 1, kProcessName = 6;                 // ProcessDescriptor
constexpr unsigned kThreadPid = 1, kTid = 2, kThreadName = 5;  // ThreadDescriptor
constexpr unsigned kUnit = 3;                                  // CounterDescriptor
constexpr unsigned kAnnotation = 4, kType = 9, kTrack = 11, kCategory = 22, kEventName = 23,
                   kInteger = 30, kDouble = 44;      // TrackEvent
constexpr unsigned kText = 6, kAnnotationName = 10;  // DebugAnnotation
}  // namespace field

constexpr std::uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4;
constexpr std::uint64_t kBytes = 3;  // unit of a counter

// A protobuf message as it grows.
class Message {
 public:
  Message& number(unsigned id, std::uint64_t value) {
    varint(std::uint64_t{id} << 3);
    varint(value);
    return *this;
  }
  Message& real(unsigned id, double value) {
    varint((std::uint64_t{id} << 3) | 1);
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>((bits >> (8 * byte)) & 0xff);
    return *this;
  }
  Message& text(unsigned id, std::string_view value) {
    varint((std::uint64_t{id} << 3) | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(unsigned id, const Message& value) { return text(id, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(0x80 | (value & 0x7f));
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_ = {};
};

class Writer {
 public:
  // `base` is the time that becomes 0, after `zero` was taken off.
  Writer(Output& out, const ExportSide& side, std::uint64_t pid, Nanos base)
      : out_(out), trace_(*side.trace), zero_(side.zero), base_(base), pid_(pid) {
    uuid_ = pid << 32;
  }

  void write(const std::string& process) {
    process_ = ++uuid_;
    describe(Message()
                 .number(field::kUuid, process_)
                 .message(field::kProcess,
                          Message().number(field::kPid, pid_).text(field::kProcessName, process)));
    spans();
    for (std::size_t i = 0; i < trace_.instants.size() && !out_.has_failed(); ++i) {
      event(trace_.instants.at[i], kInstant, process_,
            Message().text(field::kEventName, trace_.strings.at(trace_.instants.name[i])));
    }
    counters();
  }

 private:
  struct Lane {
    std::uint64_t track = 0;
    std::vector<Nanos> ends = {};  // of the open slices, innermost last
  };

  void describe(const Message& descriptor) {
    packet(Message().number(field::kSequence, 1).message(field::kDescriptor, descriptor));
  }
  void packet(const Message& message) {
    out_.raw(Message().message(field::kPacket, message).bytes());
  }
  void event(Nanos at, std::uint64_t type, std::uint64_t track, const Message& rest) {
    const std::uint64_t time = static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(zero_) -
                               static_cast<std::uint64_t>(base_);
    Message body;
    body.number(field::kType, type).number(field::kTrack, track);
    packet(Message()
               .number(field::kTimestamp, time)
               .number(field::kSequence, 1)
               .text(field::kEvent, body.bytes() + rest.bytes()));
  }

  // A track of its own for each worker, and for each stage whose spans have no worker.
  std::uint64_t make_track(std::uint32_t worker, std::uint32_t stage, std::uint64_t above) {
    const std::uint64_t track = ++uuid_;
    Message descriptor;
    descriptor.number(field::kUuid, track);
    if (worker == kNone || above != process_) {
      descriptor.number(field::kParent, above)
          .text(field::kName,
                worker == kNone ? trace_.stages[stage].name : trace_.workers[worker].label);
    } else {
      descriptor.number(field::kParent, above)
          .message(field::kThread, Message()
                                       .number(field::kThreadPid, pid_)
                                       .number(field::kTid, pid_ * 1000000 + worker + 1)
                                       .text(field::kThreadName, trace_.workers[worker].label));
    }
    describe(descriptor);
    return track;
  }

  void spans() {
    const Spans& all = trace_.spans;
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto group = [&](std::uint32_t i) {
      return std::pair(all.worker[i], all.worker[i] == kNone ? all.stage[i] : 0);
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(group(a), all.begin[a], ~all.end[a], a) <
             std::tuple(group(b), all.begin[b], ~all.end[b], b);
    });
    std::vector<Lane> lanes;
    for (std::size_t k = 0; k < order.size() && !out_.has_failed(); ++k) {
      const std::uint32_t i = order[k];
      if (k == 0 || group(order[k - 1]) != group(i)) {
        close_all(lanes);
        lanes.clear();
      }
      Lane& lane = lane_for(lanes, i);
      Message rest;
      rest.text(field::kCategory, to_word(all.kind[i]))
          .text(field::kEventName, trace_.stages[all.stage[i]].name);
      if (all.item[i] != kNone) {
        annotate(rest, "item", trace_.strings.at(trace_.items.key[all.item[i]]));
      }
      if (all.quality[i] != Quality::exact) annotate(rest, "quality", to_word(all.quality[i]));
      event(all.begin[i], kSliceBegin, lane.track, rest);
      lane.ends.push_back(all.end[i]);
    }
    close_all(lanes);
  }

  static void annotate(Message& event, std::string_view name, std::string_view value) {
    event.message(field::kAnnotation,
                  Message().text(field::kText, value).text(field::kAnnotationName, name));
  }

  // The first lane in which the span nests; what ended before it begins is closed there.
  Lane& lane_for(std::vector<Lane>& lanes, std::uint32_t i) {
    const Spans& all = trace_.spans;
    for (Lane& lane : lanes) {
      while (!lane.ends.empty() && lane.ends.back() <= all.begin[i]) close(lane);
      if (lane.ends.empty() || lane.ends.back() >= all.end[i]) return lane;
    }
    const std::uint64_t above = lanes.empty() ? process_ : lanes.front().track;
    lanes.push_back({make_track(all.worker[i], all.stage[i], above), {}});
    return lanes.back();
  }

  void close(Lane& lane) {
    event(lane.ends.back(), kSliceEnd, lane.track, Message());
    lane.ends.pop_back();
  }
  void close_all(std::vector<Lane>& lanes) {
    for (Lane& lane : lanes) {
      while (!lane.ends.empty()) close(lane);
    }
  }

  std::uint64_t counter_track(std::string_view name, bool is_bytes) {
    Message unit;
    if (is_bytes) unit.number(field::kUnit, kBytes);
    const std::uint64_t track = ++uuid_;
    describe(Message()
                 .number(field::kUuid, track)
                 .text(field::kName, name)
                 .number(field::kParent, process_)
                 .message(field::kCounter, unit));
    return track;
  }

  void counters() {
    std::map<std::uint32_t, std::uint64_t> tracks;
    for (std::size_t i = 0; i < trace_.counters.size() && !out_.has_failed(); ++i) {
      if (!std::isfinite(trace_.counters.value[i])) continue;
      std::uint64_t& track = tracks[trace_.counters.name[i]];
      if (track == 0) track = counter_track(trace_.strings.at(trace_.counters.name[i]), false);
      event(trace_.counters.at[i], kCounter, track,
            Message().real(field::kDouble, trace_.counters.value[i]));
    }
    for (const MemorySeries& series : trace_.memory) {
      const std::uint64_t track =
          counter_track("memory " + series.scope + ": " + series.method, true);
      for (std::size_t i = 0; i < series.at.size() && !out_.has_failed(); ++i) {
        event(series.at[i], kCounter, track, Message().number(field::kInteger, series.bytes[i]));
      }
    }
  }

  Output& out_;
  const Trace& trace_;
  Nanos zero_, base_;
  std::uint64_t pid_, uuid_ = 0, process_ = 0;
};

// The earliest time of all sides, each seen from its zero.
Nanos earliest(std::span<const ExportSide> sides) {
  Nanos first = std::numeric_limits<Nanos>::max();
  for (const ExportSide& side : sides) {
    const auto see = [&](const std::vector<Nanos>& times) {
      for (const Nanos at : times) {
        Nanos seen = 0;
        if (!__builtin_sub_overflow(at, side.zero, &seen)) first = std::min(first, seen);
      }
    };
    see(side.trace->spans.begin);
    see(side.trace->instants.at);
    see(side.trace->counters.at);
    for (const MemorySeries& series : side.trace->memory) see(series.at);
  }
  return first == std::numeric_limits<Nanos>::max() ? 0 : first;
}

}  // namespace

Result<void> write_perfetto(std::span<const ExportSide> sides, const Sink& sink) {
  Output out(sink);
  const Nanos base = earliest(sides);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    Writer(out, sides[i], i + 1, base).write(side_name(sides, i));
  }
  return out.finish();
}

}  // namespace assay::trace
