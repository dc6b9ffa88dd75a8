// The generic scheme: components of the layer graph in order of depth, each planned, merged with
// its equals and emitted; recursive ones level by level.
#include "vecc/vectorize.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/support/list_threads.h"
#include "src/vectorize/layer_emitter.h"
#include "src/vectorize/layer_graph.h"
#include "src/vectorize/layer_merge.h"
#include "src/vectorize/layer_planner.h"
#include "src/vectorize/levels.h"

namespace vecc::vectorizer {
namespace {

bool keeps_member_rows(const NeuronFunction& function) {
  return info(function.combination).shapes == CombinationShapes::Scalars &&
         function.transformation.id == Transformation::Identity;
}

/// Softmax neurons that something reads as a column, not only member by member (AtIndex).
std::vector<bool> find_whole_reads(const NeuronGraph& graph) {
  std::vector<bool> is_softmax(graph.functions.size());
  for (std::size_t f = 0; f < graph.functions.size(); ++f) {
    is_softmax[f] = keeps_member_rows(graph.functions[f]);
  }
  std::vector<bool> whole(graph.neuron_count(), false);
  if (std::find(is_softmax.begin(), is_softmax.end(), true) == is_softmax.end()) return whole;
  for (const NeuronRange& range : graph.ranges) {
    if (range.fact != FactKind::NotAFact) continue;
    const bool takes_entry = takes_one_entry(graph.functions[range.function]);
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const NeuronId n = range.first + i;
      const bool single = element_count(graph, range, n) == 1;
      for_each_element(graph, range, n, [&](WeightId weight, NeuronId input) {
        const bool by_member = takes_entry && single && weight == kNoWeight;
        if (input != kNoNeuron && !by_member) whole[input] = true;
      });
    }
  }
  for (const Sample& sample : graph.samples) whole[sample.output] = true;
  return whole;
}

class Vectorizer {
 public:
  Vectorizer(const NeuronGraph& graph, const VectorizeOptions& options)
      : graph_(graph),
        options_(options),
        layers_(build_layer_graph(graph)),
        whole_read_(find_whole_reads(graph)),
        planner_(graph, placement_),
        program_(options.dtype),
        emitter_(graph, placement_, planner_, whole_read_, program_) {
    placement_.layer.assign(graph.neuron_count(), kNone);
    placement_.row.resize(graph.neuron_count());
  }

  Result<Vectorized> run();

 private:
  /// Components [first, last) have equal depth: the plain ones as one batch, then the recursive.
  Result<void> emit_depth(std::uint32_t first, std::uint32_t last);
  Result<void> emit_recursive(std::uint32_t component);
  Result<void> emit_level(std::uint32_t component, std::span<const NeuronId> neurons);
  [[nodiscard]] std::vector<NeuronId> neurons_of(const LayerVertex& vertex) const;
  void place(EmittedLayer&& emitted);
  /// What a level makes of one shape becomes one layer: readers of one level read that alone.
  Result<void> place_level(std::uint32_t component, std::vector<EmittedLayer>&& emitted);
  void emit_outputs();
  void report_progress(std::size_t neurons);

