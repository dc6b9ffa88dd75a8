#include "src/kernel/compile_flags.h"

namespace vecc {
namespace {

// Times: 40 units of 30 lines, GCC 12. GCC's -O3 unrolls short loops before it vectorizes: a sum of
// gathered rows of 32 floats is then 6 times slower, of 8 floats 2.5 times. What it vectorizes
// beyond -O2 is asked for by name; clang accepts these names too.
constexpr const char* kFlags[] = {
    "-O2",  // 74 ms a unit; -O3 takes 109
    // Short loops over few members within as few lines of decoded code as they take: a sum of six
    // takes a tenth longer where one more is crossed.
    "-falign-loops=32",
    "-ftree-vectorize",
    "-fvect-cost-model",  // loops of any length, not only those that need no remainder
    "-fpeel-loops",
    "-ffp-contract=off",
    "-fno-math-errno",  // else no loop with a square root is vectorized
    "-fno-trapping-math",
};
constexpr const char* kX86Flags[] = {
    "-march=native",
    // GCC 12 misplaces aligned locals in the red zone, where it first meant to realign the stack.
    "-mno-red-zone",
};
constexpr const char* kArmFlags[] = {"-mcpu=native"};
// The order of operations is the kernel's own: no product is joined with a sum behind its back.
constexpr const char* kCudaFlags[] = {"--fmad=false"};

}  // namespace

std::span<const char* const> kernel_flags() {
  return kFlags;
}
std::span<const char* const> x86_kernel_flags() {
  return kX86Flags;
}
std::span<const char* const> arm_kernel_flags() {
  return kArmFlags;
}
std::span<const char* const> cuda_kernel_flags() {
  return kCudaFlags;
}

}  // namespace vecc
