#include "backends/torch/torch_checks.h"

#include <ATen/ATen.h>

#include "backends/common/shared_rows.h"
#include "src/program/value_indices.h"

namespace vecc::libtorch {

Result<void> check_torch_program(const Program& program, const ExecutionOptions& options,
                                 at::Device device) {
  Errors errors;
  check_stored<at::Tensor>(program, options, "torch", errors);
  refuse_value_indices(program, "torch", errors);
  for (ValueId id = 0; options.gradients && id < program.ops().size(); ++id) {
    const OpKind kind = program.op(id).kind();
    if (kind != OpKind::Update && kind != OpKind::Vjp) continue;
    const std::string name(text_of(kind));
    errors.add(
        ErrorCode::BackendUnsupported, "torch",
        "%" + std::to_string(id) + " " + name + ": no gradients of a Program with " + name + "s");
  }
  if (const auto shared = shared_rows<at::Tensor>(options)) {
    const auto dtype = program.dtype() == DType::F32 ? at::kFloat : at::kDouble;
    const at::Tensor* any = shared->any_block();
    if (any != nullptr && (any->device() != device || any->scalar_type() != dtype)) {
      errors.add(ErrorCode::Usage, "torch",
                 "the storage is of device " + any->device().str() + " and dtype " +
                     c10::toString(any->scalar_type()));
    }
  }
  if (!errors.empty()) return errors;
  return {};
}

}  // namespace vecc::libtorch
