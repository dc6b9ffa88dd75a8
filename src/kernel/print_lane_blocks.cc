// Products in blocks on a GPU: a matrix that rows share times the columns of as many rows as a
// block of threads has at once.
#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/body_printer.h"
#include "src/kernel/print_cuda.h"
#include "src/kernel/warp_tiles.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

constexpr std::uint64_t kSharedBytes = 44 * 1024;
constexpr std::uint32_t kMostRows = 64;
constexpr std::uint32_t kFewestRows = 16;
constexpr std::uint32_t kWideRows = 128;
constexpr std::uint64_t kDeepest = 64;  // entries of the columns at once

// As row_step in the prelude.
std::uint64_t row_step(std::uint64_t entries) {
  return (entries + 3) / 4 * 4 + 4;
}

// What is in shared memory of an m x k matrix, the rows' columns and, if they stay there, products.
std::uint64_t shared_numbers(const ProductShape& shape, std::uint64_t depth, std::uint64_t rows,
                             bool products) {
  const std::uint64_t width = shape.m > 32 ? 64 : 32;
  const std::uint64_t piece = std::max(depth * row_step(width), width * row_step(depth));
  return rows * row_step(shape.k) + piece + (products ? rows * row_step(shape.m) : 0);
}

bool is_reshape(const KernelNode& node) {
  return node.kind == Kind::Transform && node.transformation.id == Transformation::Reshape;
}

}  // namespace

bool fits_tiles(std::uint64_t m, std::uint64_t n) {
  constexpr std::uint64_t kSide = 16;
  constexpr std::uint64_t kMostEntries = 64;
  return (m + kSide - 1) / kSide * ((n + kSide - 1) / kSide) <= kMostEntries;
}

// Rows at once of a product; 0 where a block is no better.
std::uint32_t BodyPrinter::block_rows_of(std::uint32_t number) const {
  const ProductShape shape = product_shape(kernel_, kernel_.nodes[number]);
  if (shape.m < kLeastBlockedEntries) return 0;
  // Rows that walk over their members first take long: more blocks, of fewer.
  const std::uint32_t most = kernel_.segments == KernelSegments::None ? kMostRows : kMostRows / 2;
  if (is_unit_product(number)) return most;
  if (is_large_matrix(kernel_.nodes[kernel_.nodes[number].operands[0]].shape)) return most;
  const std::uint64_t depth = std::min<std::uint64_t>(shape.k, kDeepest / 2);
  const std::uint32_t least = std::max(kFewestRows, shape.m > 32 ? 16u : 32u);  // a row a thread
  for (std::uint32_t rows = most; rows >= least; rows /= 2) {
    const std::uint64_t numbers = shared_numbers(shape, depth, rows, true);
    if (numbers * byte_size(kernel_.dtype) <= kSharedBytes) return rows;
  }
  return 0;
}

// Where rows go from memory to memory, and their products too, twice as many are worth it.
std::uint32_t BodyPrinter::blocked_rows() const {
  if (!is_blocked()) return 0;
  const ProductShape shape = product_shape(kernel_, kernel_.nodes[blocked_]);
  if (is_unit_product(blocked_)) {
    const bool from_memory = shape.m > 32 && only_loads_before() && only_store_after();
    return unit_block(from_memory ? kWideRows : block_rows_of(blocked_), !only_store_after()).rows;
  }
  if (goes_through_memory()) return kWideRows;
  if (is_large_product()) return kMostRows;
  const std::uint64_t depth = std::min<std::uint64_t>(shape.k, kDeepest / 2);
  const bool fits =
      shared_numbers(shape, depth, kWideRows, false) * byte_size(kernel_.dtype) <= kSharedBytes;
  const bool is_wide = shape.m > 32 && fits && only_loads_before() && only_store_after();
  return is_wide ? kWideRows : block_rows_of(blocked_);
}

// Whether all that a kernel does is a product of prelude/row_products.h.
bool BodyPrinter::goes_through_memory() const {
  const ProductShape shape = product_shape(kernel_, kernel_.nodes[blocked_]);
  return kernel_.dtype == DType::F32 && shape.m > 32 && shape.m <= 64 && shape.k <= kDeepest &&
         shape.k % 4 == 0 && only_loads_before() && only_store_after();
}

