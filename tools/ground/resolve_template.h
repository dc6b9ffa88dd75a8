// What a template means: functions, weights and defaults decided, everything numbered.
#pragma once

#include "tools/ground/language/template.h"
#include "tools/ground/rule_program.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

/// What rules and predicates have that say nothing; NeuraLogic's own settings.
struct FunctionDefaults {
  Transformation rule = Transformation::Tanh;
  Transformation atom = Transformation::Tanh;
  Combination rule_combination = Combination::Sum;
  Combination atom_combination = Combination::Sum;
  Combination aggregation = Combination::Avg;
  Transformation negation = Transformation::Reverse;
};

/// Errors, with line and column: UnknownFunction, BadTable (a variable of the head that the body
/// does not bind; what vecc-ground does not do), ShapeMismatch (one name, two shapes).
[[nodiscard]] Result<RuleProgram> resolve_template(const language::Template& source,
                                                   const FunctionDefaults& defaults);

}  // namespace vecc::tools::ground
