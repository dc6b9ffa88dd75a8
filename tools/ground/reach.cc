#include "tools/ground/reach.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>
#include <optional>

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
  std::vector<std::vector<bool>> with_group;  // by rule and head: some head of its group is reached
  for (const HeadGroups& groups : out.groups) with_group.emplace_back(groups.of_head.size(), false);
  for (const AtomTable& atoms : base.atoms) out.atoms.emplace_back(atoms.size(), false);
  std::vector<std::pair<PredicateIndex, AtomIndex>> open;
  const auto reach = [&](PredicateIndex p, AtomIndex atom) {
    if (out.atoms[p][atom]) return;
    out.atoms[p][atom] = true;
    open.emplace_back(p, atom);
  };
  QueryMatcher matcher(program, base, out);
  for (std::uint32_t q = 0; q < base.queries.size(); ++q) {
    const std::vector<AtomIndex> found = matcher.match(base.queries[q]);
    if (found.empty()) ++out.omitted;
    for (const AtomIndex atom : found) {
      out.outputs.push_back({q, atom});
      reach(base.queries[q].predicate, atom);
    }
  }
  while (!open.empty()) {
    const auto [p, atom] = open.back();
    open.pop_back();
    for (const RuleIndex r : program.predicates[p].rules) {
      const RuleSpec& rule = program.rules[r];
      const std::size_t width = rule.input_count();
      const auto reach_inputs = [&](AtomIndex head) {
        for (const std::uint32_t g : out.of_head[r].of(head)) {
          const AtomIndex* input = derived.groundings[r].inputs.data() + g * width;
          for (const Literal& literal : rule.body) {
            if (literal.input) reach(literal.predicate, *input++);
          }
        }
      };
      if (rule.over.empty()) {
        reach_inputs(atom);
      } else if (!with_group[r][atom] && !out.of_head[r].of(atom).empty()) {
        for (const AtomIndex head : out.groups[r].of(out.groups[r].of_head[atom])) {
          with_group[r][head] = true;
          reach_inputs(head);
        }
      }
    }
  }
  for (RuleIndex r = 0; r < program.rules.size(); ++r) {
    const RuleSpec& rule = program.rules[r];
    drop_unreached(out.of_head[r], rule.over.empty() ? out.atoms[rule.head] : with_group[r]);
    out.groups[r] = group_heads(rule, base.atoms[rule.head], out.of_head[r]);
  }
  return out;
}

}  // namespace vecc::tools::ground
