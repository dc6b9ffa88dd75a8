#include "src/graph_io/resolve.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "src/graph/describe.h"
#include "src/graph_io/columns.h"
#include "src/graph_io/sample_reader.h"
#include "src/graph_io/weight_reader.h"
#include "src/support/list_threads.h"
#include "vecc/error.h"

namespace vecc::graph_io {
namespace {

// Looks ids of one kind up; consecutive ids are mostly of one range.
class Resolver {
 public:
  Resolver(const IdMap& ids, std::uint64_t count, std::string_view kind, ImportState& state)
      : ids_(ids), count_(count), kind_(kind), state_(state) {}

  /// Whether all ids but `unused` are the dense ones already; found by all threads (ListThreads).
  [[nodiscard]] bool leaves(std::span<const std::uint32_t> ids,
                            std::optional<std::uint32_t> unused = {}) const {
    const std::uint64_t count = ids_.identity_count();
    return count > 0 && holds_for_all(ids.size(), [&](std::size_t i) {
             return ids[i] < count || ids[i] == unused;
           });
  }
  /// The dense id; reports a dangling one, with a place made only when it is needed.
  template <class Place>
  std::uint32_t resolve(std::uint64_t id, const Place& place) {
    if (!range_.contains(id)) [[unlikely]] {
      const IdMap::Range* found = ids_.find(id);
      if (found == nullptr) {
        report(id, place);
        return 0;
      }
      range_ = *found;
    }
    return range_.dense + static_cast<std::uint32_t>(id - range_.first);
  }

 private:
  template <class Place>
  void report(std::uint64_t id, const Place& place) {
    if (state_.errors.full()) {
      state_.errors.omit();
      return;
    }
    const std::string kind(kind_);
    state_.errors.add(
        ErrorCode::DanglingReference, place(),
        "refers to " + kind + " " + std::to_string(id) + ", but " +
            (ids_.is_contiguous_from_zero() ? "the graph has " + std::to_string(count_)
                                            : "no " + kind + " has that id"));
  }

  const IdMap& ids_;
  std::uint64_t count_;
  std::string_view kind_;
  ImportState& state_;
  IdMap::Range range_;  // the last hit
};

class ChunkResolver {
 public:
  ChunkResolver(ImportState& state, const IdMap& weight_ids)
      : state_(state),
        neurons_(state.neuron_ids, state.neuron_count, "neuron", state),
        weights_(weight_ids, state.weight_count, "weight", state) {}

  void resolve(NeuronChunk& chunk) {
    const NeuronRange& range = state_.graph.ranges[chunk.range];
    resolve_inputs(chunk);
    if (range.weight_begin != kNoColumn) {
      if (range.fact == FactKind::Learnable) {
        resolve_facts(chunk, range);
      } else {
        resolve_weights(chunk, range);
      }
    }
    if (range.offset_begin != kNoColumn) resolve_offsets(chunk, range);
  }

  /// Facts whose weights have another shape: an error for each group and table.
  void report_misfits() {
    for (const auto& [key, misfit] : misfits_) {
      const auto& [group, index, shape] = key;
      const WeightTable& table = state_.graph.weight_tables[index];
      state_.errors.add(ErrorCode::ShapeMismatch, misfit.place,
                        "the fact's shape is " + shape + ", but " + describe_table(table.name) +
                            " has shape " + table.shape.text() +
                            graph::count_of_others(misfit.neurons - 1));
    }
  }

  void resolve_samples() {
    for (std::uint64_t i = 0; i < state_.sample_outputs.size(); ++i) {
      state_.graph.samples[i].output = neurons_.resolve(
          state_.sample_outputs[i], [&] { return describe_sample(state_.graph, i); });
    }
  }

 private:
  [[nodiscard]] std::string describe(const NeuronChunk& chunk, std::uint64_t i) const {
    const NeuronRange& range = state_.graph.ranges[chunk.range];
    return graph::describe_group(state_.graph.groups[range.group]) + ", neuron " +
           std::to_string(range.file_first_id + (chunk.first - range.first) + i);
  }

  // The chunk's edge number `edge` is which input of which neuron: for a message.
  [[nodiscard]] std::string describe_input(const NeuronChunk& chunk, std::uint64_t edge) const {
    std::uint64_t neuron = 0;
    if (chunk.uniform) {
      neuron = edge / chunk.fan_in;
      edge %= chunk.fan_in;
    } else {
      const std::uint32_t* fan_in = state_.fan_in.data() + chunk.fan_in_begin;
      for (; edge >= fan_in[neuron]; ++neuron) edge -= fan_in[neuron];
    }
    return describe(chunk, neuron) + ", input " + std::to_string(edge);
  }

  void resolve_inputs(NeuronChunk& chunk) {
    NeuronId* inputs = state_.graph.inputs.data() + chunk.first_edge;
    const bool wide = !chunk.wide_inputs.empty();
    if (!wide && neurons_.leaves({inputs, chunk.edges})) return;
    for (std::uint64_t e = 0; e < chunk.edges; ++e) {
      const std::uint64_t id = wide ? chunk.wide_inputs[e] : inputs[e];
      inputs[e] = neurons_.resolve(id, [&] { return describe_input(chunk, e); });
    }
    std::vector<std::uint64_t>().swap(chunk.wide_inputs);
  }

