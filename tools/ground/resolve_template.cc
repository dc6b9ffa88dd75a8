#include "tools/ground/resolve_template.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <utility>

#include "src/import/error_list.h"
#include "tools/ground/language/print.h"
#include "tools/import/load/load_errors.h"
#include "vecc/escape.h"

namespace vecc::tools::ground {

using namespace language;

namespace {

struct SpecialName {
  std::string_view name;
  Special special;
  std::uint32_t least;  // arguments
  std::uint32_t most;
};
constexpr std::uint32_t kAnyNumber = 1 << 16;
constexpr std::array kSpecials = {
    SpecialName{"alldiff", Special::AllDiff, 0, kAnyNumber},
    SpecialName{"in", Special::In, 1, kAnyNumber},
    SpecialName{"true", Special::True, 0, kAnyNumber},
    SpecialName{"false", Special::False, 0, kAnyNumber},
    SpecialName{"eq", Special::Equal, 2, 2},
    SpecialName{"neq", Special::NotEqual, 2, 2},
    SpecialName{"lt", Special::Less, 2, 2},
    SpecialName{"leq", Special::AtMost, 2, 2},
    SpecialName{"gt", Special::Greater, 2, 2},
    SpecialName{"geq", Special::AtLeast, 2, 2},
    SpecialName{"next", Special::Next, 2, 2},
};

// NeuraLogic's other names of functions.
std::string_view own_name(std::string_view name) {
  if (name == "sigm") return "sigmoid";
  if (name == "transpose") return "transp";
  if (name == "layernorm") return "norm";
  return name;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Those that take nothing beside the value: a template has no way to say more.
std::optional<TransformationSpec> transformation_of(std::string_view name) {
  const auto found = parse_transformation(own_name(lower(name)));
  if (!found || info(*found).origin == FunctionOrigin::Program) return std::nullopt;
  const FunctionParameters parameters = info(*found).parameters;
  if (parameters != FunctionParameters::None && parameters != FunctionParameters::Slope) {
    return std::nullopt;
  }
  TransformationSpec spec;
  spec.id = *found;
  return spec;
}

std::optional<Combination> combination_of(std::string_view name) {
  const auto found = parse_combination(lower(name));
  if (!found || *found == Combination::FunctionGraph) return std::nullopt;
  return found;
}

NeuronFunction function_of(Combination combination, Transformation transformation) {
  NeuronFunction function;
  function.combination = combination;
  function.transformation.id = transformation;
  return function;
}

bool binds(const Literal& literal) {
  return literal.special == Special::None && !literal.negated;
}

}  // namespace

struct ProgramBuilder {
  const Template& source;
  const FunctionDefaults& defaults;
  RuleProgram out;
  ErrorList errors{kMaxLoadErrors};
  boost::unordered_flat_map<std::string, WeightIndex> of_weight_name;
  std::uint32_t weights_read = 0;  // NeuraLogic's counter: unnamed weights are called after it
  boost::unordered_flat_map<std::string, std::uint32_t> variable_of = {};  // of the rule
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
    const Shape known = out.weights[found->second].shape;
    if (known != given->value.shape) {
      fail(ErrorCode::ShapeMismatch, given->at,
           "weight $" + escape_terminal(given->name) + " is " + given->value.shape.text() +
               " here and " + known.text() + " before");
    }
    return found->second;
  }

