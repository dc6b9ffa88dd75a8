// The network that NeuraLogic makes of the groundings, into a graph.pb, group by group.
//
//   fact             a fact that a grounding reads
//   rule             a grounding: its inputs are the literals of the body, in its order
//   aggregation      the groundings of one rule with one head
//   atom             the aggregations of one head, in the order of the rules
//   negation         a soft-negated literal of one grounding, or one with a function of its own
//
// Groups are by class and head predicate, as the bridge to NeuraLogic writes them.
#pragma once

#include "tools/ground/cut_cycles.h"
#include "tools/ground/derive.h"
#include "tools/ground/fact_base.h"
#include "tools/ground/reach.h"
#include "tools/ground/rule_program.h"
#include "tools/import/ground/grounder.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

struct GroundNetwork {
  const RuleProgram& program;
  const FactBase& base;
  const Derived& derived;
  const Reached& reached;
  const CutEdges& cut;
  /// Output neurons keep their transformation; else it is IDENTITY where the template says none.
  bool keep_outputs = false;
};

/// Errors: FunctionDomain: COUNT, SOFTMAX or SPARSEMAX of one value with a transformation after it.
[[nodiscard]] Result<void> write_network(const GroundNetwork& network, Grounder& out);

}  // namespace vecc::tools::ground
