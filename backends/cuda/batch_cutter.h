// Which rows each block of a batch has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/graph_nodes.h"
#include "src/batch/batch_rows.h"

namespace vecc::cuda {

/// What of a batch is one launch's: its run, and its Zeros.
struct LaunchPart {
  std::uint32_t run = kNone;
  std::uint32_t first_zeros = 0;
  std::uint32_t end_zeros = 0;
};
/// By launch; `parts` has one for each. `zeros`: what the batch's Zeros are counted from.
void find_parts(const BatchRows& rows, std::span<LaunchPart> parts, std::uint32_t zeros = 0);

class BatchCutter {
 public:
  /// `plan`: that of `batch`, which must outlive this.
  BatchCutter(const Plan& plan, const BatchPlan& batch);

  /// Blocks that a node has for a batch.
  [[nodiscard]] std::uint64_t count(const GraphNode& node, const BatchRows& rows,
                                    std::span<const LaunchPart> parts) const {
    return count(node, rows, parts, 1);
  }
  /// As many as any batch can do with.
  [[nodiscard]] std::uint64_t fewest(const GraphNode& node) const;
  /// For all rows.
  [[nodiscard]] std::uint64_t most(const GraphNode& node) const;
  /// Rows, or places of an order, one after another.
  struct TypedRows {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t type = 0;
  };
  /// All rows of a launch.
  [[nodiscard]] std::span<const TypedRows> whole(std::uint32_t launch) const {
    return whole_[launch];
  }
  [[nodiscard]] const Target& target() const { return target_; }
  /// All blocks of a node; those behind its rows have none. Where there are too few, each takes two
  /// times as many rows, or four, ...: their results are the same.
  void cut(const GraphNode& node, const BatchRows& rows, std::span<const LaunchPart> parts,
           std::span<BlockRows> to) const;

 private:
  template <class Visit>
  void for_each_type(const BatchRows& rows, const BatchRows::Run& run, Visit&& visit) const;
  template <class Visit>
  void for_each_block(const GraphNode& node, const BatchRows& rows,
                      std::span<const LaunchPart> parts, std::uint64_t turns, Visit&& visit) const;
  [[nodiscard]] std::uint64_t count(const GraphNode& node, const BatchRows& rows,
                                    std::span<const LaunchPart> parts, std::uint64_t turns) const;

  const BatchPlan& batch_;
  const Target target_;
  std::vector<std::vector<TypedRows>> whole_;  // by launch: all of its rows
};

}  // namespace vecc::cuda
