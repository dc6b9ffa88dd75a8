#include "tools/ground/language/check_metadata.h"

#include <algorithm>
#include <array>

#include "tools/ground/language/function_calls.h"
#include "tools/ground/language/functions.h"

namespace vecc::tools::language {
namespace {

enum class Owner : std::uint8_t { Rule, Predicate };

enum class KeyKind : std::uint8_t {
  Transformation,
  Combination,
  Aggregation,
  Duplicates,
  Offset,
  Ignored
};

struct Key {
  std::string_view name;
  KeyKind of_rule;
  KeyKind of_predicate;
};

// NeuraLogic's keys. What it knows and does not apply is ignored.
constexpr std::array kKeys = {
    Key{"transformation", KeyKind::Transformation, KeyKind::Transformation},
    Key{"activation", KeyKind::Transformation, KeyKind::Transformation},
    Key{"combination", KeyKind::Combination, KeyKind::Combination},
    Key{"aggregation", KeyKind::Aggregation, KeyKind::Ignored},
    Key{"duplicate_grounding", KeyKind::Duplicates, KeyKind::Ignored},
    Key{"offset", KeyKind::Ignored, KeyKind::Offset},
    Key{"negation", KeyKind::Ignored, KeyKind::Ignored},
    Key{"learnable", KeyKind::Ignored, KeyKind::Ignored},
    Key{"value", KeyKind::Ignored, KeyKind::Ignored},
    Key{"initValue", KeyKind::Ignored, KeyKind::Ignored},
};

std::vector<std::string> used_keys(Owner owner) {
  std::vector<std::string> names;
  for (const Key& key : kKeys) {
    const KeyKind kind = owner == Owner::Rule ? key.of_rule : key.of_predicate;
    if (kind != KeyKind::Ignored) names.emplace_back(key.name);
  }
  return names;
}

std::string join(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

class MetadataCheck {
 public:
  MetadataCheck(const Template& parsed, CheckList& list) : parsed_(parsed), list_(list) {}

  /// `rule`: whose metadata they are; null: a predicate's.
  void check(const Metadata& metadata, const Rule* rule);

 private:
  void check_entry(const MetadataEntry& entry, const Rule* rule);
  void check_function(const MetadataEntry& entry, KeyKind kind, const Rule* rule);
  void check_formula(const MetadataEntry& entry, const Expr& expr, const Rule* rule);
  void check_over(const MetadataEntry& entry, const CalledAggregation& called, const Rule& rule);
  void check_offset(const MetadataEntry& entry);
  bool has_weight(std::string_view name) const;

  const Template& parsed_;
  CheckList& list_;
};

void MetadataCheck::check(const Metadata& metadata, const Rule* rule) {
  std::vector<std::string_view> seen;
  for (const MetadataEntry& entry : metadata) {
    std::string_view key = entry.key.text;
    if (key == "activation") key = "transformation";
    if (std::ranges::find(seen, key) != seen.end()) {
      list_.error(ErrorCode::BadTable, entry.key.at,
                  "found " + quote(entry.key.text) + " again, expected one value a key");
    } else {
      check_entry(entry, rule);
    }
    seen.push_back(key);
  }
}

void MetadataCheck::check_entry(const MetadataEntry& entry, const Rule* rule) {
  const bool is_rule = rule != nullptr;
  const auto* const key = std::ranges::find(kKeys, std::string_view(entry.key.text), &Key::name);
  const std::vector<std::string> names = used_keys(is_rule ? Owner::Rule : Owner::Predicate);
  if (key == kKeys.end()) {
    list_.error(ErrorCode::BadTable, entry.key.at,
                found_expected(entry.key.text, join(names)) + did_you_mean(entry.key.text, names));
    return;
  }
  switch (is_rule ? key->of_rule : key->of_predicate) {
    case KeyKind::Offset: return check_offset(entry);
    case KeyKind::Ignored: {
      std::string note = entry.key.text + " of a " + (is_rule ? "rule" : "predicate") +
                         " is not used, in NeuraLogic neither";
      if (is_rule && entry.key.text == "offset") note += ": write it as the last of the body";
      if (entry.key.text == "aggregation") note += ": write it behind the rules";
      return list_.note(entry.key.at, note);
    }
    case KeyKind::Transformation:
    case KeyKind::Combination:
    case KeyKind::Aggregation:
      return check_function(entry, is_rule ? key->of_rule : key->of_predicate, rule);
    case KeyKind::Duplicates:
      if (entry.kind == MetadataEntry::Kind::Word &&
          (entry.word.whole() == "true" || entry.word.whole() == "false")) {
        return;
      }
      return list_.error(ErrorCode::BadTable, entry.key.at,
                         "found a value of \"duplicate_grounding\" that is neither true nor false");
  }
}

void MetadataCheck::check_function(const MetadataEntry& entry, KeyKind kind, const Rule* rule) {
  const bool transforms = kind == KeyKind::Transformation;
  const std::span<const std::string> names = transforms                     ? transformation_names()
                                             : kind == KeyKind::Combination ? combination_names()
                                                                            : aggregation_names();
  if (entry.kind != MetadataEntry::Kind::Word) {
    list_.error(
        ErrorCode::BadTable, entry.key.at,
        "found a value of " + quote(entry.key.text) + " that is no word, expected " + join(names));
    return;
  }
  if (transforms) return list_.error(entry.word.at, call_transformation(entry.word));
  if (kind == KeyKind::Combination) {
    const Result<CalledCombination> called = call_combination(entry.word);
    list_.error(entry.word.at, called);
    if (called && called->expr) check_formula(entry, *called->expr, rule);
    return;
  }
  const Result<CalledAggregation> called = call_aggregation(entry.word);
  list_.error(entry.word.at, called);
  if (called) check_over(entry, *called, *rule);
}

void MetadataCheck::check_formula(const MetadataEntry& entry, const Expr& expr, const Rule* rule) {
  const auto refuse = [&](const std::string& message) {
    list_.error(ErrorCode::ParameterRange, entry.word.at, message);
  };
  if (rule == nullptr) {
    return refuse(
        "found a formula, expected a function of a list: atoms have no inputs of their own");
  }
  if (rule->offset) return refuse("found a formula of a rule with an offset, expected one without");
  const auto inputs = static_cast<std::uint32_t>(std::ranges::count_if(rule->body, is_input));
  if (expr.input_count() <= inputs) return;
  refuse("found $" + std::to_string(expr.input_count() - 1) + ", expected $0 up to the last of " +
         count_of(inputs, "input") + " of the rule");
}

void MetadataCheck::check_over(const MetadataEntry& entry, const CalledAggregation& called,
                               const Rule& rule) {
  for (const std::string& name : called.over) {
    const auto is_it = [&](const Term& term) { return term.is_variable() && term.text == name; };
    if (std::ranges::any_of(rule.head.terms, is_it)) continue;
    list_.error(ErrorCode::ParameterRange, entry.word.at,
                found_expected(name, "a variable of the rule's head"));
  }
}

bool MetadataCheck::has_weight(std::string_view name) const {
  const auto is_it = [&](const std::optional<Weight>& weight) {
    return weight && weight->name == name;
  };
  for (const Rule& rule : parsed_.rules) {
    if (is_it(rule.head.weight) || is_it(rule.offset)) return true;
    for (const Atom& atom : rule.body) {
      if (is_it(atom.weight)) return true;
    }
  }
  for (const Atom& fact : parsed_.facts) {
    if (is_it(fact.weight)) return true;
  }
  return std::ranges::any_of(parsed_.offsets,
                             [&](const PredicateOffset& line) { return line.weight.name == name; });
}

void MetadataCheck::check_offset(const MetadataEntry& entry) {
  if (entry.kind == MetadataEntry::Kind::Word) {
    list_.error(ErrorCode::BadTable, entry.word.at,
                found_expected(entry.word.text, "a value, or \"$\" and a weight of the template"));
  } else if (entry.kind == MetadataEntry::Kind::WeightName && !has_weight(entry.word.text)) {
    list_.error(ErrorCode::BadTable, entry.word.at,
                "found weight " + quote(entry.word.text) +
                    ", expected one that a rule, fact or offset of the template has");
  }
}

}  // namespace

void check_metadata(const Template& parsed, CheckList& list) {
  MetadataCheck check(parsed, list);
  for (const Rule& rule : parsed.rules) check.check(rule.metadata, &rule);
  for (const PredicateMetadata& line : parsed.predicates) {
    check.check(line.metadata, nullptr);
  }
  for (const WeightMetadata& line : parsed.weights) {
    list.error(ErrorCode::BadTable, line.at,
               "found metadata of weight " + quote(line.weight.text) +
                   ", expected its value where it stands ($" + line.weight.text +
                   "=[1,2]): NeuraLogic fails on it, too");
  }
  for (const TemplateMetadata& line : parsed.metadata) {
    list.note(line.at, "metadata of the template is not used, in NeuraLogic neither");
  }
}

}  // namespace vecc::tools::language
