// A template as numbers: predicates, variables, constants and weights are indices, every function
// is decided. What the grounding and the network are made from.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ground/constant_table.h"
#include "tools/ground/language/function_calls.h"
#include "tools/ground/language/template.h"
#include "vecc/function.h"
#include "vecc/neuron_graph.h"
#include "vecc/shape.h"

namespace vecc::tools::ground {

using PredicateIndex = std::uint32_t;
using RuleIndex = std::uint32_t;
/// Of RuleProgram::weights; kNoWeight: the unit weight, or no offset.
using WeightIndex = std::uint32_t;

/// A variable of the rule or a constant.
struct Argument {
  bool is_variable = false;
  std::uint32_t index = 0;

  bool operator==(const Argument&) const = default;
};

/// Literals that are computed, not looked up.
enum class Special : std::uint8_t {
  None,
  AllDiff,  ///< no two arguments are equal
  In,       ///< the first is one of the others
  True,
  False,
  Equal,
  NotEqual,
  Less,
  AtMost,
  Greater,
  AtLeast,
  Next,        ///< the second is the first + 1
  Sum,         ///< the third is the first + the second
  Difference,  ///< the third is the first - the second
  Remainder,   ///< the third is what is left of the first after division by the second
  MaxCard,     ///< as many different ones behind the first as it says, or fewer
};

struct Literal {
  PredicateIndex predicate = 0;  ///< not of a special one
  Special special = Special::None;
  bool negated = false;  ///< `!`: holds where the atom does not
  bool input = false;    ///< of the neuron: neither hidden, special nor negated
  /// `~`, or a literal's own function: a neuron between the atom and the rule.
  std::optional<language::CalledTransformation> through = {};
  WeightIndex weight = kNoWeight;
  std::vector<Argument> arguments;
  language::Position at;
};

struct RuleSpec {
  PredicateIndex head = 0;
  std::vector<Argument> head_arguments;
  WeightIndex weight = kNoWeight;
  WeightIndex offset = kNoWeight;
  bool weighted_body = false;  ///< a literal has a weight, or the rule an offset
  std::vector<Literal> body;
  std::vector<std::string> variables;
  std::vector<std::uint32_t> variable_types;  ///< of ConstantTable: only constants of it fit
  NeuronFunction body_function;
  Words body_words{};  ///< of its transformation
  NeuronFunction aggregation;
  /// Arguments of the head: the aggregation makes a value for each head, of all heads that differ
  /// in these alone. Empty: one value of one head's groundings.
  std::vector<std::uint32_t> over;
  NeuronFunction of_several;  ///< where `over` says something: of one head's groundings
  /// A grounding that was found several times, with other hidden literals, counts as often.
  bool keeps_duplicates = false;
  std::string text;
  language::Position at;

  /// How many inputs a rule neuron has.
  [[nodiscard]] std::size_t input_count() const;
};

struct PredicateSpec {
  std::string name;
  std::uint32_t arity = 0;
  WeightIndex offset = kNoWeight;
  NeuronFunction function;       ///< of the atoms
  Words words{};                 ///< of its transformation
  bool keeps_output = false;     ///< the template says the function: an output neuron keeps it
  std::vector<RuleIndex> rules;  ///< with this head
  bool is_read = false;          ///< in a rule's body

  /// `bond/3`
  [[nodiscard]] std::string text() const { return name + "/" + std::to_string(arity); }
};

struct WeightSpec {
  std::string name;
  Shape shape;
  bool learnable = true;
  std::vector<double> values;  ///< empty: to be initialised
};

/// A fact of the template: every example has it.
struct TemplateFact {
  PredicateIndex predicate = 0;
  std::vector<Constant> arguments;
  WeightIndex weight = kNoWeight;
  language::Position at;
};

struct RuleProgram {
  std::vector<std::string> files;  ///< of positions; escaped
  std::vector<PredicateSpec> predicates;
  std::vector<RuleSpec> rules;
  std::vector<WeightSpec> weights;
  std::vector<WeightIndex> weight_order;  ///< of the file: NeuraLogic's order of its model
  std::vector<TemplateFact> facts;
  ConstantTable constants;

  PredicateIndex predicate(std::string_view name, std::uint32_t arity);
  /// `t.txt: line 3, column 14`
  [[nodiscard]] std::string place(const language::Position& at) const;
  /// `bond(c1, c2)`
  [[nodiscard]] std::string atom_text(PredicateIndex predicate,
                                      std::span<const Constant> arguments) const;

 private:
  boost::unordered_flat_map<std::string, PredicateIndex> of_name_;
  NeuronFunction atom_default_;
  friend struct ProgramBuilder;
};

}  // namespace vecc::tools::ground
