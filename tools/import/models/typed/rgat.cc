// rgat: z_j = W_r x_j, y_i = W_r x_i; h_i = sum over all in-edges of softmax(s) z_j + b,
// s = leakyrelu( a_target,r y_i + a_source,r z_j ) (Busbridge et al. 2019).
#include "tools/import/models/typed/typed_attention.h"
#include "tools/import/models/typed/typed_models.h"

namespace vecc::tools {
namespace {

/// What all layers share.
struct RgatEdges {
  AttentionEdges all;
  RelationEnds ends;
};

/// z(r,X) for both ends of a relation's edges: z_j and y_i are the same function.
FileId ground_projections(const TypedTemplate& t, std::uint32_t layer, const TypedNodes& body,
                          const RelationEnds& ends) {
  const std::string name = "z" + std::to_string(layer);
  const std::uint32_t in = t.dim(layer - 1);
  const WeightId weights =
      t.relation_weights(layer_name(layer) + ".W", weight_shape(t.dim(layer), in));
  const SingleRule rule{.head = name + "/2",
                        .text = name + "(r,X) :- " + weight_text(t.dim(layer), in) + " " +
                                body.predicate + "(X), *end(r,X).",
                        .weighted = true};
  RelationCursor of_source(ends.source_begin);
  RelationCursor of_target(ends.target_begin);
  return ground_single(t.out(), rule, ends.count(), [&](std::uint64_t i, NeuronRow& row) {
    const std::uint32_t relation =
        i < ends.source_count ? of_source.at(i) : of_target.at(i - ends.source_count);
    row.input(body.of(ends.node[i]), weights + relation);
  });
}

FileId ground_scores(const TypedTemplate& t, std::uint32_t layer, const RgatEdges& e, FileId z) {
  const std::uint32_t heads = t.options().heads;
  const std::string number = std::to_string(layer);
  const std::string row_text = weight_text(1, t.dim(layer)) + " z" + number;
  const Shape shape = weight_shape(1, t.dim(layer));
  const bool shared = t.options().shared_attention;
  const auto make_weights = [&](const std::string& name) {
    const std::string full = layer_name(layer) + "." + name;
    return shared ? t.out().weights(full, shape, heads) : t.relation_head_weights(full, shape);
  };
  const WeightId a_target = make_weights("a_target");
  const WeightId a_source = make_weights("a_source");
  TransformationSpec leaky_relu = transform(Transformation::LeakyRelu);
  leaky_relu.slope = t.options().slope;
  const SingleRule rule{.head = head_predicate(t, "s" + number, 3),
                        .text = head_literal(t, "s" + number, "r,Y,X") + " :- " + row_text +
                                "(r,X), " + row_text + "(r,Y), *r(Y,X).",
                        .weighted = true,
                        .transformation = leaky_relu};
  HeadEdgeCursor cursor(t, e.all.edges);
  return ground_single(t.out(), rule, e.all.count() * heads, [&](std::uint64_t i, NeuronRow& row) {
    cursor.move(i);
    const WeightId weight = shared ? static_cast<WeightId>(cursor.head()) : cursor.weight();
    row.input(z + e.ends.of_target[cursor.edge()], a_target + weight);
    row.input(z + e.ends.of_source[cursor.edge()], a_source + weight);
  });
}

/// predicate(X) :- z(R,Y), alpha(R,Y,X).; the aggregations, one a node and head.
FileId ground_sums(const TypedTemplate& t, std::uint32_t layer, const std::string& predicate,
                   const RgatEdges& e, FileId z, FileId alphas) {
  const std::string number = std::to_string(layer);
  const std::string head = head_predicate(t, predicate, 1);
  const std::string text =
      head_literal(t, predicate, "X") + " :- " + head_literal(t, "z" + number, "R,Y") + ", " +
      head_literal(t, "alpha" + number, "R,Y,X") + ". [combination=product, aggregation=sum]";
  const std::uint32_t heads = t.options().heads;
  const std::uint64_t count = e.all.count();
  const std::uint64_t nodes = t.nodes();
  // Messages come from sources only, which are the first of the ends.
  const std::uint64_t sources = e.ends.source_count;
  const FileId parts =
      ground_head_parts(t, {layer, "z" + number, "r,Y", ", *source(r,Y)", false}, z, sources);
  const FileId rules =
      t.out().group({NeuronClass::Rule, head, text, combine(Combination::Product), {}},
                    count * heads, [&](std::uint64_t i, NeuronRow& row) {
                      row.input(parts + i / count * sources + e.ends.of_source[i % count]);
                      row.input(alphas + i);
                    });
  return t.out().group({NeuronClass::Aggregation, head, text, {}, value_shape(t.head_dim(layer))},
                       nodes * heads, [&](std::uint64_t i, NeuronRow& row) {
                         const std::uint64_t node = i % nodes;
                         for (std::uint32_t k = e.all.of_node.begin[node];
                              k < e.all.of_node.begin[node + 1]; ++k) {
                           row.input(rules + i / nodes * count + e.all.of_node.item[k]);
                         }
                       });
}

TypedNodes ground_rgat_layer(const TypedTemplate& t, std::uint32_t layer, const TypedNodes& body,
                             const RgatEdges& e) {
  const FileId z = ground_projections(t, layer, body, e.ends);
  const FileId scores = ground_scores(t, layer, e, z);
  const WeightId bias = t.options().bias.value_or(false)
                            ? t.out().weights(layer_name(layer) + ".b", value_shape(t.dim(layer)))
                            : kNoWeight;
  const FileId alphas = ground_softmax(t, layer, e.all, scores);
  const std::string predicate = t.rule_predicate(layer);
  FileId sums = 0;
  if (t.options().heads == 1) {
    sums = ground_sums(t, layer, predicate, e, z, alphas);
  } else {
    const std::string name = "m" + std::to_string(layer);
    const std::string head = name + "/2";
    const FileId parts = ground_sums(t, layer, name, e, z, alphas);
    const std::uint64_t count = std::uint64_t{t.nodes()} * t.options().heads;
    const FileId atoms =
        t.out().group({NeuronClass::Atom, head, atom_text(head, {}), {}, {}}, count,
                      [&](std::uint64_t i, NeuronRow& row) { row.input(parts + i); });
    sums = ground_concat(t, predicate, name, atoms);
  }
  return t.ground_value(layer, bias,
                        [&](std::uint32_t node, NeuronRow& row) { row.input(sums + node); });
}

}  // namespace

Result<void> ground_rgat(const TypedGraph& data, const TypedOptions& options, Grounder& out) {
  VECC_TRY(const TypedTemplate t, TypedTemplate::create(data, options, out));
  RgatEdges e;
  VECC_TRY(e.all, find_attention_edges(t));
  VECC_TRY(e.ends, find_ends(e.all.edges, data));
  TypedNodes nodes = t.ground_features();
  for (std::uint32_t layer = 1; layer <= t.layers(); ++layer) {
    nodes = ground_rgat_layer(t, layer, nodes, e);
  }
  return t.add_samples(nodes);
}

}  // namespace vecc::tools
