#include "tools/ground/strata.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include "tools/import/load/load_errors.h"

namespace vecc::tools::ground {

Result<std::vector<Stratum>> order_strata(const RuleProgram& program) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Graph reads(program.predicates.size());
  for (const RuleSpec& rule : program.rules) {
    for (const Literal& literal : rule.body) {
      if (literal.special == Special::None) boost::add_edge(rule.head, literal.predicate, reads);
    }
  }
  // Tarjan's numbers: what is read has a lower one than what reads it.
  std::vector<std::size_t> component(program.predicates.size());
  std::vector<Stratum> strata(boost::strong_components(
      reads, boost::make_iterator_property_map(component.begin(),
                                               boost::get(boost::vertex_index, reads))));
  for (PredicateIndex p = 0; p < component.size(); ++p) {
    strata[component[p]].predicates.push_back(p);
  }
  Errors errors;
  for (RuleIndex r = 0; r < program.rules.size(); ++r) {
    const RuleSpec& rule = program.rules[r];
    Stratum& stratum = strata[component[rule.head]];
    stratum.rules.push_back(r);
    for (const Literal& literal : rule.body) {
      if (literal.special != Special::None) continue;
      if (component[literal.predicate] != component[rule.head]) continue;
      stratum.is_recursive = true;
      if (!literal.negated) continue;
      errors.add(ErrorCode::BadTable, program.place(literal.at),
                 quote(program.predicates[literal.predicate].text()) +
                     " is negated, and depends on the head of this rule: there is no order to "
                     "derive them in");
    }
  }
  if (!errors.empty()) return errors;
  return strata;
}

}  // namespace vecc::tools::ground
