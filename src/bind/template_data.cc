#include "src/bind/template_data.h"

#include <algorithm>
#include <utility>

#include "src/bind/graph_binder.h"
#include "src/vectorize/layer_graph.h"
#include "src/weights/table_rows.h"

namespace vecc::binding {
namespace {

TemplateGroup& group_like(const NeuronGroup& group, std::vector<TemplateGroup>& groups) {
  const auto found = std::ranges::find_if(groups, [&](const TemplateGroup& of) {
    return of.neuron_class == group.neuron_class && of.head == group.head_predicate &&
           of.rule == group.rule_text;
  });
  if (found != groups.end()) return *found;
  return groups.emplace_back(
      TemplateGroup{group.neuron_class, group.head_predicate, group.rule_text, {}});
}

std::uint32_t function_number(const NeuronFunction& function, std::vector<NeuronFunction>& all) {
  const auto found = std::ranges::find(all, function);
  if (found != all.end()) return static_cast<std::uint32_t>(found - all.begin());
  all.push_back(function);
  return static_cast<std::uint32_t>(all.size() - 1);
}

void add_entry(const GroupEntry& entry, TemplateGroup& group) {
  for (GroupEntry& known : group.entries) {
    if (known.fact != entry.fact || known.function != entry.function ||
        known.shape != entry.shape) {
      continue;
    }
    known.rank = std::max(known.rank, entry.rank);
    return;
  }
  group.entries.push_back(entry);
}

}  // namespace

Result<TemplateData> make_template_data(const NeuronGraph& graph, DType dtype, std::string loss) {
  VECC_TRY_VOID(weights::check_values(graph));
  TemplateData data;
  data.dtype = dtype;
  data.loss = std::move(loss);
  const vectorizer::LayerGraph layers = vectorizer::build_layer_graph(graph);
  for (std::uint32_t v = 0; v < layers.vertices.size(); ++v) {
    const vectorizer::LayerVertex& vertex = layers.vertices[v];
    if (vertex.ranges.empty()) continue;
    GroupEntry entry;
    entry.fact = vertex.fact;
    if (vertex.fact == FactKind::Constant) entry.shape = vertex.fact_shape;
    if (vertex.function != nullptr) {
      entry.function = function_number(*vertex.function, data.functions);
    }
    entry.rank = std::min(layers.components[layers.component_of[v]].depth, kMostRanks);
    const NeuronRange& range = graph.ranges[vertex.ranges.front()];
    add_entry(entry, group_like(graph.groups[range.group], data.groups));
  }
  data.weights.weight_tables = graph.weight_tables;
  data.weights.table_of_weight = graph.table_of_weight;
  data.weights.vocabularies = graph.vocabularies;
  RecipeBook book(dtype, data.functions);
  VECC_TRY_VOID(GraphBinder(data, book).find_recipes(graph));
  data.signatures = book.signatures();
  return data;
}

}  // namespace vecc::binding
