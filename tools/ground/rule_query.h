// One rule as one SQL query: its body's literals joined, a row a grounding.
//
// An atom is a row of its predicate's table: `e` its example, `c0`, `c1`, ... its constants by
// number, `id` its index. A query gives the example, then the head's variables, then the ids of the
// literals that are inputs.
//
//   h(X) :- a(X), *e(X, Y), !b(Y).
//   SELECT t1.e, t1.c0, t0.id FROM p2_e AS t1 CROSS JOIN p1_a AS t0
//   WHERE t0.e = t1.e AND t0.c0 = t1.c0
//     AND NOT EXISTS (SELECT 1 FROM p3_b AS n WHERE n.e = t1.e AND n.c0 = t1.c1)
//
// SQLite walks a join in the order in which it is written, each table after the first by an index
// of the columns that are known there. DuckDB orders joins itself, and then sorts the rows as
// SQLite would have found them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/ground/rule_program.h"

namespace vecc::tools::ground {

/// Whose SQL it is.
enum class SqlEngine : std::uint8_t { Sqlite, DuckDb };

/// What is known of the tables when a query is planned.
struct TableSizes {
  std::span<const std::uint64_t> rows;  ///< by predicate
  /// By predicate and argument: different pairs of example and constant. Empty: not counted.
  std::span<const std::vector<std::uint64_t>> distinct;
  std::uint64_t examples = 1;
};

struct RuleQuery {
  std::string sql;
  /// Literals that the ranges of ids are for: the n-th of them has ?2n+1 <= id < ?2n+2 ($ for ?
  /// in DuckDB's SQL).
  std::vector<std::size_t> ranged;
  /// One grounding may come in several rows: a variable is neither in the head nor in an input.
  bool may_repeat = false;
  std::size_t columns = 0;  ///< of a row
  /// The literal whose table the join begins with; none: it joins nothing.
  std::optional<std::size_t> first;
  double visits_of_id = 0;  ///< about how many rows the join visits for one of the first table
  /// The query of those rows that begin with an id of a range of the first table: the parameters
  /// `part_parameter` and the next are the range. Empty: it cannot be split so.
  std::string part_sql;
  int part_parameter = 1;
};

/// `ranged`: the body's literals whose atoms are still being derived. `first`: the one to begin
/// with, or none.
[[nodiscard]] RuleQuery plan_rule(const RuleProgram& program, const RuleSpec& rule,
                                  std::vector<std::size_t> ranged, std::optional<std::size_t> first,
                                  const TableSizes& sizes, SqlEngine engine);

/// `p2_bond`: letters, digits and `_` of the name behind the predicate's number.
[[nodiscard]] std::string table_name(const RuleProgram& program, PredicateIndex predicate);
[[nodiscard]] std::string create_table_sql(const RuleProgram& program, PredicateIndex predicate,
                                           SqlEngine engine);
/// A row for each example.
[[nodiscard]] std::string create_examples_sql(std::uint64_t examples, SqlEngine engine);

}  // namespace vecc::tools::ground
