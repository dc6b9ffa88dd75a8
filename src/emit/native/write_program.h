// The folder of an emitted program, but for what each language does its own way.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/emit/native/index_table.h"
#include "src/emit/native/kernel_files.h"
#include "src/emit/native/source_files.h"
#include "vecc/emit_native.h"
#include "vecc/plan.h"

namespace vecc::emit {

/// How the launches of a Plan are started.
struct LaunchCode {
  KernelFiles kernels;
  std::vector<std::uint64_t> kernel_of;  ///< by launch, its kernel's number
  WeightTensor table;                    ///< the language's own, a row a launch
};

struct NativeLanguage {
  std::string_view name;  ///< as --emit has it
  PlanOptions plan;
  std::span<const SourceFile> files;
  std::vector<std::pair<std::string_view, std::string>> fields;  ///< of templates: `{{NAME}}`
  /// Null: every Plan can be written. Else the error of one that cannot.
  Result<void> (*check_plan)(const Plan& plan) = nullptr;
  LaunchCode (*launch_code)(const Plan& plan, IndexTable& indices) = nullptr;
};

/// Flags as words of a command line.
[[nodiscard]] std::string join_flags(std::span<const char* const> flags);

/// emit_cpp(), emit_cuda().
[[nodiscard]] Result<void> write_program(const NativeLanguage& language, const Program& program,
                                         const std::string& directory,
                                         const NativeOptions& options);

}  // namespace vecc::emit
