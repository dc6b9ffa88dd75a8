#include "vecc/matmul_precision.h"

namespace vecc {

std::string_view text_of(MatmulPrecision precision) {
  switch (precision) {
    case MatmulPrecision::Exact: return "exact";
    case MatmulPrecision::Tf32: return "tf32";
    case MatmulPrecision::Bf16: return "bf16";
  }
  return "";
}

std::optional<MatmulPrecision> parse_matmul_precision(std::string_view text) {
  for (const MatmulPrecision precision :
       {MatmulPrecision::Exact, MatmulPrecision::Tf32, MatmulPrecision::Bf16}) {
    if (text_of(precision) == text) return precision;
  }
  return std::nullopt;
}

}  // namespace vecc
