// The table of functions.def as data, and lookups by text name.
#include <algorithm>

#include "vecc/function.h"

namespace vecc {
namespace {

constexpr TransformationInfo kTransformations[] = {
#define VECC_TRANSFORMATION(enumerator, text, parameters, domain, origin, form, derivative, cost, \
                            doubt, fingerprint, ...)                                              \
  {Transformation::enumerator,     #text,                                                         \
   FunctionParameters::parameters, FunctionDomain::domain,                                        \
   FunctionOrigin::origin,         FunctionForm::form,                                            \
   FunctionDerivative::derivative, FunctionCost::cost,                                            \
   FunctionDoubt::doubt,           FunctionFingerprint::fingerprint},
#include "vecc/functions.def"
};

constexpr CombinationInfo kCombinations[] = {
#define VECC_COMBINATION(enumerator, text, origin, order, shapes, single, segment, derivative, \
                         doubt)                                                                \
  {Combination::enumerator,     #text,                                                         \
   FunctionOrigin::origin,      CombinationOrder::order,                                       \
   CombinationShapes::shapes,   CombinationSingle::single,                                     \
   CombinationSegment::segment, FunctionDerivative::derivative,                                \
   FunctionDoubt::doubt},
#include "vecc/functions.def"
};

}  // namespace

std::span<const TransformationInfo> transformations() {
  return kTransformations;
}

std::span<const CombinationInfo> combinations() {
  const auto* const of_programs =
      std::ranges::find(kCombinations, FunctionOrigin::Program, &CombinationInfo::origin);
  return {std::begin(kCombinations), of_programs};
}

std::span<const CombinationInfo> segment_combinations() {
  return kCombinations;
}

const TransformationInfo& info(Transformation t) {
  return kTransformations[static_cast<std::size_t>(t)];
}

const CombinationInfo& info(Combination c) {
  return kCombinations[static_cast<std::size_t>(c)];
}

std::optional<Transformation> parse_transformation(std::string_view text) {
  const auto* const found = std::ranges::find(kTransformations, text, &TransformationInfo::text);
  if (found == std::end(kTransformations)) return std::nullopt;
  return found->id;
}

std::optional<Combination> parse_combination(std::string_view text) {
  const auto found = std::ranges::find(combinations(), text, &CombinationInfo::text);
  if (found == combinations().end()) return std::nullopt;
  return found->id;
}

std::optional<Combination> parse_segment_combination(std::string_view text) {
  const auto* const found = std::ranges::find(kCombinations, text, &CombinationInfo::text);
  if (found == std::end(kCombinations)) return std::nullopt;
  return found->id;
}

std::uint32_t word_count(Transformation t) {
  switch (info(t).parameters) {
    case FunctionParameters::None:
    case FunctionParameters::Slope:
    case FunctionParameters::Target: return 0;
    case FunctionParameters::Index: return 1;
    case FunctionParameters::Bounds: return 4;
  }
  fail_check("known parameters", __FILE__, __LINE__, std::string(info(t).text));
}

}  // namespace vecc
