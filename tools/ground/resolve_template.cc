#include "tools/ground/resolve_template.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <utility>

#include "src/graph_io/error_list.h"
#include "tools/ground/language/function_calls.h"
#include "tools/ground/language/print.h"
#include "tools/import/load/load_errors.h"
#include "vecc/escape.h"

namespace vecc::tools::ground {

using namespace language;

namespace {

struct SpecialName {
  std::string_view name;
  Special special;
};
constexpr std::array kSpecials = {
    SpecialName{"alldiff", Special::AllDiff}, SpecialName{"in", Special::In},
    SpecialName{"true", Special::True},       SpecialName{"anypred", Special::True},
    SpecialName{"false", Special::False},     SpecialName{"eq", Special::Equal},
    SpecialName{"neq", Special::NotEqual},    SpecialName{"lt", Special::Less},
    SpecialName{"leq", Special::AtMost},      SpecialName{"gt", Special::Greater},
    SpecialName{"geq", Special::AtLeast},     SpecialName{"next", Special::Next},
    SpecialName{"add", Special::Sum},         SpecialName{"sub", Special::Difference},
    SpecialName{"mod", Special::Remainder},   SpecialName{"maxcard", Special::MaxCard},
};
// SQLite's: of tables in a join, of columns in a table, of arguments of a function.
constexpr std::size_t kMostLiterals = 60;
constexpr std::uint32_t kMostArguments = 1000;
constexpr std::size_t kMostSpecialArguments = 100;

NeuronFunction function_of(Combination combination, Transformation transformation) {
  NeuronFunction function;
  function.combination = combination;
  function.transformation.id = transformation;
  return function;
}

}  // namespace

struct ProgramBuilder {
  const Template& source;
  const FunctionDefaults& defaults;
  RuleProgram out;
  graph_io::ErrorList errors{kMaxLoadErrors};
  boost::unordered_flat_map<std::string, WeightIndex> of_weight_name;
  std::uint32_t weights_read = 0;  // NeuraLogic's counter: unnamed weights are called after it
  boost::unordered_flat_map<std::string, std::uint32_t> variable_of = {};  // of the rule
  std::vector<std::uint32_t> types_of_variables = {};                      // of the rule
  boost::unordered_flat_set<std::string> texts = {};

  void fail(ErrorCode code, const Position& at, std::string message) {
    if (errors.full()) return errors.omit();
    errors.add(code, out.place(at), std::move(message));
  }

  WeightIndex add_weight(std::string name, const Value& value, bool fixed) {
    WeightSpec spec{std::move(name), value.shape, !fixed, {}};
    if (value.has_values) spec.values = value.values;
    if (fixed && !value.has_values) spec.values.assign(value.shape.size(), 0.0);
    out.weights.push_back(std::move(spec));
    return static_cast<WeightIndex>(out.weights.size() - 1);
  }

  WeightIndex weight(const std::optional<Weight>& given) {
    if (!given) return kNoWeight;
    if (given->name.empty()) {
      return add_weight("w" + std::to_string(weights_read++), given->value, given->fixed);
    }
    const auto found = of_weight_name.find(given->name);
    if (found == of_weight_name.end()) {
      ++weights_read;
      const WeightIndex index = add_weight(given->name, given->value, given->fixed);
      of_weight_name.emplace(given->name, index);
      return index;
    }
    return found->second;
  }

  Argument argument(const Term& term) {
    if (!term.is_variable()) return {false, out.constants.add(term)};
    const std::string name = term.type.empty() ? term.text : term.type + ":" + term.text;
    const auto next = static_cast<std::uint32_t>(variable_of.size());
    const auto [entry, is_new] = variable_of.try_emplace(name, next);
    if (is_new) {
      types_of_variables.push_back(term.type.empty() ? ConstantTable::kNoType
                                                     : out.constants.add_type(term.type));
    }
    return {true, entry->second};
  }
  std::vector<Argument> arguments(const Atom& atom) {
    std::vector<Argument> list;
    for (const Term& term : atom.terms) list.push_back(argument(term));
    return list;
  }

