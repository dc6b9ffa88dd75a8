#include "backends/cuda/batch_layout.h"

#include <algorithm>
#include <utility>

namespace vecc::cuda {
namespace {

// Blocks of a node's grid.
std::uint32_t grid_of(const GraphNode& node, const BatchCutter& cutter, const BatchRows& rows,
                      std::span<const LaunchPart> parts) {
  constexpr std::uint64_t kMoreBlocks = 4;  // of each launch
  const std::uint64_t first = cutter.count(node, rows, parts);
  const std::uint64_t wanted = 2 * first + kMoreBlocks * node.launches.size();
  return static_cast<std::uint32_t>(
      std::max(std::min(wanted, cutter.most(node)), cutter.fewest(node)));
}

}  // namespace

BatchLayout make_batch_layout(std::vector<BoundPlace> bounds, std::span<const NodeCode> nodes,
                              std::uint64_t scalars, const BatchCutter& cutter,
                              const BatchRows& rows, std::span<const LaunchPart> parts) {
  BatchLayout layout;
  layout.bounds = std::move(bounds);
  std::uint64_t at = 0;
  for (const NodeCode& node : nodes) {
    at = BatchLayout::aligned(at);
    layout.nodes.push_back({at, 0, grid_of(node.graph, cutter, rows, parts)});
    for (const std::uint32_t l : node.graph.launches) {
      layout.bounds[l].first = at;
      at += layout.bounds[l].bytes();
    }
  }
  layout.scalars = BatchLayout::aligned(at);
  at = layout.scalars + scalars * BatchLayout::kAlignment;
  for (NodePlace& node : layout.nodes) {
    node.blocks = at;
    at += node.block_count * sizeof(BlockRows);
  }
  layout.fixed = BatchLayout::aligned(at);
  return layout;
}

}  // namespace vecc::cuda
