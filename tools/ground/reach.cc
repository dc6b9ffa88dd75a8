#include "tools/ground/reach.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>
#include <optional>

#include "tools/ground/strata.h"

namespace vecc::tools::ground {
namespace {

HeadIndex index_heads(const Groundings& all, AtomIndex atoms) {
  HeadIndex index;
  index.begin.assign(atoms + std::size_t{1}, 0);
  for (const AtomIndex head : all.heads) ++index.begin[head + 1];
  std::partial_sum(index.begin.begin(), index.begin.end(), index.begin.begin());
  std::vector<std::uint32_t> next(index.begin.begin(), index.begin.end() - 1);
  index.groundings.resize(all.size());
  for (std::uint32_t g = 0; g < all.size(); ++g) index.groundings[next[all.heads[g]]++] = g;
  return index;
}

void drop_unreached(HeadIndex& index, const std::vector<bool>& reached) {
  if (std::ranges::find(reached, false) == reached.end()) return;
  std::uint32_t size = 0;
  for (AtomIndex head = 0; head < reached.size(); ++head) {
    const std::uint32_t begin = index.begin[head];
    index.begin[head] = size;
    if (!reached[head]) continue;
    for (std::uint32_t i = begin; i < index.begin[head + 1]; ++i) {
      index.groundings[size++] = index.groundings[i];
    }
  }
  index.begin.back() = size;
  index.groundings.resize(size);
}

HeadGroups group_heads(const RuleSpec& rule, const AtomTable& atoms, const HeadIndex& index) {
  HeadGroups out;
  if (rule.over.empty()) return out;
  boost::unordered_flat_map<std::vector<std::uint32_t>, std::uint32_t> of_others;
  std::vector<std::uint32_t> others;
  out.of_head.assign(atoms.size(), 0);
  out.position.assign(atoms.size(), 0);
  out.begin.assign(1, 0);
  std::vector<AtomIndex> with_groundings;
  for (AtomIndex head = 0; head < atoms.size(); ++head) {
    if (index.of(head).empty()) continue;
    with_groundings.push_back(head);
    const std::span<const std::uint32_t> row = atoms.row(head);  // the example, the arguments
    others.assign(row.begin(), row.end());
    for (const std::uint32_t k : rule.over) others[k + 1] = 0;
    const auto next = static_cast<std::uint32_t>(of_others.size());
    const auto [entry, is_new] = of_others.try_emplace(others, next);
    if (is_new) out.begin.push_back(0);
    out.of_head[head] = entry->second;
    out.position[head] = out.begin[entry->second + 1]++;
  }
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.heads.resize(with_groundings.size());
  for (const AtomIndex head : with_groundings) {
    out.heads[out.begin[out.of_head[head]] + out.position[head]] = head;
  }
  return out;
}

class QueryMatcher {
 public:
  QueryMatcher(const RuleProgram& program, const FactBase& base, const Reached& reached)
      : program_(program), base_(base), reached_(reached), of_example_(program.predicates.size()) {}

  /// The atoms that rules derive and the query stands for.
  std::vector<AtomIndex> match(const QuerySpec& query) {
    const AtomTable& atoms = base_.atoms[query.predicate];
    const auto is_constant = [](Argument a) { return !a.is_variable; };
    if (std::ranges::all_of(query.arguments, is_constant)) {
      std::vector<std::uint32_t> row{query.example};
      for (const Argument a : query.arguments) row.push_back(a.index);
      const AtomIndex atom = atoms.find(row);
      if (atom == AtomTable::kNotAnAtom) return {};
      if (!reached_.is_derived(program_, query.predicate, atom)) return {};
      return {atom};
    }
    std::vector<AtomIndex> out;
    const HeadIndex& index = atoms_of_examples(query.predicate);
    for (const AtomIndex atom : index.of(query.example)) {
      if (fits(query, atoms.arguments(atom)) &&
          reached_.is_derived(program_, query.predicate, atom)) {
        out.push_back(atom);
      }
    }
    return out;
  }

 private:
  static bool fits(const QuerySpec& query, std::span<const Constant> arguments) {
    std::vector<std::optional<Constant>> bound(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Argument a = query.arguments[i];
      if (!a.is_variable) {
        if (a.index != arguments[i]) return false;
      } else if (bound[a.index].value_or(arguments[i]) != arguments[i]) {
        return false;
      } else {
        bound[a.index] = arguments[i];
      }
    }
    return true;
  }

  const HeadIndex& atoms_of_examples(PredicateIndex p) {
    std::optional<HeadIndex>& index = of_example_[p];
    if (!index) {
      Groundings rows;
      const AtomTable& atoms = base_.atoms[p];
      for (AtomIndex a = 0; a < atoms.size(); ++a) rows.heads.push_back(atoms.row(a)[0]);
      index = index_heads(rows, base_.examples);
    }
    return *index;
  }

  const RuleProgram& program_;
  const FactBase& base_;
  const Reached& reached_;
  std::vector<std::optional<HeadIndex>> of_example_;
};

// Marks what the queries can reach, from the predicates that nothing reads down to the facts.
// Outside recursions a rule is one walk over its groundings as they lie in memory.
class Reaching {
 public:
  Reaching(const RuleProgram& program, const Derived& derived, Reached& out)
      : program_(program), derived_(derived), out_(out), is_open_(program.predicates.size()) {
    for (const HeadGroups& groups : out.groups) with_group_.emplace_back(groups.of_head.size());
    for (const RuleSpec& rule : program.rules) {
      read_.emplace_back();
      for (const Literal& literal : rule.body) {
        if (literal.input) read_.back().push_back(literal.predicate);
      }
    }
  }