  void resolve_special(const Atom& atom, Literal& literal) {
    const auto* const known = std::ranges::find(kSpecials, atom.predicate.name, &SpecialName::name);
    if (known == kSpecials.end()) {
      return fail(ErrorCode::BadTable, atom.at,
                  "vecc-ground does not do @" + escape_terminal(atom.predicate.name));
    }
    literal.special = known->special;
    if (atom.terms.size() > kMostSpecialArguments) {
      fail(ErrorCode::BadTable, atom.at,
           "found " + count_of(atom.terms.size(), "term") + ", expected at most " +
               std::to_string(kMostSpecialArguments));
    }
    if (literal.through) {
      fail(ErrorCode::BadTable, atom.at,
           "a special predicate has no function and no soft negation");
    }
  }

  PredicateIndex predicate(const Predicate& of, const Position& at) {
    if (of.arity > kMostArguments) {
      fail(ErrorCode::BadTable, at,
           "found " + count_of(of.arity, "term") + ", expected at most " +
               std::to_string(kMostArguments));
    }
    return out.predicate(of.name, of.arity);
  }

  Literal resolve_literal(const Atom& atom) {
    Literal literal;
    literal.at = atom.at;
    literal.arguments = arguments(atom);
    literal.weight = weight(atom.weight);
    literal.negated = atom.negation == Negation::Hard;
    literal.input = !atom.predicate.hidden && !atom.predicate.special && !literal.negated;
    if (atom.negation == Negation::Soft) {
      literal.through.emplace().spec.id = defaults.negation;
    }
    if (atom.function) {
      if (literal.through) {
        fail(ErrorCode::BadTable, atom.at, "a literal has a soft negation or a function, not both");
      }
      literal.through = *call_transformation(*atom.function);
    }
    if (atom.predicate.special) {
      resolve_special(atom, literal);
    } else {
      literal.predicate = predicate(atom.predicate, atom.at);
      out.predicates[literal.predicate].is_read = true;
    }
    return literal;
  }

  // Keys that are not here are of no use in NeuraLogic either; check_template() notes them.
  void resolve_function(const MetadataEntry& entry, NeuronFunction& function, Words& words) {
    const std::string& key = entry.key.text;
    if (key == "transformation" || key == "activation") {
      const CalledTransformation called = *call_transformation(entry.word);
      function.transformation = called.spec;
      words = called.words;
    } else if (key == "combination") {
      CalledCombination called = *call_combination(entry.word);
      function.combination = called.id;
      function.axis = called.axis;
      function.expr = std::move(called.expr);
    }
  }

  void resolve_aggregation(const MetadataEntry& entry, const Rule& source_rule, RuleSpec& rule) {
    const CalledAggregation called = *call_aggregation(entry.word);
    rule.aggregation.combination = called.id;
    rule.aggregation.axis = called.axis;
    const std::vector<Term>& terms = source_rule.head.terms;
    for (std::uint32_t k = 0; k < terms.size(); ++k) {
      if (terms[k].is_variable() &&
          std::ranges::find(called.over, terms[k].text) != called.over.end()) {
        rule.over.push_back(k);
      }
    }
  }

  // NeuraLogic keeps equal rules once. Unnamed weights are never equal.
  bool is_repeated(const Rule& rule, const std::string& text) {
    const auto unnamed = [](const std::optional<Weight>& w) { return w && w->name.empty(); };
    bool own = unnamed(rule.head.weight) || unnamed(rule.offset);
    for (const Atom& atom : rule.body) own |= unnamed(atom.weight);
    return !own && !texts.insert(text).second;
  }