  const NeuronGraph& graph_;
  const VectorizeOptions& options_;
  LayerGraph layers_;
  std::vector<bool> whole_read_;
  Placement placement_;
  LayerPlanner planner_;
  Program program_;
  LayerEmitter emitter_;
  VectorizeReport report_;
  std::uint64_t done_ = 0;
};

Result<Vectorized> Vectorizer::run() {
  VECC_TRY_VOID(emitter_.add_parameters());
  const auto& components = layers_.components;
  for (std::uint32_t first = 0; first < components.size();) {
    std::uint32_t last = first;
    while (last < components.size() && components[last].depth == components[first].depth) ++last;
    VECC_TRY_VOID(emit_depth(first, last));
    first = last;
  }
  emit_outputs();
  Vectorized result{std::move(program_), {}, report_};
  if (options_.keep_neuron_map) {
    for (const Layer& layer : placement_.layers) {
      result.neurons.layer_value.push_back(layer.value);
      result.neurons.member_rows.push_back(layer.member_rows);
    }
    result.neurons.layer = std::move(placement_.layer);
    result.neurons.row = std::move(placement_.row);
  }
  return result;
}

std::vector<NeuronId> Vectorizer::neurons_of(const LayerVertex& vertex) const {
  std::vector<NeuronId> neurons;
  std::size_t count = 0;
  for (const std::uint32_t r : vertex.ranges) count += graph_.ranges[r].count;
  neurons.reserve(count);
  for (const std::uint32_t r : vertex.ranges) {
    const NeuronRange& range = graph_.ranges[r];
    for (std::uint32_t i = 0; i < range.count; ++i) neurons.push_back(range.first + i);
  }
  return neurons;
}

void Vectorizer::report_progress(std::size_t neurons) {
  done_ += neurons;
  if (options_.progress) options_.progress(done_);
}

Result<void> Vectorizer::emit_depth(std::uint32_t first, std::uint32_t last) {
  std::vector<LayerPlan> plans;
  planner_.enter_component(kNone);
  for (std::uint32_t c = first; c < last; ++c) {
    if (layers_.components[c].recursive) continue;
    const LayerVertex& vertex = layers_.vertices[layers_.components[c].vertices.front()];
    const std::vector<NeuronId> neurons = neurons_of(vertex);
    std::vector<LayerPlan> planned = planner_.plan(vertex, neurons);
    std::move(planned.begin(), planned.end(), std::back_inserter(plans));
    report_progress(neurons.size());
  }
  if (!planner_.errors().empty()) return planner_.errors();
  report_.merged_groups += merge_layers(plans, placement_);
  for (LayerPlan& plan : plans) {
    for (EmittedLayer& emitted : emitter_.emit(std::move(plan))) place(std::move(emitted));
  }
  for (std::uint32_t c = first; c < last; ++c) {
    if (layers_.components[c].recursive) VECC_TRY_VOID(emit_recursive(c));
  }
  return {};
}

Result<void> Vectorizer::emit_recursive(std::uint32_t component) {
  ++report_.recursive_components;
  planner_.enter_component(component);
  const Levels levels = level_component(graph_, layers_, component);
  report_.levels += static_cast<std::uint32_t>(levels.neurons.size());
  for (const std::vector<NeuronId>& level : levels.neurons) {
    VECC_TRY_VOID(emit_level(component, level));
    report_progress(level.size());
  }
  return {};
}

Result<void> Vectorizer::emit_level(std::uint32_t component, std::span<const NeuronId> neurons) {
  std::map<std::uint32_t, std::vector<NeuronId>> by_vertex;
  for (const NeuronId n : neurons) by_vertex[layers_.vertex_of[n]].push_back(n);
  std::vector<LayerPlan> plans;
  for (const auto& [vertex, members] : by_vertex) {
    std::vector<LayerPlan> planned = planner_.plan(layers_.vertices[vertex], members);
    std::move(planned.begin(), planned.end(), std::back_inserter(plans));
  }
  if (!planner_.errors().empty()) return planner_.errors();
  report_.merged_groups += merge_layers(plans, placement_);
  std::vector<EmittedLayer> emitted;
  for (LayerPlan& plan : plans) {
    std::vector<EmittedLayer> layers = emitter_.emit(std::move(plan));
    std::move(layers.begin(), layers.end(), std::back_inserter(emitted));
  }
  return place_level(component, std::move(emitted));
}

void Vectorizer::place(EmittedLayer&& emitted) {
  const auto layer = static_cast<std::uint32_t>(placement_.layers.size());
  placement_.layers.push_back(
      {emitted.value, emitted.shape, program_.op(emitted.value).rows, emitted.member_rows, kNone});
  ++report_.layers;
  ListThreads::for_ranges(emitted.neurons.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      placement_.layer[emitted.neurons[i]] = layer;
      placement_.row[emitted.neurons[i]] =
          emitted.member_rows ? emitted.first_rows[i] : static_cast<std::uint32_t>(i);
    }
  });
}

Result<void> Vectorizer::place_level(std::uint32_t component, std::vector<EmittedLayer>&& emitted) {
  std::map<std::pair<Shape, bool>, std::vector<EmittedLayer>> alike;
  for (EmittedLayer& layer : emitted) {
    alike[{layer.shape, layer.member_rows}].push_back(std::move(layer));
  }
  for (const auto& [key, parts] : alike) {
    const auto number = static_cast<std::uint32_t>(placement_.layers.size());
    std::vector<ValueId> values;
    std::uint64_t rows = 0;
    for (const EmittedLayer& part : parts) {
      const auto first = static_cast<std::uint32_t>(rows);
      rows += program_.op(part.value).rows;
      if (rows >= kNone) {
        return Errors(ErrorCode::LimitRows, graph_.describe(part.neurons.front()),
                      "its level has " + std::to_string(rows) + " rows, the limit is " +
                          std::to_string(kNone - 1));
      }
      values.push_back(part.value);
      ++report_.layers;
      for (std::uint32_t i = 0; i < part.neurons.size(); ++i) {
        placement_.layer[part.neurons[i]] = number;
        placement_.row[part.neurons[i]] = first + (part.member_rows ? part.first_rows[i] : i);
      }
    }
    placement_.layers.push_back({program_.concat(values), key.first,
                                 static_cast<std::uint32_t>(rows), key.second, component});
  }
  return {};
}

void Vectorizer::emit_outputs() {
  std::map<Shape, std::vector<std::uint32_t>> by_shape;
  for (std::uint32_t s = 0; s < graph_.samples.size(); ++s) {
    by_shape[placement_.layer_of(graph_.samples[s].output).shape].push_back(s);
  }
  for (auto& [shape, samples] : by_shape) {
    std::vector<NeuronId> neurons;
    neurons.reserve(samples.size());
    for (const std::uint32_t s : samples) neurons.push_back(graph_.samples[s].output);
    const ValueId rows = emitter_.gather_neurons(neurons, "outputs");
    program_.output(rows, Index::compact(std::move(samples)));
  }
  program_.set_sample_count(static_cast<std::uint32_t>(graph_.samples.size()));
}

}  // namespace

}  // namespace vecc::vectorizer

namespace vecc {

Result<Vectorized> vectorize(const NeuronGraph& graph, const VectorizeOptions& options) {
  const ListThreads threads(options.threads);
  return vectorizer::Vectorizer(graph, options).run();
}

}  // namespace vecc
