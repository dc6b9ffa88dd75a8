// What the queries can reach: everything else is left out of the network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/ground/derive.h"
#include "tools/ground/fact_base.h"
#include "tools/ground/rule_program.h"

namespace vecc::tools::ground {

/// The groundings of one rule by their heads.
struct HeadIndex {
  std::vector<std::uint32_t> begin;  ///< atoms + 1
  std::vector<std::uint32_t>
      groundings;  ///< of head h: [begin[h], begin[h + 1]), as they were found

  [[nodiscard]] std::span<const std::uint32_t> of(AtomIndex head) const {
    return std::span(groundings).subspan(begin[head], begin[head + 1] - begin[head]);
  }
};

/// Of a rule whose aggregation makes a value for each head: its heads that have groundings, by
/// their other arguments.
struct HeadGroups {
  std::vector<std::uint32_t> of_head;   ///< by atom: its group
  std::vector<std::uint32_t> position;  ///< by atom: in the group
  std::vector<std::uint32_t> begin;     ///< groups + 1
  std::vector<AtomIndex> heads;         ///< of group g: [begin[g], begin[g + 1]), ascending

  [[nodiscard]] std::size_t size() const { return begin.empty() ? 0 : begin.size() - 1; }
  [[nodiscard]] std::span<const AtomIndex> of(std::size_t group) const {
    return std::span(heads).subspan(begin[group], begin[group + 1] - begin[group]);
  }
};

/// A query's atom, which rules derive.
struct Output {
  std::uint32_t query = 0;
  AtomIndex atom = 0;
};

struct Reached {
  std::vector<std::vector<bool>> atoms;  ///< by predicate
  /// By rule; those of atoms that are not reached are gone, but where one of their group is.
  std::vector<HeadIndex> of_head;
  std::vector<HeadGroups> groups;  ///< by rule: of those with `over`
  std::vector<Output> outputs;     ///< in the order of the queries
  std::uint64_t omitted = 0;       ///< queries that no rule derives

  /// Whether rules derive the atom: else it is a fact.
  [[nodiscard]] bool is_derived(const RuleProgram& program, PredicateIndex p, AtomIndex atom) const;
};

[[nodiscard]] Reached reach_queries(const RuleProgram& program, const FactBase& base,
                                    const Derived& derived);

}  // namespace vecc::tools::ground
