#include "tools/ground/language/infer_shapes.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>

#include "tools/ground/language/function_calls.h"
#include "tools/ground/language/print.h"

namespace vecc::tools::language {
namespace {

// What is known of a predicate's values; it only grows.
struct Known {
  enum class Kind : std::uint8_t { Nothing, One, Several };
  Kind kind = Kind::Nothing;
  Shape shape;  ///< One

  static Known one(Shape shape) { return {Kind::One, shape}; }
  static Known several() { return {Kind::Several, {}}; }
  [[nodiscard]] bool is_one() const { return kind == Kind::One; }

  /// Whether it grew.
  bool add(const Known& other) {
    if (other.kind == Kind::Nothing || kind == Kind::Several) return false;
    if (kind == Kind::One && other.is_one() && shape == other.shape) return false;
    *this = kind == Kind::Nothing ? other : several();
    return true;
  }
};

struct RuleFunctions {
  CalledCombination combination;
  CalledAggregation aggregation;
  CalledTransformation transformation;
};
struct AtomFunctions {
  CalledCombination combination;
  CalledTransformation transformation;
  const Value* offset = nullptr;
  Position offset_at;
  bool is_weighted = false;  // a rule with this head has a weight
  std::uint32_t rules = 0;   // with this head
};

// Whose value over several of one shape has that shape.
bool keeps_shape(Combination combination) {
  return combination == Combination::Sum || combination == Combination::Avg ||
         combination == Combination::Max || combination == Combination::Min;
}

template <class T>
T value_or(Result<T> result, const T& other) {
  return result ? std::move(*result) : other;
}

class ShapeInference {
 public:
  ShapeInference(const Template& parsed, const FunctionDefaults& defaults, CheckList& list);

  void add_facts(const DataPredicates& data);
  /// Until nothing grows: each predicate does so at most twice. Then once more, with the errors.
  void infer();

 private:
  /// Whether the head of the rule grew.
  bool step(const Rule& rule);
  void read_offsets();
  void read_metadata();
  Known rule_shape(const Rule& rule);
  Known literal_shape(const Atom& atom);
  Known atom_shape(const Rule& rule, const Known& aggregated);
  Known weighted(const std::optional<Weight>& weight, const Known& value, const Atom& atom);
  Known combined(const CalledCombination& combination, std::span<const Shape> elements,
                 const Position& at);
  Known transformed(const CalledTransformation& function, const Known& value, const Position& at);
  Known aggregated(const CalledAggregation& aggregation, const Known& value, const Position& at);
  [[nodiscard]] RuleFunctions functions_of(const Rule& rule) const;
  AtomFunctions& functions_of(const Predicate& predicate);
  void error(ErrorCode code, const Position& at, const std::string& message) {
    if (reports_) list_.error(code, at, message);
  }
  Known error(const Errors& errors, const Position& at) {
    for (const Diagnostic& d : errors.list()) error(d.code, at, d.message);
    return Known::several();
  }
  Known& of(const Predicate& predicate) { return known_[key_of(predicate)]; }

