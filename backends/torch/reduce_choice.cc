#include "backends/torch/reduce_choice.h"

namespace vecc::libtorch {
namespace {

// Additions for which a CPU's threads are not worth waking: the sparse products always do that,
// segment_reduce never.
constexpr std::uint64_t kFewestForThreads = 2048;
// On CUDA a warp of the sparse product takes a row's columns: with fewer, most of it would idle.
constexpr std::uint64_t kFewestColumnsForWarp = 8;

}  // namespace

// Segment and Scatter write the gathered rows and read them again; the sparse product reads the
// source's rows alone. On a CPU it takes 0.05 to 0.5 of the time of the better of them, from 300
// members up (docs/torch.md): segment_reduce and index_add_ are scalar loops there. On CUDA
// Segment and the sparse product both take a thread a segment and column. Scatter is never best:
// its sums meet in memory, and so that they repeat bit by bit CUDA has to sort.
TorchReduce choose_reduce(const RowSumSize& size) {
  const bool multiplies = size.cuda ? size.columns >= kFewestColumnsForWarp
                                    : size.members * size.columns >= kFewestForThreads;
  return multiplies ? TorchReduce::SpMM : TorchReduce::Segment;
}

}  // namespace vecc::libtorch
