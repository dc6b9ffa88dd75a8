// Shapes of predicates from those of facts and weights. Private to this folder.
#pragma once

#include "tools/ground/language/check.h"
#include "tools/ground/language/check_list.h"

namespace vecc::tools::language {

/// Adds an error where the neurons of a rule or an atom cannot be computed whatever the grounding.
/// Nothing is said of what several shapes are possible for.
void check_shapes(const Template& parsed, const FunctionDefaults& defaults,
                  const DataPredicates& data, CheckList& list);

}  // namespace vecc::tools::language
