#include "optimizer/rewrite/readers.h"

#include "optimizer/rewrite/rewriter.h"

namespace vecc::opt {

Readers::Readers(const Program& program) : begin_(program.ops().size() + 1) {
  for (const Op& op : program.ops()) {
    for (const ValueId operand : op.operands) ++begin_[operand + std::size_t{1}];
  }
  for (std::size_t v = 1; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
  readers_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    for (const ValueId operand : program.op(id).operands) readers_[next[operand]++] = id;
  }
}

ValueId Readers::only(ValueId value) const {
  const auto readers = of(value);
  return readers.size() == 1 ? readers[0] : kNoValue;
}

}  // namespace vecc::opt
