// The kernels of a part of a score: a value of each row from arrays that it reads, and back.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kg/score_formula/score_kernels.h"
#include "src/plan/group/kernel_group.h"

namespace vecc::kg {

class ScoreKernelBuilder;

/// What an input of a part is.
struct PartInput {
  ScoreArray array = ScoreArray::OwnRow;
  Shape shape;
  RowMap map = RowMap::List;           ///< One: all rows read the same
  ScoreArray made = ScoreArray::Made;  ///< the derivative by it; not of One
  bool adds = false;  ///< to what is there: `made` holds derivatives of other parts by it
};

class PartBuilder {
 public:
  /// `part`: over inputs by their number.
  PartBuilder(std::vector<PartInput> inputs, const TermPtr& part, DType dtype);

  [[nodiscard]] bool reads(std::uint32_t input) const;
  /// Rows: the value, to Made.
  [[nodiscard]] ScoreKernel make() const;
  /// Rows: from Gradient, that by the value, the derivatives by inputs that are not One. Without
  /// any the kernel is empty. `apart`: by input, whether another kernel has its derivative.
  [[nodiscard]] ScoreKernel pull(const std::vector<bool>& apart = {}) const;
  /// By one input (empty if the part does not depend on it): a row is the sum over its members, to
  /// Made.
  [[nodiscard]] ScoreKernel pull_sum(std::uint32_t input) const;

 private:
  std::vector<NodeIndex> load_inputs(ScoreKernelBuilder& builder, KernelSpace space) const;

  std::vector<PartInput> inputs_;
  Expr expr_;
  Shape shape_;
  DType dtype_;
};

}  // namespace vecc::kg
