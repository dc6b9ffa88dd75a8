#include "tools/ground/demand.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace vecc::tools::ground {
namespace {

/// Arguments that are bound wherever a predicate is demanded, ascending.
using Bound = std::vector<std::uint32_t>;

/// A literal of a body that rules derive, and what comes before it.
struct Occurrence {
  std::size_t literal = 0;
  Bound bound;
  std::vector<std::size_t> before;  // literals of the body that bind
};

class Demand {
 public:
  Demand(RuleProgram& program, FactBase& base)
      : program_(program), base_(base), bound_(program.predicates.size()) {}

  void add() {
    find_bound();
    if (std::ranges::all_of(bound_, [](const auto& bound) { return !bound || bound->empty(); })) {
      return;
    }
    need_.assign(bound_.size(), kNone);
    for (PredicateIndex p = 0; p < bound_.size(); ++p) {
      if (bound_[p] && !bound_[p]->empty()) add_predicate(p);
    }
    const std::size_t rules = program_.rules.size();
    for (RuleIndex r = 0; r < rules; ++r) add_rules(r);
    for (const QuerySpec& query : base_.queries) seed(query);
  }

 private:
  static constexpr PredicateIndex kNone = ~PredicateIndex{0};

  [[nodiscard]] bool is_derived(PredicateIndex p) const {
    return !program_.predicates[p].rules.empty();
  }

  static bool is_known(Argument argument, const std::vector<bool>& variables) {
    return !argument.is_variable || variables[argument.index];
  }

  static void bind(const std::vector<Argument>& arguments, std::vector<bool>& variables) {
    for (const Argument a : arguments) {
      if (a.is_variable) variables[a.index] = true;
    }
  }

