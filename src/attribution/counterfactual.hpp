// SPDX-License-Identifier: Apache-2.0
// Two measured runs as one game: the factors in which they differ, and the makespan that the replay
// gives when some of them are taken from B and the others from A.
//
// Items are the same on both sides when their keys are; where the keys of two runs have little in
// common (random job ids) but their number is the same, the items are matched by their place in the
// order of entry. An item that only one side has takes on the other side the service at the same
// quantile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attribution/replay.hpp"
#include "base/random.hpp"
#include "base/result.hpp"

namespace assay::attribution {

enum class FactorKind {
  service,       // of one part of one stage, item by item
  hand_over,     // of a stage: what the machine takes between its steps, item by item
  workers,       // servers of a stage, with its permits where the two are one number
  permits,       // of a stage
  part_workers,  // servers of a part: a device
  capacity,      // of the queue before a stage
  scope,         // whether a stage's permit is held through the send
  order,         // in which items enter, and how queues give them out
  source,        // when the source has something to give
  items          // which items there are
};

struct Factor {
  FactorKind kind = FactorKind::service;
  std::uint32_t stage = 0, column = 0;
  std::string name = {};  // "gpu.service", "hand-over of gpu", "workers of synth"
};

// Pairs of rows; kNone: only on the other side. In an order that does not depend on which side is
// called A.
struct ItemMatch {
  std::vector<std::uint32_t> a = {}, b = {};  // by union row
  std::size_t common = 0;
  bool by_key = true;
  double share = 1;  // common keys / items of the larger side, also when matched by place
};
// Keys are distinct within a side, in the order of entry.
ItemMatch match_items(std::span<const std::string> a, std::span<const std::string> b);

class Game {
 public:
  // Both models have the same stages and columns, by name; else an error that names them.
  static Result<Game> make(const RunModel& a, const RunModel& b);

  const std::vector<Factor>& factors() const { return factors_; }
  const ItemMatch& match() const { return match_; }
  // Seconds; bit i = factor i from B. Of the runs as they were, or as last resampled.
  double worth(std::uint64_t set);
  // Moving blocks of `length` neighbours in the order of entry, drawn with replacement, the same
  // for both sides.
  void resample(Random& random, std::size_t length);
  void restore();              // the runs as they were
  std::size_t events() const;  // of one replay, about
  std::uint64_t replays() const { return replayer_.replays(); }

 private:
  Game(const RunModel& a, const RunModel& b) : sides_{&a, &b} {}
  void match_rows();
  void fill_services();
  std::vector<Nanos> union_column(std::size_t side, const std::vector<Nanos>& a,
                                  const std::vector<Nanos>& b) const;
  void rank_rows();
  void find_factors();
  void fold_hand_overs();
  void make_entries(std::span<const std::uint32_t> places_a,
                    std::span<const std::uint32_t> places_b);
  const ReplaySource* source_for(std::size_t side, std::size_t places);

  const RunModel* sides_[2];
  ItemMatch match_;
  std::vector<Factor> factors_;
  // [column][union row], and for the senders [stage][union row].
  std::vector<std::vector<Nanos>> services_[2], hand_over_[2], send_delay_[2];
  std::vector<double> rank_[2];  // by union row: place in the order of entry
  // The items of each side in the order that both sides share (the mean of their places).
  std::vector<std::uint32_t> base_[2];
  std::vector<std::uint32_t> entries_[2][2];  // [items of][in the order of]
  ReplaySource stretched_[2];                 // a source laid over another number of places
  Replayer replayer_;
};

}  // namespace assay::attribution
