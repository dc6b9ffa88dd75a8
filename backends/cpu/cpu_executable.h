// A Program as a Plan that is bound to code and memory.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backends/cpu/bound_plan.h"
#include "backends/cpu/gradient_program.h"
#include "backends/cpu/program_outline.h"
#include "backends/shared_rows.h"
#include "vecc/backend.h"

namespace vecc::cpu {

class CpuExecutable final : public Executable {
 public:
  /// check_stored() has passed. Errors: those of load_code() and of append_gradients(). Throws
  /// std::bad_alloc.
  [[nodiscard]] static Result<std::unique_ptr<Executable>> make(const Program& program,
                                                                const ExecutionOptions& options);

  Result<void> run() override;
  Result<std::vector<double>> profile() override;
  Result<std::vector<Output>> outputs() override;
  Result<std::vector<double>> read(ValueId value) override;
  Result<void> set_parameter(ParameterIndex parameter, std::span<const double> values) override;
  Result<std::vector<double>> parameter(ParameterIndex parameter) override;
  Result<void> set_state(std::string_view name, std::span<const double> values) override;
  Result<std::vector<double>> state(std::string_view name) override;
  [[nodiscard]] std::shared_ptr<Storage> storage() const override { return stored_.shared(); }
  Result<void> differentiate(std::span<const double> output_gradients) override;
  Result<std::vector<double>> gradient(ParameterIndex parameter) override;
  [[nodiscard]] std::uint64_t bytes() const override;
  [[nodiscard]] std::string device_name() const override { return "cpu"; }
  /// How many of its kernels were compiled for it.
  [[nodiscard]] const CodeCounts& code_counts() const { return code_counts_; }

 private:
  explicit CpuExecutable(const GradientProgram& whole)
      : program_(whole.program),
        first_(whole.first),
        seeds_(whole.seeds),
        gradients_(whole.gradients) {}

  void bind(const Program& program, const ExecutionOptions& options);
  void append_rows(ValueId value, std::vector<double>& to) const;
  void note_run();

  ProgramOutline program_;  // of the backward pass, too
  // As in GradientProgram; without gradients kNone, none, none.
  ValueId first_;
  std::vector<ParameterIndex> seeds_;
  std::vector<std::optional<ValueId>> gradients_;
  std::shared_ptr<ThreadTeam> team_;
  CodeCounts code_counts_;
  std::unique_ptr<BoundPlan> plan_;
  StoredRows<NativeBlock> stored_;
  bool has_run_ = false;
  bool has_gradients_ = false;
  std::uint64_t changes_at_run_ = 0;
};

}  // namespace vecc::cpu
