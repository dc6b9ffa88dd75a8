#include "tools/import/models/typed/hgt_attention.h"

namespace vecc::tools {
namespace {

/// {p} s(r,Y,X) :- <1/sqrt(D)> q(X), {A} k(Y), *r(Y,X).; q is a row.
FileId ground_scores(const TypedTemplate& t, std::uint32_t layer, const AttentionEdges& all,
                     const HgtWeights& w, const HgtParts& parts) {
  const std::string number = std::to_string(layer);
  const std::uint32_t dim = t.head_dim(layer);
  const SingleRule rule{.head = head_predicate(t, "s" + number, 3),
                        .text = "{1} " + head_literal(t, "s" + number, "r,Y,X") + " :- <" +
                                std::to_string(attention_scale(dim)) + "> " +
                                head_literal(t, "q" + number, "X") + ", " + weight_text(dim, dim) +
                                " " + head_literal(t, "k" + number, "Y") +
                                ", *r(Y,X). [combination=product]",
                        .weighted = true,
                        .body = combine(Combination::Product),
                        .weighted_atom = true};
  const std::uint64_t nodes = t.nodes();
  HeadEdgeCursor body(t, all.edges);
  HeadEdgeCursor atom(t, all.edges);
  return ground_single(
      t.out(), rule, all.count() * t.options().heads,
      [&](std::uint64_t i, NeuronRow& row) {
        body.move(i);
        row.input(parts.q + body.head() * nodes + all.edges.target[body.edge()], w.scale);
        row.input(parts.k + body.head() * nodes + all.edges.source[body.edge()],
                  w.a + body.weight());
      },
      [&](std::uint64_t i, FileId aggregation, NeuronRow& row) {
        atom.move(i);
        row.input(aggregation, w.p + atom.weight());
      });
}

/// m(X) :- {M} v(Y), alpha(r,Y,X), *r(Y,X). for each relation; the atoms, one a node and head.
FileId ground_messages(const TypedTemplate& t, std::uint32_t layer, const HgtEdges& e,
                       const HgtWeights& w, FileId v, FileId alphas) {
  const std::string number = std::to_string(layer);
  const std::string head = head_predicate(t, "m" + number, 1);
  const std::uint32_t dim = t.head_dim(layer);
  const std::string text = head_literal(t, "m" + number, "X") + " :- " + weight_text(dim, dim) +
                           " " + head_literal(t, "v" + number, "Y") + ", " +
                           head_literal(t, "alpha" + number, "r,Y,X") +
                           ", *r(Y,X). [combination=product, aggregation=sum]";
  const std::uint64_t heads = t.options().heads;
  const std::uint64_t count = e.all.count();
  const std::uint64_t nodes = t.nodes();
  HeadEdgeCursor edge(t, e.all.edges);
  const FileId rules = t.out().group(
      {NeuronClass::WeightedRule, head, text, combine(Combination::Product), {}}, count * heads,
      [&](std::uint64_t i, NeuronRow& row) {
        edge.move(i);
        row.input(v + edge.head() * nodes + e.all.edges.source[edge.edge()], w.m + edge.weight());
        row.input(alphas + i);
      });
  const std::uint64_t head_count = e.heads.count();
  const FileId sums =
      t.out().group({NeuronClass::Aggregation, head, text, {}, {}}, head_count * heads,
                    [&](std::uint64_t i, NeuronRow& row) {
                      const std::uint64_t k = i % head_count;
                      for (std::uint32_t b = e.heads.begin[k]; b < e.heads.begin[k + 1]; ++b) {
                        row.input(rules + i / head_count * count + b);
                      }
                    });
  // A node without edges into it has no rule that proves m; its sum is zero.
  const TransformationSpec gelu =
      transform(heads == 1 ? Transformation::Gelu : Transformation::Identity);
  return t.out().group({NeuronClass::Atom, head, atom_text(head, gelu),
                        combine(Combination::Sum, gelu), value_shape(dim)},
                       nodes * heads, [&](std::uint64_t i, NeuronRow& row) {
                         const std::uint64_t node = i % nodes;
                         for (std::uint32_t k = e.heads_of_node.begin[node];
                              k < e.heads_of_node.begin[node + 1]; ++k) {
                           row.input(sums + i / nodes * head_count + e.heads_of_node.item[k]);
                         }
                       });
}

}  // namespace

FileId ground_hgt_messages(const TypedTemplate& t, std::uint32_t layer, const HgtEdges& edges,
                           const HgtWeights& weights, const HgtParts& parts) {
  const FileId scores = ground_scores(t, layer, edges.all, weights, parts);
  const FileId alphas = ground_softmax(t, layer, edges.all, scores);
  return ground_messages(t, layer, edges, weights, parts.v, alphas);
}

}  // namespace vecc::tools
