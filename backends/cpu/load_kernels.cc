#include "backends/cpu/load_kernels.h"

#include <string>
#include <string_view>

#include "src/kernel/prelude.h"
#include "src/kernel/print_cpp.h"
#include "src/kernel/schedule/schedule_kernel.h"
#include "src/support/hash128.h"

namespace vecc::cpu {
namespace {

// Of its text: the same in every graph, so that its code is found again whatever it was compiled
// with.
std::string name_of(const WantedKernel& wanted, const KernelSchedule& schedule) {
  Hash128 hash;
  hash.add(std::string_view(print_cpp(*wanted.kernel, schedule, "vecc_kernel", wanted.variants)));
  return "kernel_" + hexadecimal_text(hash.high(), hash.low());
}

KernelFunction function_of(const LoadedUnit& unit, const std::string& name) {
  return reinterpret_cast<KernelFunction>(unit.symbol(name.c_str()));
}

}  // namespace

Result<std::vector<LoadedKernel>> load_kernels(std::span<const WantedKernel> kernels,
                                               const Target& target, const LoadOptions& options,
                                               CodeCounts* counts) {
  std::vector<CodePart> parts;
  std::vector<std::string> names;
  std::vector<LoadedKernel> loaded(kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const WantedKernel& wanted = kernels[k];
    const KernelSchedule schedule = schedule_for_cpp(*wanted.kernel, target);
    names.push_back(name_of(wanted, schedule));
    parts.push_back({print_cpp(*wanted.kernel, schedule, names.back(), wanted.variants)});
    loaded[k].scratch_bytes = schedule.scratch_bytes;
  }
  VECC_TRY(const auto units, load_code(kernel_prelude(), parts, options, counts));
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    loaded[k].unit = units[k];
    loaded[k].narrow = function_of(*units[k], names[k] + "_16");
    loaded[k].wide = function_of(*units[k], names[k] + "_32");
  }
  return loaded;
}

}  // namespace vecc::cpu
