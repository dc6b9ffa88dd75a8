#include "src/kernel/schedule/tensor_cores.h"

#include <algorithm>

#include "src/kernel/schedule/outer_products.h"
#include "src/kernel/schedule/schedule_kernel.h"

namespace vecc {
namespace {

constexpr std::uint64_t kTile = 16;  // rows, and terms
constexpr std::uint64_t kTensorDepths[] = {64, 32};

std::uint64_t in_tiles(std::uint64_t entries) {
  return (entries + kTile - 1) / kTile * kTile;
}

// sizeof(TensorProducts) of the prelude.
std::uint64_t product_bytes(const ProductShape& shape, MatmulPrecision precision,
                            std::uint64_t rows, std::uint64_t depth, bool kept) {
  constexpr std::uint64_t kFour = 4;  // entries between rows, so that banks differ
  const std::uint64_t width = shape.m > 32 ? 64 : 32;
  const std::uint64_t columns = rows * (in_tiles(shape.k) + kFour) * sizeof(float);
  const std::uint64_t product_step = (shape.m + 3) / 4 * 4 + kFour;
  const std::uint64_t products = (kept ? rows * product_step : kFour) * sizeof(float);
  return columns + products + depth * width * (precision == MatmulPrecision::Bf16 ? 2 : 4);
}

// Of a matrix that several blocks share: its rows or columns, whichever are fewer.
std::uint64_t large_side(const Kernel& kernel, const KernelSchedule& schedule) {
  const bool is_sum = schedule.loop == RowLoop::LargeSum;
  const std::uint32_t node = is_sum ? outer_product_sum(kernel, kernel.phases[0])->sum
                                    : kernel.nodes[schedule.product->node].operands[0];
  const Shape shape = kernel.nodes[node].shape;
  return std::min(shape.rows(), shape.cols());
}

}  // namespace

// Whether a tile of rows leaves room in a block's shared memory.
bool is_tensor_product(const Kernel& kernel, std::uint32_t node) {
  constexpr std::uint64_t kMostTileBytes = 38 * 1024;
  if (!is_rounded(kernel.precision)) return false;
  const ProductShape shape = product_shape(kernel, kernel.nodes[node]);
  return std::min(shape.m, shape.k) >= kLeastTensorSide &&
         product_bytes(shape, kernel.precision, kTile, 32, true) <= kMostTileBytes;
}

TensorBlock tensor_block(const ProductShape& shape, MatmulPrecision precision, std::uint32_t most,
                         bool kept) {
  for (std::uint32_t rows = most; rows >= kTile; rows /= 2) {
    for (const std::uint64_t depth : kTensorDepths) {
      const std::uint64_t terms = std::min(depth, in_tiles(shape.k));
      const std::uint64_t bytes = product_bytes(shape, precision, rows, terms, kept);
      if (bytes <= kProductBytes) {
        return {rows, static_cast<std::uint32_t>(terms), static_cast<std::uint32_t>(bytes)};
      }
    }
  }
  return {};
}

// sizeof(TensorOuterProducts::Memory) of the prelude.
std::uint32_t tensor_sum_bytes(std::uint64_t m, std::uint64_t n) {
  constexpr std::uint64_t kChunk = 16 * 1024;
  const std::uint64_t member = ((m + 31) / 32 * 32 + 8 + (n + 31) / 32 * 32 + 8) * sizeof(float);
  return static_cast<std::uint32_t>(
      std::max(kChunk, member * (member * 32 <= 36 * 1024 ? 32 : 16)));
}

bool uses_tensor_cores(const Kernel& kernel) {
  if (kernel.precision == MatmulPrecision::Exact) return false;
  const KernelSchedule schedule = schedule_widest(kernel);
  return schedule.uses_tensor_cores() ||
         (schedule.is_large() && large_side(kernel, schedule) >= kLeastTensorSide);
}

}  // namespace vecc
