#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "src/emit/cuda/runtime/block_table.h"
#include "src/emit/native/plan_tables.h"
#include "src/emit/native/write_program.h"
#include "src/kernel/compile_flags.h"
#include "src/kernel/kernel_lists.h"
#include "src/kernel/prelude.h"
#include "src/kernel/print_cuda.h"
#include "src/kernel/schedule/tensor_cores.h"
#include "src/plan/analysis/dependencies.h"
#include "src/plan/launch_layout.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

static_assert(emitted::kBlockThreads == kCudaThreads);

std::span<const emit::SourceFile> cuda_files() {
  static constexpr emit::SourceFile files[] = {
#include "cuda_files.inc"
  };
  return files;
}

// Behind each kernel: what the host asks for it.
std::string host_text(const Kernel& kernel, const std::string& name) {
  std::string text;
  for (const int bits : {16, 32}) {
    if (bits == 16 && !has_lists(kernel)) continue;
    text += fmt::format(
        "extern \"C\" const void* {0}_{1}_code() {{\n"
        "  return reinterpret_cast<const void*>({0}_{1});\n}}\n",
        name, bits);
  }
  return text;
}

/// One kernel a text: of a Plan's kernel and its schedule.
class CudaKernels {
 public:
  explicit CudaKernels(const Plan& plan) : plan_(plan) {}

  std::uint64_t add(std::uint32_t kernel, const KernelSchedule& schedule) {
    const auto [found, is_new] = numbers_.try_emplace({kernel, schedule.members}, units_.size());
    if (is_new) {
      const Kernel& printed = plan_.kernels[kernel];
      const std::string name = emit::kernel_name(units_.size());
      units_.push_back({&printed, print_cuda(printed, schedule, CudaUnit::Kernel, name) +
                                      host_text(printed, name)});
    }
    return found->second;
  }

  [[nodiscard]] emit::KernelFiles files() const {
    std::string prelude = std::string(kernel_prelude()) + std::string(device_prelude());
    const auto own = std::ranges::find_if(plan_.kernels, uses_tensor_cores);
    if (own != plan_.kernels.end()) prelude += tensor_prelude(own->precision);
    const emit::KernelSyntax syntax{".cu", std::move(prelude), "const void* kernel_{}_{}_code();",
                                    "kernel_{}_{}_code()"};
    return emit::kernel_files(syntax, units_);
  }

 private:
  const Plan& plan_;
  std::map<std::pair<std::uint32_t, MemberLoops>, std::size_t> numbers_;  // by kernel and loops
  std::vector<emit::KernelUnit> units_;
};

std::uint64_t add_blocks(const std::vector<BlockRows>& blocks, emit::IndexTable& indices) {
  static_assert(sizeof(BlockRows) == 4 * sizeof(std::uint32_t));
  std::vector<std::uint32_t> numbers;
  for (const BlockRows& block : blocks) {
    numbers.insert(numbers.end(), {block.begin, block.end, block.type, block.launch});
  }
  return indices.add(numbers);
}

emit::LaunchCode gpu_launches(const Plan& plan, emit::IndexTable& indices) {
  CudaKernels kernels(plan);
  LaunchSchedules schedules(plan, kCudaThreads);
  std::vector<std::uint64_t> kernel_of;
  std::vector<emitted::BlockTableRow> rows;
  const auto before = launch_dependencies(plan);
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    const LaunchSchedule schedule = schedules.of(launch);
    const std::vector<BlockRows> blocks = cut_blocks(plan, launch, schedule);
    kernel_of.push_back(kernels.add(launch.kernel, *schedule.schedule));
    rows.push_back(
        {add_blocks(blocks, indices), blocks.size(), indices.add(before[l]), before[l].size()});
  }
  return {kernels.files(), std::move(kernel_of), emit::table_of("blocks", rows)};
}

}  // namespace

Result<void> emit_cuda(const Program& program, const std::string& directory,
                       const NativeOptions& options) {
  const bool rounds = options.precision != MatmulPrecision::Exact;
  if (rounds && program.dtype() != DType::F32) {
    return Errors(ErrorCode::BackendUnsupported, "cuda",
                  "products in " + std::string(text_of(options.precision)) + " are of f32, found " +
                      std::string(text_of(program.dtype())));
  }
  if (rounds) {
    VECC_TRY_VOID(
        check_tensor_cores(options.target, escape_terminal(options.target.name),
                           "--matmul-precision=" + std::string(text_of(options.precision))));
  }
  emit::NativeLanguage cuda;
  cuda.name = "cuda";
  cuda.plan.target = options.target;
  cuda.plan.precision = options.precision;
  cuda.files = cuda_files();
  cuda.fields = {{"{{FLAGS}}", emit::join_flags(cuda_kernel_flags())},
                 {"{{OLDEST}}", rounds ? "80" : "75"}};
  cuda.check_plan = [](const Plan& plan) { return check_thread_memory(plan); };
  cuda.launch_code = gpu_launches;
  return emit::write_program(cuda, program, directory, options);
}

}  // namespace vecc
