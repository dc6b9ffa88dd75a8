// Edges that close a cycle: left out, as NeuraLogic leaves them out.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/ground/derive.h"
#include "tools/ground/reach.h"
#include "tools/ground/rule_program.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

/// Depth first from the queries, in the order of rules, groundings and literals; an input that is
/// on the path already is cut.
struct CutEdges {
  std::vector<std::vector<bool>> inputs;  ///< by rule, as Groundings::inputs; empty: none
  std::uint64_t count = 0;

  [[nodiscard]] bool is_cut(RuleIndex rule, std::size_t input) const {
    return !inputs[rule].empty() && inputs[rule][input];
  }
};

/// Error Cycle, with the rule's place: a neuron would have no input left.
[[nodiscard]] Result<CutEdges> cut_cycles(const RuleProgram& program, const FactBase& base,
                                          const Derived& derived, const Reached& reached);

}  // namespace vecc::tools::ground
