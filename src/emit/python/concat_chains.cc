#include "src/emit/python/concat_chains.h"

#include <algorithm>

namespace vecc::python {
namespace {

// The ops that read a value.
struct Readers {
  std::uint32_t appenders = 0;  // concats that begin with it
  bool others = false;          // any but those and gathers
};

std::vector<Readers> find_readers(const Program& program) {
  std::vector<Readers> readers(program.ops().size());
  for (const Op& op : program.ops()) {
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      Readers& of = readers[op.operands[k]];
      if (op.kind() == OpKind::Concat && k == 0) {
        ++of.appenders;
      } else if (op.kind() != OpKind::Gather) {
        of.others = true;
      }
    }
  }
  return readers;
}

}  // namespace

ConcatChains::ConcatChains(const Program& program)
    : program_(program),
      chain_of_(program.ops().size(), kStored),
      piece_count_(program.ops().size()) {
  const std::vector<bool> chained = find_chained();
  for (ValueId id = 0; id < chained.size(); ++id) {
    if (chained[id]) append(id);
  }
}

std::vector<bool> ConcatChains::find_chained() const {
  const std::vector<Readers> readers = find_readers(program_);
  std::vector<bool> chained(readers.size());
  for (ValueId id = 0; id < chained.size(); ++id) {
    const Op& op = program_.op(id);
    if (op.kind() != OpKind::Concat || readers[id].others || readers[id].appenders > 1) continue;
    chained[id] = readers[id].appenders == 1 || chained[op.operands[0]];
  }
  return chained;
}

void ConcatChains::append(ValueId concat) {
  const Op& op = program_.op(concat);
  const ValueId first = op.operands[0];
  std::size_t next = 0;  // operand to append
  std::uint32_t rows = 0;
  if (!is_stored(first)) {
    chain_of_[concat] = chain_of_[first];
    rows = program_.op(first).rows;
    next = 1;
  } else {
    chain_of_[concat] = static_cast<std::uint32_t>(chains_.size());
    chains_.emplace_back();
  }
  auto& chain = chains_[chain_of_[concat]];
  for (; next < op.operands.size(); ++next) {
    chain.push_back({op.operands[next], rows});
    rows += program_.op(op.operands[next]).rows;
  }
  piece_count_[concat] = static_cast<std::uint32_t>(chain.size());
}

std::vector<ValueId> ConcatChains::pieces(ValueId concat) const {
  const Operands& operands = program_.op(concat).operands;
  const ValueId first = operands[0];
  if (is_stored(first)) return {operands.begin(), operands.end()};
  const auto& chain = chains_[chain_of_[first]];
  std::vector<ValueId> result;
  for (std::uint32_t p = 0; p < piece_count_[first]; ++p) result.push_back(chain[p].value);
  result.insert(result.end(), operands.begin() + 1, operands.end());
  return result;
}

std::uint32_t ConcatChains::piece_at(ValueId concat, std::uint32_t row) const {
  const auto& chain = chains_[chain_of_[concat]];
  const auto end = chain.begin() + piece_count_[concat];
  // Of pieces without rows that begin at one row, the last: the one that has it.
  const auto after = std::upper_bound(chain.begin(), end, row,
                                      [](std::uint32_t r, const auto& p) { return r < p.begin; });
  return static_cast<std::uint32_t>(after - chain.begin()) - 1;
}

}  // namespace vecc::python
