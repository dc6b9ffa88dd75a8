// hgt: attention with matrices by node type and by relation, and a gate that keeps part of the
// node's own value (Hu et al. 2020), as PyTorch Geometric's HGTConv computes it.
#include "tools/import/models/typed/hgt_attention.h"
#include "tools/import/models/typed/typed_models.h"

namespace vecc::tools {
namespace {

/// A table by node type, with the biases (or kNoWeight).
struct TypeWeights {
  WeightId matrix, bias;
};
struct Weights {
  TypeWeights k, q, v;
  HgtWeights attention;
  TypeWeights o;
  WeightId skip;  // kNoWeight: no gate
};

bool has_gate(const TypedTemplate& t, std::uint32_t layer) {
  return t.options().skip && t.dim(layer) == t.dim(layer - 1);
}

Weights make_weights(const TypedTemplate& t, std::uint32_t layer) {
  const std::string prefix = layer_name(layer) + ".";
  const std::uint32_t dim = t.dim(layer);
  const std::uint32_t head_dim = t.head_dim(layer);
  const bool has_bias = t.options().bias.value_or(true);
  const auto by_type = [&](const std::string& name, std::uint32_t in) {
    const WeightId matrix = t.type_weights(prefix + name, weight_shape(dim, in));
    return TypeWeights{
        matrix, has_bias ? t.type_weights(prefix + "b_" + name, value_shape(dim)) : kNoWeight};
  };
  const Shape head = weight_shape(head_dim, head_dim);
  Weights w{};
  w.k = by_type("K", t.dim(layer - 1));
  w.q = by_type("Q", t.dim(layer - 1));
  w.v = by_type("V", t.dim(layer - 1));
  w.attention.a = t.relation_head_weights(prefix + "A", head);
  w.attention.m = t.relation_head_weights(prefix + "M", head);
  w.attention.p = t.relation_head_weights(prefix + "p", Shape::scalar());
  const double scale = attention_scale(head_dim);
  w.attention.scale = t.out().fixed_weight(prefix + "scale", Shape::scalar(), {&scale, 1});
  w.o = by_type("O", dim);
  w.skip = has_gate(t, layer) ? t.type_weights(prefix + "skip", Shape::scalar()) : kNoWeight;
  return w;
}

/// A rule over a node's value with matrices and biases by node type.
struct TypeRule {
  std::string name;  // "k1"
  std::uint32_t dim, in;
  TypeWeights weights;
  Transformation transformation = Transformation::Identity;  // of the atom
};

/// name(X) :- {W_t} body(X), *t(X), {b_t}. for each node type.
SingleRule words_of(const TypeRule& rule, const std::string& body) {
  const std::string bias = rule.weights.bias == kNoWeight ? "" : ", " + weight_text(rule.dim, 1);
  return {.head = rule.name + "/1",
          .text = rule.name + "(X) :- " + weight_text(rule.dim, rule.in) + " " + body +
                  "(X), *t(X)" + bias + ".",
          .weighted = true,
          .transformation = transform(rule.transformation)};
}

void describe_body(const TypedTemplate& t, const TypeRule& rule, const TypedNodes& body,
                   std::uint64_t node, NeuronRow& row) {
  const std::uint32_t type = t.data().type_of(static_cast<std::uint32_t>(node));
  if (rule.weights.bias != kNoWeight) row.offset(rule.weights.bias + type);
  row.input(body.of(node), rule.weights.matrix + type);
}

FileId ground_by_type(const TypedTemplate& t, const TypeRule& rule, const TypedNodes& body) {
  return ground_single(
      t.out(), words_of(rule, body.predicate), t.nodes(),
      [&](std::uint64_t node, NeuronRow& row) { describe_body(t, rule, body, node, row); });
}

/// q, k and v of all nodes, and their heads' parts.
HgtParts ground_parts(const TypedTemplate& t, std::uint32_t layer, const Weights& w,
                      const TypedNodes& body) {
  const std::string number = std::to_string(layer);
  const auto ground = [&](const char* name, const TypeWeights& weights, bool row) {
    const TypeRule rule{name + number, t.dim(layer), t.dim(layer - 1), weights,
                        row ? Transformation::Transp : Transformation::Identity};
    const FileId values = ground_by_type(t, rule, body);
    return ground_head_parts(t, {layer, rule.name, "X", "", row}, values, t.nodes());
  };
  HgtParts parts{};
  parts.k = ground("k", w.k, false);
  parts.q = ground("q", w.q, true);
  parts.v = ground("v", w.v, false);
  return parts;
}

/// gelu of all heads' messages, one column a node.
TypedNodes ground_activated(const TypedTemplate& t, std::uint32_t layer, FileId messages) {
  const std::string number = std::to_string(layer);
  if (t.options().heads == 1) return {messages, "m" + number};
  const std::string name = "c" + number;
  const std::string head = name + "/1";
  const FileId columns = ground_concat(t, name, "m" + number, messages);
  const TransformationSpec gelu = transform(Transformation::Gelu);
  return {t.out().group(
              {NeuronClass::Atom, head, atom_text(head, gelu), combine(Combination::Sum, gelu), {}},
              t.nodes(), [&](std::uint64_t node, NeuronRow& row) { row.input(columns + node); }),
          name};
}

/// g_t = sigmoid(skip_t) of each node type, and 1 - g_t.
struct Gates {
  FileId kept, not_kept;
};
Gates ground_gates(const TypedTemplate& t, std::uint32_t layer, WeightId skip) {
  const std::string number = std::to_string(layer);
  const std::string head = "g" + number + "/1";
  const std::uint32_t types = t.node_types();
  const FileId facts = t.out().learnable_facts("skip" + number + "/1", skip, types);
  const SingleRule rule{.head = head,
                        .text = "g" + number + "(T) :- skip" + number + "(T).",
                        .transformation = transform(Transformation::Sigmoid)};
  const FileId gates = ground_single(
      t.out(), rule, types, [&](std::uint64_t type, NeuronRow& row) { row.input(facts + type); });
  const FileId negations =
      t.out().group({NeuronClass::Negation,
                     head,
                     "~g" + number + "(T)",
                     combine(Combination::Sum, transform(Transformation::Reverse)),
                     {}},
                    types, [&](std::uint64_t type, NeuronRow& row) { row.input(gates + type); });
  return {gates, negations};
}

/// h(X) :- gate(T), body(X), *type(X,T). with PRODUCT: the aggregations.
FileId ground_gated(const TypedTemplate& t, std::uint32_t layer, const std::string& gate_name,
                    FileId gates, const TypedNodes& body) {
  const std::string predicate = t.rule_predicate(layer);
  const SingleRule rule{.head = predicate + "/1",
                        .text = predicate + "(X) :- " + gate_name + std::to_string(layer) +
                                "(T), " + body.predicate + "(X), *type(X,T). [combination=product]",
                        .body = combine(Combination::Product)};
  return ground_bodies(t.out(), rule, t.nodes(), [&](std::uint64_t node, NeuronRow& row) {
    row.input(gates + t.data().type_of(static_cast<std::uint32_t>(node)));
    row.input(body.of(node));
  });
}

TypedNodes ground_hgt_layer(const TypedTemplate& t, std::uint32_t layer, const TypedNodes& body,
                            const HgtEdges& edges) {
  const Weights w = make_weights(t, layer);
  const HgtParts parts = ground_parts(t, layer, w, body);
  const FileId messages = ground_hgt_messages(t, layer, edges, w.attention, parts);
  const TypedNodes activated = ground_activated(t, layer, messages);
  const std::uint32_t dim = t.dim(layer);
  if (!has_gate(t, layer)) {
    const TypeRule rule{t.rule_predicate(layer), dim, dim, w.o};
    const FileId outputs = ground_bodies(
        t.out(), words_of(rule, activated.predicate), t.nodes(),
        [&](std::uint64_t node, NeuronRow& row) { describe_body(t, rule, activated, node, row); });
    return t.ground_value(layer, kNoWeight,
                          [&](std::uint32_t node, NeuronRow& row) { row.input(outputs + node); });
  }
  const std::string name = "o" + std::to_string(layer);
  const TypedNodes outputs{ground_by_type(t, {name, dim, dim, w.o}, activated), name};
  const Gates gates = ground_gates(t, layer, w.skip);
  const FileId updates = ground_gated(t, layer, "g", gates.kept, outputs);
  const FileId olds = ground_gated(t, layer, "~g", gates.not_kept, body);
  return t.ground_value(layer, kNoWeight, [&](std::uint32_t node, NeuronRow& row) {
    row.input(updates + node);
    row.input(olds + node);
  });
}

}  // namespace

Result<void> ground_hgt(const TypedGraph& data, const TypedOptions& options, Grounder& out) {
  VECC_TRY(const TypedTemplate t, TypedTemplate::create(data, options, out));
  for (std::uint32_t layer = 1; layer <= t.layers(); ++layer) {
    VECC_TRY_VOID(check_weight(t.dim(layer), t.dim(layer), out.limits()));  // O_t
  }
  HgtEdges edges;
  VECC_TRY(edges.all, find_attention_edges(t));
  edges.heads = find_heads(edges.all.edges);
  edges.heads_of_node = list_by_key(edges.heads.target, t.nodes());
  TypedNodes nodes = t.ground_features();
  for (std::uint32_t layer = 1; layer <= t.layers(); ++layer) {
    nodes = ground_hgt_layer(t, layer, nodes, edges);
  }
  return t.add_samples(nodes);
}

}  // namespace vecc::tools
