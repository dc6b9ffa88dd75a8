// The backends that templates are compiled by.
#include "backends/cpu/template_program.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/template_program.h"
#include "vecc/template.h"

namespace vecc {

Result<std::unique_ptr<TemplateProgram>> Template::compile(
    const TemplateCompileOptions& options) const {
  if (options.device.kind == Device::Kind::Cuda) {
    VECC_TRY_VOID(cuda_backend().available(options.device));
    return cuda::CudaTemplateProgram::make(data_, options);
  }
  return cpu::CpuTemplateProgram::make(data_, options);
}

}  // namespace vecc
