#include "tools/ground/rule_program.h"

#include <algorithm>

namespace vecc::tools::ground {

std::size_t RuleSpec::input_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(body, &Literal::input));
}

PredicateIndex RuleProgram::predicate(std::string_view name, std::uint32_t arity) {
  std::string key = std::string(name) + "/" + std::to_string(arity);
  const auto [entry, is_new] =
      of_name_.try_emplace(std::move(key), static_cast<PredicateIndex>(predicates.size()));
  if (is_new) {
    predicates.push_back(
        {std::string(name), arity, kNoWeight, atom_default_, {}, false, {}, false});
  }
  return entry->second;
}

std::string RuleProgram::place(const language::Position& at) const {
  const std::string& file = files.at(at.file);
  return file + ": line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
}

std::string RuleProgram::atom_text(PredicateIndex predicate,
                                   std::span<const Constant> arguments) const {
  std::string out = predicates[predicate].name;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    out += i == 0 ? "(" : ", ";
    out += constants.text(arguments[i]);
  }
  return arguments.empty() ? out : out + ")";
}

}  // namespace vecc::tools::ground
