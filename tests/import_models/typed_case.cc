#include "tests/import_models/typed_case.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "tests/graph_io/temporary_folder.h"
#include "tests/support/random_source.h"
#include "vecc/graph_io.h"

namespace vecc::test {

using tools::TypedGraph;

namespace {

void add_features(TypedGraph& graph, const std::vector<std::uint32_t>& dims, RandomSource& random) {
  std::vector<std::uint32_t> count(dims.size());
  for (std::uint32_t node = 0; node < graph.node_count; ++node) ++count[graph.type_of(node)];
  for (std::size_t t = 0; t < dims.size(); ++t) {
    tools::NodeFeatures features;
    features.dim = dims[t];
    for (std::uint32_t i = 0; i < count[t] * dims[t]; ++i) {
      features.values.push_back(random.real(-1, 1));
    }
    graph.features.push_back(std::move(features));
  }
}

void add_labels(TypedGraph& graph, const TypedGraphOptions& options, RandomSource& random) {
  for (std::uint32_t c = 0; c < options.classes; ++c) {
    graph.label_names.push_back("class" + std::to_string(c));
  }
  for (std::uint32_t node = options.nodes; node > 0; node -= std::min(node, 1 + random.below(2))) {
    const Split split = random.chance(0.5) ? Split::Train : Split::Test;
    const std::uint32_t label = random.below(options.classes);
    graph.labels.push_back({node - 1, label, split});
    if (options.multi_label) {
      graph.labels.push_back({node - 1, (label + 1) % options.classes, split});
    }
  }
}

}  // namespace

TypedGraph random_typed_graph(const TypedGraphOptions& options, std::uint64_t seed) {
  RandomSource random(seed);
  TypedGraph graph;
  graph.name = "random";
  graph.node_count = options.nodes;
  for (std::uint32_t t = 0; t < options.node_types; ++t) {
    graph.node_type_names.push_back("type" + std::to_string(t));
  }
  for (std::uint32_t node = 0; node < options.nodes; ++node) {
    if (options.named) graph.node_names.push_back("node" + std::to_string(node));
    if (options.node_types > 1) {
      graph.node_type.push_back(static_cast<std::uint16_t>(random.below(options.node_types)));
    }
  }
  for (std::uint32_t r = 0; r < options.relations; ++r) {
    graph.relation_names.push_back("relation" + std::to_string(r));
  }
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  const std::uint32_t ends = options.nodes - options.isolated;
  while (seen.size() < options.edges) {
    const std::tuple edge(random.below(ends), random.below(ends), random.below(options.relations));
    if (!seen.insert(edge).second) continue;
    graph.source.push_back(std::get<0>(edge));
    graph.target.push_back(std::get<1>(edge));
    graph.relation.push_back(std::get<2>(edge));
  }
  if (!options.feature_dims.empty()) add_features(graph, options.feature_dims, random);
  if (options.classes > 0) add_labels(graph, options, random);
  return graph;
}

const tools::TypedModel& typed_model(std::string_view name) {
  for (const tools::TypedModel& model : tools::typed_models()) {
    if (model.name == name) return model;
  }
  throw std::logic_error("no model " + std::string(name));
}

namespace {

Result<void> ground_into(const std::string& path, std::string_view model, const TypedGraph& data,
                         const tools::TypedOptions& options, std::int64_t seed,
                         const ImportLimits& limits) {
  tools::GrounderOptions grounder;
  grounder.path = path;
  grounder.initializer = Initializer::Uniform;
  grounder.seed = seed;
  grounder.limits = limits;
  VECC_TRY(tools::Grounder out, tools::Grounder::create(grounder));
  VECC_TRY_VOID(typed_model(model).ground(data, options, out));
  return out.finish();
}

}  // namespace

NeuronGraph ground_typed(std::string_view model, const TypedGraph& data,
                         const tools::TypedOptions& options, std::int64_t seed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("graph.pb");
  const Result<void> written = ground_into(path, model, data, options, seed, {});
  if (!written) throw std::logic_error(written.error().text());
  Result<NeuronGraph> graph = read_graph(path);
  if (!graph) throw std::logic_error(graph.error().text());
  return std::move(*graph);
}

std::string typed_error(std::string_view model, const TypedGraph& data,
                        const tools::TypedOptions& options, const ImportLimits& limits) {
  const TemporaryFolder folder;
  const Result<void> written =
      ground_into(folder.path("graph.pb"), model, data, options, 1, limits);
  return written ? "no error" : written.error().text();
}

NamedWeights::NamedWeights(const NeuronGraph& graph) {
  for (const WeightTable& table : graph.weight_tables) {
    tables_[table.name] = {table.shape.size(), table.values.doubles()};
    names_.push_back(table.name);
  }
}

std::vector<double> NamedWeights::row(const std::string& name, std::size_t row) const {
  const Table& table = tables_.at(name);
  const auto begin = table.values.begin() + static_cast<std::ptrdiff_t>(row * table.size);
  if ((row + 1) * table.size > table.values.size()) throw std::out_of_range(name);
  return {begin, begin + static_cast<std::ptrdiff_t>(table.size)};
}

std::vector<std::string> NamedWeights::names() const {
  return names_;
}

GroupSizes count_groups(const NeuronGraph& graph) {
  GroupSizes sizes;
  for (const NeuronGroup& group : graph.groups) {
    sizes[{group.neuron_class, group.head_predicate}] += group.neuron_count;
  }
  return sizes;
}

}  // namespace vecc::test
