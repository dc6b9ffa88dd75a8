// Rows begin .. end - 1 of a kernel with a product of a matrix that they share and a column of
// each, in blocks of rows. `row` is the row at place q + b.
#pragma once

#include <string>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// C++: the rows of a block are one matrix product.
void print_cpp_row_products(BodyText& out, const std::string& row);

/// A GPU's block: in its shared memory, from memory to memory, by several blocks that share the
/// matrix (cuda_large_products.cc), by tensor cores (cuda_tensor_products.cc).
void print_cuda_row_products(BodyText& out, const std::string& row);
void print_large_products(BodyText& out, const std::string& row);
void print_tensor_products(BodyText& out, const std::string& row);
/// Of the prelude.
[[nodiscard]] const char* tensor_type(MatmulPrecision precision);
/// The call of a function of a large matrix: by multiply-adds, by tensor cores of numbers in two
/// parts, or of rounded ones.
struct LargeCall {
  MatmulPrecision precision;
  const char* exact;
  const char* split;
  const char* rounded;
  std::string arguments = {};  ///< of the template
  std::string sides = {};      ///< of a block's tile, where there is a choice
};
/// Without what stands in parentheses.
[[nodiscard]] std::string large_call(const LargeCall& call);

/// Parts of these. What stands before the product, and after it, of one row.
void print_steps_before(BodyText& out);
void print_steps_after(BodyText& out);
/// Where row 0 of the matrix begins.
[[nodiscard]] std::string matrix_pointer(const BodyText& out);
/// A function from b to where the row at place q + b begins.
[[nodiscard]] std::string row_at(const BodyText& out, const std::string& row, std::uint32_t access,
                                 std::uint64_t entries);
/// The loop over blocks; `load` loads columns into shared memory, `call` begins the product of rows
/// whose columns are there.
void print_block_loop(BodyText& out, const std::string& row, const std::string& load,
                      const std::string& call);

}  // namespace vecc
