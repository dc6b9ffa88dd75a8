// Rules whose heads are edges, `s(Y,X) :- ..., *edge(Y,X).`: one body each.
#pragma once

#include <string>

#include "tools/import/models/graph_sets/graph_set_template.h"

namespace vecc::tools {

/// An edge rule's words and functions.
struct EdgeRuleSpec {
  std::string name;                            ///< "s1"
  std::string body;                            ///< "{1,10} z1(X), {1,10} z1(Y)"
  Combination combination = Combination::Sum;  ///< of the body's literals
  TransformationSpec transformation;           ///< of the atom
};

/// Grounds edge by edge (`neighbours`' order) a rule neuron, its aggregation and the atom;
/// `describe(target, source, row)` gives the rule neuron's inputs. Returns the first atom.
template <class Describe>
FileId ground_edge_rule(Grounder& out, const Neighbours& neighbours, const EdgeRuleSpec& spec,
                        bool weighted, Describe&& describe) {
  const std::string head = spec.name + "/2";
  const std::string text = spec.name + "(Y,X) :- " + spec.body + ", *edge(Y,X).";
  const std::string atom_text = activation_text(head, spec.transformation);
  const std::uint64_t count = neighbours.source.size();
  NeuronFunction body;
  body.combination = spec.combination;
  NeuronFunction atom;
  atom.transformation = spec.transformation;
  std::uint32_t target = 0;
  const FileId rules =
      out.group({weighted ? NeuronClass::WeightedRule : NeuronClass::Rule, head, text, body, {}},
                count, [&](std::uint64_t e, NeuronRow& row) {
                  while (neighbours.begin[target + std::size_t{1}] <= e) ++target;
                  describe(target, e, row);
                });
  const FileId aggregations =
      out.group({NeuronClass::Aggregation, head, text, {}, {}}, count,
                [&](std::uint64_t e, NeuronRow& row) { row.input(rules + e); });
  return out.group({NeuronClass::Atom, head, atom_text, atom, {}}, count,
                   [&](std::uint64_t e, NeuronRow& row) { row.input(aggregations + e); });
}

/// name(X) :- body(Y), factor(Y,X): the product of a node's value and an edge's, summed over the
/// edges into X; `factors` is the first of the edges' atoms.
[[nodiscard]] NodeNeurons ground_weighted_sum(GraphSetTemplate& t, const RuleSpec& spec,
                                              const Neighbours& neighbours, const NodeNeurons& body,
                                              WeightId weight, FileId factors);

}  // namespace vecc::tools
