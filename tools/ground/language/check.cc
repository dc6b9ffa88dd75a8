#include "tools/ground/language/check.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "tools/ground/language/check_list.h"
#include "tools/ground/language/check_metadata.h"
#include "tools/ground/language/function_calls.h"
#include "tools/ground/language/functions.h"
#include "tools/ground/language/print.h"

namespace vecc::tools::language {
namespace {

class TemplateCheck {
 public:
  explicit TemplateCheck(const Template& parsed) : parsed_(parsed), list_(parsed.files) {}

  Result<Notes> check() {
    for (const Rule& rule : parsed_.rules) check_rule(rule);
    for (const Atom& fact : parsed_.facts) check_fact(fact);
    for (const Conjunction& line : parsed_.constraints) {
      list_.note(
          line.at,
          "a line of several facts is not used, in NeuraLogic neither: write one fact a line");
    }
    for (const PredicateOffset& line : parsed_.offsets) {
      check_weight(line.weight);
      check_marks(line.predicate);
    }
    for (const PredicateMetadata& line : parsed_.predicates) check_marks(line.predicate);
    check_metadata(parsed_, list_);
    return std::move(list_).result();
  }

 private:
  void check_rule(const Rule& rule);
  void check_bound(const Rule& rule);
  void check_literal(const Atom& atom);
  void check_special(const Atom& atom);
  void check_fact(const Atom& fact);
  void check_plain(const Atom& atom, std::string_view what);
  void check_marks(const Predicate& predicate);
  void check_weight(const Weight& weight);
  void check_weight(const std::optional<Weight>& weight) {
    if (weight) check_weight(*weight);
  }

  const Template& parsed_;
  CheckList list_;
  boost::unordered_flat_map<std::string_view, const Weight*> named_;
};

void TemplateCheck::check_rule(const Rule& rule) {
  check_plain(rule.head, "a rule's head");
  check_weight(rule.head.weight);
  for (const Atom& atom : rule.body) check_literal(atom);
  check_weight(rule.offset);
  check_bound(rule);
}

void TemplateCheck::check_plain(const Atom& atom, std::string_view what) {
  const auto refuse = [&](std::string_view found, const Position& at) {
    list_.error(ErrorCode::BadTable, at,
                "found " + std::string(found) + ", expected " + std::string(what) + " without it");
  };
  if (atom.negation != Negation::None) refuse("a negation", atom.at);
  if (atom.function) refuse("a function", atom.function->at);
  if (atom.predicate.special) refuse("a special predicate", atom.predicate.at);
}

void TemplateCheck::check_literal(const Atom& atom) {
  check_weight(atom.weight);
  if (atom.function) list_.error(atom.function->at, call_transformation(*atom.function));
  if (atom.predicate.special) check_special(atom);
  if (is_input(atom)) return;
  if (atom.weight) {
    list_.note(atom.weight->at, "the weight of " + text_of(atom.predicate) +
                                    " is not used: the literal is no input of the rule");
  }
  if (atom.negation == Negation::Soft || atom.function) {
    list_.error(ErrorCode::BadTable, atom.at,
                "found a function of " + text_of(atom.predicate) +
                    ", expected one of an input: neither hidden nor special");
  }
}

void TemplateCheck::check_special(const Atom& atom) {
  const SpecialPredicate* const special = special_of(atom.predicate.name);
  if (special == nullptr) {
    std::vector<std::string> names;
    for (const SpecialPredicate& known : special_predicates()) names.emplace_back(known.name);
    list_.error(ErrorCode::BadTable, atom.predicate.at,
                found_expected("@" + atom.predicate.name, "a special predicate") +
                    did_you_mean(atom.predicate.name, names));
    return;
  }
  const auto found = static_cast<std::uint32_t>(atom.terms.size());
  if (found >= special->least_terms && found <= special->most_terms) return;
  list_.error(ErrorCode::BadTable, atom.predicate.at,
              "found " + count_of(found, "term") + " of @" + atom.predicate.name + ", expected " +
                  std::to_string(special->least_terms) +
                  (special->most_terms == special->least_terms ? "" : " or more"));
}

void TemplateCheck::check_bound(const Rule& rule) {
  boost::unordered_flat_set<std::string_view> bound;
  for (const Atom& atom : rule.body) {
    if (!binds(atom)) continue;
    for (const Term& term : atom.terms) {
      if (term.is_variable()) bound.insert(term.text);
    }
  }
  const auto check = [&](const Atom& atom) {
    for (const Term& term : atom.terms) {
      if (!term.is_variable() || !bound.insert(term.text).second) continue;
      list_.error(ErrorCode::BadTable, term.at,
                  "found variable " + quote(term.text) +
                      ", expected one that a literal of the body binds: neither special nor "
                      "negated by \"!\"");
    }
  };
  check(rule.head);
  for (const Atom& atom : rule.body) {
    if (!binds(atom)) check(atom);
  }
}

void TemplateCheck::check_fact(const Atom& fact) {
  check_plain(fact, "a fact");
  check_weight(fact.weight);
  const auto variable = std::ranges::find_if(fact.terms, &Term::is_variable);
  if (variable == fact.terms.end()) return;
  list_.error(
      ErrorCode::BadTable, variable->at,
      "found variable " + quote(variable->text) + ", expected a constant: facts are ground");
}

void TemplateCheck::check_marks(const Predicate& predicate) {
  if (!predicate.special) return;
  list_.error(ErrorCode::BadTable, predicate.at,
              found_expected("@" + predicate.name, "a predicate of rules or facts"));
}

void TemplateCheck::check_weight(const Weight& weight) {
  if (weight.name.empty()) return;
  const auto [known, is_new] = named_.try_emplace(weight.name, &weight);
  if (is_new) return;
  const Weight& first = *known->second;
  const std::string where = line_of(first.at, weight.at, parsed_.files);
  if (first.value.shape != weight.value.shape) {
    list_.error(ErrorCode::ShapeMismatch, weight.at,
                "found weight " + quote(weight.name) + " of shape " + weight.value.shape.text() +
                    ", expected " + first.value.shape.text() + " as in " + where);
  } else if (first.fixed != weight.fixed || first.value.has_values != weight.value.has_values ||
             first.value.values != weight.value.values) {
    list_.note(weight.at, "weight " + quote(weight.name) + " is what " + where +
                              " says; another value of it is not used, in NeuraLogic neither");
  }
}

}  // namespace

Result<Notes> check_template(const Template& parsed) {
  return TemplateCheck(parsed).check();
}

}  // namespace vecc::tools::language
