#include "src/kernel/print_set_numbers.h"

#include <fmt/format.h>

#include "src/kernel/prelude.h"
#include "src/kernel/print/variables.h"
#include "src/kernel/schedule/kernel_schedule.h"

namespace vecc {

std::string print_set_numbers(DType dtype) {
  return fmt::format(
             "namespace vecc_kernel {{\nconstexpr unsigned kThreads = {};\nusing Number = {};\n"
             "}}\n",
             kCudaThreads, type_text(dtype)) +
         std::string(number_prelude()) +
         "namespace vecc_kernel {\nstruct Bound {\n  unsigned count;\n};\n}\n"
         "extern \"C\" __global__ void vecc_set_numbers(const __grid_constant__ "
         "vecc_kernel::Bound a, const vecc_kernel::NumberWrite* writes) {\n"
         "  vecc_kernel::set_numbers(writes, a.count);\n}\n";
}

}  // namespace vecc
