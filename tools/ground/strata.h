// The order in which predicates are derived: those that a rule reads before its head.
#pragma once

#include <vector>

#include "tools/ground/rule_program.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

/// Predicates that derive each other: one, or several by recursion.
struct Stratum {
  std::vector<PredicateIndex> predicates;
  std::vector<RuleIndex> rules;  ///< in the template's order
  bool is_recursive = false;
};

/// Error BadTable, with the literal's place: a hard negation that the atom itself depends on.
[[nodiscard]] Result<std::vector<Stratum>> order_strata(const RuleProgram& program);

}  // namespace vecc::tools::ground