  void resolve_weights(const NeuronChunk& chunk, const NeuronRange& range) {
    const NeuronChunk& first = state_.chunks[first_chunk(chunk, range)];
    WeightId* weights =
        state_.graph.weights.data() + range.weight_begin + (chunk.first_edge - first.first_edge);
    if (weights_.leaves({weights, chunk.edges}, kNoWeight)) return;
    for (std::uint64_t e = 0; e < chunk.edges; ++e) {
      if (weights[e] == kNoWeight) continue;
      weights[e] = weights_.resolve(weights[e], [&] { return describe_input(chunk, e); });
    }
  }

  void resolve_offsets(const NeuronChunk& chunk, const NeuronRange& range) {
    WeightId* offsets =
        state_.graph.offsets.data() + range.offset_begin + (chunk.first - range.first);
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      if (offsets[i] == kNoWeight) continue;
      offsets[i] = weights_.resolve(offsets[i], [&] { return describe(chunk, i) + ", offset"; });
    }
  }

  void resolve_facts(const NeuronChunk& chunk, const NeuronRange& range) {
    NeuronGraph& graph = state_.graph;
    WeightId* weights = graph.weights.data() + range.weight_begin + (chunk.first - range.first);
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      const std::uint64_t before = state_.errors.count();
      weights[i] = weights_.resolve(weights[i], [&] { return describe(chunk, i); });
      if (!range.has_shape || state_.errors.count() > before) continue;
      const std::uint32_t index = graph.table_of_weight[weights[i]];
      const WeightTable& table = graph.weight_tables[index];
      if (table.shape == range.shape || state_.refused_tables[index]) continue;
      auto [entry, is_new] = misfits_.try_emplace({range.group, index, range.shape.text()});
      if (is_new) entry->second.place = describe(chunk, i);
      ++entry->second.neurons;
    }
  }

  // Chunks arrive in order, so the first one of a range is found by walking back once per range.
  std::size_t first_chunk(const NeuronChunk& chunk, const NeuronRange& range) {
    if (first_range_ != chunk.range) {
      first_range_ = chunk.range;
      const auto first =
          std::lower_bound(state_.chunks.begin(), state_.chunks.end(), range.first,
                           [](const NeuronChunk& c, NeuronId id) { return c.first < id; });
      first_chunk_ = static_cast<std::size_t>(first - state_.chunks.begin());
    }
    return first_chunk_;
  }

  struct Misfit {
    std::string place;  // of the first
    std::uint64_t neurons = 0;
  };

  ImportState& state_;
  Resolver neurons_;
  Resolver weights_;
  std::uint64_t first_range_ = ~std::uint64_t{0};
  std::size_t first_chunk_ = 0;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, Misfit> misfits_;
};

void number_neurons(ImportState& state) {
  for (const auto& [earlier, later] : state.neuron_ids.seal()) {
    state.errors.add(ErrorCode::DuplicateId, graph::describe_group(state.graph.groups[later.tag]),
                     "neuron ids " + std::to_string(later.first) + " to " +
                         std::to_string(later.first + later.count - 1) + " overlap ids " +
                         std::to_string(earlier.first) + " to " +
                         std::to_string(earlier.first + earlier.count - 1) + " of " +
                         graph::describe_group(state.graph.groups[earlier.tag]));
  }
}

void fill_input_begin(ImportState& state) {
  std::vector<std::uint64_t>& begin = state.graph.input_begin;
  begin.clear();
  begin.reserve(state.neuron_count + 1);
  begin.push_back(0);
  std::uint64_t total = 0;
  for (const NeuronChunk& chunk : state.chunks) {
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      total += chunk.uniform ? chunk.fan_in : state.fan_in[chunk.fan_in_begin + i];
      begin.push_back(total);
    }
  }
  std::vector<std::uint32_t>().swap(state.fan_in);
}

void trim_columns(NeuronGraph& graph) {
  trim_list(graph.inputs);
  trim_list(graph.weights);
  trim_list(graph.offsets);
  trim_list(graph.words);
  graph.values.trim();
  trim_list(graph.samples);
  trim_list(graph.target_values);
  trim_list(graph.ranges);
  trim_list(graph.names.begin);
  trim_list(graph.sample_ids.begin);
  graph.names.bytes.shrink_to_fit();
  graph.sample_ids.bytes.shrink_to_fit();
}

}  // namespace

void resolve_references(ImportState& state) {
  trim_columns(state.graph);
  IdMap weight_ids;
  number_weights(state, weight_ids);
  number_neurons(state);
  ChunkResolver resolver(state, weight_ids);
  for (NeuronChunk& chunk : state.chunks) resolver.resolve(chunk);
  resolver.report_misfits();
  resolver.resolve_samples();
  check_sample_ids(state);
  if (state.errors.empty()) fill_input_begin(state);
}

}  // namespace vecc::graph_io
