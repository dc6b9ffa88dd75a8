#include "tools/ground/language/functions.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace vecc::tools::language {
namespace {

// NeuraLogic's other names.
constexpr std::array kOtherNames = {
    std::pair<std::string_view, std::string_view>{"sigm", "sigmoid"},
    std::pair<std::string_view, std::string_view>{"transpose", "transp"},
    std::pair<std::string_view, std::string_view>{"layernorm", "norm"},
};

constexpr std::uint32_t kAnyNumber = 65'536;
constexpr std::array kSpecials = {
    SpecialPredicate{"alldiff", 0, kAnyNumber, "all terms are different"},
    SpecialPredicate{"in", 1, kAnyNumber, "the first term is one of the others"},
    SpecialPredicate{"maxcard", 1, kAnyNumber, "the other terms have at most so many values"},
    SpecialPredicate{"true", 0, kAnyNumber, "always"},
    SpecialPredicate{"anypred", 0, kAnyNumber, "always"},
    SpecialPredicate{"false", 0, kAnyNumber, "never"},
    SpecialPredicate{"eq", 2, 2, "equal"},
    SpecialPredicate{"neq", 2, 2, "not equal"},
    SpecialPredicate{"lt", 2, 2, "less"},
    SpecialPredicate{"leq", 2, 2, "less or equal"},
    SpecialPredicate{"gt", 2, 2, "greater"},
    SpecialPredicate{"geq", 2, 2, "greater or equal"},
    SpecialPredicate{"next", 2, 2, "the second is the first and 1"},
    SpecialPredicate{"add", 3, 3, "the third is the sum"},
    SpecialPredicate{"sub", 3, 3, "the third is the difference"},
    SpecialPredicate{"mod", 3, 3, "the third is the remainder"},
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string own_name(std::string_view name) {
  std::string own = lower(name);
  for (const auto& [other, ours] : kOtherNames) {
    if (own == other) return std::string(ours);
  }
  return own;
}

bool has_name(const TransformationInfo& function) {
  return function.origin != FunctionOrigin::Program && function.id != Transformation::AtIndex;
}

}  // namespace

std::optional<Transformation> transformation_of(std::string_view name) {
  const std::optional<Transformation> found = parse_transformation(own_name(name));
  if (!found || !has_name(info(*found))) return std::nullopt;
  return found;
}

std::optional<Combination> combination_of(std::string_view name) {
  const std::optional<Combination> found = parse_combination(lower(name));
  if (!found || *found == Combination::FunctionGraph) return std::nullopt;
  return found;
}

bool is_aggregation(Combination combination) {
  constexpr std::array kAggregations = {
      Combination::Sum,   Combination::Avg,    Combination::Max,     Combination::Min,
      Combination::Count, Combination::Concat, Combination::Softmax, Combination::Sparsemax};
  return std::ranges::find(kAggregations, combination) != kAggregations.end();
}

std::span<const std::string> transformation_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const TransformationInfo& function : transformations()) {
      if (has_name(function)) all.emplace_back(function.text);
    }
    for (const auto& [other, ours] : kOtherNames) all.emplace_back(other);
    return all;
  }();
  return names;
}

std::span<const std::string> combination_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const CombinationInfo& function : combinations()) {
      if (combination_of(function.text)) all.emplace_back(function.text);
    }
    return all;
  }();
  return names;
}

std::span<const std::string> aggregation_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const CombinationInfo& function : combinations()) {
      if (is_aggregation(function.id)) all.emplace_back(function.text);
    }
    return all;
  }();
  return names;
}

std::span<const SpecialPredicate> special_predicates() {
  return kSpecials;
}

const SpecialPredicate* special_of(std::string_view name) {
  const auto* const found = std::ranges::find(kSpecials, name, &SpecialPredicate::name);
  return found == kSpecials.end() ? nullptr : found;
}

}  // namespace vecc::tools::language
