#include "src/plan/analysis/side_sums.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "src/kernel/schedule/outer_products.h"
#include "src/plan/analysis/gradient_reads.h"
#include "src/plan/analysis/operand_reads.h"
#include "src/program/inverse_index.h"
#include "src/program/members.h"

namespace vecc {
namespace {

// A sum of rows: which ones, and of each the segment that it is added to; none: all to one.
struct RowSum {
  RowRead rows;
  std::optional<Segments> segments;
};

class SideSums {
 public:
  SideSums(const Program& program, const PlanOptions& options, const ValueSources& sources,
           const std::vector<bool>& inlined)
      : program_(program),
        options_(options),
        sources_(sources),
        inlined_(inlined),
        partner_(program.ops().size(), kNone),
        is_multiplied_(program.ops().size(), false) {}

  std::vector<ValueId> find() {
    if (!options_.fuse || !options_.target.has_vectors()) return std::move(partner_);
    for (ValueId id = 0; id < partner_.size(); ++id) {
      if (const auto* contract = contract_of(id)) note_contract(id, *contract);
      if (program_.op(id).kind() == OpKind::Linear) note_linear(id);
    }
    if (contracts_.empty()) return std::move(partner_);
    for (ValueId id = 0; id < partner_.size(); ++id) {
      if (const auto sum = sum_of(id)) join(id, *sum);
    }
    return std::move(partner_);
  }

 private:
  [[nodiscard]] const ContractOp* contract_of(ValueId id) const {
    return std::get_if<ContractOp>(&program_.op(id).attributes);
  }
  [[nodiscard]] bool is_second_stage(ValueId id) const { return id >= options_.second_stage; }
  [[nodiscard]] RowRead read_of(ValueId id, std::size_t operand) const {
    return vecc::read_of(program_, sources_, program_.op(id).operands[operand]);
  }

  // One whose products run over many members at once.
  void note_contract(ValueId id, const ContractOp& contract) {
    const RowRead left = read_of(id, 0);
    const RowRead right = read_of(id, 1);
    const bool are_columns = left.shape.cols() == 1 && right.shape.cols() == 1 &&
                             !left.shape.is_scalar() && right.shape.size() >= kLeastColumn;
    if (are_columns && contract.type_count > 0) contracts_[left.value].push_back(id);
  }

  void note_linear(ValueId id) {
    for (const ValueId operand : program_.op(id).operands) {
      const auto [value, index] = sources_[operand];
      if (!index) is_multiplied_[value] = true;
    }
  }

  // Rows whose maker takes a sum of all of them in: functions of rows that it loads through an
  // index, which no product reads. (Around a product that runs in blocks of rows nothing is
  // summed.)
  [[nodiscard]] bool takes_sum_in(ValueId rows) const {
    const Op& op = program_.op(rows);
    const bool is_function =
        op.kind() == OpKind::Map || op.kind() == OpKind::Transform || op.kind() == OpKind::Vjp;
    return is_function && !op.operands.empty() && sources_[op.operands.back()].index &&
           !is_multiplied_[rows];
  }

  [[nodiscard]] std::optional<RowSum> sum_of(ValueId id) const {
    const Op& op = program_.op(id);
    if (sources_.value_of(id) != id || inlined_[id]) return std::nullopt;
    const auto* vjp = std::get_if<VjpOp>(&op.attributes);
    if (vjp != nullptr && std::holds_alternative<MapOp>(vjp->of)) {
      const bool is_sum = op.rows == 1 && program_.op(op.operands.back()).rows > 1 &&
                          passes_gradient_on(program_, id);
      if (!is_sum) return std::nullopt;
      return RowSum{read_of(id, op.operands.size() - 1), std::nullopt};
    }
    const auto* segment = std::get_if<SegmentOp>(&op.attributes);
    if (segment == nullptr || segment->combination != Combination::Sum) return std::nullopt;
    return RowSum{read_of(id, 0), segment->segments};
  }

  void join(ValueId id, const RowSum& sum) {
    const auto found = contracts_.find(sum.rows.value);
    if (found == contracts_.end() || inlined_[sum.rows.value] ||
        sum.rows.shape != program_.op(id).shape) {
      return;
    }
    if (program_.op(id).rows == 1 && takes_sum_in(sum.rows.value)) return;
    for (const ValueId contract : found->second) {
      if (partner_[contract] != kNone || !adds_alike(contract, id, sum)) continue;
      partner_[contract] = id;
      partner_[id] = contract;
      return;
    }
  }

  // Whether both add up the same rows by the same types, in one order, and both can be computed
  // where the first of them is.
  [[nodiscard]] bool adds_alike(ValueId contract, ValueId id, const RowSum& sum) const {
    const ContractOp& of = *contract_of(contract);
    const RowRead left = read_of(contract, 0);
    if (is_second_stage(contract) != is_second_stage(id) || left.shape != sum.rows.shape ||
        left.one != sum.rows.one || program_.op(id).rows != of.type_count ||
        rows_of(sum.rows) != of.types.size() ||
        read_of(contract, 1).value >= std::min(contract, id)) {
      return false;
    }
    if (!sum.segments) return of.type_count == 1 && left.index == sum.rows.index;
    return has_types(*sum.segments, sum.rows, of, left);
  }

  [[nodiscard]] std::uint32_t rows_of(const RowRead& read) const {
    return read.index ? static_cast<std::uint32_t>(read.index->size())
                      : program_.op(read.value).rows;
  }
  [[nodiscard]] static std::uint32_t row_of(const RowRead& read, std::uint32_t i) {
    return read.index ? (*read.index)[i] : i;
  }
  // Whether the members of each segment are the rows of one type.
  [[nodiscard]] bool has_types(const Segments& segments, const RowRead& members,
                               const ContractOp& of, const RowRead& left) const {
    const InverseIndex readers = inverse_index(of.types, of.type_count);
    for (std::uint32_t type = 0; type < of.type_count; ++type) {
      std::uint32_t at = readers.offsets[type];
      const std::uint32_t end = readers.offsets[type + std::size_t{1}];
      if (member_count(segments, type) != end - at) return false;
      bool are_same = true;
      for_each_member(segments, of.types.size(), type, [&](std::uint32_t member) {
        are_same = are_same && row_of(members, member) == row_of(left, readers.readers[at++]);
      });
      if (!are_same) return false;
    }
    return true;
  }

  const Program& program_;
  const PlanOptions& options_;
  const ValueSources& sources_;
  const std::vector<bool>& inlined_;
  std::vector<ValueId> partner_;     // by value
  std::vector<bool> is_multiplied_;  // by value: a `linear` reads its rows
  std::unordered_map<ValueId, std::vector<ValueId>> contracts_;  // by the value of their left side
};

}  // namespace

std::vector<ValueId> find_side_sums(const Program& program, const PlanOptions& options,
                                    const ValueSources& sources, const std::vector<bool>& inlined) {
  return SideSums(program, options, sources, inlined).find();
}

}  // namespace vecc
