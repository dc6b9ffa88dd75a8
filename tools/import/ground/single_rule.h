// Rules with one body for each ground head: a rule neuron, its aggregation and its atom.
#pragma once

#include <cstdint>
#include <string>

#include "tools/import/ground/grounder.h"

namespace vecc::tools {

struct SingleRule {
  std::string head;  ///< "k1/1"
  std::string text;  ///< "k1(X) :- {64,64} h0(X)."
  bool weighted = false;
  NeuronFunction body = {};                ///< over the body's literals
  TransformationSpec transformation = {};  ///< of the atom
  bool weighted_atom = false;              ///< the rule has a weight, or the predicate an offset
};

[[nodiscard]] inline TransformationSpec transform(Transformation id) {
  TransformationSpec spec;
  spec.id = id;
  return spec;
}
[[nodiscard]] inline NeuronFunction combine(Combination combination,
                                            TransformationSpec transformation = {}) {
  NeuronFunction function;
  function.combination = combination;
  function.transformation = transformation;
  return function;
}
/// "k1/1 [activation=transp]"
[[nodiscard]] inline std::string atom_text(const std::string& head,
                                           const TransformationSpec& transformation) {
  return head + " [activation=" + text_of(transformation) + "]";
}

/// Reads what was aggregated, as it is.
struct PlainAtom {
  void operator()(std::uint64_t, FileId aggregation, NeuronRow& row) const {
    row.input(aggregation);
  }
};

/// The aggregations of `count` bodies; `describe(i, row)` gives the inputs of body i.
template <class Describe>
FileId ground_bodies(Grounder& out, const SingleRule& rule, std::uint64_t count,
                     Describe&& describe) {
  const FileId bodies = out.group({rule.weighted ? NeuronClass::WeightedRule : NeuronClass::Rule,
                                   rule.head,
                                   rule.text,
                                   rule.body,
                                   {}},
                                  count, describe);
  return out.group({NeuronClass::Aggregation, rule.head, rule.text, {}, {}}, count,
                   [&](std::uint64_t i, NeuronRow& row) { row.input(bodies + i); });
}

/// The same with an atom for each; `describe_atom(i, aggregation, row)` gives its inputs. Returns
/// the first atom.
template <class Describe, class DescribeAtom = PlainAtom>
FileId ground_single(Grounder& out, const SingleRule& rule, std::uint64_t count,
                     Describe&& describe, DescribeAtom&& describe_atom = {}) {
  const FileId aggregations = ground_bodies(out, rule, count, describe);
  const std::string text = atom_text(rule.head, rule.transformation);
  return out.group(
      {rule.weighted_atom ? NeuronClass::WeightedAtom : NeuronClass::Atom,
       rule.head,
       text,
       combine(Combination::Sum, rule.transformation),
       {}},
      count, [&](std::uint64_t i, NeuronRow& row) { describe_atom(i, aggregations + i, row); });
}

}  // namespace vecc::tools
