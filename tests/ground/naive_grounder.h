// A grounder of nested loops: every rule under every substitution of constants for its variables,
// until nothing new follows. Slow and obvious.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/ground/language/template.h"

namespace vecc::test {

/// `h(a,b)`, and of a rule: `0: h(a) <- b(a), c(a,b)`: its number, head and inputs.
struct NaiveGrounding {
  std::set<std::string> facts;
  std::set<std::string> groundings;
  std::set<std::string> derived;  ///< heads of groundings
  /// Groundings of rules with softmax over some terms: the rule and the head without these terms.
  std::map<std::string, std::string> groups;
};

/// One example. `layers`: of each rule; a layer's rules are repeated until nothing new follows, and
/// negations are of atoms of earlier layers. Rules without inputs make facts.
[[nodiscard]] NaiveGrounding ground_naively(const std::vector<tools::language::Rule>& rules,
                                            const std::vector<int>& layers,
                                            const std::vector<tools::language::Atom>& facts);

/// Those of the groundings that the atoms need: of a group all, where they need one.
[[nodiscard]] std::set<std::string> reach_naively(const NaiveGrounding& grounding,
                                                  const std::vector<std::string>& queries);

[[nodiscard]] std::string grounding_text(std::size_t rule, const std::string& head,
                                         const std::vector<std::string>& inputs);

}  // namespace vecc::test
