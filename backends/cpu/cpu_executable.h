// A Program as a Plan that is bound to code and memory.
#pragma once

#include <memory>
#include <string>

#include "backends/cpu/load_code.h"
#include "backends/cpu/native_block.h"
#include "backends/native/plan_executable.h"

namespace vecc::cpu {

class CpuExecutable final : public native::PlanExecutable<NativeBlock> {
 public:
  /// check_stored() has passed. Errors: those of load_code() and of append_gradients(). Throws
  /// std::bad_alloc.
  [[nodiscard]] static Result<std::unique_ptr<Executable>> make(const Program& program,
                                                                const ExecutionOptions& options);

  /// What was measured with interpreted kernels does not count for compiled ones.
  [[nodiscard]] std::string device_name() const override {
    return is_interpreted_ ? "cpu, kernels interpreted" : "cpu";
  }
  /// How many of its kernels were compiled for it.
  [[nodiscard]] const CodeCounts& code_counts() const { return code_counts_; }

 private:
  explicit CpuExecutable(const native::GradientProgram& whole) : PlanExecutable("cpu", whole) {}

  CodeCounts code_counts_;
  bool is_interpreted_ = false;
};

}  // namespace vecc::cpu
