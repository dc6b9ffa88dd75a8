// What a kernel is: a `__global__` function of its arguments and the rows of its blocks.
#pragma once

namespace vecc::emitted {

using KernelFunction = const void*;  // as cudaGraphAddKernelNode() takes it

}  // namespace vecc::emitted
