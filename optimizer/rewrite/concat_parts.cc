#include "optimizer/rewrite/concat_parts.h"

namespace vecc::opt {

ConcatBegins ConcatParts::of(ValueId concat) {
  if (begins_.size() <= concat) begins_.resize(program_.ops().size());
  std::vector<std::uint32_t>& begins = begins_[concat];
  if (begins.empty()) {
    begins.reserve(program_.op(concat).operands.size() + 1);
    begins.push_back(0);
    for (const ValueId operand : program_.op(concat).operands) {
      begins.push_back(begins.back() + program_.op(operand).rows);
    }
  }
  return begins;
}

}  // namespace vecc::opt
