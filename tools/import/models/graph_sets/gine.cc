// gine: a_i = x_i + sum over j in N(i) of relu( x_j + E e_ji ); h_i = relu( W2 relu( W1 a_i ) ); e
// is an edge's one-hot label beside its attributes (Hu et al. 2020, epsilon 0).
#include <algorithm>

#include "tools/import/models/graph_sets/edge_template.h"
#include "tools/import/models/graph_sets/graph_set_models.h"

namespace vecc::tools {
namespace {

std::uint32_t label_count(const GraphSet& data) {
  return static_cast<std::uint32_t>(data.edge_label_values.size());
}
std::uint32_t edge_dim(const GraphSet& data) {
  return label_count(data) + data.edge_attribute_count;
}

FileId ground_edge_labels(const GraphSet& data, const std::string& head, Grounder& out) {
  const FileId first = out.constant_facts(
      head, value_shape(label_count(data)), data.edge_count(),
      [&](std::uint64_t e, std::span<double> values) { values[data.edge_labels[e]] = 1; });
  if (data.edge_count() > 0) {
    out.number_facts(vocabulary::kEdgeLabel, VocabularyUse::Axis::ValueRow);
  }
  return first;
}

FileId ground_edge_attributes(const GraphSet& data, const std::string& head, Grounder& out) {
  const std::uint64_t count = data.edge_attribute_count;
  return out.constant_facts(head, value_shape(data.edge_attribute_count), data.edge_count(),
                            [&](std::uint64_t e, std::span<double> values) {
                              std::copy_n(&data.edge_attributes[e * count], count, values.begin());
                            });
}

// edge(Y,X), in the data's order.
FileId ground_edges(const GraphSet& data, Grounder& out) {
  if (data.edge_attribute_count == 0) return ground_edge_labels(data, "edge/2", out);
  if (label_count(data) == 0) return ground_edge_attributes(data, "edge/2", out);
  const FileId labels = ground_edge_labels(data, "label/2", out);
  const FileId attributes = ground_edge_attributes(data, "attributes/2", out);
  const SingleRule rule{.head = "edge/2",
                        .text = "edge(Y,X) :- label(Y,X), attributes(Y,X). [combination=concat]",
                        .body = combine(Combination::Concat)};
  return ground_single(out, rule, data.edge_count(), [&](std::uint64_t e, NeuronRow& row) {
    row.input(labels + e);
    row.input(attributes + e);
  });
}

// s(X) :- m(Y,X). [aggregation=sum]; `messages` are the edges' atoms.
NodeNeurons ground_sum(GraphSetTemplate& t, const std::string& number, std::uint32_t dim,
                       const Neighbours& neighbours, FileId messages) {
  const std::string head = "a" + number + "/1";
  const std::string text = "a" + number + "(X) :- m" + number + "(Y,X). [aggregation=sum]";
  const std::uint32_t nodes = t.data().node_count();
  const FileId rules =
      t.out().group({NeuronClass::Rule, head, text, {}, {}}, neighbours.source.size(),
                    [&](std::uint64_t e, NeuronRow& row) { row.input(messages + e); });
  NodeNeurons heads{0, std::vector<std::uint32_t>(nodes, kAbsent)};
  std::vector<std::uint32_t> proved;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const bool has_edges = neighbours.begin[node] < neighbours.begin[node + std::size_t{1}];
    if (!has_edges && !t.options().keep_isolated) continue;
    heads.row[node] = static_cast<std::uint32_t>(proved.size());
    proved.push_back(node);
  }
  heads.first = t.out().group(
      {NeuronClass::Aggregation, head, text, combine(Combination::Sum), value_shape(dim)},
      proved.size(), [&](std::uint64_t i, NeuronRow& row) {
        const std::uint64_t end = neighbours.begin[proved[i] + std::size_t{1}];
        for (std::uint64_t e = neighbours.begin[proved[i]]; e < end; ++e) row.input(rules + e);
      });
  return heads;
}

NodeNeurons ground_layer(GraphSetTemplate& t, const Neighbours& neighbours, std::uint32_t layer,
                         FileId edges, const NodeNeurons& body) {
  const std::string number = std::to_string(layer);
  const std::string predicate = layer == 1 ? "x" : "h" + std::to_string(layer - 1);
  const std::uint32_t in = t.dim_of(layer - 1);
  const std::uint32_t dim = edge_dim(t.data());
  const std::string name = "h" + number;
  const WeightId edge_weight = t.edge_weight(name + ".E", in, dim);
  const WeightId first = t.layer_weight(layer, name + ".W1");
  const WeightId second = t.out().weights(name + ".W2", weight_shape(t.dim(), t.dim()));
  const FileId messages =
      ground_edge_rule(t.out(), neighbours,
                       {"m" + number, predicate + "(Y), " + weight_text(in, dim) + " edge(Y,X)",
                        Combination::Sum, transform(Transformation::Relu)},
                       true, [&](std::uint32_t, std::uint64_t e, NeuronRow& row) {
                         row.input(body.of(neighbours.source[e]));
                         row.input(edges + neighbours.edge[e], edge_weight);
                       });
  const std::string head = "a" + number + "/1";
  const NodeNeurons self = t.self_rule(
      {head, "a" + number + "(X) :- " + predicate + "(X).", in, Combination::Sum}, body);
  const NodeNeurons sums = ground_sum(t, number, in, neighbours, messages);
  const NodeNeurons a =
      t.atoms({head, activation_text(head, {}), in, {}, kNoWeight}, {{&self}, {&sums}});
  const NodeNeurons hidden = t.dense("n" + number, "a" + number, in, a, first);
  return t.dense(name, "n" + number, t.dim(), hidden, second);
}

}  // namespace

Result<void> ground_gine(const GraphSet& data, const GraphSetOptions& options, Grounder& out) {
  if (edge_dim(data) == 0) {
    return Errors(ErrorCode::Usage, "vecc-import",
                  "--model=gine: the data has neither edge labels nor edge attributes; gin needs "
                  "none");
  }
  GraphSetTemplate t(data, options, out);
  const Neighbours neighbours = find_neighbours(data, false);
  NodeNeurons body = t.features();
  const FileId edges = ground_edges(data, out);
  for (std::uint32_t layer = 1; layer <= options.layers; ++layer) {
    body = ground_layer(t, neighbours, layer, edges, body);
  }
  const WeightId weight = t.query_weight("predict.W");
  t.predict({&body}, {"h" + std::to_string(options.layers)}, {weight});
  return {};
}

}  // namespace vecc::tools
