#include "src/kernel/schedule/row_products.h"

#include <algorithm>

#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/outer_products.h"
#include "src/kernel/schedule/tensor_cores.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

constexpr std::uint64_t kPackedEntries = 1 << 16;  // of a matrix that is transposed
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

// A matrix of all rows times a column of each.
bool is_shared_product(const Kernel& kernel, const KernelNode& node) {
  if (node.kind != Kind::Times || node.transpose_right) return false;
  const KernelNode& left = kernel.nodes[node.operands[0]];
  if (left.kind != Kind::Load || !left.shape.is_matrix()) return false;
  const KernelAccess& matrix = kernel.accesses[left.access];
  const Shape right = kernel.nodes[node.operands[1]].shape;
  return (matrix.map == RowMap::One || matrix.map == RowMap::Tile) &&
         matrix.space == KernelSpace::Row && !right.is_scalar() && right.cols() == 1;
}

Shape matrix_of(const Kernel& kernel, std::uint32_t product) {
  return kernel.nodes[kernel.nodes[product].operands[0]].shape;
}

// Rows at once of a product on a GPU; 0 where a block is no better.
std::uint32_t block_rows(const Kernel& kernel, std::uint32_t number) {
  const ProductShape shape = product_shape(kernel, kernel.nodes[number]);
  if (shape.m < kLeastBlockedEntries) return 0;
  // Rows that go through their members first take long: more blocks, of fewer.
  const std::uint32_t most = kernel.segments == KernelSegments::None ? kMostRows : kMostRows / 2;
  if (is_tensor_product(kernel, number) || is_large_matrix(matrix_of(kernel, number))) return most;
  const std::uint64_t depth = std::min<std::uint64_t>(shape.k, kDeepest / 2);
  const std::uint32_t least = std::max(kFewestRows, shape.m > 32 ? 16u : 32u);  // a row a thread
  for (std::uint32_t rows = most; rows >= least; rows /= 2) {
    const std::uint64_t numbers = shared_numbers(shape, depth, rows, true);
    if (numbers * byte_size(kernel.dtype) <= kProductBytes) return rows;
  }
  return 0;
}

// Whether what stands after the product needs of what stands before it only loads and constants,
// which are cheap to have again: these are noted in `product`.
bool can_split(const Kernel& kernel, ProductSchedule& product) {
  std::vector<bool> before(kernel.nodes.size(), false);
  const auto is_there = [&](std::uint32_t n) {
    const Kind kind = kernel.nodes[n].kind;
    if (!before[n]) return true;
    if (kind != Kind::Load && kind != Kind::Constant) return false;
    if (std::ranges::find(product.repeated, n) == product.repeated.end()) {
      product.repeated.push_back(n);
    }
    return true;
  };
  for (std::size_t p = 0; p < kernel.phases.size(); ++p) {
    const KernelPhase& phase = kernel.phases[p];
    if (p > product.phase && phase.space == KernelSpace::Member) return false;
    for (std::size_t s = 0; s < phase.steps.size(); ++s) {
      const KernelStep& step = phase.steps[s];
      if (p < product.phase || (p == product.phase && s < product.step)) {
        if (!step.store) before[step.number] = true;
      } else if (p == product.phase && s == product.step) {
        continue;
      } else if (step.store) {
        if (!is_there(kernel.stores[step.number].value)) return false;
      } else if (!std::ranges::all_of(kernel.nodes[step.number].operands, is_there)) {
        return false;
      }
    }
  }
  return true;
}

// The first product that runs in blocks, if the kernel can be split at it.
template <class IsWorth>
std::optional<ProductSchedule> find_product(const Kernel& kernel, const IsWorth& is_worth) {
  for (std::uint32_t p = 0; p < kernel.phases.size(); ++p) {
    const KernelPhase& phase = kernel.phases[p];
    for (std::uint32_t s = 0; s < phase.steps.size(); ++s) {
      const KernelStep& step = phase.steps[s];
      if (step.store || !is_shared_product(kernel, kernel.nodes[step.number]) ||
          !is_worth(step.number)) {
        continue;
      }
      ProductSchedule product;
      product.node = step.number;
      product.phase = p;
      product.step = s;
      const bool splits = phase.space == KernelSpace::Row && can_split(kernel, product);
      return splits ? std::optional(product) : std::nullopt;
    }
  }
  return std::nullopt;
}

// The columns' access, if nothing stands before the product but loads, of which one is the columns,
// and what changes its shape: they go from memory to memory.
std::optional<std::uint32_t> loaded_columns(const Kernel& kernel, const ProductSchedule& product) {
  const KernelNode* columns = &kernel.nodes[kernel.nodes[product.node].operands[1]];
  while (is_reshape(*columns)) columns = &kernel.nodes[columns->operands[0]];
  if (columns->kind != Kind::Load) return std::nullopt;
  for (std::size_t p = 0; p <= product.phase; ++p) {
    const std::vector<KernelStep>& steps = kernel.phases[p].steps;
    if (kernel.phases[p].space != KernelSpace::Row) return std::nullopt;
    for (std::size_t s = 0; s < (p == product.phase ? product.step : steps.size()); ++s) {
      if (steps[s].store) return std::nullopt;
      const KernelNode& node = kernel.nodes[steps[s].number];
      if (node.kind != Kind::Load && node.kind != Kind::Constant && !is_reshape(node)) {
        return std::nullopt;
      }
    }
  }
  return columns->access;
}

