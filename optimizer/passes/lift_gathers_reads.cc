#include "optimizer/passes/lift_gathers_reads.h"

#include <utility>

#include "src/program/index_algebra.h"

namespace vecc::opt {

ProgramReads::ProgramReads(const Program& program)
    : program_(program), first_use_(program.ops().size() + 1) {
  rows_.reserve(program.ops().size());
  first_read_.reserve(program.ops().size() + 1);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    rows_.push_back(op.rows);
    first_read_.push_back(reads_.size());
    if (op.kind() == OpKind::Gather) continue;
    for (const ValueId operand : op.operands) {
      GatheredRows read = read_through(program, operand);
      ++first_use_[read.source + std::size_t{1}];
      reads_.push_back(
          {read.source, std::move(read.rows), operand == read.source ? kNoValue : operand, 0});
    }
  }
  first_read_.push_back(reads_.size());
  for (std::size_t v = 1; v < first_use_.size(); ++v) first_use_[v] += first_use_[v - 1];
  uses_.resize(first_use_.back());
  std::vector<std::size_t> next(first_use_.begin(), first_use_.end() - 1);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    for (std::uint32_t k = 0; k < of(id).size(); ++k) {
      uses_[next[of(id)[k].source]++] = {id, k};
    }
  }
}

bool ProgramReads::is_whole(const Read& read) const {
  return read.gather == kNoValue || is_identity(read.rows, rows_[read.source]);
}

void ProgramReads::change(ValueId value, OpAttributes attributes, std::uint32_t rows) {
  changed_.insert_or_assign(value, std::move(attributes));
  rows_[value] = rows;
}

Read ProgramReads::whole(ValueId source) const {
  return {source, Index::slice(0, rows_[source]), kNoValue, 0};
}

std::uint64_t ProgramReads::bytes() const {
  std::uint64_t elements = 0;
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    const Op& op = program_.op(id);
    if (op.kind() != OpKind::Gather) elements += rows_[id] * op.shape.size();
  }
  return elements * byte_size(program_.dtype());
}

Program ProgramReads::rebuild() const {
  Rewriter rewriter(program_);
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    if (program_.op(id).kind() == OpKind::Gather) continue;
    Operands operands;
    for (const Read& read : of(id)) {
      const ValueId source = rewriter.at(read.source);
      operands.push_back(read.gather == kNoValue
                             ? source
                             : rewriter.gather(source, read.rows, program_.op(read.gather).note));
    }
    const auto changed = changed_.find(id);
    const OpAttributes& now =
        changed == changed_.end() ? program_.op(id).attributes : changed->second;
    rewriter.replace(id, rewriter.add(now, std::move(operands), id));
  }
  return rewriter.finish();
}

}  // namespace vecc::opt
