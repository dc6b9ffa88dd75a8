// What is decided about a Program's memory before anything runs: which concats share a buffer, and
// after which op each value can go.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "backends/torch/fused_reads.h"
#include "vecc/program.h"

namespace vecc::libtorch {

inline constexpr std::uint32_t kNoChain = std::numeric_limits<std::uint32_t>::max();

/// Concats that continue one another (`%b = concat %a, ...`, `%c = concat %b, ...`) write one
/// buffer, as long as the last of them: each copies only what it adds, so D levels of a recursion
/// cost the rows there are, not D times as many. Where two concats continue the same one, the one
/// that leads to the longest buffer shares it and the other copies.
struct ConcatChain {
  std::uint32_t rows = 0;
  Shape shape;
};

struct BufferPlan {
  std::vector<ConcatChain> chains;
  std::vector<std::uint32_t> chain;  ///< by value; kNoChain if it shares no buffer
  std::vector<bool> continues;       ///< by value: operand 0 is in the buffer already
  /// By op: the values that no later op reads when it runs. Values of `output` and `update` ops,
  /// and those that are kept, are in none.
  std::vector<std::vector<ValueId>> released;
};
/// `fused` says what each op really reads.
[[nodiscard]] BufferPlan plan_buffers(const Program& program, const FusedReads& fused,
                                      std::span<const ValueId> kept = {});

}  // namespace vecc::libtorch
