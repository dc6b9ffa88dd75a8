// One operand of `linear`, with its lift and its transpose.
#pragma once

#include <algorithm>
#include <vector>

#include "backends/reference/rows.h"
#include "src/function/differentiate.h"
#include "vecc/program.h"

namespace vecc::reference {

class LinearSide {
 public:
  LinearSide(const Rows& rows, bool transposed, const Lift& lift)
      : rows_(rows), transposed_(transposed), lift_(lift) {}

  /// What the product's row i reads; valid until the next call. Its values are absent if the
  /// rows are.
  Element element(std::uint32_t i) {
    const Element own = rows_.element(row_of(i));
    if (!transposed_) return own;
    if (own.values.empty()) return {own.shape.transposed(), {}};
    scratch_.resize(own.values.size());
    evaluate(kTranspose, {}, own.shape, own.values, scratch_);
    return {own.shape.transposed(), scratch_};
  }

  /// Where the gradient of element(i) is added to; pass_on(i) must follow.
  std::span<double> gradient(std::uint32_t i, const MutableRows& gradients) {
    const std::span<double> own = gradients.row(row_of(i));
    if (!transposed_ || own.empty()) return own;
    g_scratch_.assign(own.size(), 0);
    return g_scratch_;
  }
  /// Takes what was added to gradient(i) to the operand's own row.
  void pass_on(std::uint32_t i, const MutableRows& gradients) {
    const std::span<double> own = gradients.row(row_of(i));
    if (!transposed_ || own.empty()) return;
    differentiate(kTranspose, {}, rows_.shape(), {}, {}, g_scratch_, own);
  }

 private:
  static constexpr TransformationSpec kTranspose{.id = Transformation::Transp, .target = {}};

  // The row of the operand that stands for row i of the lifted operand.
  [[nodiscard]] std::uint32_t row_of(std::uint32_t i) const {
    switch (lift_.kind) {
      case Lift::Kind::None: return i;
      case Lift::Kind::Repeat: return i % rows_.rows();
      case Lift::Kind::Interleave: return i / lift_.times;
    }
    fail_check("known lift", __FILE__, __LINE__, std::to_string(static_cast<int>(lift_.kind)));
  }

  Rows rows_;
  bool transposed_;
  Lift lift_;
  std::vector<double> scratch_;
  std::vector<double> g_scratch_;
};

}  // namespace vecc::reference
