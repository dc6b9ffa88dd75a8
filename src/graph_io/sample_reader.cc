#include "src/graph_io/sample_reader.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "src/graph_io/columns.h"
#include "src/graph_io/wire_checks.h"
#include "src/graph_io/wire_format.h"
#include "vecc/escape.h"

namespace vecc::graph_io {
namespace {

std::string place_of(const ImportState& state, std::uint64_t i) {
  return "sample " + std::to_string(state.graph.samples.size() + i);
}

std::uint64_t output_count(const wire::Samples& wire) {
  return static_cast<std::uint64_t>(wire.outputs64_size() > 0 ? wire.outputs64_size()
                                                              : wire.outputs_size());
}

bool check_columns(const wire::Samples& wire, ImportState& state) {
  const std::string place = "samples from " + std::to_string(state.graph.samples.size()) + " on";
  if (wire.outputs_size() > 0 && wire.outputs64_size() > 0) {
    state.errors.add(ErrorCode::BadSample, place,
                     "has both outputs and outputs64, expected one of them");
    return false;
  }
  const std::uint64_t count = output_count(wire);
  bool good = true;
  const auto check = [&](std::string_view column, int length) {
    if (length == 0) return;
    good = check_length(state, place, column, static_cast<std::uint64_t>(length), count,
                        "one a sample, or none") &&
           good;
  };
  check("ids", wire.ids_size());
  if (wire.target_shapes_size() != 1) check("target_shapes", wire.target_shapes_size());
  check("splits", wire.splits_size());
  check("groups", wire.groups_size());
  check("roles", wire.roles_size());
  check("weights", wire.weights_size());
  const bool had_ids = state.graph.sample_ids.size() > 0;
  if (count > 0 && !state.graph.samples.empty() && had_ids != (wire.ids_size() > 0)) {
    state.errors.add(ErrorCode::BadSample, place, "only some of the samples have ids");
    good = false;
  }
  return good;
}

bool check_entries(const wire::Samples& wire, ImportState& state) {
  bool good = true;
  for (int i = 0; i < wire.splits_size(); ++i) {
    good = check_enum(state, place_of(state, i), "split", wire.splits(i),
                      wire::Split_IsValid(wire.splits(i))) &&
           good;
  }
  for (int i = 0; i < wire.roles_size(); ++i) {
    good = check_enum(state, place_of(state, i), "role", wire.roles(i),
                      wire::Role_IsValid(wire.roles(i))) &&
           good;
  }
  return check_finite(state, wire.weights(), "weight",
                      [&](std::uint64_t i) { return place_of(state, i); }) &&
         good;
}

const wire::Shape& target_shape(const wire::Samples& wire, std::uint64_t i) {
  return wire.target_shapes(wire.target_shapes_size() == 1 ? 0 : static_cast<int>(i));
}

// The shape of every sample's target, none where it has no target.
std::optional<std::vector<std::optional<Shape>>> read_target_shapes(const wire::Samples& wire,
                                                                    ImportState& state) {
  const std::uint64_t count = output_count(wire);
  std::vector<std::optional<Shape>> shapes(count);
  if (wire.target_shapes_size() == 0) return shapes;
  bool good = true;
  for (std::uint64_t i = 0; i < count && !state.stopped; ++i) {
    const wire::Shape& shape = target_shape(wire, i);
    if (shape.rows() == kNoTargetSide && shape.cols() == kNoTargetSide) continue;
    good = read_shape(state, place_of(state, i) + ", target", shape, shapes[i].emplace()) && good;
  }
  if (!good) return std::nullopt;
  return shapes;
}

// All targets' values: as many as the shapes say, none NaN or infinite.
bool check_targets(const wire::Samples& wire, const std::vector<std::optional<Shape>>& shapes,
                   ImportState& state) {
  std::uint64_t expected = 0;
  for (const auto& shape : shapes) expected += shape ? shape->size() : 0;
  const std::string place = "samples from " + std::to_string(state.graph.samples.size()) + " on";
  if (!check_length(state, place, "targets", static_cast<std::uint64_t>(wire.targets_size()),
                    expected, "the sizes of target_shapes")) {
    return false;
  }
  std::uint64_t sample = 0;  // that value i belongs to: check_finite asks in order
  std::uint64_t end = 0;
  return check_finite(state, wire.targets(), "target", [&](std::uint64_t i) {
    while (i >= end) {
      end += shapes[sample] ? shapes[sample]->size() : 0;
      if (i >= end) ++sample;
    }
    return place_of(state, sample);
  });
}

void append_samples(const wire::Samples& wire, const std::vector<std::optional<Shape>>& shapes,
                    ImportState& state) {
  NeuronGraph& graph = state.graph;
  std::uint64_t target = graph.target_values.size();
  for (int i = 0; i < static_cast<int>(shapes.size()); ++i) {
    Sample sample;
    if (wire.groups_size() > 0) sample.group = wire.groups(i);
    if (wire.weights_size() > 0) sample.weight = wire.weights(i);
    if (wire.splits_size() > 0) sample.split = static_cast<Split>(wire.splits(i));
    if (wire.roles_size() > 0) sample.role = static_cast<Role>(wire.roles(i));
    const std::optional<Shape>& shape = shapes[static_cast<std::size_t>(i)];
    sample.has_target = shape.has_value();
    sample.target_shape = shape.value_or(Shape());
    sample.target_begin = target;
    if (shape) target += shape->size();
    graph.samples.push_back(sample);
    state.sample_outputs.push_back(wire.outputs64_size() > 0 ? wire.outputs64(i) : wire.outputs(i));
  }
  for (const std::string& id : wire.ids()) graph.sample_ids.push_back(id);
  append_column(graph.target_values, wire.targets().data(),
                static_cast<std::size_t>(wire.targets_size()));
}

}  // namespace

void read_samples(const wire::Samples& wire, ImportState& state) {
  if (!check_columns(wire, state)) return;
  const bool good = check_entries(wire, state);
  const auto shapes = read_target_shapes(wire, state);
  if (!shapes || !check_targets(wire, *shapes, state) || !good) return;
  append_samples(wire, *shapes, state);
}

std::string describe_sample(const NeuronGraph& graph, std::uint64_t sample) {
  std::string text = "sample " + std::to_string(sample);
  if (graph.sample_ids.size() > 0) {
    text += " \"" + escape_terminal(graph.sample_ids[sample]) + "\"";
  }
  return text;
}

void check_sample_ids(ImportState& state) {
  const StringColumn& ids = state.graph.sample_ids;
  boost::unordered_flat_map<std::string_view, std::uint64_t> seen;
  seen.reserve(ids.size());
  for (std::uint64_t i = 0; i < ids.size(); ++i) {
    const auto [entry, is_new] = seen.try_emplace(ids[i], i);
    if (is_new) continue;
    state.errors.add(
        ErrorCode::DuplicateId, describe_sample(state.graph, i),
        "sample " + std::to_string(entry->second) + " has the same id, expected unique ids");
  }
}

}  // namespace vecc::graph_io
