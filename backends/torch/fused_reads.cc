#include "backends/torch/fused_reads.h"

#include <utility>

namespace vecc::libtorch {

FusedReads::FusedReads(const Program& program, const FusingOptions& options)
    : program_(program),
      sums_(program, options.fuse),
      linears_(program, options.fuse, options.cuda),
      skipped_(program.ops().size(), false),
      in_batches_(program.ops().size(), false) {
  if (!options.fuse) return;
  skip_unread(options.kept);
  find_rows_in_batches(options.kept);
}

// From the last op to the first: an op goes if every reader that it had has gone or reads past it.
void FusedReads::skip_unread(std::span<const ValueId> kept) {
  std::vector<bool> read(program_.ops().size(), false);
  std::vector<bool> was_read(program_.ops().size(), false);
  for (const ValueId id : kept) read[id] = true;
  for (auto id = static_cast<ValueId>(program_.ops().size()); id-- > 0;) {
    skipped_[id] = was_read[id] && !read[id];
    for (const ValueId operand : program_.op(id).operands) was_read[operand] = true;
    for (const ValueId operand : operands(id)) read[operand] = true;
  }
}

void FusedReads::find_rows_in_batches(std::span<const ValueId> kept) {
  std::vector<std::uint32_t> readers(program_.ops().size());
  std::vector<std::uint32_t> by_number(program_.ops().size());
  for (const ValueId id : kept) ++readers[id];
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    const bool numbers =
        sums_.is_fused(id) || linears_.is_grouped(id) || list_gather(program_.op(id)) != nullptr;
    for (const ValueId operand : operands(id)) {
      ++readers[operand];
      if (numbers) ++by_number[operand];
    }
  }
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    in_batches_[id] = linears_.is_grouped(id) && readers[id] == 1 && by_number[id] == 1;
  }
}

Operands FusedReads::operands(ValueId op) const {
  if (is_skipped(op)) return {};
  if (sums_.is_fused(op)) return {sums_.source(op)};
  if (linears_.is_grouped(op)) return {linears_.at(op).matrices, linears_.at(op).inputs};
  return program_.op(op).operands;
}

RowSumPlan FusedReads::as_stored(RowSumPlan plan, ValueId value) const {
  if (!stays_in_batches(value)) return plan;
  RowGroups groups = linears_.groups(value);
  plan.source_rows = static_cast<std::uint32_t>(groups.offsets.size() - 1);
  if (plan.rows.empty()) {
    plan.rows = std::move(groups.place);
  } else {
    for (std::uint32_t& row : plan.rows) row = groups.place[row];
  }
  return plan;
}

}  // namespace vecc::libtorch
