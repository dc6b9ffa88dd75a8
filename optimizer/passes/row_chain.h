// Values that can be computed in another order of rows without a copy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "optimizer/rewrite/readers.h"
#include "vecc/program.h"

namespace vecc::opt {

/// A value, and all below it that only it reads, in another order: down to gathers, whose indices
/// take that order, and to facts, whose rows are written in it.
///
///   %2 = gather %0 [4, 5, 6] ; %3 = linear %1, %2 ; %4 = segment %3 [0, 2, 3] sum     %4: {1, 0}
///   %3: {2, 0, 1}, so is %1, if it is a fact read by %3 alone; %2: [6, 4, 5]
struct RowChain {
  struct Reordered {
    ValueId value;
    std::vector<std::uint32_t> kept;  ///< new row -> old row
  };
  std::vector<Reordered> values;
  std::vector<std::pair<ValueId, Index>> gathers;  ///< and their new rows
};

/// The chain that computes `top` in the order `kept`, a permutation of its rows; none if a row
/// would have to be copied for it: where it reads, all in order, a weight, a concat or a value with
/// other readers, through a lift, or members of half a softmax. `gather_rows`: by gather, its rows.
/// Linear in the rows of the chain.
[[nodiscard]] std::optional<RowChain> plan_row_chain(const Program& program, const Readers& readers,
                                                     std::span<const Index> gather_rows,
                                                     ValueId top, std::vector<std::uint32_t> kept);

/// False if there is no such chain for any order. Takes no look at rows.
[[nodiscard]] bool may_have_row_chain(const Program& program, const Readers& readers, ValueId top);

}  // namespace vecc::opt
