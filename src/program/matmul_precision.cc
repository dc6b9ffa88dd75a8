#include "vecc/matmul_precision.h"

#include "src/support/enum_names.h"

namespace vecc {

std::string_view text_of(MatmulPrecision precision) {
  switch (precision) {
    case MatmulPrecision::Exact: return "exact";
    case MatmulPrecision::Tf32x3: return "tf32x3";
    case MatmulPrecision::Tf32: return "tf32";
    case MatmulPrecision::Bf16: return "bf16";
  }
  return "";
}

std::optional<MatmulPrecision> parse_matmul_precision(std::string_view text) {
  return parse_name<MatmulPrecision>(text);
}

}  // namespace vecc
