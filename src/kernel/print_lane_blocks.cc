// Products in blocks on a GPU: a matrix that rows share times the columns of as many rows as a
// block of threads has at once.
#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/body_printer.h"
#include "src/kernel/print_cuda.h"

namespace vecc {
namespace {

constexpr std::uint64_t kLeastEntries = 17;  // shorter results leave too many threads without work
constexpr std::uint64_t kSharedBytes = 44 * 1024;
constexpr std::uint32_t kMostRows = 64;
constexpr std::uint32_t kFewestRows = 16;

// What times_block() and its caller keep there.
std::uint64_t shared_bytes(std::uint64_t m, std::uint64_t k, std::uint64_t rows,
                           std::uint64_t number_bytes) {
  const std::uint64_t piece = std::min<std::uint64_t>(k, 32) * ((m > 32 ? 64 : 32) + 4);
  return (k * (rows + 4) + rows * m + piece) * number_bytes;
}

// Whether threads of a block have the tiles of an m x n matrix in registers.
bool fits_tiles(std::uint64_t m, std::uint64_t n) {
  constexpr std::uint64_t kSide = 16;
  constexpr std::uint64_t kMostEntries = 64;
  return (m + kSide - 1) / kSide * ((n + kSide - 1) / kSide) <= kMostEntries;
}

}  // namespace

// Rows at once of a product; 0 where a block is no better.
std::uint32_t BodyPrinter::block_rows_of(std::uint32_t number) const {
  const KernelNode& node = kernel_.nodes[number];
  const std::uint64_t m = node.shape.size();
  const std::uint64_t k = size(node.operands[1]);
  if (m < kLeastEntries) return 0;
  const std::uint32_t least = std::max(kFewestRows, m > 32 ? 16u : 32u);  // a column a thread
  for (std::uint32_t rows = kMostRows; rows >= least; rows /= 2) {
    if (shared_bytes(m, k, rows, byte_size(kernel_.dtype)) <= kSharedBytes) return rows;
  }
  return 0;
}

std::uint32_t BodyPrinter::blocked_rows() const {
  return is_blocked() ? block_rows_of(blocked_) : 0;
}

// Rows begin .. end - 1, as many as a block has at a time; `row` is the row at place q + b.
std::string BodyPrinter::print_lane_blocks(const std::string& row) {
  const KernelNode& node = kernel_.nodes[blocked_];
  const std::uint32_t matrix = kernel_.nodes[node.operands[0]].access;
  const std::uint64_t m = node.shape.size();
  const std::uint64_t k = size(node.operands[1]);
  const std::uint32_t rows = blocked_rows();
  indent_ = "  ";
  line(fmt::format("const T* matrix = d{} + size_t({}) * {};", matrix,
                   row_of(kernel_.accesses[matrix], matrix, "0"), m * k));
  line(fmt::format("__shared__ __align__(16) T columns[{}][{}];", k, rows + 4));
  line(fmt::format("__shared__ __align__(16) T products[{}][{}];", rows, m));
  line("const unsigned group = threadIdx.x / (G * Slots);");
  line("constexpr unsigned groups = kThreads / (G * Slots);");
  line(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", rows));
  line(fmt::format("  const unsigned count = end - q < {0} ? end - q : {0};", rows));
  line("  for (unsigned b = group; b < count; b += groups) {");
  line(fmt::format("    const unsigned r = {};", row));
  indent_ = "      ";
  print_steps_before();
  line(fmt::format("{} columns[i][b] = {};", entry_loop(k), entry(node.operands[1])));
  indent_ = "  ";
  line("  }");
  line(fmt::format("  times_block<T, {}, {}, {}, {}>(matrix, columns, products);", m, k, rows,
                   node.transpose_left));
  line("  for (unsigned b = group; b < count; b += groups) {");
  line(fmt::format("    const unsigned r = {};", row));
  indent_ = "      ";
  declare(blocked_);
  line(fmt::format("{} v{}[j] = products[b][i];", entry_loop(m), blocked_));
  print_steps_after();
  indent_ = "  ";
  line("  }");
  line("  __syncthreads();");
  line("}");
  return std::move(text_);
}

// A sum of outer products of two columns: each lane adds to its own entries, no product is kept.
void BodyPrinter::print_lane_outer_products(const KernelPhase& phase) {
  const std::uint32_t g = phase.steps[0].number;
  const std::uint32_t x = phase.steps[1].number;
  const std::uint32_t sum = phase.steps[3].number;
  constexpr std::uint64_t kFewEntries = 8;  // of a lane: several members at once
  declare_reductions(phase);
  if (may_block_ && lanes_ == kCudaThreads && fits_tiles(size(g), size(x))) {
    const auto row = [&](std::uint32_t number) {
      const std::uint32_t access = kernel_.nodes[number].access;
      return fmt::format("[&](unsigned e) {{ return d{} + size_t({}) * {}; }}", access,
                         row_of(kernel_.accesses[access], access, "e"), size(number));
    };
    line(fmt::format("sum_outer_products<T, {}, {}>(begin_of(r), end_of(r), {}, {}, v{});", size(g),
                     size(x), row(g), row(x), sum));
    return finish_reductions(phase);
  }
  line(fmt::format("_Pragma(\"unroll {}\")", array_size(size(sum)) <= kFewEntries ? 4 : 1));
  line("for (unsigned e = begin_of(r) + slot, last = end_of(r); e < last; e += Slots) {");
  indent_ += "  ";
  print_load(g, KernelSpace::Member);
  print_load(x, KernelSpace::Member);
  line(fmt::format("{0} v{1}[j] = madd(v{2}[i / {4}], v{3}[i % {4}], v{1}[j]);",
                   entry_loop(size(sum)), sum, g, x, size(x)));
  indent_.resize(indent_.size() - 2);
  line("}");
  finish_reductions(phase);
}

}  // namespace vecc
