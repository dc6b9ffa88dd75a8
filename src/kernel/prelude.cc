// The texts are put together when the build is configured.
#include "src/kernel/prelude.h"

#include <cstdint>

#include "src/kernel/group_product.h"
#include "src/kernel/schedule/kernel_schedule.h"

namespace vecc {

#include "batch_prelude.inc"
#include "device_prelude.inc"
#include "kernel_prelude.inc"
#include "make_batch_prelude.inc"
#include "number_prelude.inc"
#include "series_prelude.inc"

namespace {
#include "split_prelude.inc"
#include "tensor_core_prelude.inc"

// large_split_products.h: of a warpgroup.
constexpr std::uint32_t kSplitColumns = kSplitWidth;
}  // namespace

std::string tensor_prelude(MatmulPrecision precision) {
  if (precision == MatmulPrecision::Exact) return "";
  if (is_rounded(precision)) return std::string(tensor_core_prelude());
  return group_product_text(kSplitColumns) + std::string(split_prelude());
}

}  // namespace vecc
