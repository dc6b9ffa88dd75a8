// Updates: new rows of parameters and states, stored after everything else that reads the old ones.
#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <map>
#include <utility>
#include <vector>

#include "src/plan/analysis/equal_rows.h"
#include "src/plan/lower/lower_ops.h"
#include "src/plan/lower/row_numbers.h"
#include "src/program/value_indices.h"

namespace vecc {
namespace {

// What an update stores may itself be rows of a parameter or state that is updated, and the host
// may read such rows after the run: both are those from before it.
void copy_old_rows(const OpLowering& lowering, std::span<const ValueId> updates) {
  const Program& program = lowering.program;
  ValueTable& values = lowering.grouping.values;
  const auto op_count = static_cast<ValueId>(program.ops().size());
  std::vector<ValueId> read(updates.begin(), updates.end());
  for (ValueId id = 0; lowering.options.keep_values && id < op_count; ++id) read.push_back(id);
  read.insert(read.end(), lowering.options.kept.begin(), lowering.options.kept.end());
  std::map<ValueId, ValueId> copies;
  for (const ValueId id : read) {
    ValueSource source = values.source(id);
    const ValueId value = source.value;
    if (value >= op_count || !lowering.analysis.is_updated[value]) continue;
    const auto [copy, is_new] = copies.try_emplace(value, kNone);
    if (is_new) {
      const Op& op = program.op(value);
      copy->second = values.add_temporary(op.rows, op.shape);
      OpLowering of_value = lowering;
      of_value.op = value;
      copy_rows(of_value, copy->second, {{value, std::nullopt}, op.shape}, op.rows, 0);
    }
    source.value = copy->second;
    values.set_source(id, std::move(source));
  }
}

// Of rows that are stored to one row, the last stays: others are not stored, since rows of a launch
// run in any order.
Index drop_overwritten(const ValueTable& values, const Index& rows, RowRead& read) {
  boost::unordered_flat_set<std::uint32_t> seen;
  std::vector<std::uint32_t> last;  // positions, from behind
  for (std::uint32_t i = rows.size(); i-- > 0;) {
    if (seen.insert(rows[i]).second) last.push_back(i);
  }
  if (last.size() == rows.size()) return rows;
  std::ranges::reverse(last);
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t i : last) kept.push_back(rows[i]);
  const std::uint32_t count = values[read.value].rows;
  read.index = through(read, Index::compact(std::move(last)), count).index;
  return Index::compact(std::move(kept));
}

std::uint32_t last_level(const Grouping& grouping) {
  std::uint32_t level = last_step_level(grouping);
  for (GroupIndex g = 0; g < grouping.groups.size(); ++g) {
    level = std::max(level, grouping.groups[g].level);
  }
  return level;
}

class UpdateLowering {
 public:
  UpdateLowering(const OpLowering& lowering, std::span<const ValueId> updates)
      : lowering_(lowering), groups_(lowering.grouping.groups) {
    for (const ValueId id : updates) target_loads_[memory_of(target_of(id))];
    for (GroupIndex g = 0; g < groups_.size(); ++g) {
      const auto& accesses = groups_[g].accesses();
      for (std::uint32_t a = 0; a < accesses.size(); ++a) {
        if (accesses[a].access.store) continue;
        const auto found = target_loads_.find(memory_of(accesses[a].value));
        if (found != target_loads_.end()) found->second.emplace_back(g, a);
      }
    }
    // A run that ends early has stored nothing: all checks come first.
    first_level_ = last_step_level(lowering_.grouping);
  }

  void lower(ValueId id) {
    lowering_.op = id;
    const Op& op = lowering_.program.op(id);
    if (has_value_index(op)) return;  // steps store it
    const auto& update = std::get<UpdateOp>(op.attributes);
    ValueTable& values = lowering_.grouping.values;
    RowRead read{values.source(id), op.shape};
    std::uint32_t rows = op.rows;
    GroupAccess access;
    access.value = target_of(id);
    if (update.rows) {
      const Index stored = drop_overwritten(values, *update.rows, read);
      rows = stored.size();
      access.list = lowering_.grouping.arrays.add(stored);
      access.access.map = RowMap::List;
    }
    if (joins_maker(read, access)) {
      const ValueState& state = values[read.value];
      // Whatever else the kernel computes reads the old rows.
      groups_[state.group].store_last(state.node, access);
      groups_.note_op(state.group, id);
      stored_by_[memory_of(access.value)] = state.group;
      return;
    }
    // After all that read the target, and all that others store.
    const std::uint32_t level = last_level(lowering_.grouping);
    const KernelBuilder kernel = lowering_.begin_new_rows(rows, std::span(&read, 1));
    kernel.group().store(kernel.read(read), access);
    kernel.group().level = level + 1;
    kernel.group().frozen = true;
    kernel.note_op(id);
    stored_by_[memory_of(access.value)] = static_cast<GroupIndex>(groups_.size() - 1);
  }

