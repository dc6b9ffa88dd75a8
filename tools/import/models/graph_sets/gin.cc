// gin: a_i = x_i + sum over j in N(i) of x_j; h_i = relu( W2 relu( W1 a_i ) ); one output a layer,
// summed (Xu et al. 2019, epsilon 0).
#include "tools/import/models/graph_sets/graph_set_models.h"
#include "tools/import/models/graph_sets/graph_set_template.h"

namespace vecc::tools {
namespace {

// a(X) :- body(X).  a(X) :- body(Y), *edge(Y,X).
NodeNeurons ground_sum(GraphSetTemplate& t, const std::string& name, const std::string& predicate,
                       std::uint32_t in, const Neighbours& neighbours, const NodeNeurons& body) {
  const std::string head = name + "/1";
  const std::string rule = name + "(X) :- " + predicate;
  const NodeNeurons self = t.self_rule({head, rule + "(X).", in, Combination::Sum}, body);
  const NodeNeurons sums = t.neighbour_rule(
      {head, rule + "(Y), *edge(Y,X). [aggregation=sum]", in, Combination::Sum}, neighbours, body);
  const TransformationSpec identity;
  return t.atoms({head, activation_text(head, identity), in, identity, kNoWeight},
                 {{&self}, {&sums}});
}

}  // namespace

Result<void> ground_gin(const GraphSet& data, const GraphSetOptions& options, Grounder& out) {
  GraphSetTemplate t(data, options, out);
  const Neighbours neighbours = find_neighbours(data, false);
  std::vector<NodeNeurons> layers{t.features()};
  std::vector<std::string> predicates{"x"};
  for (std::uint32_t layer = 1; layer <= options.layers; ++layer) {
    const std::string number = std::to_string(layer);
    const std::uint32_t in = t.dim_of(layer - 1);
    const WeightId first = t.layer_weight(layer, "h" + number + ".W1");
    const WeightId second = out.weights("h" + number + ".W2", weight_shape(t.dim(), t.dim()));
    const NodeNeurons sums =
        ground_sum(t, "a" + number, predicates.back(), in, neighbours, layers.back());
    const NodeNeurons hidden = t.dense("m" + number, "a" + number, in, sums, first);
    layers.push_back(t.dense("h" + number, "m" + number, t.dim(), hidden, second));
    predicates.push_back("h" + number);
  }
  std::vector<const NodeNeurons*> bodies;
  std::vector<std::string_view> names;
  std::vector<WeightId> weights;
  for (std::uint32_t layer = 1; layer <= options.layers; ++layer) {
    bodies.push_back(&layers[layer]);
    names.push_back(predicates[layer]);
    weights.push_back(t.query_weight("predict.W" + std::to_string(layer)));
  }
  t.predict(bodies, names, weights);
  return {};
}

}  // namespace vecc::tools
