// The names that a template calls functions and special predicates by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vecc/function.h"

namespace vecc::tools::language {

/// NeuraLogic's name or vecc's, in any case: `tanh`, `sigm`, `transpose`, `layernorm`.
[[nodiscard]] std::optional<Transformation> transformation_of(std::string_view name);
[[nodiscard]] std::optional<Combination> combination_of(std::string_view name);
/// Whether NeuraLogic aggregates with it: elproduct, product, crosssum and cossim only combine.
[[nodiscard]] bool is_aggregation(Combination combination);

/// The names that the functions above know, for messages.
[[nodiscard]] std::span<const std::string> transformation_names();
[[nodiscard]] std::span<const std::string> combination_names();
[[nodiscard]] std::span<const std::string> aggregation_names();

/// A predicate behind `@`: computed from its arguments, not looked up.
struct SpecialPredicate {
  std::string_view name;
  std::uint32_t least_terms;
  std::uint32_t most_terms;
  std::string_view meaning;  ///< `terms are all different`
};
[[nodiscard]] std::span<const SpecialPredicate> special_predicates();
/// Null where there is none of this name.
[[nodiscard]] const SpecialPredicate* special_of(std::string_view name);

}  // namespace vecc::tools::language
