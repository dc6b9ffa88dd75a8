#include "backends/reference/differentiate_segment.h"

#include <vector>

#include "backends/reference/segment_rows.h"
#include "src/function/differentiate.h"

namespace vecc::reference {
namespace {

// Sum and mean: every member gets `share` of the segment's gradient.
void spread(const BackwardStep& step, std::uint32_t s, const SegmentRows& members, double share) {
  const std::span<const double> g = step.gradient.row(s);
  for (std::uint32_t k = 0; k < members.count; ++k) {
    const std::span<double> member = step.operand_gradients[0].row(members[k]);
    for (std::size_t i = 0; i < g.size(); ++i) member[i] += share * g[i];
  }
}

// Fixed over dimension 2: the members' elements stand as they do in the result.
void split(const BackwardStep& step, std::uint32_t s, const SegmentRows& members) {
  std::span<const double> g = step.gradient.row(s);
  for (std::uint32_t k = 0; k < members.count; ++k) {
    const std::span<double> member = step.operand_gradients[0].row(members[k]);
    for (std::size_t i = 0; i < member.size(); ++i) member[i] += g[i];
    g = g.subspan(member.size());
  }
}

// The backward step of one segment after the other; keeps its lists to save allocations.
class SegmentStep {
 public:
  SegmentStep(const BackwardStep& step, Combination combination)
      : step_(step), combination_(combination) {}

  // Max, min and the elementwise product, from the members' values.
  void differentiate_reduction(std::uint32_t s, const SegmentRows& members) {
    elements_.clear();
    gradients_.clear();
    for (std::uint32_t k = 0; k < members.count; ++k) {
      elements_.push_back(step_.operands[0].element(members[k]));
      gradients_.push_back(step_.operand_gradients[0].row(members[k]));
    }
    differentiate(combination_, nullptr, elements_, {}, step_.gradient.row(s), gradients_);
  }

  // Softmax and sparsemax, from their results: of each entry by itself.
  void differentiate_members(const SegmentRows& members) {
    const std::size_t entries = step_.gradient.row(members[0]).size();
    for (std::size_t i = 0; i < entries; ++i) differentiate_members(members, i);
  }

 private:
  void differentiate_members(const SegmentRows& members, std::size_t entry) {
    y_.clear();
    g_.clear();
    for (std::uint32_t k = 0; k < members.count; ++k) {
      y_.push_back(step_.result.row(members[k])[entry]);
      g_.push_back(step_.gradient.row(members[k])[entry]);
    }
    if (is_zero(g_)) return;
    gx_.assign(members.count, 0);
    if (combination_ == Combination::Softmax) {
      differentiate_softmax(y_, g_, gx_);
    } else {
      differentiate_sparsemax(y_, g_, gx_);
    }
    for (std::uint32_t k = 0; k < members.count; ++k) {
      step_.operand_gradients[0].row(members[k])[entry] += gx_[k];
    }
  }

  const BackwardStep& step_;
  Combination combination_;
  std::vector<Element> elements_;
  std::vector<std::span<double>> gradients_;
  std::vector<double> y_;
  std::vector<double> g_;
  std::vector<double> gx_;
};

}  // namespace

void differentiate_segment(const SegmentOp& segment, const BackwardStep& step) {
  const std::uint32_t rows = step.operands[0].rows();
  SegmentStep one(step, segment.combination);
  for (std::uint32_t s = 0; s < segment.segments.count(rows); ++s) {
    const SegmentRows members = segment_rows(segment.segments, rows, s);
    if (members.count == 0) continue;
    if (!keeps_members(segment.combination) && is_zero(step.gradient.row(s))) continue;
    switch (segment.combination) {
      case Combination::Sum: spread(step, s, members, 1); break;
      case Combination::Avg: spread(step, s, members, 1.0 / members.count); break;
      case Combination::Count: break;
      case Combination::Concat: split(step, s, members); break;
      case Combination::Max:
      case Combination::Min:
      case Combination::ElMax:
      case Combination::ElMin:
      case Combination::ElProduct: one.differentiate_reduction(s, members); break;
      case Combination::Softmax:
      case Combination::Sparsemax: one.differentiate_members(members); break;
      case Combination::Product:
      case Combination::CrossSum:
      case Combination::CosSim:
      case Combination::FunctionGraph: fail_check("no segment", __FILE__, __LINE__, step.op.note);
    }
  }
}

}  // namespace vecc::reference
