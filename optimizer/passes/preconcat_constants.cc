// preconcat-constants: constants that stand in concats only together, always in the same order,
// become one value.
//
// A *run* is a longest stretch of operands of one concat that are all facts with values, all units,
// or all weights. Equal runs are one *group*. A group is taken if
//   - it has at least two operands, and no weight twice;
//   - none of its operands stands in another run: two groups that overlap are both left alone,
//     whole;
//   - facts: all other readers are gathers, which then read the one value by shifted indices;
//   - weights: the run occurs at least twice.
// Facts become one fact, again and again, since a concat of facts alone then is one. Weights stay,
// for they are the model: the concat of them is made once, and shared by the concats that the run
// stands in.
//
//   %4 = concat %f1, %f2, %5 ; %6 = concat %w1, %w2, %7 ; %8 = concat %w1, %w2
//   =>
//   %f = fact {...} ; %4 = concat %f, %5 ; %8 = concat %w1, %w2 ; %6 = concat %8, %7
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <utility>

#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"

namespace vecc::opt {
namespace {

enum class ConstantKind : std::uint8_t { None, Fact, Unit, Weight };

ConstantKind constant_kind(const Op& op) {
  if (op.kind() == OpKind::Weight) return ConstantKind::Weight;
  const auto* fact = std::get_if<FactOp>(&op.attributes);
  if (fact == nullptr) return ConstantKind::None;
  return fact->unit ? ConstantKind::Unit : ConstantKind::Fact;
}

using Values = std::vector<ValueId>;

// Operands `begin` .. `end` of a concat.
struct Run {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t group = 0;
};

struct Group {
  Values members;
  std::size_t occurrences = 0;
  bool taken = true;
};

// The runs of all concats and the groups they make.
class ConstantGroups {
 public:
  explicit ConstantGroups(const Program& program) : program_(program) {
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const Op& op = program.op(id);
      if (op.kind() == OpKind::Concat) find_runs(id);
    }
    for (Group& group : groups_) {
      if (!is_eligible(group)) group.taken = false;
    }
    strike_facts_read_otherwise();
  }

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  /// The runs of a concat, in order.
  [[nodiscard]] const std::vector<Run>& runs(ValueId concat) const {
    static const std::vector<Run> kNone;
    const auto found = runs_.find(concat);
    return found == runs_.end() ? kNone : found->second;
  }
  /// The taken group of facts that `value` is part of, or none.
  [[nodiscard]] const Group* fact_group(ValueId value) const {
    if (constant_kind(program_.op(value)) == ConstantKind::Weight) return nullptr;
    const auto found = group_of_.find(value);
    if (found == group_of_.end() || !groups_[found->second].taken) return nullptr;
    return &groups_[found->second];
  }

 private:
  void find_runs(ValueId id) {
    const Operands& operands = program_.op(id).operands;
    const auto kind = [&](std::size_t k) { return constant_kind(program_.op(operands[k])); };
    for (std::size_t begin = 0, end = 0; begin < operands.size(); begin = end) {
      end = begin + 1;
      if (kind(begin) == ConstantKind::None) continue;
      while (end < operands.size() && kind(end) == kind(begin)) ++end;
      const Values members(operands.begin() + static_cast<std::ptrdiff_t>(begin),
                           operands.begin() + static_cast<std::ptrdiff_t>(end));
      runs_[id].push_back({begin, end, group(members)});
    }
  }

  // The group of these members; it and those that it overlaps are struck.
  std::size_t group(const Values& members) {
    const auto [entry, is_new] = numbers_.try_emplace(members, groups_.size());
    const std::size_t number = entry->second;
    if (is_new) {
      groups_.push_back({members, 0, true});
      for (const ValueId member : members) {
        const std::size_t other = group_of_.try_emplace(member, number).first->second;
        if (other != number) groups_[number].taken = groups_[other].taken = false;
      }
    }
    ++groups_[number].occurrences;
    return number;
  }

  [[nodiscard]] bool is_eligible(const Group& group) const {
    if (!group.taken || group.members.size() < 2) return false;
    if (constant_kind(program_.op(group.members[0])) != ConstantKind::Weight) return true;
    boost::unordered_flat_map<ValueId, bool> seen;  // only looked up
    for (const ValueId weight : group.members) {
      if (!seen.try_emplace(weight, true).second) return false;
    }
    return group.occurrences > 1;
  }