// The load of the columns, if nothing but their shape is changed before the product.
std::optional<std::uint32_t> BodyPrinter::loaded_columns() const {
  const KernelNode* columns = &kernel_.nodes[kernel_.nodes[blocked_].operands[1]];
  while (is_reshape(*columns)) columns = &kernel_.nodes[columns->operands[0]];
  if (columns->kind != Kind::Load) return std::nullopt;
  return columns->access;
}

// Whether nothing stands before the product but loads, of which one is the columns: they go from
// memory to memory.
bool BodyPrinter::only_loads_before() const {
  if (!loaded_columns()) return false;
  for (std::size_t p = 0; p <= blocked_phase_; ++p) {
    const std::vector<KernelStep>& steps = kernel_.phases[p].steps;
    if (kernel_.phases[p].space != KernelSpace::Row) return false;
    for (std::size_t s = 0; s < (p == blocked_phase_ ? blocked_step_ : steps.size()); ++s) {
      if (steps[s].store) return false;
      const KernelNode& node = kernel_.nodes[steps[s].number];
      if (node.kind != Kind::Load && node.kind != Kind::Constant && !is_reshape(node)) return false;
    }
  }
  return true;
}

// The store of the product, if nothing else stands after it but what changes its shape.
std::optional<std::uint32_t> BodyPrinter::only_store_after() const {
  std::optional<std::uint32_t> store;
  std::uint32_t product = blocked_;
  for (std::size_t p = blocked_phase_; p < kernel_.phases.size(); ++p) {
    const std::vector<KernelStep>& steps = kernel_.phases[p].steps;
    for (std::size_t s = p == blocked_phase_ ? blocked_step_ + 1 : 0; s < steps.size(); ++s) {
      if (store) return std::nullopt;
      if (steps[s].store) {
        if (kernel_.stores[steps[s].number].value != product) return std::nullopt;
        store = kernel_.stores[steps[s].number].access;
        continue;
      }
      const KernelNode& node = kernel_.nodes[steps[s].number];
      if (!is_reshape(node) || node.operands[0] != product) return std::nullopt;
      product = steps[s].number;
    }
  }
  return store;
}

// Rows begin .. end - 1, as many as a block has at a time; `row` is the row at place q + b.
std::string BodyPrinter::print_lane_blocks(const std::string& row) {
  if (is_unit_product(blocked_)) return print_unit_blocks(row);
  if (goes_through_memory()) return print_row_products(row);
  if (is_large_product()) return print_large_products(row);
  const KernelNode& node = kernel_.nodes[blocked_];
  const std::uint32_t matrix = kernel_.nodes[node.operands[0]].access;
  const ProductShape shape = product_shape(kernel_, node);
  const std::uint32_t rows = blocked_rows();
  const bool keeps_products = !only_store_after();
  const std::uint64_t deepest = std::min<std::uint64_t>(shape.k, kDeepest);
  const bool is_deep =
      shared_numbers(shape, deepest, rows, keeps_products) * byte_size(kernel_.dtype) <=
      kSharedBytes;
  indent_ = "  ";
  line(fmt::format("const T* matrix = {};", row_pointer(matrix, "0", shape.m * shape.k)));
  line(fmt::format("__shared__ __align__(16) T columns[{}][row_step<{}>];", rows, shape.k));
  if (keeps_products) {
    line(fmt::format("__shared__ __align__(16) T products[{}][row_step<{}>];", rows, shape.m));
  }
  print_block_loop(
      row, rows,
      fmt::format("times_block<T, {}, {}, {}, {}, {}>(matrix, columns", shape.m, shape.k, rows,
                  is_deep ? deepest : std::min(deepest, kDeepest / 2), node.transpose_left));
  return std::move(text_);
}