// The store of the product, if nothing else stands after it but what changes its shape.
std::optional<std::uint32_t> only_store(const Kernel& kernel, const ProductSchedule& product) {
  std::optional<std::uint32_t> store;
  std::uint32_t value = product.node;
  for (std::size_t p = product.phase; p < kernel.phases.size(); ++p) {
    const std::vector<KernelStep>& steps = kernel.phases[p].steps;
    for (std::size_t s = p == product.phase ? product.step + 1 : 0; s < steps.size(); ++s) {
      if (store) return std::nullopt;
      if (steps[s].store) {
        const KernelStore& last = kernel.stores[steps[s].number];
        if (last.value != value || stores_part(kernel, last)) return std::nullopt;
        store = last.access;
        continue;
      }
      const KernelNode& node = kernel.nodes[steps[s].number];
      if (!is_reshape(node) || node.operands[0] != value) return std::nullopt;
      value = steps[s].number;
    }
  }
  return store;
}

void schedule_cpp(const Kernel& kernel, KernelSchedule& schedule) {
  schedule.product = find_product(kernel, [&](std::uint32_t number) {
    return kernel.nodes[number].shape.size() >= kLeastColumn;
  });
  if (!schedule.product) return;
  ProductSchedule& product = *schedule.product;
  const KernelNode& node = kernel.nodes[product.node];
  schedule.loop = RowLoop::MatrixBlocks;
  product.rows = kCppBlock;
  product.packs_matrix =
      !node.transpose_left && matrix_of(kernel, product.node).size() <= kPackedEntries;
  product.columns = loaded_columns(kernel, product);
  // Entries of a product's row are stored before its column is read for the next ones.
  if (!stores_alias_loads(kernel)) product.store = only_store(kernel, product);
}

// Where rows go from memory to memory, and their products too, twice as many are worth it.
void schedule_matrix_blocks(const Kernel& kernel, const ProductShape& shape,
                            KernelSchedule& schedule) {
  ProductSchedule& product = *schedule.product;
  const bool from_memory = product.columns && product.store && shape.m > 32;
  const std::uint64_t number_bytes = byte_size(kernel.dtype);
  const auto bytes = [&](std::uint64_t depth, std::uint64_t rows) {
    return shared_numbers(shape, depth, rows, !product.store) * number_bytes;
  };
  const std::uint64_t deepest = std::min<std::uint64_t>(shape.k, kDeepest);
  const std::uint64_t half = std::min(deepest, kDeepest / 2);
  schedule.loop = RowLoop::MatrixBlocks;
  product.rows = from_memory && bytes(half, kWideRows) <= kProductBytes
                     ? kWideRows
                     : block_rows(kernel, product.node);
  const bool is_deep = bytes(deepest, product.rows) <= kProductBytes;
  product.depth = static_cast<std::uint32_t>(is_deep ? deepest : half);
  schedule.shared_bytes = static_cast<std::uint32_t>(bytes(product.depth, product.rows));
}

void schedule_large_matrix(const Kernel& kernel, const ProductShape& shape,
                           KernelSchedule& schedule) {
  ProductSchedule& product = *schedule.product;
  const KernelNode& node = kernel.nodes[product.node];
  const KernelAccess& matrix = kernel.accesses[kernel.nodes[node.operands[0]].access];
  const std::uint64_t packed = node.transpose_left ? shape.m : 4;
  schedule.loop = RowLoop::LargeMatrix;
  schedule.parts = parts_of_product(node.shape.size(), kernel.precision);
  product.rows =
      kernel.precision == MatmulPrecision::Tf32x3 ? kSplitTiles * kSplitRows : kLargeRows;
  product.copies_packs = matrix.aligned && kernel.accesses[*product.columns].aligned &&
                         shape.k % 4 == 0 && packed % 4 == 0;
}

void schedule_gpu(const Kernel& kernel, KernelSchedule& schedule) {
  auto product =
      find_product(kernel, [&](std::uint32_t number) { return block_rows(kernel, number) > 0; });
  if (!product) return;
  product->columns = loaded_columns(kernel, *product);
  product->store = only_store(kernel, *product);
  const bool from_memory = product->columns && product->store;
  const ProductShape shape = product_shape(kernel, kernel.nodes[product->node]);
  schedule.product = product;
  if (is_tensor_product(kernel, product->node)) {
    const std::uint32_t most =
        from_memory && shape.m > 32 ? kWideRows : block_rows(kernel, product->node);
    const TensorBlock block = tensor_block(shape, kernel.precision, most, !product->store);
    schedule.loop = RowLoop::TensorCores;
    schedule.product->rows = block.rows;
    schedule.product->depth = block.depth;
    schedule.shared_bytes = block.bytes;
  } else if (from_memory && kernel.dtype == DType::F32 && shape.m > 32 && shape.m <= 64 &&
             shape.k <= kDeepest && shape.k % 4 == 0) {
    schedule.loop = RowLoop::MemoryRows;
    schedule.product->rows = kWideRows;
  } else if (!is_large_matrix(matrix_of(kernel, product->node))) {
    schedule_matrix_blocks(kernel, shape, schedule);
  } else if (from_memory && !stores_alias_loads(kernel)) {
    schedule_large_matrix(kernel, shape, schedule);
  } else {
    schedule.product.reset();  // it does not fit into a block
  }
}

}  // namespace

bool makes_columns(const Kernel& kernel, const ProductSchedule& product) {
  return kernel.nodes[kernel.nodes[product.node].operands[1]].kind != Kind::Load;
}

void schedule_row_product(const Kernel& kernel, KernelSchedule& schedule) {
  schedule.on_gpu() ? schedule_gpu(kernel, schedule) : schedule_cpp(kernel, schedule);
}

}  // namespace vecc
