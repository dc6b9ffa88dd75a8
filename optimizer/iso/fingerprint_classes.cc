#include "optimizer/iso/fingerprint_classes.h"

#include <algorithm>
#include <numeric>

#include "optimizer/rewrite/keep_least.h"
#include "src/program/index_algebra.h"
#include "src/program/select_rows.h"
#include "src/support/list_threads.h"

namespace vecc::opt::iso {
namespace {

// By value: the last op that reads it; itself if none does.
std::vector<ValueId> last_readers(const Program& program) {
  std::vector<ValueId> result(program.ops().size());
  std::iota(result.begin(), result.end(), ValueId{0});
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    for (const ValueId operand : program.op(id).operands) result[operand] = id;
  }
  return result;
}

// By value: whether all that read it, behind gathers too, look at the fingerprints of single rows.
std::vector<bool> only_row_by_row(const Program& program) {
  std::vector<bool> result(program.ops().size(), true);
  for (ValueId id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
    const Op& op = program.op(id);
    const OpKind kind = op.kind();
    const bool is_row_by_row = kind == OpKind::Linear || kind == OpKind::Map ||
                               kind == OpKind::Transform || kind == OpKind::Contract ||
                               (kind == OpKind::Gather && result[id]) ||
                               (kind == OpKind::Vjp && is_row_wise(program, op));
    if (is_row_by_row) continue;
    for (const ValueId operand : op.operands) result[operand] = false;
  }
  return result;
}

}  // namespace

FingerprintClasses::FingerprintClasses(const Program& program, std::uint64_t seed,
                                       std::uint32_t narrow_side)
    : program_(program),
      keys_(seed, narrow_side),
      last_reader_(last_readers(program)),
      only_row_by_row_(only_row_by_row(program)),
      classes_(program.ops().size()) {}

const ValueClasses& FingerprintClasses::classify(ValueId id, bool tells_apart) {
  tells_apart_ = tells_apart || !only_row_by_row_[id];
  if (id > 0 && last_reader_[id - 1] == id - 1) classes_[id - 1] = nullptr;
  const auto made = [&](const auto& op) { return std::make_unique<ValueClasses>(classes(op, id)); };
  classes_[id] = std::visit(made, program_.op(id).attributes);
  if (classes_[id]->table) meeting_ += classes_[id]->table->take_meetings();
  for (const ValueId operand : program_.op(id).operands) {
    if (last_reader_[operand] == id) classes_[operand] = nullptr;
  }
  return *classes_[id];
}

ValueClasses FingerprintClasses::start(ValueId id) {
  ValueClasses result;
  result.table = std::make_shared<ClassTable>(keys_.part_count(program_.op(id).shape));
  return result;
}

std::vector<OperandRows> FingerprintClasses::operand_rows(ValueId id,
                                                          const ValueClasses* by_class) const {
  const Op& op = program_.op(id);
  std::uint32_t rows = op.rows;
  if (const auto* contract = std::get_if<ContractOp>(&op.attributes)) rows = contract->types.size();
  std::vector<OperandRows> result;
  for (std::size_t k = 0; k < op.operands.size(); ++k) {
    const Shape shape = program_.op(op.operands[k]).shape;
    if (&operand(id, k) == by_class) {
      result.emplace_back(*by_class->table, shape);
    } else {
      result.emplace_back(operand(id, k), shape, rows);
    }
  }
  return result;
}

ValueClasses FingerprintClasses::by_identity(const KeyedHash& name, ValueId id) {
  ValueClasses result = start(id);
  const std::uint32_t rows = program_.op(id).rows;
  const std::uint32_t first =
      result.table->append_all(rows, [&](std::uint32_t i, std::span<Residues> parts) {
        for (std::size_t k = 0; k < parts.size(); ++k) {
          parts[k] = KeyedHash(name).add(i * parts.size() + k).value();
        }
        return false;
      });
  result.of_row = list_of(rows, [first](std::uint32_t i) { return first + i; });
  result.numbered = rows;
  return result;
}

ValueClasses FingerprintClasses::classes(const WeightOp& weight, ValueId id) {
  const Parameter& parameter = program_.parameters()[weight.parameter];
  return by_identity(keys_.named(HashTag::Parameter, parameter.name), id);
}

ValueClasses FingerprintClasses::classes(const StateOp& state, ValueId id) {
  return by_identity(keys_.named(HashTag::State, state.name), id);
}

