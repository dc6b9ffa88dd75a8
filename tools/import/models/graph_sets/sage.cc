// sage: h_i = relu( W_self x_i + W_neighbours mean over j in N(i) of x_j ) (Hamilton et al. 2017).
// The weights are the rules' (`{10,7} h1(X) :- ...`): they multiply what was aggregated.
#include "tools/import/models/graph_sets/graph_set_models.h"
#include "tools/import/models/graph_sets/graph_set_template.h"

namespace vecc::tools {

Result<void> ground_sage(const GraphSet& data, const GraphSetOptions& options, Grounder& out) {
  GraphSetTemplate t(data, options, out);
  const Neighbours neighbours = find_neighbours(data, false);
  NodeNeurons body = t.features();
  std::string predicate = "x";
  for (std::uint32_t layer = 1; layer <= options.layers; ++layer) {
    const std::string head = "h" + std::to_string(layer);
    const std::uint32_t in = t.dim_of(layer - 1);
    const WeightId self_weight = t.layer_weight(layer, head + ".W_self");
    const WeightId neighbours_weight = t.layer_weight(layer, head + ".W_neighbours");
    const std::string rule = weight_text(t.dim(), in) + " " + head + "(X) :- " + predicate;
    const NodeNeurons self = t.self_rule({head + "/1", rule + "(X).", in, Combination::Sum}, body);
    const NodeNeurons means = t.neighbour_rule(
        {head + "/1", rule + "(Y), *edge(Y,X). [aggregation=avg]", in, Combination::Avg},
        neighbours, body);
    const TransformationSpec activation = t.activation(layer, options.layers);
    body = t.atoms(
        {head + "/1", activation_text(head + "/1", activation), t.dim(), activation, kNoWeight},
        {{&self, self_weight}, {&means, neighbours_weight}});
    predicate = head;
  }
  const WeightId weight = t.query_weight("predict.W");
  t.predict({&body}, {predicate}, {weight});
  return {};
}

}  // namespace vecc::tools
