// A grounder of nested loops: every rule under every substitution of constants for its variables,
// until nothing new follows. Slow and obvious.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/ground/language/template.h"

namespace vecc::test {

/// `h(a, b)` of one example.
using GroundAtom = std::vector<std::string>;  // the predicate with its arity, then the constants

struct NaiveGrounding {
  std::set<GroundAtom> atoms;  ///< facts and what follows
  /// By rule: head and inputs of each different grounding.
  std::vector<std::set<std::pair<GroundAtom, std::vector<GroundAtom>>>> groundings;
};

/// `facts` of one example. Negated literals are of predicates that stand in an earlier `layer`:
/// by rule, ascending; rules of a layer are repeated until nothing new follows.
[[nodiscard]] NaiveGrounding ground_naively(const std::vector<tools::language::Rule>& rules,
                                            const std::vector<int>& layer,
                                            const std::vector<tools::language::Atom>& facts);

/// Neurons that the queries (ground) reach, by class: facts, rules, aggregations, atoms.
struct NaiveCounts {
  std::size_t facts = 0;
  std::size_t rules = 0;
  std::size_t aggregations = 0;
  std::size_t atoms = 0;
  std::size_t outputs = 0;

  bool operator==(const NaiveCounts&) const = default;
};
/// The network as text: each reached neuron by what it reads, sorted. Rules without inputs make
/// facts.
[[nodiscard]] std::multiset<std::string> naive_network(
    const NaiveGrounding& grounding, const std::vector<tools::language::Rule>& rules,
    const std::vector<GroundAtom>& queries);

}  // namespace vecc::test
