// SPDX-License-Identifier: Apache-2.0
// Call stacks as a tree: each distinct stack once, whatever the number of its samples.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/events.hpp"

namespace assay::trace {

class StackTree {
 public:
  static constexpr std::uint32_t kRoot = 0;  // the empty stack

  StackTree() { nodes_.push_back({}); }

  // The stack that calls `stage` from the stack `parent`.
  std::uint32_t child(std::uint32_t parent, std::uint32_t stage);

  std::uint32_t parent(std::uint32_t node) const { return nodes_[node].parent; }
  std::uint32_t stage(std::uint32_t node) const { return nodes_[node].stage; }
  std::uint32_t depth(std::uint32_t node) const { return nodes_[node].depth; }
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    std::uint32_t parent = kNone, stage = kNone, depth = 0;
  };
  std::vector<Node> nodes_ = {};
  std::unordered_map<std::uint64_t, std::uint32_t> children_ = {};  // by parent and stage
};

}  // namespace assay::trace
