// How exactly matrix products of f32 numbers are computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vecc {

/// What a GPU's tensor cores make of the operands of a product; sums are f32 always.
enum class MatmulPrecision : std::uint8_t {
  Exact,   ///< no tensor cores: f32 as it is
  Tf32x3,  ///< of large matrices two TF32 numbers each, three products for one: f32 but for 2^-20
  Tf32,    ///< rounded to 10 bits behind the leading one, of the same range
  Bf16,    ///< rounded to 7 bits behind the leading one, of the same range
};
/// exact, tf32x3, tf32, bf16.
[[nodiscard]] std::string_view text_of(MatmulPrecision precision);
/// Whether operands are rounded: tf32 and bf16.
[[nodiscard]] constexpr bool is_rounded(MatmulPrecision precision) {
  return precision == MatmulPrecision::Tf32 || precision == MatmulPrecision::Bf16;
}
[[nodiscard]] std::optional<MatmulPrecision> parse_matmul_precision(std::string_view text);

}  // namespace vecc
