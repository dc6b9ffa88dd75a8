// What a block of CudaUnit::Spans runs (src/kernel/print_cuda.h), as the host and the GPU have it.
#pragma once

namespace vecc::kg::device {

struct RowSpan {
  unsigned row;
  unsigned members;
  unsigned long long first;   ///< member
  unsigned long long second;  ///< of other arrays
};

}  // namespace vecc::kg::device
