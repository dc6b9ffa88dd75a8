// Only what the queries ask for is derived: the magic sets of Datalog (Bancilhon and others 1986).
//
// A query anc(a, b) demands anc at (a, b); a rule demands its literals for the demanded heads only,
// by what the literals before them bind:
//
//   anc(X, Z) :- edge(X, Y), anc(Y, Z).
//   ==>  anc(X, Z) :- edge(X, Y), anc(Y, Z), need_anc(X, Z).
//        need_anc(Y, Z) :- need_anc(X, Z), edge(X, Y).
//
// The literals of `need_` are hidden: no neuron reads them.
#pragma once

#include "tools/ground/fact_base.h"
#include "tools/ground/rule_program.h"

namespace vecc::tools::ground {

/// Adds the demands to the program, behind its own predicates and rules, and the queries' to the
/// base. Predicates that are demanded with no argument bound, and all that a hard negation depends
/// on, are derived as before.
void demand_queries(RuleProgram& program, FactBase& base);

}  // namespace vecc::tools::ground
