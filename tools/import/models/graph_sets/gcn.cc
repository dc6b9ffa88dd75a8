// gcn: h_i = relu( sum over j in N(i) of W x_j ), no self loops, no normalisation.
#include "tools/import/models/graph_sets/graph_set_models.h"
#include "tools/import/models/graph_sets/graph_set_template.h"

namespace vecc::tools {

Result<void> ground_gcn(const GraphSet& data, const GraphSetOptions& options, Grounder& out) {
  GraphSetTemplate t(data, options, out);
  const Neighbours neighbours = find_neighbours(data, false);
  NodeNeurons body = t.features();
  std::string predicate = "x";
  for (std::uint32_t layer = 1; layer <= options.layers; ++layer) {
    const std::string head = "h" + std::to_string(layer);
    const std::uint32_t in = t.dim_of(layer - 1);
    const WeightId weight = t.layer_weight(layer, head + ".W");
    const std::string text = head + "(X) :- " + weight_text(t.dim(), in) + " " + predicate +
                             "(Y), *edge(Y,X). [aggregation=sum]";
    const NodeNeurons sums =
        t.neighbour_rule({head + "/1", text, t.dim(), Combination::Sum}, neighbours, body, weight);
    const TransformationSpec activation = t.activation(layer, options.layers);
    body = t.atoms(
        {head + "/1", activation_text(head + "/1", activation), t.dim(), activation, kNoWeight},
        {{&sums}});
    predicate = head;
  }
  const WeightId weight = t.query_weight("predict.W");
  t.predict({&body}, {predicate}, {weight});
  return {};
}

}  // namespace vecc::tools
