// What a template calls: functions with the parameters behind their names.
//
//   tanh, leakyrelu(0.2), slice(1:3, 0:), reshape(2x3)     transformations
//   sum, concat(axis=0), elproduct(sum($0, $1), $2)        combinations; $0 is a rule's first input
//   avg, concat(axis=0), softmax(J)                        aggregations
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/ground/language/template.h"
#include "vecc/error.h"
#include "vecc/function.h"

namespace vecc::tools::language {

struct CalledTransformation {
  TransformationSpec spec;
  Words words{};  ///< word_count() of them: of all neurons with this function
};

struct CalledCombination {
  Combination id = Combination::Sum;
  int axis = -1;                     ///< Concat
  std::shared_ptr<const Expr> expr;  ///< FunctionGraph: a formula over the inputs
};

struct CalledAggregation {
  Combination id = Combination::Avg;
  int axis = -1;                  ///< Concat
  std::vector<std::string> over;  ///< Softmax: variables of the head, one value for each of theirs
};

/// Errors without a place: UnknownFunction (the name; with the one that was meant), ParameterRange
/// and ProgramSyntax (what stands behind it).
[[nodiscard]] Result<CalledTransformation> call_transformation(const FunctionCall& call);
[[nodiscard]] Result<CalledCombination> call_combination(const FunctionCall& call);
[[nodiscard]] Result<CalledAggregation> call_aggregation(const FunctionCall& call);

}  // namespace vecc::tools::language