// Of equal steps, and one key, the same numbers.
ValueClasses FingerprintClasses::classes(const DrawOp& draw, ValueId id) {
  const ValueClasses& step = operand(id, 0);
  KeyedHash key = keys_.hash(HashTag::StepDraw, draw.stream);
  key.add(draw.seed).add(draw.bound).add(step.table->parts(step.of_row[0]));
  return by_identity(key, id);
}

ValueClasses FingerprintClasses::of_its_own(ValueId id) {
  KeyedHash key = keys_.hash(HashTag::ValueIndex);
  return by_identity(key.add(id), id);
}

ValueClasses FingerprintClasses::classes(const GatherOp& gather, ValueId id) {
  const ValueClasses& from = operand(id, 0);
  ValueClasses result{from.table, unset_list<std::uint32_t>(gather.index.size()), from.repeats};
  ListThreads::for_ranges(gather.index.size(), [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      result.of_row[i] = from.of_row[gather.index[i]];
    }
  });
  return result;
}

// Appends rows of another value, with their classes in `to`'s table.
void FingerprintClasses::append_rows(const ValueClasses& from, ValueClasses& to) {
  if (from.table == to.table) {
    to.of_row.insert(to.of_row.end(), from.of_row.begin(), from.of_row.end());
    return;
  }
  const auto rows = static_cast<std::uint32_t>(from.of_row.size());
  const std::size_t begin = to.of_row.size();
  if (is_ascending(from.of_row, rows)) {  // all rows are different
    to.of_row.resize(begin + rows);
    to.table->insert_all_by_threads(
        rows,
        [&](std::uint32_t k, std::span<Residues> parts) {
          std::ranges::copy(from.table->parts(from.of_row[k]), parts.begin());
          return from.table->doubtful(from.of_row[k]);
        },
        [&](std::uint32_t k, std::uint32_t row_class) { to.of_row[begin + k] = row_class; });
    return;
  }
  if (mark_.size() < from.table->size()) mark_.resize(from.table->size(), kNoMark);
  const auto for_each = [](std::size_t count, const auto& body) {
    ListThreads::for_ranges(count, [&](std::size_t first, std::size_t end) {
      for (; first < end; ++first) body(first);
    });
  };
  ListThreads::for_ranges(rows, [&](std::size_t first, std::size_t end) {
    keep_least_of_each(mark_, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end),
                       [&](std::uint32_t row) { return from.of_row[row]; });
  });
  std::vector<std::uint32_t> distinct =
      entries_where(rows, [&](std::uint32_t row) { return mark_[from.of_row[row]] == row; });
  for_each(distinct.size(), [&](std::size_t k) { distinct[k] = from.of_row[distinct[k]]; });
  to.table->insert_all_by_threads(
      static_cast<std::uint32_t>(distinct.size()),
      [&](std::uint32_t k, std::span<Residues> parts) {
        std::ranges::copy(from.table->parts(distinct[k]), parts.begin());
        return from.table->doubtful(distinct[k]);
      },
      [&](std::uint32_t k, std::uint32_t row_class) { mark_[distinct[k]] = row_class; });
  to.of_row.resize(begin + rows);
  for_each(rows, [&](std::size_t row) { to.of_row[begin + row] = mark_[from.of_row[row]]; });
  for_each(distinct.size(), [&](std::size_t k) { mark_[distinct[k]] = kNoMark; });
}

void FingerprintClasses::clear_marks(const ValueClasses& value) {
  for (const std::uint32_t id : value.of_row) mark_[id] = kNoMark;
}

// The first operand's table and rows grow, where no later op reads it: a chain of concats, each of
// the one before and some rows, is linear in all rows of the last.
ValueClasses FingerprintClasses::classes(const ConcatOp&, ValueId id) {
  const Operands& operands = program_.op(id).operands;
  ValueClasses& first = *classes_[operands[0]];
  const bool grows =
      last_reader_[operands[0]] == id && std::ranges::count(operands, operands[0]) == 1;
  ValueClasses result = grows ? std::move(first) : first;
  if (operands.size() > 1) result.numbered = 0;
  for (std::size_t k = 1; k < operands.size(); ++k) append_rows(operand(id, k), result);
  return result;
}

ValueClasses FingerprintClasses::classes(const UpdateOp&, ValueId id) {
  return operand(id, 1);
}

ValueClasses FingerprintClasses::classes(const OutputOp&, ValueId) {
  return {};
}

}  // namespace vecc::opt::iso
