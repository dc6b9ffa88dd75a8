// Products with matrices that are too large for a block of threads on a GPU, and sums of outer
// products that are: several blocks share such a matrix. They stand alone in their kernels.
#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/body_printer.h"
#include "src/kernel/print_cuda.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// As in prelude/large_products.h and prelude/large_outer_products.h.
constexpr std::uint32_t kLargeRows = 64;
constexpr std::uint64_t kLargeTile = 128;

std::uint32_t tiles_of(std::uint64_t entries) {
  return static_cast<std::uint32_t>((entries + kLargeTile - 1) / kLargeTile);
}

}  // namespace

bool is_large_matrix(Shape shape) {
  return std::min(shape.rows(), shape.cols()) >= kLeastBlockedEntries &&
         !fits_tiles(shape.rows(), shape.cols());
}

// Whether the product is with such a matrix, and all that the kernel does.
bool BodyPrinter::is_large_product() const {
  return is_blocked() && lanes_ > 0 && !is_unit_product(blocked_) && !stores_alias_loads() &&
         is_large_matrix(kernel_.nodes[kernel_.nodes[blocked_].operands[0]].shape) &&
         only_loads_before() && only_store_after();
}

// Whether a block can have the matrix: whole or, of a product that is all the kernel does, a part.
bool BodyPrinter::fits_block() const {
  return lanes_ == 0 || is_unit_product(blocked_) || is_large_product() ||
         !is_large_matrix(kernel_.nodes[kernel_.nodes[blocked_].operands[0]].shape);
}

// The store of a sum of outer products that is such a matrix, if that is all the kernel does.
std::optional<std::uint32_t> BodyPrinter::only_large_sum() const {
  if (kernel_.phases.size() != 2 || !sums_outer_products(kernel_.phases[0]) ||
      stores_alias_loads()) {
    return std::nullopt;
  }
  const std::vector<KernelStep>& after = kernel_.phases[1].steps;
  const std::uint32_t sum = kernel_.phases[0].steps.back().number;
  if (!is_large_matrix(kernel_.nodes[sum].shape) || after.size() != 1 || !after[0].store ||
      kernel_.stores[after[0].number].value != sum) {
    return std::nullopt;
  }
  return kernel_.stores[after[0].number].access;
}

std::uint32_t BodyPrinter::matrix_parts() const {
  if (is_large_product()) return tiles_of(size(blocked_));
  if (!only_large_sum()) return 1;
  const Shape shape = kernel_.nodes[kernel_.phases[0].steps.back().number].shape;
  return tiles_of(shape.rows()) * tiles_of(shape.cols());
}

// As print_lane_blocks(), of the block's part of the products.
std::string BodyPrinter::print_large_products(const std::string& row) {
  const KernelNode& node = kernel_.nodes[blocked_];
  const std::uint32_t matrix = kernel_.nodes[node.operands[0]].access;
  const std::uint32_t columns = *loaded_columns();
  const ProductShape shape = product_shape(kernel_, node);
  const std::uint64_t packed = node.transpose_left ? shape.m : 4;
  const bool aligned = kernel_.accesses[matrix].aligned && kernel_.accesses[columns].aligned &&
                       shape.k % 4 == 0 && packed % 4 == 0;
  indent_ = "  ";
  line(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", kLargeRows));
  line(fmt::format("  times_large_matrix<T, {}, {}, {}, {}>({}, {}, smaller(end - q, {}), {}, {});",
                   shape.m, shape.k, node.transpose_left, aligned,
                   row_pointer(matrix, "0", std::uint64_t{shape.m} * shape.k),
                   matrix_parts() > 1 ? "part" : "0", kLargeRows, row_at(row, columns, shape.k),
                   row_at(row, *only_store_after(), shape.m)));
  line("}");
  return std::move(text_);
}

// The same of a sum; `row` is the row at place q.
std::string BodyPrinter::print_large_sums(const std::string& row) {
  const std::vector<KernelStep>& steps = kernel_.phases[0].steps;
  const Shape shape = kernel_.nodes[steps.back().number].shape;
  const auto member = [&](std::uint32_t number) {
    return fmt::format("[&](unsigned e) {{ return {}; }}",
                       row_pointer(kernel_.nodes[number].access, "e", size(number)));
  };
  indent_ = "  ";
  line("for (unsigned q = begin; q < end; ++q) {");
  line(fmt::format("  const unsigned r = {};", row));
  line(fmt::format("  sum_large_products<T, {}, {}>(part, begin_of(r), end_of(r), {}, {}, {});",
                   shape.rows(), shape.cols(), member(steps[0].number), member(steps[1].number),
                   row_pointer(*only_large_sum(), "r", shape.size())));
  line("}");
  return std::move(text_);
}

}  // namespace vecc
