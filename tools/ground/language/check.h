// What is wrong with a template that parses, before any grounding: unknown functions and metadata
// (with the name that was meant), unsafe rules, shapes that do not fit. And what NeuraLogic, and so
// vecc, reads and does not use: notes, a whole line each (`t.txt: line 3, column 14: note: ...`).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ground/language/template.h"
#include "vecc/error.h"
#include "vecc/function.h"
#include "vecc/shape.h"

namespace vecc::tools::language {

using Notes = std::vector<std::string>;

/// What rules and predicates do that say nothing; NeuraLogic's own settings.
struct FunctionDefaults {
  Transformation rule = Transformation::Tanh;
  Combination rule_combination = Combination::Sum;
  Combination aggregation = Combination::Avg;
  Transformation atom = Transformation::Tanh;
  Combination atom_combination = Combination::Sum;
  Transformation negation = Transformation::Reverse;
};

/// A template by itself. Errors, in the order of the text: UnknownFunction; BadTable (a metadata
/// key, a value that is no function's name, an unknown special predicate, a variable of the head or
/// of a literal that binds nothing which is in no literal that binds, a fact with variables, marks
/// that a head or fact cannot have); ShapeMismatch (one weight, two shapes).
[[nodiscard]] Result<Notes> check_template(const Template& parsed);

/// What the examples and queries have: predicates, and the shapes of their values.
class DataPredicates {
 public:
  void add_fact(const Atom& fact);
  void add_query(const Atom& query);
  /// The rules of an example; where there are some, the template's shapes are not checked.
  void add_rules(const Example& example) { has_rules_ |= !example.rules.empty(); }

  struct Facts {
    std::string name;
    std::uint32_t arity = 0;
    std::optional<Shape> shape;  ///< none: several
  };
  [[nodiscard]] const std::vector<Facts>& facts() const { return facts_; }
  /// `predict/1`
  [[nodiscard]] const std::vector<std::string>& queries() const { return queries_; }
  [[nodiscard]] bool has_rules() const { return has_rules_; }

 private:
  boost::unordered_flat_map<std::string, std::size_t> of_name_;  // `bond/3`
  std::vector<Facts> facts_;
  std::vector<std::string> queries_;
  std::string key_;
  bool has_rules_ = false;
};

/// A template over data. Errors: ShapeMismatch, FunctionDomain, ... where the shapes of facts and
/// weights say that a rule's neurons cannot be computed. Notes: predicates of bodies that nothing
/// makes, rules that no query reaches.
[[nodiscard]] Result<Notes> check_data(const Template& parsed, const FunctionDefaults& defaults,
                                       const DataPredicates& data);

}  // namespace vecc::tools::language