  void strike_facts_read_otherwise() {
    for (const Op& op : program_.ops()) {
      if (op.kind() == OpKind::Concat || op.kind() == OpKind::Gather) continue;
      for (const ValueId operand : op.operands) {
        const auto found = group_of_.find(operand);
        if (found == group_of_.end()) continue;
        if (program_.op(operand).kind() == OpKind::Fact) groups_[found->second].taken = false;
      }
    }
  }

  const Program& program_;
  std::map<Values, std::size_t> numbers_;                      // members -> group
  std::vector<Group> groups_;                                  // in order of first occurrence
  boost::unordered_flat_map<ValueId, std::size_t> group_of_;   // member -> its first group
  boost::unordered_flat_map<ValueId, std::vector<Run>> runs_;  // by concat; only looked up
};

class Preconcat {
 public:
  Preconcat(const Program& program, const ConstantGroups& groups)
      : program_(program),
        groups_(groups),
        rewriter_(program),
        value_(groups.groups().size(), kNoValue) {}

  Program run() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const Op& op = program_.op(id);
      if (op.kind() == OpKind::Fact) {
        if (groups_.fact_group(id) == nullptr) rewriter_.copy(id);
      } else if (op.kind() == OpKind::Gather && groups_.fact_group(op.operands[0]) != nullptr) {
        rewrite_gather(id);
      } else if (op.kind() == OpKind::Concat) {
        rewrite_concat(id);
      } else {
        rewriter_.copy(id);
      }
    }
    return rewriter_.finish();
  }

 private:
  // The one value of a group, made where it is first read: constants can stand anywhere.
  ValueId value_of(const Group& group) {
    ValueId& value = value_[static_cast<std::size_t>(&group - groups_.groups().data())];
    if (value == kNoValue) value = make(group);
    return value;
  }

  ValueId make(const Group& group) {
    const Op& first = program_.op(group.members[0]);
    if (first.kind() == OpKind::Weight) {
      Values weights;
      for (const ValueId weight : group.members) weights.push_back(rewriter_.at(weight));
      return rewriter_.to().concat(weights, first.note);
    }
    std::uint32_t rows = 0;
    NumberColumn values;
    for (const ValueId member : group.members) {
      const auto& fact = std::get<FactOp>(program_.op(member).attributes);
      rows += fact.rows;
      if (!fact.unit) values.append(fact.values);
    }
    if (std::get<FactOp>(first.attributes).unit) return rewriter_.to().unit_fact(rows, first.note);
    return rewriter_.to().shared_fact(values.take(), rows, first.shape, first.note);
  }

  void rewrite_gather(ValueId id) {
    const Op& op = program_.op(id);
    const Group& group = *groups_.fact_group(op.operands[0]);
    std::int64_t first = 0;  // of the fact in the group
    for (const ValueId member : group.members) {
      if (member == op.operands[0]) break;
      first += program_.op(member).rows;
    }
    const Index rows = shifted(std::get<GatherOp>(op.attributes).index, first);
    rewriter_.replace(id, rewriter_.gather(value_of(group), rows, op.note));
  }

  void rewrite_concat(ValueId id) {
    const Op& op = program_.op(id);
    Values operands;
    std::size_t next = 0;  // operand
    const auto copy_until = [&](std::size_t end) {
      for (; next < end; ++next) operands.push_back(rewriter_.at(op.operands[next]));
    };
    for (const Run& run : groups_.runs(id)) {
      const Group& group = groups_.groups()[run.group];
      if (!group.taken) continue;
      copy_until(run.begin);
      operands.push_back(value_of(group));
      next = run.end;
    }
    copy_until(op.operands.size());
    rewriter_.replace(id, rewriter_.to().concat(operands, op.note));
  }

  const Program& program_;
  const ConstantGroups& groups_;
  Rewriter rewriter_;
  std::vector<ValueId> value_;  // by group: the one value, or kNoValue
};

bool preconcat_once(Program& program, PassContext& context) {
  const ConstantGroups groups(program);
  bool changed = false;
  for (const Group& group : groups.groups()) {
    if (!group.taken) continue;
    const bool is_fact = program.op(group.members[0]).kind() == OpKind::Fact;
    context.count(is_fact ? "facts made one" : "weights concatenated once", group.members.size());
    changed = true;
  }
  if (changed) program = Preconcat(program, groups).run();
  return changed;
}

}  // namespace

bool preconcat_constants(Program& program, PassContext& context) {
  bool changed = false;
  // A concat that becomes a fact can stand beside facts in another one.
  while (preconcat_once(program, context)) changed = true;
  return changed;
}

}  // namespace vecc::opt
