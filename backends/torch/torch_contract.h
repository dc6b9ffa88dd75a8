// Lowering of `contract`: weight gradients, summed by type.
#pragma once

#include "backends/torch/torch_ops.h"

namespace vecc::libtorch {

[[nodiscard]] Step lower_contract(const ContractOp& contract, const LoweringContext& context,
                                  ValueId id);

}  // namespace vecc::libtorch
