// All groundings of all rules, by SQL: predicates in order, recursion in semi-naive rounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/ground/fact_base.h"
#include "tools/ground/rule_program.h"
#include "tools/ground/rule_query.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

/// The groundings of one rule: head `heads[i]` from the inputs
/// inputs[i * n .. (i + 1) * n), in the order of the body.
struct Groundings {
  std::vector<AtomIndex> heads;
  std::vector<AtomIndex> inputs;
  /// Of rules that keep duplicates: how often each was found. Empty: once.
  std::vector<std::uint32_t> times;

  [[nodiscard]] std::size_t size() const { return heads.size(); }
  [[nodiscard]] std::uint32_t times_of(std::uint32_t g) const {
    return times.empty() ? 1 : times[g];
  }
};

struct DeriveOptions {
  SqlEngine engine = SqlEngine::Sqlite;
  bool explain = false;
  std::function<void(std::uint64_t groundings)> progress;  ///< may be empty
  std::uint64_t max_groundings = ~0ull;
  std::uint32_t threads = 1;  ///< 0: one a processor. What is derived does not depend on it
  /// Threads share a query by parts that visit so many rows; smaller ones have one thread.
  std::uint64_t visits_of_part = 1 << 14;
};

struct Derived {
  std::vector<Groundings> groundings;  ///< by rule
  std::string explanation;             ///< each rule's queries, with the numbers of rows
};

/// Adds what rules derive to `base.atoms`. A rule without inputs makes facts of its heads, which
/// have the value of the rule's weight. Errors: NotBuiltIn, OutOfMemory, LimitEdges; BadTable: a
/// negation in a recursion.
[[nodiscard]] Result<Derived> derive(const RuleProgram& program, FactBase& base,
                                     const DeriveOptions& options);

}  // namespace vecc::tools::ground
