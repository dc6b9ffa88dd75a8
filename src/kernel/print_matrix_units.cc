// Products by a GPU's matrix units: where they stand, and what of a block's memory they take.
#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/body_printer.h"
#include "src/kernel/matrix_units.h"
#include "src/kernel/print_cuda.h"

namespace vecc {
namespace {

constexpr std::uint64_t kTile = 16;  // rows, and terms
constexpr std::uint64_t kUnitDepths[] = {64, 32};
constexpr std::uint64_t kMostTileBytes = 38 * 1024;  // of a block with one tile of rows

std::uint64_t in_tiles(std::uint64_t entries) {
  return (entries + kTile - 1) / kTile * kTile;
}

// sizeof(UnitProducts) of the prelude.
std::uint64_t unit_bytes(const ProductShape& shape, MatmulPrecision precision, std::uint64_t rows,
                         std::uint64_t depth, bool kept) {
  constexpr std::uint64_t kFour = 4;  // entries between rows, so that banks differ
  const std::uint64_t width = shape.m > 32 ? 64 : 32;
  const std::uint64_t columns = rows * (in_tiles(shape.k) + kFour) * sizeof(float);
  const std::uint64_t product_step = (shape.m + 3) / 4 * 4 + kFour;
  const std::uint64_t products = (kept ? rows * product_step : kFour) * sizeof(float);
  return columns + products + depth * width * (precision == MatmulPrecision::Bf16 ? 2 : 4);
}

// sizeof(UnitOuterProducts::Memory).
std::uint64_t outer_bytes(std::uint64_t m, std::uint64_t n) {
  constexpr std::uint64_t kChunk = 16 * 1024;
  const std::uint64_t member = ((m + 31) / 32 * 32 + 8 + (n + 31) / 32 * 32 + 8) * sizeof(float);
  return std::max(kChunk, member * (member * 32 <= 36 * 1024 ? 32 : 16));
}

const char* unit_type(MatmulPrecision precision) {
  return precision == MatmulPrecision::Bf16 ? "Bf16" : "Tf32";
}

}  // namespace

// Whether a tile of rows leaves room in a block's shared memory.
bool BodyPrinter::is_unit_product(std::uint32_t number) const {
  if (kernel_.precision == MatmulPrecision::Exact) return false;
  const ProductShape shape = product_shape(kernel_, kernel_.nodes[number]);
  return std::min(shape.m, shape.k) >= kLeastUnitSide &&
         unit_bytes(shape, kernel_.precision, kTile, 32, true) <= kMostTileBytes;
}

// The largest number of rows up to `most` that fits, and the depth; 0: none.
BodyPrinter::UnitBlock BodyPrinter::unit_block(std::uint32_t most, bool kept) const {
  const ProductShape shape = product_shape(kernel_, kernel_.nodes[blocked_]);
  for (std::uint32_t rows = most; rows >= kTile; rows /= 2) {
    for (const std::uint64_t depth : kUnitDepths) {
      const std::uint64_t terms = std::min(depth, in_tiles(shape.k));
      const std::uint64_t bytes = unit_bytes(shape, kernel_.precision, rows, terms, kept);
      if (bytes <= kUnitKernelBytes) {
        return {rows, static_cast<std::uint32_t>(terms), static_cast<std::uint32_t>(bytes)};
      }
    }
  }
  return {};
}

bool BodyPrinter::sums_by_units(const KernelPhase& phase) const {
  if (kernel_.precision == MatmulPrecision::Exact || lanes_ < kCudaThreads) return false;
  if (!sums_outer_products(phase)) return false;
  const std::uint64_t m = size(phase.steps[0].number);
  const std::uint64_t n = size(phase.steps[1].number);
  return std::min(m, n) >= kLeastUnitSide && fits_tiles(m, n);
}

std::uint32_t BodyPrinter::unit_memory() const {
  if (is_blocked()) {
    if (!is_unit_product(blocked_)) return 0;
    return unit_block(blocked_rows(), !only_store_after()).bytes;
  }
  std::uint64_t bytes = 0;
  for (const KernelPhase& phase : kernel_.phases) {
    if (!sums_by_units(phase)) continue;
    bytes = std::max(bytes, outer_bytes(size(phase.steps[0].number), size(phase.steps[1].number)));
  }
  return static_cast<std::uint32_t>(bytes);
}

// As print_lane_blocks().
std::string BodyPrinter::print_unit_blocks(const std::string& row) {
  const KernelNode& node = kernel_.nodes[blocked_];
  const std::uint32_t matrix = kernel_.nodes[node.operands[0]].access;
  const ProductShape shape = product_shape(kernel_, node);
  const bool keeps_products = !only_store_after();
  const UnitBlock block = unit_block(blocked_rows(), keeps_products);
  indent_ = "  ";
  line(fmt::format("const T* matrix = {};", row_pointer(matrix, "0", shape.m * shape.k)));
  line(fmt::format("using Units = UnitProducts<{}, {}, {}, {}, {}, {}>;",
                   unit_type(kernel_.precision), shape.m, shape.k, block.rows, block.depth,
                   keeps_products));
  line(fmt::format("static_assert(sizeof(Units) == {}, \"as the host has it\");", block.bytes));
  line("Units& units = unit_memory<Units>();");
  line("auto& columns = units.columns;");
  if (keeps_products) line("auto& products = units.products;");
  line(fmt::format("pad_columns<{}, {}>(columns);", shape.k, block.rows));
  print_block_loop(row, block.rows,
                   fmt::format("times_unit_block<{}, {}, {}, {}, {}>(matrix, units",
                               unit_type(kernel_.precision), shape.m, shape.k, block.depth,
                               node.transpose_left));
  return std::move(text_);
}

std::string BodyPrinter::unit_outer_call(std::uint64_t m, std::uint64_t n) const {
  return fmt::format("sum_unit_outer_products<{}, {}, {}>", unit_type(kernel_.precision), m, n);
}

bool uses_matrix_units(const Kernel& kernel) {
  if (kernel.precision == MatmulPrecision::Exact) return false;
  const CudaLayout layout = cuda_layout(kernel);
  return !layout.flat && BodyPrinter(kernel, layout.lanes).unit_memory() > 0;
}

}  // namespace vecc
