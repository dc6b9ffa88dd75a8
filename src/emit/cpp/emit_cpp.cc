#include "src/emit/cpp/runtime/tile_table.h"
#include "src/emit/native/plan_tables.h"
#include "src/emit/native/runtime/tables.h"
#include "src/emit/native/write_program.h"
#include "src/kernel/compile_flags.h"
#include "src/kernel/prelude.h"
#include "src/kernel/print_cpp.h"
#include "src/kernel/schedule/schedule_kernel.h"

namespace vecc {
namespace {

std::span<const emit::SourceFile> cpp_files() {
  static constexpr emit::SourceFile files[] = {
#include "cpp_files.inc"
  };
  return files;
}

struct CppKernels {
  emit::KernelFiles files;
  std::vector<std::uint64_t> scratch_bytes;  // by kernel
};

CppKernels cpp_kernels(const Plan& plan) {
  const emit::KernelSyntax syntax{".cc", std::string(kernel_prelude()),
                                  "void kernel_{}_{}(const void*, unsigned, unsigned, unsigned);",
                                  "kernel_{}_{}"};
  std::vector<emit::KernelUnit> units;
  std::vector<std::uint64_t> scratch_bytes;
  for (const Kernel& kernel : plan.kernels) {
    const KernelSchedule schedule = schedule_for_cpp(kernel, plan.target);
    units.push_back({&kernel, print_cpp(kernel, schedule, emit::kernel_name(units.size()))});
    scratch_bytes.push_back(schedule.scratch_bytes);
  }
  return {emit::kernel_files(syntax, units), std::move(scratch_bytes)};
}

emit::LaunchCode tiled_launches(const Plan& plan, emit::IndexTable& indices) {
  CppKernels kernels = cpp_kernels(plan);
  std::vector<std::uint64_t> kernel_of;
  std::vector<emitted::TileRow> rows;
  for (const Launch& launch : plan.launches) {
    kernel_of.push_back(launch.kernel);
    emitted::TileRow& row = rows.emplace_back();
    row.work = launch.work;
    row.tiles = indices.add(launch.tiles);
    row.tile_count = launch.tiles.size() - 1;
    row.tile_types = launch.tile_types.empty() ? emitted::kNoPlace : indices.add(launch.tile_types);
    row.scratch_bytes = kernels.scratch_bytes[launch.kernel];
  }
  return {std::move(kernels.files), std::move(kernel_of), emit::table_of("tiles", rows)};
}

}  // namespace

Result<void> emit_cpp(const Program& program, const std::string& directory,
                      const NativeOptions& options) {
  emit::NativeLanguage cpp;
  cpp.name = "cpp";
  cpp.plan.target = host_processor();  // --emit=plan prints the same
  cpp.files = cpp_files();
  cpp.fields = {{"{{FLAGS}}", emit::join_flags(kernel_flags())},
                {"{{X86_FLAGS}}", emit::join_flags(x86_kernel_flags())},
                {"{{ARM_FLAGS}}", emit::join_flags(arm_kernel_flags())}};
  cpp.launch_code = tiled_launches;
  return emit::write_program(cpp, program, directory, options);
}

}  // namespace vecc