  void walk() {
    const std::vector<Stratum> strata = *order_strata(program_);
    for (auto stratum = strata.rbegin(); stratum != strata.rend(); ++stratum) {
      if (stratum->is_recursive) {
        walk_recursion(*stratum);
        continue;
      }
      for (const RuleIndex r : stratum->rules) walk_groundings(r);
    }
  }
  /// Of the rule: its heads whose groundings are read.
  [[nodiscard]] const std::vector<bool>& heads(RuleIndex r) const {
    const RuleSpec& rule = program_.rules[r];
    return rule.over.empty() ? out_.atoms[rule.head] : with_group_[r];
  }

 private:
  void walk_groundings(RuleIndex r) {
    const RuleSpec& rule = program_.rules[r];
    if (!rule.over.empty()) {
      for (AtomIndex atom = 0; atom < with_group_[r].size(); ++atom) {
        if (out_.atoms[rule.head][atom]) reach_group(r, atom);
      }
    }
    const std::vector<bool>& read = heads(r);
    const std::vector<AtomIndex>& of_groundings = derived_.groundings[r].heads;
    for (std::uint32_t g = 0; g < of_groundings.size(); ++g) {
      if (read[of_groundings[g]]) reach_inputs(r, g);
    }
  }

  void walk_recursion(const Stratum& stratum) {
    for (const PredicateIndex p : stratum.predicates) {
      is_open_[p] = true;
      for (AtomIndex atom = 0; atom < out_.atoms[p].size(); ++atom) {
        if (out_.atoms[p][atom]) open_.emplace_back(p, atom);
      }
    }
    while (!open_.empty()) {
      const auto [p, atom] = open_.back();
      open_.pop_back();
      for (const RuleIndex r : program_.predicates[p].rules) {
        const auto of_atom = std::span(&atom, 1);
        for (const AtomIndex head : program_.rules[r].over.empty() ? of_atom : reach_group(r, atom))
          for (const std::uint32_t g : out_.of_head[r].of(head)) reach_inputs(r, g);
      }
    }
    for (const PredicateIndex p : stratum.predicates) is_open_[p] = false;
  }

  // The heads of an atom's group, which an aggregation over them all reads; none where they are
  // marked already.
  std::span<const AtomIndex> reach_group(RuleIndex r, AtomIndex atom) {
    if (with_group_[r][atom] || out_.of_head[r].of(atom).empty()) return {};
    const std::span<const AtomIndex> heads = out_.groups[r].of(out_.groups[r].of_head[atom]);
    for (const AtomIndex head : heads) with_group_[r][head] = true;
    return heads;
  }

  void reach_inputs(RuleIndex r, std::size_t grounding) {
    const std::vector<PredicateIndex>& read = read_[r];
    const AtomIndex* input = derived_.groundings[r].inputs.data() + grounding * read.size();
    for (const PredicateIndex p : read) {
      const AtomIndex atom = *input++;
      if (out_.atoms[p][atom]) continue;
      out_.atoms[p][atom] = true;
      if (is_open_[p]) open_.emplace_back(p, atom);
    }
  }

  const RuleProgram& program_;
  const Derived& derived_;
  Reached& out_;
  std::vector<std::vector<PredicateIndex>> read_;  // by rule: of its inputs
  std::vector<std::vector<bool>> with_group_;  // by rule and head: a head of its group is reached
  std::vector<bool> is_open_;  // by predicate: atoms that are reached must be walked one by one
  std::vector<std::pair<PredicateIndex, AtomIndex>> open_;
};

}  // namespace

bool Reached::is_derived(const RuleProgram& program, PredicateIndex p, AtomIndex atom) const {
  return std::ranges::any_of(program.predicates[p].rules,
                             [&](RuleIndex r) { return !of_head[r].of(atom).empty(); });
}

Reached reach_queries(const RuleProgram& program, const FactBase& base, const Derived& derived) {
  Reached out;
  for (RuleIndex r = 0; r < program.rules.size(); ++r) {
    const AtomTable& atoms = base.atoms[program.rules[r].head];
    out.of_head.push_back(index_heads(derived.groundings[r], atoms.size()));
    out.groups.push_back(group_heads(program.rules[r], atoms, out.of_head.back()));
  }
  for (const AtomTable& atoms : base.atoms) out.atoms.emplace_back(atoms.size(), false);
  QueryMatcher matcher(program, base, out);
  for (std::uint32_t q = 0; q < base.queries.size(); ++q) {
    const std::vector<AtomIndex> found = matcher.match(base.queries[q]);
    if (found.empty()) ++out.omitted;
    for (const AtomIndex atom : found) {
      out.outputs.push_back({q, atom});
      out.atoms[base.queries[q].predicate][atom] = true;
    }
  }
  Reaching reaching(program, derived, out);
  reaching.walk();
  for (RuleIndex r = 0; r < program.rules.size(); ++r) {
    drop_unreached(out.of_head[r], reaching.heads(r));
    out.groups[r] =
        group_heads(program.rules[r], base.atoms[program.rules[r].head], out.of_head[r]);
  }
  return out;
}

}  // namespace vecc::tools::ground