  Argument argument(const Term& term) {
    if (!term.is_variable()) return {false, out.constants.add(term)};
    const std::string name = term.type.empty() ? term.text : term.type + ":" + term.text;
    const auto next = static_cast<std::uint32_t>(variable_of.size());
    return {true, variable_of.try_emplace(name, next).first->second};
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
                  "vecc-ground has no special predicate @" + escape_terminal(atom.predicate.name));
    }
    literal.special = known->special;
    if (atom.terms.size() < known->least || atom.terms.size() > known->most) {
      fail(ErrorCode::BadTable, atom.at,
           "found " + count_of(atom.terms.size(), "term") + ", expected " +
               std::to_string(known->least) + (known->most == known->least ? "" : " or more"));
    }
    if (literal.through) {
      fail(ErrorCode::BadTable, atom.at,
           "a special predicate has no function and no soft negation");
    }
  }

  Literal resolve_literal(const Atom& atom) {
    Literal literal;
    literal.at = atom.at;
    literal.arguments = arguments(atom);
    literal.weight = weight(atom.weight);
    literal.negated = atom.negation == Negation::Hard;
    literal.input = !atom.predicate.hidden && !atom.predicate.special && !literal.negated;
    if (atom.negation == Negation::Soft) {
      literal.through = function_of(Combination::Sum, defaults.negation).transformation;
    }
    if (atom.function) {
      if (literal.through) {
        fail(ErrorCode::BadTable, atom.at, "a literal has a soft negation or a function, not both");
      }
      literal.through = transformation_of(atom.function->text);
      if (!literal.through) unknown_function(*atom.function, "transformation");
    }
    if (atom.predicate.special) {
      resolve_special(atom, literal);
    } else {
      literal.predicate = out.predicate(atom.predicate.name, atom.predicate.arity);
      out.predicates[literal.predicate].is_read = true;
    }
    return literal;
  }

  void unknown_function(const Word& word, std::string_view kind) {
    fail(ErrorCode::UnknownFunction, word.at,
         "a template has no " + std::string(kind) + " " + quote(word.text));
  }
  bool is_word(const MetadataEntry& entry) {
    if (entry.kind == MetadataEntry::Kind::Word) return true;
    fail(ErrorCode::BadTable, entry.key.at, "found no name of a function after the =");
    return false;
  }
  void set_transformation(const MetadataEntry& entry, NeuronFunction& function) {
    if (!is_word(entry)) return;
    if (const auto found = transformation_of(entry.word.text)) {
      function.transformation = *found;
    } else {
      unknown_function(entry.word, "transformation");
    }
  }
  void set_combination(const MetadataEntry& entry, NeuronFunction& function) {
    if (!is_word(entry)) return;
    if (const auto found = combination_of(entry.word.text)) {
      function.combination = *found;
    } else {
      unknown_function(entry.word, "combination");
    }
  }
  void unknown_key(const MetadataEntry& entry, std::string_view expected) {
    fail(ErrorCode::BadTable, entry.key.at, found_expected(entry.key.text, expected));
  }

  void resolve_rule_metadata(const Metadata& metadata, RuleSpec& rule) {
    for (const MetadataEntry& entry : metadata) {
      const std::string& key = entry.key.text;
      if (key == "transformation" || key == "activation") {
        set_transformation(entry, rule.body_function);
      } else if (key == "combination") {
        set_combination(entry, rule.body_function);
      } else if (key == "aggregation") {
        set_combination(entry, rule.aggregation);
      } else {
        unknown_key(entry, "transformation (activation), combination or aggregation");
      }
    }
  }

  void check_bound(const RuleSpec& rule, const Rule& source_rule) {
    std::vector<bool> bound(rule.variables.size(), false);
    for (const Literal& literal : rule.body) {
      if (!binds(literal)) continue;
      for (const Argument a : literal.arguments) {
        if (a.is_variable) bound[a.index] = true;
      }
    }
    const auto check = [&](const std::vector<Argument>& list, const Position& at) {
      for (const Argument a : list) {
        if (!a.is_variable || bound[a.index]) continue;
        fail(ErrorCode::BadTable, at,
             "variable " + quote(rule.variables[a.index]) +
                 " is in no literal of the body that could bind it: not special, not negated");
      }
    };
    check(rule.head_arguments, source_rule.head.at);
    for (const Literal& literal : rule.body) {
      if (!binds(literal)) check(literal.arguments, literal.at);
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
    RuleSpec rule;
    rule.at = source_rule.at;
    rule.text = text_of(source_rule);
    if (is_repeated(source_rule, rule.text)) return;
    const Predicate& head = source_rule.head.predicate;
    if (head.special || source_rule.head.negation != Negation::None || source_rule.head.function) {
      fail(ErrorCode::BadTable, source_rule.head.at,
           "a rule's head is neither special nor negated, and has no function");
    }
    rule.head = out.predicate(head.name, head.arity);
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
    resolve_rule_metadata(source_rule.metadata, rule);
    rule.variables.resize(variable_of.size());
    for (const auto& [name, index] : variable_of) rule.variables[index] = name;
    check_bound(rule, source_rule);
    out.predicates[rule.head].rules.push_back(static_cast<RuleIndex>(out.rules.size()));
    out.rules.push_back(std::move(rule));
  }

  void resolve_fact(const Atom& atom) {
    TemplateFact fact{0, {}, kNoWeight, atom.at};
    const Predicate& predicate = atom.predicate;
    if (predicate.special || atom.negation != Negation::None || atom.function) {
      fail(ErrorCode::BadTable, atom.at,
           "a fact is neither special nor negated, and has no function");
    }
    fact.weight = weight(atom.weight);
    fact.predicate = out.predicate(predicate.name, predicate.arity);
    for (const Term& term : atom.terms) {
      if (term.is_variable()) {
        return fail(
            ErrorCode::BadTable, term.at,
            "found variable " + quote(term.text) + ", expected constants: a fact is ground");
      }
      fact.arguments.push_back(out.constants.add(term));
    }
    out.facts.push_back(std::move(fact));
  }

  void resolve_predicate_metadata(const PredicateMetadata& line) {
    PredicateSpec& predicate =
        out.predicates[out.predicate(line.predicate.name, line.predicate.arity)];
    for (const MetadataEntry& entry : line.metadata) {
      const std::string& key = entry.key.text;
      if (key == "transformation" || key == "activation") {
        set_transformation(entry, predicate.function);
        predicate.keeps_output = true;
      } else if (key == "combination") {
        set_combination(entry, predicate.function);
      } else if (key == "offset") {
        resolve_offset(entry, predicate);
      } else {
        unknown_key(entry, "transformation (activation), combination or offset");
      }
    }
  }

  void resolve_offset(const MetadataEntry& entry, PredicateSpec& predicate) {
    if (entry.kind == MetadataEntry::Kind::Value) {
      predicate.offset = add_weight("metaOffset", entry.value, false);
      return;
    }
    const auto found = of_weight_name.find(entry.word.text);
    if (entry.kind != MetadataEntry::Kind::WeightName || found == of_weight_name.end()) {
      return fail(ErrorCode::BadTable, entry.word.at,
                  found_expected(entry.word.text, "a value, or $ and a weight of this template"));
    }
    predicate.offset = found->second;
  }

  void resolve_weight_metadata(const WeightMetadata& line) {
    const auto found = of_weight_name.find(line.weight.text);
    if (found == of_weight_name.end()) {
      return fail(ErrorCode::BadTable, line.weight.at,
                  "no rule, fact or offset of this template has the weight $" +
                      escape_terminal(line.weight.text));
    }
    WeightSpec& spec = out.weights[found->second];
    for (const MetadataEntry& entry : line.metadata) {
      const std::string& key = entry.key.text;
      const bool is_value = key == "value" || key == "initValue";
      if (!is_value || entry.kind != MetadataEntry::Kind::Value || !entry.value.has_values) {
        unknown_key(entry, "value (initValue) and a number, vector or matrix");
      } else if (entry.value.shape != spec.shape) {
        fail(ErrorCode::ShapeMismatch, entry.key.at,
             "weight $" + escape_terminal(spec.name) + " is " + spec.shape.text() + ", its value " +
                 entry.value.shape.text());
      } else {
        spec.values = entry.value.values;
      }
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
      const PredicateIndex index = out.predicate(line.predicate.name, line.predicate.arity);
      out.predicates[index].offset = weight(line.weight);
    }
    for (const PredicateMetadata& line : source.predicates) resolve_predicate_metadata(line);
    for (const WeightMetadata& line : source.weights) resolve_weight_metadata(line);
    order_weights();
  }
};

Result<RuleProgram> resolve_template(const Template& source, const FunctionDefaults& defaults) {
  ProgramBuilder builder{source, defaults, {}, ErrorList{kMaxLoadErrors}, {}};
  builder.resolve();
  if (!builder.errors.empty()) return builder.errors.errors();
  return std::move(builder.out);
}

}  // namespace vecc::tools::ground