  void resolve_rule(const Rule& source_rule) {
    variable_of.clear();
    types_of_variables.clear();
    RuleSpec rule;
    rule.at = source_rule.at;
    rule.text = text_of(source_rule);
    if (is_repeated(source_rule, rule.text)) return;
    rule.head = predicate(source_rule.head.predicate, source_rule.head.at);
    rule.head_arguments = arguments(source_rule.head);
    rule.weight = weight(source_rule.head.weight);
    for (const Atom& atom : source_rule.body) {
      rule.body.push_back(resolve_literal(atom));
      rule.weighted_body |= atom.weight.has_value();
    }
    rule.offset = weight(source_rule.offset);
    rule.weighted_body |= source_rule.offset.has_value();
    rule.body_function = function_of(defaults.rule_combination, defaults.rule);
    rule.aggregation = function_of(defaults.aggregation, Transformation::Identity);
    rule.of_several = rule.aggregation;
    for (const MetadataEntry& entry : source_rule.metadata) {
      resolve_function(entry, rule.body_function, rule.body_words);
      if (entry.key.text == "aggregation") resolve_aggregation(entry, source_rule, rule);
      if (entry.key.text == "duplicate_grounding") {
        rule.keeps_duplicates = entry.word.text == "true";
      }
    }
    rule.variables.resize(variable_of.size());
    for (const auto& [name, index] : variable_of) rule.variables[index] = name;
    rule.variable_types = types_of_variables;
    if (rule.body.size() > kMostLiterals) {
      fail(ErrorCode::BadTable, rule.at,
           "found " + count_of(rule.body.size(), "literal") + " in a body, expected at most " +
               std::to_string(kMostLiterals) + ": make two rules of it");
    }
    out.predicates[rule.head].rules.push_back(static_cast<RuleIndex>(out.rules.size()));
    out.rules.push_back(std::move(rule));
  }

  void resolve_fact(const Atom& atom) {
    TemplateFact fact{0, {}, weight(atom.weight), atom.at};
    fact.predicate = predicate(atom.predicate, atom.at);
    for (const Term& term : atom.terms) fact.arguments.push_back(out.constants.add(term));
    out.facts.push_back(std::move(fact));
  }

  void resolve_predicate_metadata(const PredicateMetadata& line) {
    PredicateSpec& of = out.predicates[predicate(line.predicate, line.at)];
    for (const MetadataEntry& entry : line.metadata) {
      resolve_function(entry, of.function, of.words);
      const std::string& key = entry.key.text;
      of.keeps_output |= key == "transformation" || key == "activation";
      if (key != "offset") continue;
      of.offset = entry.kind == MetadataEntry::Kind::Value
                      ? add_weight("metaOffset", entry.value, true)
                      : of_weight_name.at(entry.word.text);
    }
  }

  void order_weights() {
    std::vector<bool> seen(out.weights.size(), false);
    const auto add = [&](WeightIndex weight) {
      if (weight == kNoWeight || seen[weight]) return;
      seen[weight] = true;
      out.weight_order.push_back(weight);
    };
    for (const RuleSpec& rule : out.rules) {
      add(rule.weight);
      add(rule.offset);
      add(out.predicates[rule.head].offset);
      for (const Literal& literal : rule.body) add(literal.weight);
    }
    for (const TemplateFact& fact : out.facts) {
      if (fact.weight != kNoWeight && out.weights[fact.weight].learnable) add(fact.weight);
    }
    boost::unordered_flat_map<std::string, std::uint32_t> times;
    for (const WeightIndex weight : out.weight_order) {
      std::string& name = out.weights[weight].name;
      const std::uint32_t count = ++times[name];
      if (count > 1) name += " (" + std::to_string(count) + ")";
    }
  }

  void resolve() {
    out.files = source.files;
    out.atom_default_ = function_of(defaults.atom_combination, defaults.atom);
    for (const Rule& rule : source.rules) resolve_rule(rule);
    for (const Atom& fact : source.facts) resolve_fact(fact);
    for (const PredicateOffset& line : source.offsets) {
      const PredicateIndex index = predicate(line.predicate, line.at);
      out.predicates[index].offset = weight(line.weight);
    }
    for (const PredicateMetadata& line : source.predicates) resolve_predicate_metadata(line);
    order_weights();
  }
};

Result<RuleProgram> resolve_template(const Template& source, const FunctionDefaults& defaults) {
  ProgramBuilder builder{source, defaults, {}, graph_io::ErrorList{kMaxLoadErrors}, {}};
  builder.resolve();
  if (!builder.errors.empty()) return builder.errors.errors();
  return std::move(builder.out);
}

}  // namespace vecc::tools::ground
