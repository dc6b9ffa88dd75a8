#include "tools/import/models/graph_sets/edge_template.h"

namespace vecc::tools {

NodeNeurons ground_weighted_sum(GraphSetTemplate& t, const RuleSpec& spec,
                                const Neighbours& neighbours, const NodeNeurons& body,
                                WeightId weight, FileId factors) {
  NeuronFunction product;
  product.combination = Combination::Product;
  const NeuronClass rule_class =
      weight == kNoWeight ? NeuronClass::Rule : NeuronClass::WeightedRule;
  const FileId rules =
      t.out().group({rule_class, spec.head, spec.text, product, {}}, neighbours.source.size(),
                    [&](std::uint64_t e, NeuronRow& row) {
                      row.input(body.of(neighbours.source[e]), weight);
                      row.input(factors + e);
                    });
  NeuronFunction sum;
  sum.combination = spec.aggregation;
  const std::uint32_t nodes = t.data().node_count();
  NodeNeurons heads{0, std::vector<std::uint32_t>(nodes)};
  for (std::uint32_t node = 0; node < nodes; ++node) heads.row[node] = node;
  heads.first = t.out().group({NeuronClass::Aggregation, spec.head, spec.text, sum, {}}, nodes,
                              [&](std::uint64_t node, NeuronRow& row) {
                                for (std::uint64_t e = neighbours.begin[node];
                                     e < neighbours.begin[node + 1]; ++e) {
                                  row.input(rules + e);
                                }
                              });
  return heads;
}

}  // namespace vecc::tools