  // Facts that share a bound variable first, then the next derived literal, and so on.
  [[nodiscard]] std::vector<Occurrence> walk(const RuleSpec& rule) const {
    std::vector<bool> variables(rule.variables.size(), false);
    for (const std::uint32_t k : *bound_[rule.head]) bind({rule.head_arguments[k]}, variables);
    std::vector<Occurrence> out;
    std::vector<std::size_t> before;
    std::vector<bool> done(rule.body.size(), false);
    const auto is_open = [&](std::size_t i) {
      const Literal& literal = rule.body[i];
      return !done[i] && literal.special == Special::None && !literal.negated;
    };
    const auto take = [&](std::size_t i) {
      done[i] = true;
      before.push_back(i);
      bind(rule.body[i].arguments, variables);
    };
    const auto next_fact = [&]() -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < rule.body.size(); ++i) {
        if (!is_open(i) || is_derived(rule.body[i].predicate)) continue;
        const bool joins = std::ranges::any_of(rule.body[i].arguments, [&](Argument a) {
          return a.is_variable && variables[a.index];
        });
        if (joins) return i;
      }
      return std::nullopt;
    };
    while (true) {
      while (const auto fact = next_fact()) take(*fact);
      std::size_t i = 0;
      while (i < rule.body.size() && !(is_open(i) && is_derived(rule.body[i].predicate))) ++i;
      if (i == rule.body.size()) return out;
      Occurrence occurrence{i, {}, before};
      for (std::uint32_t k = 0; k < rule.body[i].arguments.size(); ++k) {
        if (is_known(rule.body[i].arguments[k], variables)) occurrence.bound.push_back(k);
      }
      const bool joins = !occurrence.bound.empty();
      out.push_back(std::move(occurrence));
      if (joins) {
        take(i);
      } else {
        done[i] = true;  // all of it: it would bind nothing that is demanded
      }
    }
  }

  // Less and less, until every demand has what is said of its predicate.
  void find_bound() {
    std::vector<PredicateIndex> open;
    const auto meet = [&](PredicateIndex p, const Bound& bound) {
      if (!is_derived(p)) return;
      Bound both = bound;
      if (bound_[p]) {
        both.clear();
        std::ranges::set_intersection(*bound_[p], bound, std::back_inserter(both));
        if (both == *bound_[p]) return;
      }
      // A softmax over some terms needs all heads that differ in them.
      for (const RuleIndex r : program_.predicates[p].rules) {
        for (const std::uint32_t k : program_.rules[r].over) std::erase(both, k);
      }
      bound_[p] = std::move(both);
      open.push_back(p);
    };
    for (const QuerySpec& query : base_.queries) {
      Bound bound;
      for (std::uint32_t k = 0; k < query.arguments.size(); ++k) {
        if (!query.arguments[k].is_variable) bound.push_back(k);
      }
      meet(query.predicate, bound);
    }
    while (!open.empty()) {
      const PredicateIndex p = open.back();
      open.pop_back();
      for (const RuleIndex r : program_.predicates[p].rules) {
        const RuleSpec& rule = program_.rules[r];
        for (const Occurrence& found : walk(rule)) {
          meet(rule.body[found.literal].predicate, found.bound);
        }
        for (const Literal& literal : rule.body) {
          if (literal.special == Special::None && literal.negated)
            meet_all(literal.predicate, meet);
        }
      }
    }
  }

  template <class Meet>
  void meet_all(PredicateIndex root, Meet& meet) const {
    std::vector<PredicateIndex> open{root};
    std::vector<bool> seen(program_.predicates.size(), false);
    while (!open.empty()) {
      const PredicateIndex p = open.back();
      open.pop_back();
      if (seen[p]) continue;
      seen[p] = true;
      meet(p, {});
      for (const RuleIndex r : program_.predicates[p].rules) {
        for (const Literal& literal : program_.rules[r].body) {
          if (literal.special == Special::None) open.push_back(literal.predicate);
        }
      }
    }
  }

  void add_predicate(PredicateIndex p) {
    const auto arity = static_cast<std::uint32_t>(bound_[p]->size());
    need_[p] = program_.predicate("need " + program_.predicates[p].text(), arity);
    program_.predicates[need_[p]].is_read = true;
    while (base_.atoms.size() < program_.predicates.size()) {
      base_.atoms.emplace_back(program_.predicates[base_.atoms.size()].arity);
    }
  }

  [[nodiscard]] Literal need(PredicateIndex p, const std::vector<Argument>& arguments,
                             const language::Position& at) const {
    Literal literal;
    literal.predicate = need_[p];
    literal.at = at;
    for (const std::uint32_t k : *bound_[p]) literal.arguments.push_back(arguments[k]);
    return literal;
  }

  void add_rules(RuleIndex r) {
    if (!bound_[program_.rules[r].head]) return;  // no query reaches it
    const RuleSpec rule = program_.rules[r];
    const bool is_needed = need_[rule.head] != kNone;
    for (const Occurrence& found : walk(rule)) {
      const Literal& literal = rule.body[found.literal];
      if (need_[literal.predicate] == kNone) continue;
      const Literal needed = need(literal.predicate, literal.arguments, literal.at);
      RuleSpec demand;
      demand.head = needed.predicate;
      demand.head_arguments = needed.arguments;
      demand.variables = rule.variables;
      demand.variable_types = rule.variable_types;
      demand.at = rule.at;
      demand.text =
          "what is needed of literal " + std::to_string(found.literal + 1) + ": " + rule.text;
      if (is_needed) demand.body.push_back(need(rule.head, rule.head_arguments, rule.at));
      for (const std::size_t i : found.before) {
        demand.body.push_back(rule.body[i]);
        demand.body.back().input = false;
        demand.body.back().through.reset();
      }
      const bool says_nothing = demand.body.size() == 1 && is_needed &&
                                demand.body[0].predicate == demand.head &&
                                demand.body[0].arguments == demand.head_arguments;
      if (says_nothing) continue;
      program_.predicates[demand.head].rules.push_back(
          static_cast<RuleIndex>(program_.rules.size()));
      program_.rules.push_back(std::move(demand));
    }
    if (is_needed) program_.rules[r].body.push_back(need(rule.head, rule.head_arguments, rule.at));
  }

  void seed(const QuerySpec& query) {
    if (query.predicate >= need_.size() || need_[query.predicate] == kNone) return;
    std::vector<std::uint32_t> row{query.example};
    for (const std::uint32_t k : *bound_[query.predicate]) row.push_back(query.arguments[k].index);
    AtomTable& atoms = base_.atoms[need_[query.predicate]];
    atoms.set_fact(atoms.add(row).first, kUnvalued);
  }

  RuleProgram& program_;
  FactBase& base_;
  std::vector<std::optional<Bound>> bound_;  // by predicate; none: not demanded
  std::vector<PredicateIndex> need_;         // by predicate: its demands, or kNone
};

}  // namespace

void demand_queries(RuleProgram& program, FactBase& base) {
  Demand(program, base).add();
}

}  // namespace vecc::tools::ground