  const Template& parsed_;
  const FunctionDefaults& defaults_;
  CheckList& list_;
  boost::unordered_flat_map<std::string, Known> known_;
  boost::unordered_flat_map<std::string, AtomFunctions> atoms_;
  boost::unordered_flat_map<std::string, std::vector<std::size_t>> readers_;  // rules
  bool reports_ = false;
};

CalledTransformation call_of(Transformation id) {
  CalledTransformation call;
  call.spec.id = id;
  return call;
}

void ShapeInference::add_facts(const DataPredicates& data) {
  for (const Atom& fact : parsed_.facts) {
    of(fact.predicate).add(Known::one(fact.weight ? fact.weight->value.shape : Shape::scalar()));
  }
  for (const DataPredicates::Facts& facts : data.facts()) {
    known_[facts.name + "/" + std::to_string(facts.arity)].add(
        facts.shape ? Known::one(*facts.shape) : Known::several());
  }
}

RuleFunctions ShapeInference::functions_of(const Rule& rule) const {
  RuleFunctions functions{{defaults_.rule_combination, -1, nullptr},
                          {defaults_.aggregation, -1, {}},
                          call_of(defaults_.rule)};
  for (const MetadataEntry& entry : rule.metadata) {
    const std::string& key = entry.key.text;
    if (key == "combination") {
      functions.combination = value_or(call_combination(entry.word), functions.combination);
    } else if (key == "aggregation") {
      functions.aggregation = value_or(call_aggregation(entry.word), functions.aggregation);
    } else if (key == "transformation" || key == "activation") {
      functions.transformation =
          value_or(call_transformation(entry.word), functions.transformation);
    }
  }
  return functions;
}

AtomFunctions& ShapeInference::functions_of(const Predicate& predicate) {
  const AtomFunctions defaults{
      {defaults_.atom_combination, -1, nullptr}, call_of(defaults_.atom), nullptr, {}};
  return atoms_.try_emplace(key_of(predicate), defaults).first->second;
}

ShapeInference::ShapeInference(const Template& parsed, const FunctionDefaults& defaults,
                               CheckList& list)
    : parsed_(parsed), defaults_(defaults), list_(list) {
  for (std::size_t i = 0; i < parsed.rules.size(); ++i) {
    const Rule& rule = parsed.rules[i];
    AtomFunctions& head = functions_of(rule.head.predicate);
    head.is_weighted |= rule.head.weight.has_value();
    ++head.rules;
    for (const Atom& atom : rule.body) {
      if (is_input(atom)) readers_[key_of(atom.predicate)].push_back(i);
    }
  }
  read_offsets();
  read_metadata();
}

void ShapeInference::read_offsets() {
  for (const PredicateOffset& line : parsed_.offsets) {
    AtomFunctions& functions = functions_of(line.predicate);
    functions.offset = &line.weight.value;
    functions.offset_at = line.at;
  }
}

void ShapeInference::read_metadata() {
  for (const PredicateMetadata& line : parsed_.predicates) {
    AtomFunctions& functions = functions_of(line.predicate);
    for (const MetadataEntry& entry : line.metadata) {
      const std::string& key = entry.key.text;
      if (key == "combination") {
        functions.combination = value_or(call_combination(entry.word), functions.combination);
      } else if (key == "transformation" || key == "activation") {
        functions.transformation =
            value_or(call_transformation(entry.word), functions.transformation);
      } else if (key == "offset" && entry.kind == MetadataEntry::Kind::Value) {
        functions.offset = &entry.value;
        functions.offset_at = entry.key.at;
      }
    }
  }
}

Known ShapeInference::weighted(const std::optional<Weight>& weight, const Known& value,
                               const Atom& atom) {
  if (!weight || !value.is_one()) return value;
  const auto product = times_shape(weight->value.shape, value.shape);
  if (product) return Known::one(*product);
  error(ErrorCode::ShapeMismatch, weight->at,
        "found a weight of " + weight->value.shape.text() + ", expected one that fits " +
            text_of(atom.predicate) + ", which is " + value.shape.text());
  return Known::several();
}

Known ShapeInference::transformed(const CalledTransformation& function, const Known& value,
                                  const Position& at) {
  if (!value.is_one()) return value;
  const auto words = std::span(function.words).first(word_count(function.spec.id));
  const Result<Shape> shape = transformed_shape(function.spec, words, value.shape, "");
  return shape ? Known::one(*shape) : error(shape.error(), at);
}

Known ShapeInference::combined(const CalledCombination& combination,
                               std::span<const Shape> elements, const Position& at) {
  if (elements.size() == 1 && info(combination.id).single != CombinationSingle::Applied) {
    const bool is_element = info(combination.id).single == CombinationSingle::Skipped;
    return is_element ? Known::one(elements.front()) : Known::several();
  }
  const Result<Shape> shape =
      combined_shape(combination.id, combination.axis, combination.expr.get(), elements, "");
  return shape ? Known::one(*shape) : error(shape.error(), at);
}

Known ShapeInference::aggregated(const CalledAggregation& aggregation, const Known& value,
                                 const Position& at) {
  if (!value.is_one() || keeps_shape(aggregation.id)) return value;
  // The others depend on how many groundings there are.
  if (aggregation.over.empty()) return Known::several();
  if (value.shape.is_scalar()) return value;
  error(
      ErrorCode::ShapeMismatch, at,
      "found values of " + value.shape.text() + " under softmax over some terms, expected scalars");
  return Known::several();
}

Known ShapeInference::literal_shape(const Atom& atom) {
  Known value = of(atom.predicate);
  if (atom.negation == Negation::Soft) {
    value = transformed(call_of(defaults_.negation), value, atom.at);
  }
  if (atom.function) {
    if (const auto function = call_transformation(*atom.function)) {
      value = transformed(*function, value, atom.function->at);
    }
  }
  return weighted(atom.weight, value, atom);
}

Known ShapeInference::rule_shape(const Rule& rule) {
  std::vector<Shape> elements;
  if (rule.offset) elements.push_back(rule.offset->value.shape);
  Known missing = Known::one({});
  for (const Atom& atom : rule.body) {
    if (!is_input(atom)) continue;
    const Known value = literal_shape(atom);
    if (value.is_one()) {
      elements.push_back(value.shape);
    } else if (missing.kind != Known::Kind::Nothing) {
      missing = value;
    }
  }
  if (!missing.is_one()) return missing;
  // A body without inputs makes a fact of its head, with the value 1.
  if (elements.empty()) return Known::one(Shape::scalar());
  const RuleFunctions functions = functions_of(rule);
  const Known value = transformed(functions.transformation,
                                  combined(functions.combination, elements, rule.at), rule.at);
  return weighted(rule.head.weight, aggregated(functions.aggregation, value, rule.at), rule.head);
}

Known ShapeInference::atom_shape(const Rule& rule, const Known& aggregated) {
  if (!aggregated.is_one()) return aggregated;
  const AtomFunctions& functions = functions_of(rule.head.predicate);
  std::vector<Shape> elements;
  // NeuraLogic leaves the offset out where no rule of the head has a weight.
  if (functions.offset != nullptr && functions.is_weighted) {
    elements.push_back(functions.offset->shape);
  }
  elements.push_back(aggregated.shape);
  // How many rules hold differs by atom.
  if (!keeps_shape(functions.combination.id) && functions.rules > 1) return Known::several();
  const Position& at = functions.offset != nullptr ? functions.offset_at : rule.at;
  return transformed(functions.transformation, combined(functions.combination, elements, at),
                     rule.at);
}

bool ShapeInference::step(const Rule& rule) {
  const Known value = atom_shape(rule, rule_shape(rule));
  return of(rule.head.predicate).add(value);
}

void ShapeInference::infer() {
  std::vector<std::size_t> waiting(parsed_.rules.size());
  std::iota(waiting.begin(), waiting.end(), std::size_t{0});
  std::vector<bool> waits(parsed_.rules.size(), true);
  while (!waiting.empty()) {
    const std::size_t index = waiting.back();
    waiting.pop_back();
    waits[index] = false;
    const Rule& rule = parsed_.rules[index];
    if (!step(rule)) continue;
    for (const std::size_t reader : readers_[key_of(rule.head.predicate)]) {
      if (!waits[reader]) waiting.push_back(reader);
      waits[reader] = true;
    }
  }
  reports_ = true;
  for (const Rule& rule : parsed_.rules) step(rule);
}

}  // namespace

void check_shapes(const Template& parsed, const FunctionDefaults& defaults,
                  const DataPredicates& data, CheckList& list) {
  ShapeInference inference(parsed, defaults, list);
  inference.add_facts(data);
  inference.infer();
}

}  // namespace vecc::tools::language
