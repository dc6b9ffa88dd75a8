// gcn-norm: h_i = relu( sum over j in N(i) and i of c_ji W x_j + b ), c_ji = 1 / sqrt(deg_j deg_i),
// deg_i = 1 + size of N(i) (Kipf and Welling 2017). The degrees are neurons like all others.
#include "tools/import/models/graph_sets/edge_template.h"
#include "tools/import/models/graph_sets/graph_set_models.h"

namespace vecc::tools {
namespace {

// deg(X) :- edge(Y,X). with COUNT; returns the atoms.
FileId ground_degrees(Grounder& out, const Neighbours& neighbours, std::uint32_t nodes) {
  const FileId edges = out.unit_facts("edge/2", neighbours.source.size());
  const std::string text = "deg(X) :- edge(Y,X). [aggregation=count]";
  const FileId rules =
      out.group({NeuronClass::Rule, "deg/1", text, {}, {}}, neighbours.source.size(),
                [&](std::uint64_t e, NeuronRow& row) { row.input(edges + e); });
  NeuronFunction count;
  count.combination = Combination::Count;
  const FileId counts = out.group({NeuronClass::Aggregation, "deg/1", text, count, {}}, nodes,
                                  [&](std::uint64_t node, NeuronRow& row) {
                                    for (std::uint64_t e = neighbours.begin[node];
                                         e < neighbours.begin[node + 1]; ++e) {
                                      row.input(rules + e);
                                    }
                                  });
  return out.group({NeuronClass::Atom, "deg/1", "deg/1 [activation=identity]", {}, {}}, nodes,
                   [&](std::uint64_t node, NeuronRow& row) { row.input(counts + node); });
}

// c(Y,X) = 1 / sqrt(deg(Y) * deg(X)); returns the atoms.
FileId ground_coefficients(Grounder& out, const Neighbours& neighbours, std::uint32_t nodes) {
  const FileId degrees = ground_degrees(out, neighbours, nodes);
  const FileId roots = ground_edge_rule(
      out, neighbours,
      {"root", "deg(Y), deg(X)", Combination::Product, transform(Transformation::Sqrt)}, false,
      [&](std::uint32_t target, std::uint64_t e, NeuronRow& row) {
        row.input(degrees + neighbours.source[e]);
        row.input(degrees + target);
      });
  return ground_edge_rule(
      out, neighbours, {"c", "root(Y,X)", Combination::Sum, transform(Transformation::Inverse)},
      false, [&](std::uint32_t, std::uint64_t e, NeuronRow& row) { row.input(roots + e); });
}

}  // namespace

Result<void> ground_gcn_norm(const GraphSet& data, const GraphSetOptions& options, Grounder& out) {
  GraphSetTemplate t(data, options, out);
  const Neighbours neighbours = find_neighbours(data, true);
  const FileId coefficients = ground_coefficients(out, neighbours, data.node_count());
  NodeNeurons body = t.features();
  std::string predicate = "x";
  for (std::uint32_t layer = 1; layer <= options.layers; ++layer) {
    const std::string name = "h" + std::to_string(layer);
    const std::string head = name + "/1";
    const std::uint32_t in = t.dim_of(layer - 1);
    const WeightId weight = t.layer_weight(layer, name + ".W");
    const WeightId bias = out.weights(name + ".b", value_shape(t.dim()));
    const std::string text = name + "(X) :- " + weight_text(t.dim(), in) + " " + predicate +
                             "(Y), c(Y,X). [aggregation=sum]";
    const NodeNeurons sums = ground_weighted_sum(t, {head, text, t.dim(), Combination::Sum},
                                                 neighbours, body, weight, coefficients);
    const TransformationSpec activation = t.activation(layer, options.layers);
    body = t.atoms({head, weight_text(t.dim(), 1) + " " + activation_text(head, activation),
                    t.dim(), activation, bias},
                   {{&sums}});
    predicate = name;
  }
  const WeightId weight = t.query_weight("predict.W");
  t.predict({&body}, {predicate}, {weight});
  return {};
}

}  // namespace vecc::tools
