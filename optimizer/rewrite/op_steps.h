// What one op reads and makes, row by row, as source rows (source_rows.h).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

#include "optimizer/rewrite/source_rows.h"
#include "src/program/members.h"
#include "vecc/program.h"

namespace vecc::opt {

/// The steps of an op: the smallest parts of it that can be computed alone. A step of linear, map,
/// transform, update and output makes one row; one of segment reduces a segment to a row (softmax
/// and sparsemax: makes the rows of its members); a row-wise vjp makes one row; others, contract,
/// and draws and ops whose index is a value are one step. Facts, weights and states have none, nor
/// have gathers and concats, whose rows are other ops'.
class OpSteps {
 public:
  OpSteps(const Program& program, const SourceRows& sources, ValueId id);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Whether there is one step, which reads all rows of all operands.
  [[nodiscard]] bool makes_all() const { return makes_all_; }

  /// Calls `visit(number)` for every source row that a step reads; of an update, what it stores
  /// and, where that is a value, in which row.
  template <class Visit>
  void for_each_read(std::uint32_t step, Visit&& visit) const {
    switch (op_.kind()) {
      case OpKind::Fact:
      case OpKind::Weight:
      case OpKind::State:
      case OpKind::Gather:
      case OpKind::Concat: return;
      case OpKind::Linear: {
        const auto& linear = std::get<LinearOp>(op_.attributes);
        visit(operands_[0].rows[unlifted_row(linear.lift_left, operands_[0].count, step)]);
        visit(operands_[1].rows[unlifted_row(linear.lift_right, operands_[1].count, step)]);
        return;
      }
      case OpKind::Segment:
        for_each_member(std::get<SegmentOp>(op_.attributes).segments, operands_[0].count, step,
                        [&](std::uint32_t row) { visit(operands_[0].rows[row]); });
        return;
      case OpKind::Vjp:
        if (makes_all_) return for_each_operand_row(visit);
        [[fallthrough]];
      case OpKind::Map:
        for (const Operand& operand : operands_) {
          visit(operand.rows[operand.count == 1 ? 0 : step]);
        }
        return;
      case OpKind::Contract:
      case OpKind::Draw:
      case OpKind::Take:
      case OpKind::SumEqual:
      case OpKind::ScatterSum: return for_each_operand_row(visit);
      case OpKind::Update:
        for (std::size_t k = 1; k < operands_.size(); ++k) visit(operands_[k].rows[step]);
        return;
      case OpKind::Transform:
      case OpKind::Output: visit(operands_[0].rows[step]); return;
    }
  }

  /// Calls `visit(row)` for every row of the op that a step makes.
  template <class Visit>
  void for_each_row(std::uint32_t step, Visit&& visit) const {
    if (makes_all_) {
      for (std::uint32_t row = 0; row < op_.rows; ++row) visit(row);
    } else if (makes_members_) {
      for_each_member(std::get<SegmentOp>(op_.attributes).segments, op_.rows, step, visit);
    } else {
      visit(step);
    }
  }

  /// The source row that is row `row` of the op.
  [[nodiscard]] std::uint32_t number(std::uint32_t row) const { return own_[row]; }

 private:
  struct Operand {
    SourceRows::View rows;
    std::uint32_t count = 0;
  };

  template <class Visit>
  void for_each_operand_row(Visit&& visit) const {
    for (const Operand& operand : operands_) {
      for (std::uint32_t row = 0; row < operand.count; ++row) visit(operand.rows[row]);
    }
  }

  const Op& op_;
  SourceRows::View own_;
  boost::container::small_vector<Operand, 2> operands_;
  bool makes_all_ = false;      // one step makes every row
  bool makes_members_ = false;  // softmax, sparsemax
  std::uint32_t count_ = 0;
};

}  // namespace vecc::opt
