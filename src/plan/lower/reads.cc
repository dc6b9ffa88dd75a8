// What an op reads becomes nodes: values that its group has in registers, or loads.
#include <algorithm>

#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/lowering.h"
#include "src/support/hash128.h"

namespace vecc {

Read Lowering::read_of(ValueId operand) const {
  ValueSource source = sources[operand];
  return {source.value, std::move(source.index), program_.op(operand).shape};
}

bool Lowering::is_constant_one(ValueId value) const {
  if (value >= program_.ops().size()) return false;
  const auto* fact = std::get_if<FactOp>(&program_.op(value).attributes);
  return fact != nullptr && fact->unit;
}

std::uint32_t Lowering::ready(ValueId value) const {
  const ValueState& state = values[value];
  return state.group != kNone ? groups[state.group].level : state.ready;
}

void Lowering::freeze(ValueId value) {
  const ValueState& state = values[value];
  if (state.group != kNone) groups[state.group].frozen = true;
  if (state.alias != kNone) freeze(state.alias);
}

void Lowering::mark_stored(ValueId value) {
  ValueState& state = values[value];
  if (state.stored) return;
  state.stored = true;
  if (state.alias != kNone) mark_stored(state.alias);
}

// Equal arrays are one, so that what is read through either is loaded once.
ArrayIndex Lowering::array_of(std::shared_ptr<const std::vector<std::uint32_t>> array) {
  const auto [found, is_new] =
      array_numbers_.try_emplace(array.get(), static_cast<ArrayIndex>(arrays.size()));
  if (!is_new) return found->second;
  Hash128 hash;
  for (const std::uint32_t entry : *array) hash.add(std::uint64_t{entry});
  const auto [begin, end] = array_hashes_.equal_range(hash.low());
  for (auto same = begin; same != end; ++same) {
    if (*arrays[same->second] != *array) continue;
    found->second = same->second;
    equal_arrays_.push_back(std::move(array));  // its address stays its own
    return found->second;
  }
  array_hashes_.emplace(hash.low(), found->second);
  arrays.push_back(std::move(array));
  return found->second;
}

ArrayIndex Lowering::list_of(const Index& index) {
  if (index.form() == Index::Form::List) return array_of(index.shared_array());
  const auto [found, is_new] = regular_lists_.try_emplace(
      std::tuple(index.form(), index.begin(), index.step(), index.size()), kNone);
  if (is_new) {
    found->second =
        array_of(std::make_shared<const std::vector<std::uint32_t>>(index.materialize()));
  }
  return found->second;
}

NodeIndex Lowering::load_node(Spot spot, const Read& read) {
  KernelGroup& group = groups[spot.group];
  LoadKey key{read.value, spot.space, RowMap::Direct, 0, kNone, read.shape};
  if (read.by_tile) {
    key.map = RowMap::Tile;
  } else if (read.one || (read.index && values[read.value].rows == 1)) {
    key.map = RowMap::One;
  } else if (read.index && read.index->form() == Index::Form::Slice) {
    key.first_row = read.index->begin();
  } else if (read.index) {
    key.map = RowMap::List;
    key.list = list_of(*read.index);
  }
  mark_stored(read.value);
  if (values[read.value].group != spot.group) freeze(read.value);
  return group.load(key);
}

// Whether reading by member is reading the member's segment.
bool Lowering::is_own_segment(const KernelGroup& group, const Read& read) const {
  if (!read.index || !group.has_segments() || read.index->size() != group.members()) return false;
  const Segments& segments = *group.segments();
  const Index& index = *read.index;
  if (!segments.is_fixed()) {
    const auto offsets = segments.offsets();
    for (std::uint32_t s = 0; s + 1 < offsets.size(); ++s) {
      for (std::uint32_t e = offsets[s]; e < offsets[s + 1]; ++e) {
        if (index[e] != s) return false;
      }
    }
    return true;
  }
  const bool adjacent = segments.dimension() == 2;
  for (std::uint32_t e = 0; e < index.size(); ++e) {
    if (index[e] != (adjacent ? e / segments.members() : e % group.rows())) return false;
  }
  return true;
}

NodeIndex Lowering::read_node(Spot spot, const Read& read) {
  KernelGroup& group = groups[spot.group];
  if (is_constant_one(read.value)) return group.constant(1, spot.space);
  const ValueState& state = values[read.value];
  if (state.group == spot.group && is_in_register(spot, read)) {
    const bool is_visible = group.is_visible(state.node, spot.space);
    // What members make is there in the next phase.
    if (!is_visible && state.space == KernelSpace::Row) group.begin_phase(spot.space);
    if (is_visible || state.space == KernelSpace::Row) {
      return add_reshape(group, spot.space, state.node, read.shape);
    }
  }
  return load_node(spot, read);
}

// A row phase, then the members' again: what members made before is loaded again.
NodeIndex Lowering::read_row(Spot spot, const Read& read) {
  return read_node({spot.group, KernelSpace::Row}, read);
}

ValueId Lowering::add_temporary(std::uint32_t rows, Shape shape,
                                std::shared_ptr<const std::vector<double>> of) {
  ValueState state;
  state.rows = rows;
  state.shape = shape;
  values.push_back(state);
  const auto id = static_cast<ValueId>(values.size() - 1);
  if (of) constants.emplace(id, std::move(of));
  sources.push_back({id, std::nullopt});
  places.push_back({id, 0});
  return id;
}

}  // namespace vecc
