// A template's row kernels, compiled, and the runs of what was bound to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/kernel_interpreter.h"
#include "backends/cpu/load_code.h"
#include "src/bind/bound_program.h"
#include "src/runtime/tile_walk.h"
#include "src/support/thread_team.h"
#include "vecc/template.h"

namespace vecc::cpu {

class CpuTemplateProgram final : public binding::BoundProgram {
 public:
  /// Errors: those of load_code() but CompilerAbsent.
  [[nodiscard]] static Result<std::unique_ptr<TemplateProgram>> make(
      std::shared_ptr<const binding::TemplateData> data, const TemplateCompileOptions& options);

  Result<void> run(BoundGraph& bound) override;
  [[nodiscard]] Counts counts() const override;

 private:
  /// The code of a kernel of the book.
  struct Code {
    std::shared_ptr<const LoadedUnit> unit;
    std::unique_ptr<KernelInterpreter> interpreter;  ///< in place of it
    KernelFunction function = nullptr;
    std::uint64_t scratch_bytes = 0;
  };

  CpuTemplateProgram(std::shared_ptr<const binding::TemplateData> data,
                     std::shared_ptr<ThreadTeam> team, DType dtype);

  [[nodiscard]] Result<void> prepare(binding::RowLaunches& launches) override;
  [[nodiscard]] Result<void> load();
  void interpret_new();
  /// Points to the arrays of a launch; valid until the next bind of `launches`.
  [[nodiscard]] KernelArguments arguments_of(binding::RowLaunches& launches,
                                             const binding::RowLaunch& launch, void** data,
                                             const void** lists, const unsigned** words) const;
  void run_here(binding::RowLaunches& launches);
  void run_shared_out(binding::RowLaunches& launches);
  [[nodiscard]] std::uint64_t work_of(const binding::RowLaunch& launch) const;

  std::shared_ptr<ThreadTeam> team_;
  std::vector<Code> code_;
  std::uint32_t compiled_ = 0;
  // Of run_here().
  std::vector<std::byte> scratch_;
  std::vector<void*> data_room_;
  std::vector<const void*> lists_room_;
};

}  // namespace vecc::cpu
