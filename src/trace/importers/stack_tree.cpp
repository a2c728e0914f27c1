// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/stack_tree.hpp"

namespace assay::trace {

std::uint32_t StackTree::child(std::uint32_t parent, std::uint32_t stage) {
  const std::uint64_t key = (std::uint64_t{parent} << 32) | stage;
  const auto [place, is_new] =
      children_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({parent, stage, nodes_[parent].depth + 1});
  return place->second;
}

}  // namespace assay::trace
