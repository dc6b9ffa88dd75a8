#include "backends/torch/reduce_choice.h"

#include "backends/torch/torch_times.h"

namespace vecc::libtorch {

// Segment and Scatter write the gathered rows and read them again; the sparse product reads the
// source's rows alone. On a CPU it takes 0.05 to 0.5 of the time of the better of them, from 300
// members up (docs/torch.md): segment_reduce and index_add_ are scalar loops there. On CUDA
// Segment and the sparse product both take a thread a segment and column. Scatter is never best:
// its sums meet in memory, and so that they repeat bit by bit CUDA has to sort.
TorchReduce choose_reduce(const RowSumSize& size) {
  const TorchTimes times = torch_times(size.cuda);
  const bool multiplies = size.columns >= times.product_columns &&
                          size.members * size.columns >= times.product_additions;
  return multiplies ? TorchReduce::SpMM : TorchReduce::Segment;
}

}  // namespace vecc::libtorch