 private:
  [[nodiscard]] ValueId target_of(ValueId update) const {
    return lowering_.program.op(update).operands[0];
  }
  [[nodiscard]] ValueId memory_of(ValueId value) const {
    return lowering_.analysis.memory_of(lowering_.program, value);
  }

  // Whether the group that makes the new rows may store them: all others that read the old ones run
  // before it, and it reads only those itself that it stores in the same step.
  [[nodiscard]] bool joins_maker(const RowRead& read, const GroupAccess& stored) const {
    const ValueState& state = lowering_.grouping.values[read.value];
    if (!lowering_.options.fuse || state.group == kNone || read.index ||
        state.space != KernelSpace::Row || state.shape != read.shape) {
      return false;
    }
    std::uint32_t level = first_level_ > 0 ? first_level_ - 1 : 0;
    for (const auto& [g, a] : target_loads_.at(memory_of(stored.value))) {
      const GroupAccess& load = groups_[g].accesses()[a];
      if (g != state.group) {
        level = std::max(level, groups_[g].level);
      } else if (load.access.space != KernelSpace::Row || load.list != stored.list ||
                 load.first_row != 0 || load.access.map != stored.access.map) {
        return false;
      }
    }
    KernelGroup& group = groups_[state.group];
    if (level < group.level) return true;
    if (group.frozen || reads_new_rows(state.group, level + 1)) return false;
    group.level = level + 1;
    return true;
  }

  // Whether a group that ran at this level would read what an update before has stored.
  [[nodiscard]] bool reads_new_rows(GroupIndex reader, std::uint32_t level) const {
    return std::ranges::any_of(groups_[reader].accesses(), [&](const GroupAccess& access) {
      if (access.access.store) return false;
      const auto stored = stored_by_.find(memory_of(access.value));
      return stored != stored_by_.end() && stored->second != reader &&
             groups_[stored->second].level <= level;
    });
  }

  OpLowering lowering_;
  KernelGroups& groups_;
  std::uint32_t first_level_ = 0;  ///< of launches that store
  /// By the memory that an update stores into: the loads of it, as group and access.
  std::map<ValueId, std::vector<std::pair<GroupIndex, std::uint32_t>>> target_loads_;
  /// By such memory: the group that stores the new rows, of the updates so far.
  std::map<ValueId, GroupIndex> stored_by_;
};

// Updates of rows that are values: what is stored, and which rows, are there before any update.
class NumberedUpdates {
 public:
  NumberedUpdates(const OpLowering& lowering, std::span<const ValueId> updates)
      : lowering_(lowering), grouping_(lowering.grouping) {
    for (const ValueId id : updates) {
      const Op& op = lowering.program.op(id);
      if (!has_value_index(op)) continue;
      lowering_.op = id;
      const ValueId target = op.operands[0];
      const std::uint32_t rows = lowering.program.op(target).rows;
      Numbered update{id, target, kNone, row_numbers_of(lowering_, 2, rows, true).arrays};
      update.rows = stored_rows(lowering_, {grouping_.values.source(id), op.shape}, op.rows);
      updates_.push_back(update);
    }
  }

  // Where equal rows are not certain: a run that finds others ends.
  void compare() {
    const std::uint32_t level = last_level(grouping_) + 1;
    for (const Numbered& update : updates_) {
      const Op& op = lowering_.program.op(update.op);
      if (has_equal_rows(lowering_.program, op.operands[1], op.operands[2])) continue;
      add_step(update, NumberStep::Kind::Compare, level);
    }
  }

  void store() {
    for (const Numbered& update : updates_) {
      add_step(update, NumberStep::Kind::Store, kNone - 1);
    }
  }

 private:
  struct Numbered {
    ValueId op;
    ValueId target;
    ValueId rows;
    NumberArrays arrays;
  };

  void add_step(const Numbered& update, NumberStep::Kind kind, std::uint32_t level) {
    const Op& op = lowering_.program.op(update.op);
    GroupedStep made;
    made.step.kind = kind;
    made.step.stage = lowering_.stage;
    made.step.level = level;
    made.step.row_elements = op.shape.size();
    made.step.arrays = update.arrays;
    made.step.uses.push_back({update.op, op.kind(), op.operands[2], 0});
    made.from = update.rows;
    if (kind == NumberStep::Kind::Store) made.to = update.target;
    grouping_.steps.push_back(std::move(made));
  }

  OpLowering lowering_;
  Grouping& grouping_;
  std::vector<Numbered> updates_;
};

}  // namespace

void lower_updates(const OpLowering& lowering) {
  std::vector<ValueId> updates;
  for (ValueId id = 0; id < lowering.program.ops().size(); ++id) {
    if (lowering.program.op(id).kind() == OpKind::Update) updates.push_back(id);
  }
  if (updates.empty()) return;
  copy_old_rows(lowering, updates);
  NumberedUpdates numbered(lowering, updates);
  numbered.compare();
  UpdateLowering lower_update(lowering, updates);
  for (const ValueId id : updates) lower_update.lower(id);
  numbered.store();
}

}  // namespace vecc
