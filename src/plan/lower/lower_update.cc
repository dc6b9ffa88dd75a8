// Updates: new rows of parameters and states, stored after everything else that reads the old ones.
#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <map>

#include "src/plan/lower/lowering.h"

namespace vecc {

void Lowering::lower_updates() {
  copy_old_rows();
  find_target_loads();
  for (const ValueId id : updates_) {
    op_ = id;
    lower_update(id);
  }
}

// What an update stores may itself be rows of a parameter or state that is updated, and the host
// may read such rows after the run: both are those from before it.
void Lowering::copy_old_rows() {
  const auto op_count = static_cast<ValueId>(program_.ops().size());
  std::vector<ValueId> read = updates_;
  for (ValueId id = 0; options_.keep_values && id < op_count; ++id) read.push_back(id);
  read.insert(read.end(), options_.kept.begin(), options_.kept.end());
  std::map<ValueId, ValueId> copies;
  for (const ValueId id : read) {
    ValueSource source = sources[id];
    const ValueId value = source.value;
    if (value >= op_count || !is_updated(value)) continue;
    const auto [found, is_new] = copies.try_emplace(value, kNone);
    if (is_new) {
      op_ = value;
      const Op& op = program_.op(value);
      found->second = add_temporary(op.rows, op.shape);
      copy_rows(found->second, {value, std::nullopt, op.shape}, op.rows, 0);
    }
    source.value = found->second;
    sources.set(id, std::move(source));
  }
}

// Of rows that are stored to one row, the last stays: others are not stored, since rows of a launch
// run in any order.
Index Lowering::drop_overwritten(const Index& rows, Read& read) const {
  boost::unordered_flat_set<std::uint32_t> seen;
  std::vector<std::uint32_t> last;  // positions, from behind
  for (std::uint32_t i = rows.size(); i-- > 0;) {
    if (seen.insert(rows[i]).second) last.push_back(i);
  }
  if (last.size() == rows.size()) return rows;
  std::ranges::reverse(last);
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t i : last) kept.push_back(rows[i]);
  read.index =
      through({read.value, read.index}, Index::compact(std::move(last)), values[read.value].rows)
          .index;
  return Index::compact(std::move(kept));
}

void Lowering::lower_update(ValueId id) {
  const Op& op = program_.op(id);
  const auto& update = std::get<UpdateOp>(op.attributes);
  const ValueId target = op.operands[0];
  Read read = read_of(id);
  std::uint32_t rows = op.rows;
  ArrayIndex list = kNone;
  if (update.rows) {
    const Index stored = drop_overwritten(*update.rows, read);
    rows = stored.size();
    list = list_of(stored);
  }
  if (update_in_place(id, target, read, list)) return;
  // After all that read the target, and all that others store.
  std::uint32_t level = 0;
  for (const KernelGroup& group : groups) level = std::max(level, group.level);
  const Spot spot = new_group(rows, std::span(&read, 1));
  KernelGroup& group = groups[spot.group];
  const NodeIndex node = read_node(spot, read);
  GroupAccess access;
  access.value = target;
  access.list = list;
  access.is_update = true;
  access.access.map = list == kNone ? RowMap::Direct : RowMap::List;
  group.store(node, access);
  group.level = level + 1;
  group.frozen = true;
  note_op(group);
}

// The first op that reads the same parameter; a state itself.
ValueId Lowering::storage_of(ValueId value) const {
  const auto* weight = value < program_.ops().size()
                           ? std::get_if<WeightOp>(&program_.op(value).attributes)
                           : nullptr;
  return weight != nullptr ? first_weight_[weight->parameter] : value;
}

bool Lowering::is_updated(ValueId value) const {
  if (value >= program_.ops().size()) return false;
  const auto* weight = std::get_if<WeightOp>(&program_.op(value).attributes);
  return weight != nullptr ? updated_parameters_[weight->parameter]
                           : std::ranges::binary_search(updated_, value);
}

void Lowering::find_target_loads() {
  first_weight_.assign(program_.parameters().size(), kNone);
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    const auto* weight = std::get_if<WeightOp>(&program_.op(id).attributes);
    if (weight != nullptr && first_weight_[weight->parameter] == kNone) {
      first_weight_[weight->parameter] = id;
    }
  }
  for (const ValueId id : updates_) target_loads_[storage_of(program_.op(id).operands[0])];
  for (GroupIndex g = 0; g < groups.size(); ++g) {
    const auto& accesses = groups[g].accesses();
    for (std::uint32_t a = 0; a < accesses.size(); ++a) {
      if (accesses[a].access.store) continue;
      const auto found = target_loads_.find(storage_of(accesses[a].value));
      if (found != target_loads_.end()) found->second.emplace_back(g, a);
    }
  }
}

// Whether a group other than `number`, of its level or a higher one, reads the target, or the group
// itself does so at other rows than those that the list means.
bool Lowering::reads_elsewhere(ValueId target, GroupIndex number, ArrayIndex list) {
  const RowMap map = list == kNone ? RowMap::Direct : RowMap::List;
  std::uint32_t level = 0;
  for (const auto& [g, a] : target_loads_.at(storage_of(target))) {
    const GroupAccess& access = groups[g].accesses()[a];
    if (g != number) {
      level = std::max(level, groups[g].level);
    } else if (access.access.space != KernelSpace::Row || access.list != list ||
               access.first_row != 0 || access.access.map != map) {
      return true;
    }
  }
  KernelGroup& group = groups[number];
  if (level < group.level) return false;
  if (group.frozen) return true;
  group.level = level + 1;
  return false;
}

bool Lowering::update_in_place(ValueId id, ValueId target, const Read& read, ArrayIndex list) {
  const ValueState& state = values[read.value];
  if (!options_.fuse || state.group == kNone || read.index || state.space != KernelSpace::Row ||
      state.shape != program_.op(id).shape) {
    return false;
  }
  if (reads_elsewhere(target, state.group, list)) return false;
  GroupAccess access;
  access.value = target;
  access.list = list;
  access.is_update = true;
  access.access.map = list == kNone ? RowMap::Direct : RowMap::List;
  // Whatever else the kernel computes reads the old rows.
  groups[state.group].store_last(state.node, access);
  note_op(groups[state.group]);
  return true;
}

}  // namespace vecc
