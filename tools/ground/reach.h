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

/// A query's atom, which rules derive.
struct Output {
  std::uint32_t query = 0;
  AtomIndex atom = 0;
};

struct Reached {
  std::vector<std::vector<bool>> atoms;  ///< by predicate
  std::vector<HeadIndex> of_head;        ///< by rule; those of atoms that are not reached are gone
  std::vector<Output> outputs;           ///< in the order of the queries
  std::uint64_t omitted = 0;             ///< queries that no rule derives

  /// Whether rules derive the atom: else it is a fact.
  [[nodiscard]] bool is_derived(const RuleProgram& program, PredicateIndex p, AtomIndex atom) const;
};

[[nodiscard]] Reached reach_queries(const RuleProgram& program, const FactBase& base,
                                    const Derived& derived);

}  // namespace vecc::tools::ground
