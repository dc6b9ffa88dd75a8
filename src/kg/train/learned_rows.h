// Tables of which a step moves only the rows that it has read, each with its optimizer's state.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "src/kg/formulas/rows.h"
#include "src/support/thread_team.h"
#include "vecc/error.h"
#include "vecc/train_step.h"

namespace vecc::kg {

/// How many numbers beside each weight an optimizer keeps: adagrad 1 (the sum of squares), adam and
/// lazy-adam 2 (the moments), sgd 0.
[[nodiscard]] std::uint32_t state_count(Optimizer optimizer);

[[nodiscard]] RowOptimizer row_optimizer(Optimizer optimizer);

/// Error: Usage for what moves rows without a gradient by formulas that are not here: other
/// optimizers, momentum, weight decay, clipping.
[[nodiscard]] Result<void> check_row_optimizer(const OptimizerOptions& options);

/// What an optimizer keeps beside `size` weights, as it is before the first step.
template <class T>
[[nodiscard]] std::vector<std::vector<T>> initial_states(std::size_t size,
                                                         const OptimizerOptions& options);

template <class T>
struct LearnedRows {
  std::uint32_t rows = 0;
  std::size_t width = 0;
  bool is_complex = false;             ///< a row is real parts, then imaginary ones
  std::vector<T> values;               ///< [rows, width]
  std::vector<std::vector<T>> states;  ///< by state_count(): as `values`

  [[nodiscard]] const T* row(std::uint32_t i) const { return values.data() + i * width; }
};

/// The optimizer's step number `step` (the first is 1), by the formulas of docs/training.md.
class RowStep {
 public:
  RowStep(const OptimizerOptions& options, std::uint64_t step, double rate);

  template <class T>
  [[nodiscard]] formulas::RowRates<T> rates() const;
  /// Moves a row by its gradient.
  template <class T>
  void move(LearnedRows<T>& table, std::uint32_t row, const T* gradient) const;
  /// Whether rows without a gradient move too: adam's do.
  [[nodiscard]] bool moves_all() const { return options_.optimizer == Optimizer::Adam; }

 private:
  OptimizerOptions options_;
  double rate_;
  double correction1_;  ///< 1 - beta1^step
  double correction2_;
};

/// What a step adds to rows: parts, each of one row.
class RowParts {
 public:
  void clear() { keys_.clear(); }
  void add(std::uint32_t row, std::uint32_t part) {
    keys_.push_back(std::uint64_t{row} << 32 | part);
  }
  /// Moves each row that has a part (with moves_all() every row of the table), on the team's
  /// threads. add_part(part, sum [width]) adds a part's gradient; parts of a row are added in
  /// ascending order, so that sums have the same bits for any number of threads.
  template <class T>
  void move(const RowStep& step, ThreadTeam& team, LearnedRows<T>& table,
            const std::function<void(std::uint32_t part, T* sum)>& add_part);
  /// The sums of parts, in the same order, take(row, sum) of each row that has a part, on the
  /// team's threads.
  template <class T>
  void sum(ThreadTeam& team, std::size_t width,
           const std::function<void(std::uint32_t part, T* sum)>& add_part,
           const std::function<void(std::uint32_t row, const T* sum)>& take);

 private:
  void sort();

  std::vector<std::uint64_t> keys_;   ///< row, part
  std::vector<std::uint64_t> begin_;  ///< where a row's keys begin, then their number
};

}  // namespace vecc::kg
