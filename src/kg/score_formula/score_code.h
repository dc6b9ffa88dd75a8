// A score's kernels as functions that are loaded, and their launches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/cpu/kernel_interpreter.h"
#include "backends/cpu/load_kernels.h"
#include "src/kg/score_formula/score_kernels.h"
#include "vecc/error.h"

namespace vecc::kg {

/// Where an array of a launch is: its row 0, and the list that it is read through.
struct ScoreOperand {
  const void* data = nullptr;
  const std::uint32_t* list = nullptr;
};
/// By ScoreArray; shared parameters begin at `shared`, each of the kernel's own.
struct ScoreOperands {
  std::array<ScoreOperand, static_cast<std::size_t>(ScoreArray::Shared)> arrays;
  std::span<const void* const> shared;

  [[nodiscard]] ScoreOperand& operator[](ScoreArray array) {
    return arrays[static_cast<std::size_t>(array)];
  }
};

/// A kernel that was loaded, or its interpreter. Threads may run one at once.
class ScoreFunction {
 public:
  [[nodiscard]] bool empty() const { return function_ == nullptr; }
  /// Whether it stores such an array.
  [[nodiscard]] bool makes(ScoreArray array) const;
  /// Rows begin .. end - 1; `members` of each, if it has any.
  void run(ScoreOperands& operands, std::uint32_t begin, std::uint32_t end,
           std::uint32_t members = 0) const;

 private:
  friend class ScoreCode;
  std::vector<ScoreArray> arrays_;
  std::vector<bool> stores_;
  cpu::LoadedKernel loaded_;
  std::shared_ptr<const cpu::KernelInterpreter> interpreter_;
  cpu::KernelFunction function_ = nullptr;
  std::uint64_t scratch_bytes_ = 0;
};

/// The functions of one question.
struct ScoreSideCode {
  SplitScore split;
  ScoreFunction make_query;
  ScoreFunction pull_query;
  std::vector<ScoreFunction> pull_query_shared;  ///< by shared parameter
  ScoreFunction make_answer;
  ScoreFunction pull_answer;
  std::vector<ScoreFunction> pull_answer_shared;
  ScoreFunction score;
  ScoreFunction pull_pair_query;
  ScoreFunction pull_pair_answer;
};

struct ScoreCodeOptions {
  bool gradients = false;  ///< also what a training needs
  bool interpret = false;  ///< compile nothing
};

class ScoreCode {
 public:
  /// Kernels are compiled by the C++ compiler of this machine and kept in the cache of compiled
  /// code; where there is none they are interpreted. Errors: CompilerFailed, CannotWrite.
  [[nodiscard]] static Result<std::shared_ptr<const ScoreCode>> load(
      ScoreFormula formula, DType dtype, const ScoreCodeOptions& options);

  [[nodiscard]] const ScoreFormula& formula() const { return formula_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  /// Whether scores of both questions are sums over dimensions; else both are PairKind::Other.
  [[nodiscard]] bool has_tiles() const { return sides_[0].split.kind != PairKind::Other; }
  [[nodiscard]] bool is_interpreted() const { return is_interpreted_; }
  [[nodiscard]] const ScoreSideCode& side(bool asks_tail) const {
    return sides_[asks_tail ? 1 : 0];
  }
  [[nodiscard]] const std::vector<ScoreParameter>& shared() const { return shared_; }

 private:
  ScoreFormula formula_;
  DType dtype_ = DType::F32;
  bool is_interpreted_ = false;
  std::vector<ScoreParameter> shared_;
  std::array<ScoreSideCode, 2> sides_;
};

}  // namespace vecc::kg
