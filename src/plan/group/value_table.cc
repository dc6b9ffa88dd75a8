#include "src/plan/group/value_table.h"

#include <algorithm>
#include <utility>

namespace vecc {

ValueTable::ValueTable(const Program& program, const ProgramAnalysis& analysis)
    : states_(program.ops().size()), analysis_(analysis) {
  for (ValueId id = 0; id < states_.size(); ++id) {
    states_[id].rows = program.op(id).rows;
    states_[id].shape = program.op(id).shape;
  }
}

std::uint32_t ValueTable::row_count(const RowRead& read) const {
  return read.index ? read.index->size() : states_[read.value].rows;
}

Place ValueTable::place(ValueId id) const {
  return id < analysis_.places.size() ? analysis_.places[id] : Place{id, 0};
}

ValueSource ValueTable::source(ValueId id) const {
  const auto copy = copies_.find(id);
  return copy == copies_.end() ? analysis_.sources[id] : copy->second;
}

ValueId ValueTable::source_value(ValueId id) const {
  const auto copy = copies_.find(id);
  return copy == copies_.end() ? analysis_.sources.value_of(id) : copy->second.value;
}

SharedNumbers ValueTable::constants(ValueId id) const {
  const auto found = constants_.find(id);
  return found == constants_.end() ? SharedNumbers() : found->second;
}

ValueId ValueTable::add_temporary(std::uint32_t rows, Shape shape, SharedNumbers constants) {
  const auto id = static_cast<ValueId>(states_.size());
  ValueState& state = states_.emplace_back();
  state.rows = rows;
  state.shape = shape;
  if (constants) constants_.emplace(id, std::move(constants));
  return id;
}

void ValueTable::set_node(ValueId id, GroupIndex group, NodeIndex node, KernelSpace space) {
  ValueState& state = states_[id];
  state.group = group;
  state.node = node;
  state.space = space;
}

void ValueTable::set_alias(ValueId id, ValueId of, std::uint32_t level) {
  states_[id].alias = of;
  states_[id].level = level;
}

void ValueTable::mark_stored(ValueId id) {
  for (; id != kNone && !states_[id].stored; id = states_[id].alias) states_[id].stored = true;
}

void ValueTable::add_stored_rows(ValueId id, std::uint32_t level) {
  states_[id].level = std::max(states_[id].level, level);
  states_[id].stored = true;
}

}  // namespace vecc
