#include "tools/import/models/typed/typed_attention.h"

#include <algorithm>
#include <utility>

namespace vecc::tools {

Result<AttentionEdges> find_attention_edges(const TypedTemplate& t) {
  AttentionEdges all;
  VECC_TRY(all.edges, sort_edges(t.data(), t.options().inverse));
  all.of_node = list_by_key(all.edges.target, t.nodes());
  all.row.resize(t.nodes());
  for (std::uint32_t node = 0; node < t.nodes(); ++node) {
    all.row[node] = all.targets;
    if (!all.of_node.is_empty(node)) ++all.targets;
  }
  return all;
}

std::string head_literal(const TypedTemplate& t, const std::string& name,
                         const std::string& arguments) {
  return name + (t.options().heads > 1 ? "(h," : "(") + arguments + ")";
}

std::string head_predicate(const TypedTemplate& t, const std::string& name,
                           std::uint32_t arguments) {
  return name + "/" + std::to_string(arguments + (t.options().heads > 1 ? 1 : 0));
}

FileId ground_head_parts(const TypedTemplate& t, const HeadParts& parts, FileId values,
                         std::uint64_t count) {
  const std::uint32_t heads = t.options().heads;
  if (heads == 1) return values;
  // A part of one entry is a scalar, as computed values of one dimension are; a slice would make a
  // 1x1 matrix of it.
  const std::uint32_t size = t.head_dim(parts.layer);
  const TransformationSpec part =
      transform(size == 1 ? Transformation::AtIndex : Transformation::Slice);
  const auto argument_count = static_cast<std::uint32_t>(
      std::count(parts.arguments.begin(), parts.arguments.end(), ',') + 1);
  const SingleRule rule{.head = head_predicate(t, parts.name, argument_count),
                        .text = head_literal(t, parts.name, parts.arguments) + " :- " + parts.name +
                                "(" + parts.arguments + ")" + parts.constraint + ".",
                        .transformation = part};
  return ground_single(
      t.out(), rule, count * heads,
      [&](std::uint64_t i, NeuronRow& row) { row.input(values + i % count); },
      [&](std::uint64_t i, FileId aggregation, NeuronRow& row) {
        row.input(aggregation);
        const auto begin = static_cast<std::uint32_t>(i / count) * size;
        if (size == 1) {
          row.word(begin);
          return;
        }
        const Words columns{begin, begin + size, 0, kToEnd};
        const Words rows_of{0, kToEnd, begin, begin + size};
        for (const std::uint32_t word : parts.rows ? rows_of : columns) row.word(word);
      });
}

FileId ground_softmax(const TypedTemplate& t, std::uint32_t layer, const AttentionEdges& all,
                      FileId scores) {
  const std::string number = std::to_string(layer);
  const std::string head = head_predicate(t, "alpha" + number, 3);
  const std::string text = head_literal(t, "alpha" + number, "R,Y,X") + " :- " +
                           head_literal(t, "s" + number, "R,Y,X") +
                           ". [aggregation=softmax(agg_terms=[R,Y])]";
  const std::uint64_t heads = t.options().heads;
  const std::uint64_t count = all.count() * heads;
  const FileId rules =
      t.out().group({NeuronClass::Rule, head, text, {}, {}}, count,
                    [&](std::uint64_t i, NeuronRow& row) { row.input(scores + i); });
  std::uint32_t node = 0;
  std::uint64_t begin = 0;  // the head's first rule
  const FileId vectors = t.out().group(
      {NeuronClass::SplittableAggregation, head, text, combine(Combination::Softmax), {}},
      all.targets * heads, [&](std::uint64_t i, NeuronRow& row) {
        if (i % all.targets == 0) {
          node = 0;
          begin = rules + i / all.targets * all.count();
        }
        while (all.of_node.is_empty(node)) ++node;
        const std::uint32_t end = all.of_node.begin[node + std::size_t{1}];
        for (std::uint32_t k = all.of_node.begin[node]; k < end; ++k) {
          row.input(begin + all.of_node.item[k]);
        }
        ++node;
      });
  // A node's edges stand in its vector in their order, so an edge's place is how many came before.
  std::vector<std::uint32_t> next;
  return t.out().group({NeuronClass::Atom,
                        head,
                        atom_text(head, {}),
                        combine(Combination::Sum, transform(Transformation::AtIndex)),
                        {}},
                       count, [&](std::uint64_t i, NeuronRow& row) {
                         const std::uint64_t h = i / all.count();
                         const std::uint64_t e = i % all.count();
                         if (e == 0) next.assign(t.nodes(), 0);
                         const std::uint32_t target = all.edges.target[e];
                         row.input(vectors + h * all.targets + all.row[target]);
                         row.word(next[target]++);
                       });
}

FileId ground_concat(const TypedTemplate& t, const std::string& predicate, const std::string& name,
                     FileId parts) {
  const std::uint32_t heads = t.options().heads;
  const std::uint64_t nodes = t.nodes();
  const SingleRule rule{.head = predicate + "/1",
                        .text = predicate + "(X) :- " + name + "(0,X), " +
                                (heads > 2 ? "..., " : "") + name + "(" +
                                std::to_string(heads - 1) + ",X). [combination=concat]",
                        .body = combine(Combination::Concat)};
  return ground_bodies(t.out(), rule, nodes, [&](std::uint64_t node, NeuronRow& row) {
    for (std::uint32_t h = 0; h < heads; ++h) row.input(parts + h * nodes + node);
  });
}

}  // namespace vecc::tools
