#include "src/graph_io/weight_reader.h"

#include <algorithm>

#include "src/graph_io/columns.h"
#include "src/graph_io/wire_checks.h"
#include "vecc/escape.h"

namespace vecc::graph_io {
namespace {

constexpr std::uint64_t kMaxWeights = 0xFFFFFFFEull;  // 0xFFFFFFFF is the unit weight

// The table of a chunk, new or continued; reports DuplicateName and InconsistentGroup.
std::uint32_t find_table(const wire::WeightTable& wire, const std::string& place,
                         ImportState& state, bool& is_new, bool& good) {
  const auto next = static_cast<std::uint32_t>(state.graph.weight_tables.size());
  const auto inserted = state.table_of_name.try_emplace(wire.name(), next);
  is_new = inserted.second;
  if (is_new) {
    WeightTable table;
    table.name = wire.name();
    state.graph.weight_tables.push_back(std::move(table));
    state.table_values.emplace_back();
    state.refused_tables.push_back(false);
  }
  if (is_new && wire.continued()) {
    state.errors.add(ErrorCode::InconsistentGroup, place,
                     "is continued, but no chunk before has this name");
    good = false;
  } else if (!is_new && !wire.continued()) {
    state.errors.add(ErrorCode::DuplicateName, place,
                     "the name is used twice, expected unique names");
    good = false;
  }
  return inserted.first->second;
}

bool check_count(const wire::WeightTable& wire, const std::string& place, ImportState& state) {
  if (wire.count() == 0) {
    state.errors.add(ErrorCode::ColumnLength, place, "count is 0, expected at least 1");
    return false;
  }
  if (std::uint64_t{wire.first_id()} + wire.count() > kMaxWeights + 1) {
    state.errors.add(ErrorCode::MalformedField, place,
                     std::to_string(wire.count()) + " weights from id " +
                         std::to_string(wire.first_id()) + " on, expected ids up to " +
                         std::to_string(kMaxWeights));
    return false;
  }
  const std::uint64_t limit = std::min(state.limits.max_weights, kMaxWeights);
  if (wire.count() > limit - state.weight_count) {
    state.stop(ErrorCode::LimitWeights, place,
               std::to_string(wire.count()) + " more weights after " +
                   std::to_string(state.weight_count) + ", the limit is " + std::to_string(limit));
    return false;
  }
  return true;
}

bool check_values(const wire::WeightTable& wire, const std::string& place, Shape shape,
                  ImportState& state) {
  if (wire.values_f32_size() > 0 && wire.values_f64_size() > 0) {
    state.errors.add(ErrorCode::InconsistentGroup, place,
                     "has both values_f32 and values_f64, expected one of them");
    return false;
  }
  const bool wide = wire.values_f64_size() > 0;
  const auto found =
      static_cast<std::uint64_t>(wide ? wire.values_f64_size() : wire.values_f32_size());
  if (found == 0) {
    if (!wire.fixed()) return true;
    state.errors.add(ErrorCode::MissingValues, place, "fixed weights have no values");
    return false;
  }
  const auto expected = checked_product(wire.count(), shape.size());
  if (!check_length(state, place, wide ? "values_f64" : "values_f32", found,
                    expected.value_or(~std::uint64_t{0}),
                    shape.text() + " for each of " + std::to_string(wire.count()))) {
    return false;
  }
  const auto place_of = [&](std::uint64_t i) {
    return place + ", weight " + std::to_string(wire.first_id() + i / shape.size());
  };
  return wide ? check_finite(state, wire.values_f64(), "value", place_of)
              : check_finite(state, wire.values_f32(), "value", place_of);
}

// A later chunk repeats what the first one said.
bool check_continued(const wire::WeightTable& wire, const std::string& place, Shape shape,
                     const WeightTable& table, ImportState& state) {
  bool good = true;
  const auto report = [&](ErrorCode code, std::string message) {
    state.errors.add(code, place, std::move(message));
    good = false;
  };
  if (shape != table.shape) {
    report(ErrorCode::ShapeMismatch,
           "shape " + shape.text() + ", but the table began with shape " + table.shape.text());
  }
  if (wire.fixed() == table.learnable) {
    report(ErrorCode::InconsistentGroup, "`fixed` differs from the table's first chunk");
  }
  if ((wire.values_f32_size() + wire.values_f64_size() > 0) != table.has_values) {
    report(ErrorCode::InconsistentGroup, "only some of the table's chunks have values");
  }
  if ((wire.row_names_size() > 0) != (table.row_names.size() > 0)) {
    report(ErrorCode::InconsistentGroup, "only some of the table's chunks have row names");
  }
  return good;
}

void append_chunk(const wire::WeightTable& wire, Shape shape, bool is_new, const TableSizes& sizes,
                  WeightTable& table, NumberColumn& values) {
  if (is_new) {
    const auto size = sizes.tables.find(wire.name());
    if (size != sizes.tables.end()) values.reserve(size->second);
    table.shape = shape;
    table.file_first_id = wire.first_id();
    table.learnable = !wire.fixed();
    table.has_values = wire.values_f32_size() + wire.values_f64_size() > 0;
  }
  values.append(std::span<const float>(wire.values_f32().data(), wire.values_f32().size()));
  values.append(std::span<const double>(wire.values_f64().data(), wire.values_f64().size()));
  for (const std::string& name : wire.row_names()) table.row_names.push_back(name);
}

}  // namespace

std::string describe_table(std::string_view name) {
  return "weight table \"" + escape_terminal(name) + "\"";
}

void read_weight_table(const wire::WeightTable& wire, ImportState& state) {
  const std::string place = describe_table(wire.name());
  bool is_new = false;
  bool good = true;
  const std::uint32_t index = find_table(wire, place, state, is_new, good);
  if (!check_count(wire, place, state)) return;
  WeightTable& table = state.graph.weight_tables[index];
  Shape shape;
  if (read_shape(state, place, wire.shape(), shape)) {
    good = check_values(wire, place, shape, state) && good;
    if (!is_new && good && !state.refused_tables[index]) {
      good = check_continued(wire, place, shape, table, state);
    }
  } else {
    good = false;
  }
  if (state.stopped) return;
  if (wire.row_names_size() > 0) {
    good =
        check_length(state, place, "row_names", static_cast<std::uint64_t>(wire.row_names_size()),
                     wire.count(), "one a weight, or none") &&
        good;
  }
  state.weight_chunks.push_back({index, wire.first_id(), wire.count(), table.count, !good});
  if (good) append_chunk(wire, shape, is_new, state.table_sizes, table, state.table_values[index]);
  if (!good) state.refused_tables[index] = true;
  table.count += wire.count();
  state.weight_count += wire.count();
}

void number_weights(ImportState& state, IdMap& weight_ids) {
  NeuronGraph& graph = state.graph;
  for (std::uint32_t t = 0; t < graph.weight_tables.size(); ++t) {
    WeightTable& table = graph.weight_tables[t];
    table.first = static_cast<WeightId>(graph.table_of_weight.size());
    graph.table_of_weight.insert(graph.table_of_weight.end(), table.count, t);
    if (table.has_values) table.values = state.table_values[t].take();
  }
  for (const WeightChunk& chunk : state.weight_chunks) {
    IdMap::Range ids;
    ids.first = chunk.first;
    ids.count = chunk.count;
    ids.dense = graph.weight_tables[chunk.table].first + chunk.row;
    ids.is_void = chunk.is_void;
    ids.tag = chunk.table;
    weight_ids.add(ids);
  }
  for (const auto& [earlier, later] : weight_ids.seal()) {
    const WeightTable& first = graph.weight_tables[earlier.tag];
    const WeightTable& second = graph.weight_tables[later.tag];
    state.errors.add(ErrorCode::DuplicateId, describe_table(second.name),
                     "weight ids " + std::to_string(later.first) + " to " +
                         std::to_string(later.first + later.count - 1) + " (shape " +
                         second.shape.text() + ") overlap ids " + std::to_string(earlier.first) +
                         " to " + std::to_string(earlier.first + earlier.count - 1) + " (shape " +
                         first.shape.text() + ") of " + describe_table(first.name));
  }
}

}  // namespace vecc::graph_io
