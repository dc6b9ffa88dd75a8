#include "src/graph_io/group_reader.h"

#include <limits>

#include "src/graph/describe.h"
#include "src/graph_io/chunk_checks.h"
#include "src/graph_io/columns.h"
#include "src/graph_io/wire_checks.h"

namespace vecc::graph_io {
namespace {

constexpr std::uint64_t kMaxNeurons = 0xFFFFFFFEull;  // ids are 32 bits wide in memory

std::string begun_elsewhere(std::string_view what) {
  return std::string(what) + " differs from the group's first chunk";
}

// The group of a chunk, new or continued; reports DuplicateId and InconsistentGroup.
GroupIndex find_group(const wire::Group& wire, ImportState& state, bool& good) {
  const auto next = static_cast<GroupIndex>(state.graph.groups.size());
  const auto [entry, is_new] = state.group_of_id.try_emplace(wire.id(), next);
  const bool known_class = wire::NeuronClass_IsValid(wire.neuron_class());
  if (is_new) {
    NeuronGroup group;
    group.file_id = wire.id();
    group.neuron_class =
        known_class ? static_cast<NeuronClass>(wire.neuron_class()) : NeuronClass::Fact;
    group.head_predicate = wire.head_predicate();
    group.rule_text = wire.rule_text();
    state.graph.groups.push_back(std::move(group));
  }
  const NeuronGroup& group = state.graph.groups[entry->second];
  const std::string place = graph::describe_group(group);
  good = check_enum(state, place, "neuron_class", wire.neuron_class(), known_class);
  const auto report = [&](ErrorCode code, std::string message) {
    state.errors.add(code, place, std::move(message));
    good = false;
  };
  if (is_new && wire.continued()) {
    report(ErrorCode::InconsistentGroup, "is continued, but no chunk before has this group id");
  } else if (!is_new && !wire.continued()) {
    report(ErrorCode::DuplicateId,
           "group id " + std::to_string(wire.id()) + " is used twice, expected `continued`");
  } else if (!is_new) {
    if (!wire.head_predicate().empty() && wire.head_predicate() != group.head_predicate) {
      report(ErrorCode::InconsistentGroup, begun_elsewhere("head_predicate"));
    }
    if (!wire.rule_text().empty() && wire.rule_text() != group.rule_text) {
      report(ErrorCode::InconsistentGroup, begun_elsewhere("rule_text"));
    }
    if (wire.neuron_class() != 0 && wire.neuron_class() != static_cast<int>(group.neuron_class)) {
      report(ErrorCode::InconsistentGroup, begun_elsewhere("neuron_class"));
    }
  }
  return entry->second;
}

bool check_count(const wire::Group& wire, const std::string& place, ImportState& state) {
  if (wire.count() == 0) {
    state.errors.add(ErrorCode::ColumnLength, place, "count is 0, expected at least 1");
    return false;
  }
  if (wire.first_id() > std::numeric_limits<std::uint64_t>::max() - wire.count()) {
    state.errors.add(ErrorCode::MalformedField, place,
                     std::to_string(wire.count()) + " neurons from id " +
                         std::to_string(wire.first_id()) + " on, expected ids below 2^64 - 1");
    return false;
  }
  const std::uint64_t limit = std::min(state.limits.max_neurons, kMaxNeurons);
  if (wire.count() > limit - state.neuron_count) {
    state.stop(ErrorCode::LimitNeurons, place,
               std::to_string(wire.count()) + " more neurons after " +
                   std::to_string(state.neuron_count) + ", the limit is " + std::to_string(limit));
    return false;
  }
  return true;
}

bool check_chunk(CheckedChunk& chunk, ImportState& state) {
  const wire::Group& wire = chunk.wire;
  bool good = true;
  if (wire.has_shape()) {
    Shape shape;
    good = read_shape(state, chunk.place, wire.shape(), shape);
    if (state.stopped) return false;
    chunk.shape = shape;
  }
  if (wire.names_size() > 0) {
    good = check_length(state, chunk.place, "names", static_cast<std::uint64_t>(wire.names_size()),
                        wire.count(), "one a neuron, or none") &&
           good;
  }
  // A wrong shape is no base for counting values.
  if (!good) return false;
  return wire.fact() ? check_fact(chunk, state) : check_neurons(chunk, state);
}

// Whether a chunk goes on where the last range ended, with the same function and columns.
bool fits_range(const NeuronRange& last, const NeuronRange& next) {
  return last.group == next.group && last.fact == next.fact && last.function == next.function &&
         last.has_shape == next.has_shape && last.shape == next.shape &&
         last.file_first_id + last.count == next.file_first_id &&
         (last.weight_begin == kNoColumn) == (next.weight_begin == kNoColumn) &&
         (last.offset_begin == kNoColumn) == (next.offset_begin == kNoColumn) &&
         (last.name_begin == kNoColumn) == (next.name_begin == kNoColumn);
}

NeuronRange make_range(const CheckedChunk& chunk, GroupIndex group, NeuronId first,
                       const NeuronGraph& graph) {
  const wire::Group& wire = chunk.wire;
  NeuronRange range;
  range.group = group;
  range.function = chunk.function;
  range.fact = chunk.fact;
  range.first = first;
  range.count = wire.count();
  range.file_first_id = wire.first_id();
  range.has_shape = chunk.shape.has_value();
  range.shape = chunk.shape.value_or(Shape());
  const bool weighted = wire.weights_size() > 0 || wire.fact_weights_size() > 0;
  if (weighted) range.weight_begin = graph.weights.size();
  if (wire.offsets_size() > 0) range.offset_begin = graph.offsets.size();
  if (wire.words_size() > 0) range.word_begin = graph.words.size();
  if (chunk.fact == FactKind::Constant) range.value_begin = graph.values.size();
  if (wire.names_size() > 0) range.name_begin = graph.names.size();
  return range;
}

template <class T, class Column>
void append_all(std::vector<T>& column, const Column& wire) {
  append_column(column, wire.data(), static_cast<std::size_t>(wire.size()));
}

void append_columns(const wire::Group& wire, NeuronChunk& chunk, ImportState& state) {
  NeuronGraph& graph = state.graph;
  chunk.first_edge = graph.inputs.size();
  if (wire.inputs64_size() > 0) {
    chunk.wide_inputs.assign(wire.inputs64().begin(), wire.inputs64().end());
    graph.inputs.resize(graph.inputs.size() + chunk.wide_inputs.size());
  } else {
    append_all(graph.inputs, wire.inputs());
  }
  append_all(graph.weights, wire.fact() ? wire.fact_weights() : wire.weights());
  append_all(graph.offsets, wire.offsets());
  append_all(graph.words, wire.words());
  graph.values.append(std::span<const float>(wire.values_f32().data(), wire.values_f32().size()));
  graph.values.append(std::span<const double>(wire.values_f64().data(), wire.values_f64().size()));
  for (const std::string& name : wire.names()) graph.names.push_back(name);
  chunk.uniform = wire.fan_in_size() <= 1;
  if (chunk.uniform) {
    chunk.fan_in = wire.fan_in_size() == 0 ? 0 : wire.fan_in(0);
  } else {
    chunk.fan_in_begin = state.fan_in.size();
    append_all(state.fan_in, wire.fan_in());
  }
}

void append_chunk(const CheckedChunk& checked, GroupIndex group, ImportState& state) {
  NeuronGraph& graph = state.graph;
  const wire::Group& wire = checked.wire;
  NeuronChunk chunk;
  chunk.first = static_cast<NeuronId>(state.neuron_count);
  chunk.count = wire.count();
  chunk.edges = checked.edges;
  const NeuronRange range = make_range(checked, group, chunk.first, graph);
  append_columns(wire, chunk, state);
  if (!graph.ranges.empty() && fits_range(graph.ranges.back(), range)) {
    graph.ranges.back().count += range.count;
  } else {
    graph.groups[group].ranges.push_back(static_cast<std::uint32_t>(graph.ranges.size()));
    graph.ranges.push_back(range);
  }
  graph.groups[group].neuron_count += range.count;
  chunk.range = static_cast<std::uint32_t>(graph.ranges.size() - 1);
  state.chunks.push_back(std::move(chunk));
}

}  // namespace

void read_group(const wire::Group& wire, ImportState& state) {
  bool good = true;
  const GroupIndex group = find_group(wire, state, good);
  CheckedChunk chunk{
      wire, graph::describe_group(state.graph.groups[group]), FactKind::NotAFact, 0, {}, 0};
  if (!check_count(wire, chunk.place, state)) return;
  good = check_chunk(chunk, state) && good;
  if (state.stopped) return;
  if (good) append_chunk(chunk, group, state);
  IdMap::Range ids;
  ids.first = wire.first_id();
  ids.count = wire.count();
  ids.dense = static_cast<std::uint32_t>(state.neuron_count);
  ids.is_void = !good;
  ids.tag = group;
  state.neuron_ids.add(ids);
  state.neuron_count += wire.count();
  state.edge_count += chunk.edges;
}

}  // namespace vecc::graph_io
