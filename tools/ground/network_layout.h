// Which neurons there are, and their ids in the file.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/ground/write_network.h"

namespace vecc::tools::ground {

/// Neurons of one class and predicate with one function: consecutive ids.
template <class Member>
struct Block {
  NeuronFunction function;
  std::vector<Member> members;
  FileId first = 0;
  std::uint64_t count = 0;
};

/// Facts of one kind: constants of one shape, or learnable ones.
struct FactBlock {
  bool learnable = false;
  Shape shape;
  std::vector<AtomIndex> atoms;
};

/// A literal with a function between atom and rule.
struct ThroughLiteral {
  RuleIndex rule = 0;
  std::uint32_t input = 0;  ///< of the rule's inputs
  Words words{};            ///< of its function
};

struct PredicateLayout {
  std::vector<FactBlock> facts;
  /// [0] plain, [1] weighted: a class of neurons each.
  std::vector<Block<RuleIndex>> rules[2];
  std::vector<Block<RuleIndex>> aggregations;
  // Of rules with `over`: several groundings of one head; a softmax a group; its value for a head.
  std::vector<Block<RuleIndex>> several;
  std::vector<Block<RuleIndex>> softmaxes;
  std::vector<Block<RuleIndex>> entries;
  std::vector<Block<AtomIndex>> atoms[2];
  std::vector<Block<ThroughLiteral>> negations;  ///< that read this predicate
};

struct NetworkLayout {
  std::vector<PredicateLayout> predicates;
  std::vector<PredicateIndex> order;          ///< of the file
  std::vector<std::vector<FileId>> atom_ids;  ///< by predicate and atom
  std::vector<FileId> rule_ids;               ///< by rule: of its first neuron
  /// By rule: of the first neuron that atoms read, an aggregation or an entry of a softmax.
  std::vector<FileId> aggregation_ids;
  std::vector<FileId> several_ids;  ///< by rule: of its first neuron
  std::vector<FileId> softmax_ids;  ///< by rule: of its first neuron
  std::vector<std::vector<FileId>>
      through_ids;  ///< by rule and input: of its first neuron, or none

  static constexpr FileId kNone = ~FileId{0};
};

/// Neuron k of a rule is grounding reached.of_head[rule].groundings[k]; its aggregations are those
/// of the heads that have one, ascending.
[[nodiscard]] NetworkLayout lay_out(const GroundNetwork& network);

/// Whether an atom reads a neuron that the rule has for it.
[[nodiscard]] bool is_read(const GroundNetwork& network, RuleIndex rule, AtomIndex head);
/// Whether the groundings of a head are one input of a softmax.
[[nodiscard]] bool has_several(const GroundNetwork& network, RuleIndex rule, AtomIndex head);

}  // namespace vecc::tools::ground
