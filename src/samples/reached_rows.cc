#include "src/samples/reached_rows.h"

#include <algorithm>

#include "src/samples/operand_rows.h"

namespace vecc {

void reach_rows(const Program& program, ReachedRows& reached) {
  for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
    std::vector<std::uint32_t>& rows = reached[id];
    if (rows.empty()) continue;
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const Op& op = program.op(id);
    complete_segments(op, rows);
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      const std::vector<std::uint32_t> read = operand_rows(program, id, k, rows);
      std::vector<std::uint32_t>& of_operand = reached[op.operands[k]];
      of_operand.insert(of_operand.end(), read.begin(), read.end());
    }
  }
}

}  // namespace vecc
