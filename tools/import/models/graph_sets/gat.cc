// gat: z = W x; h_i = relu( sum over j in N(i) and i of softmax_j(s_ji) z_j + b ),
// s_ji = leakyrelu( a_target z_i + a_source z_j ) (Velickovic et al. 2018, one head).
#include "tools/import/models/graph_sets/edge_template.h"
#include "tools/import/models/graph_sets/graph_set_models.h"

namespace vecc::tools {
namespace {

// z(X) :- {dim,in} body(X).
NodeNeurons ground_projection(GraphSetTemplate& t, const std::string& name,
                              const std::string& predicate, std::uint32_t in,
                              const NodeNeurons& body, WeightId weight) {
  const std::string head = name + "/1";
  const std::string text = name + "(X) :- " + weight_text(t.dim(), in) + " " + predicate + "(X).";
  const NodeNeurons rule = t.self_rule({head, text, t.dim(), Combination::Sum}, body, weight);
  return t.atoms({head, activation_text(head, {}), t.dim(), {}, kNoWeight}, {{&rule}});
}

// alpha(Y,X) :- s(Y,X). with softmax over Y: one vector a node, one entry of it an edge.
FileId ground_softmax(Grounder& out, const Neighbours& neighbours, const std::string& name,
                      const std::string& scores_name, FileId scores) {
  const std::string head = name + "/2";
  const std::string text =
      name + "(Y,X) :- " + scores_name + "(Y,X). [aggregation=softmax(agg_terms=[Y])]";
  const std::uint64_t edges = neighbours.source.size();
  const FileId rules = out.group({NeuronClass::Rule, head, text, {}, {}}, edges,
                                 [&](std::uint64_t e, NeuronRow& row) { row.input(scores + e); });
  NeuronFunction softmax;
  softmax.combination = Combination::Softmax;
  const FileId vectors = out.group(
      {NeuronClass::SplittableAggregation, head, text, softmax, {}}, neighbours.begin.size() - 1,
      [&](std::uint64_t node, NeuronRow& row) {
        for (std::uint64_t e = neighbours.begin[node]; e < neighbours.begin[node + 1]; ++e) {
          row.input(rules + e);
        }
      });
  NeuronFunction at_index;
  at_index.transformation.id = Transformation::AtIndex;
  std::uint32_t target = 0;
  return out.group({NeuronClass::Atom, head, text, at_index, {}}, edges,
                   [&](std::uint64_t e, NeuronRow& row) {
                     while (neighbours.begin[target + std::size_t{1}] <= e) ++target;
                     row.input(vectors + target);
                     row.word(static_cast<std::uint32_t>(e - neighbours.begin[target]));
                   });
}

NodeNeurons ground_layer(GraphSetTemplate& t, const Neighbours& neighbours, std::uint32_t layer,
                         const std::string& predicate, const NodeNeurons& body) {
  const std::string number = std::to_string(layer);
  const std::string name = "h" + number;
  const std::string head = name + "/1";
  const std::uint32_t in = t.dim_of(layer - 1);
  Grounder& out = t.out();
  const WeightId weight = t.layer_weight(layer, name + ".W");
  const WeightId a_source = out.weights(name + ".a_source", weight_shape(1, t.dim()));
  const WeightId a_target = out.weights(name + ".a_target", weight_shape(1, t.dim()));
  const WeightId bias = out.weights(name + ".b", value_shape(t.dim()));
  const NodeNeurons z = ground_projection(t, "z" + number, predicate, in, body, weight);

  TransformationSpec leaky_relu;
  leaky_relu.id = Transformation::LeakyRelu;
  leaky_relu.slope = t.options().slope;
  const std::string row_text = weight_text(1, t.dim()) + " z" + number;
  const FileId scores = ground_edge_rule(
      out, neighbours,
      {"s" + number, row_text + "(X), " + row_text + "(Y)", Combination::Sum, leaky_relu}, true,
      [&](std::uint32_t target, std::uint64_t e, NeuronRow& row) {
        row.input(z.of(target), a_target);
        row.input(z.of(neighbours.source[e]), a_source);
      });
  const FileId alphas = ground_softmax(out, neighbours, "alpha" + number, "s" + number, scores);
  const std::string text =
      name + "(X) :- z" + number + "(Y), alpha" + number + "(Y,X). [aggregation=sum]";
  const NodeNeurons sums = ground_weighted_sum(t, {head, text, t.dim(), Combination::Sum},
                                               neighbours, z, kNoWeight, alphas);
  const TransformationSpec activation = t.activation(layer, t.options().layers);
  return t.atoms({head, weight_text(t.dim(), 1) + " " + activation_text(head, activation), t.dim(),
                  activation, bias},
                 {{&sums}});
}

}  // namespace

Result<void> ground_gat(const GraphSet& data, const GraphSetOptions& options, Grounder& out) {
  GraphSetTemplate t(data, options, out);
  const Neighbours neighbours = find_neighbours(data, true);
  NodeNeurons body = t.features();
  std::string predicate = "x";
  for (std::uint32_t layer = 1; layer <= options.layers; ++layer) {
    body = ground_layer(t, neighbours, layer, predicate, body);
    predicate = "h" + std::to_string(layer);
  }
  const WeightId weight = t.query_weight("predict.W");
  t.predict({&body}, {predicate}, {weight});
  return {};
}

}  // namespace vecc::tools