std::string BodyPrinter::print_row_products(const std::string& row) {
  const KernelNode& node = kernel_.nodes[blocked_];
  const std::uint32_t matrix = kernel_.nodes[node.operands[0]].access;
  const std::uint32_t columns = *loaded_columns();
  const ProductShape shape = product_shape(kernel_, node);
  indent_ = "  ";
  line(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", kWideRows));
  line(fmt::format("  times_rows_of_memory<T, {}, {}, {}>({}, d{}, smaller(end - q, {}), {}, {});",
                   shape.m, shape.k, node.transpose_left,
                   row_pointer(matrix, "0", shape.m * shape.k), columns, kWideRows,
                   row_at(row, columns, shape.k), row_at(row, *only_store_after(), shape.m)));
  line("}");
  return std::move(text_);
}

// A function from b to where the row at place q + b begins.
std::string BodyPrinter::row_at(const std::string& row, std::uint32_t access,
                                std::uint64_t entries) const {
  return fmt::format("[&](unsigned b) {{ [[maybe_unused]] const unsigned r = {}; return {}; }}",
                     row, row_pointer(access, "r", entries));
}

// The loop over blocks of `rows` rows; `call` begins the product of those whose columns are there.
void BodyPrinter::print_block_loop(const std::string& row, std::uint32_t rows,
                                   const std::string& call) {
  const ProductShape shape = product_shape(kernel_, kernel_.nodes[blocked_]);
  line("const unsigned group = threadIdx.x / (G * Slots);");
  line("constexpr unsigned groups = kThreads / (G * Slots);");
  line(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", rows));
  line(fmt::format("  const unsigned count = end - q < {0} ? end - q : {0};", rows));
  print_columns(row, shape.k, rows);
  line("  " + call + ", count, [&](unsigned b) {");
  if (const std::optional<std::uint32_t> store = only_store_after()) {
    line(fmt::format("    const unsigned r = {};", row));
    line(fmt::format("    return {};", row_pointer(*store, "r", shape.m)));
    line("  });");
  } else {
    line("    return products[b];");
    line("  });");
    print_products(row);
  }
  line("  __syncthreads();");
  line("}");
}

// The columns of rows q .. q + count - 1.
void BodyPrinter::print_columns(const std::string& row, std::uint32_t k, std::uint32_t rows) {
  const std::uint32_t right = kernel_.nodes[blocked_].operands[1];
  if (only_loads_before()) {
    const std::uint32_t access = *loaded_columns();
    line(fmt::format("  {}{}, {}>(d{}, count, [&](unsigned b) {{",
                     is_unit_product(blocked_) ? "load_unit_columns<" : "load_columns<T, ", k, rows,
                     access));
    line(fmt::format("    [[maybe_unused]] const unsigned r = {};", row));
    line(fmt::format("    return {};", row_pointer(access, "r", k)));
    line("  }, columns);");
    return;
  }
  line("  for (unsigned b = group; b < count; b += groups) {");
  line(fmt::format("    const unsigned r = {};", row));
  indent_ = "      ";
  print_steps_before();
  line(fmt::format("{} columns[b][i] = {};", entry_loop(k), entry(right)));
  indent_ = "  ";
  line("  }");
}

// What stands after the product, of the same rows.
void BodyPrinter::print_products(const std::string& row) {
  line("  __syncthreads();");
  line("  for (unsigned b = group; b < count; b += groups) {");
  line(fmt::format("    const unsigned r = {};", row));
  indent_ = "      ";
  declare(blocked_);
  line(fmt::format("{} v{}[j] = products[b][i];", entry_loop(size(blocked_)), blocked_));
  print_steps_after();
  indent_ = "  ";
  line("  }");
}

// A sum of outer products of two columns, of which no product is kept.
void BodyPrinter::print_lane_outer_products(const KernelPhase& phase) {
  const std::uint32_t g = phase.steps[0].number;
  const std::uint32_t x = phase.steps[1].number;
  const std::uint32_t sum = phase.steps[3].number;
  declare_reductions(phase);
  const auto row = [&](std::uint32_t number) {
    return fmt::format("[&](unsigned e) {{ return {}; }}",
                       row_pointer(kernel_.nodes[number].access, "e", size(number)));
  };
  const std::string call = outer_products_call(phase, size(g), size(x));
  line(fmt::format("{}(begin_of(r), end_of(r), {}, {}, v{});", call, row(g), row(x), sum));
}

// Of a whole block, or of a row's slots: all threads get the sum of all members.
std::string BodyPrinter::outer_products_call(const KernelPhase& phase, std::uint64_t m,
                                             std::uint64_t n) const {
  if (sums_by_units(phase)) return unit_outer_call(m, n);
  if (lanes_ == kCudaThreads && fits_tiles(m, n)) {
    return fmt::format("sum_outer_products<T, {}, {}>", m, n);
  }
  const WarpTiles tiles = warp_tiles(m, n);
  return fmt::format("sum_short_outer_products<T, {}, {}, {}, {}, G, Slots>", m, n, tiles.down,
                     tiles.across);
}

}  // namespace vecc
