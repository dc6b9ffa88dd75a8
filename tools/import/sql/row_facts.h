// Rows to facts: what a grounder reads of a database.
#pragma once

#include <vector>

#include "tools/ground/fact_base.h"
#include "tools/ground/language/check.h"
#include "tools/ground/rule_program.h"
#include "tools/import/sql/samples.h"
#include "tools/import/sql/sql_template.h"

namespace vecc::tools::sql {

/// Kinds and statistics of all columns that are features of reached tables: of the target's table
/// by the rows of training samples, of a table with times by the rows up to the last of those
/// samples, of others by all rows.
[[nodiscard]] Result<std::vector<ColumnCode>> measure_columns(
    const SourceDatabase& database, const Schema& schema, const SampleTable& samples,
    const std::vector<std::vector<std::optional<ColumnKind>>>& kinds, std::uint64_t max_categories);

struct RowFacts {
  ground::FactBase base;
  language::DataPredicates data;
  std::vector<std::uint64_t> missing_parents;  ///< by foreign key: rows whose parent is not there
  std::uint64_t rows = 0;
  std::uint64_t unknown_targets = 0;  ///< left out, as `ignores_unknown_targets` says
  std::string unknown_target;         ///< the first one
};

/// What the facts are made for.
struct RowFactsInput {
  const SourceDatabase& database;
  const Schema& schema;
  const std::vector<ColumnCode>& codes;
  const SqlTemplate& model;
  const SqlTarget& target;
  const SampleTable& samples;
  std::uint32_t hops = 0;
  std::uint64_t max_facts = 0;  ///< with times: of all samples
  /// Where rows are predicted, what stands in their target's place does not matter.
  bool ignores_unknown_targets = false;
};

/// Without times one example has all rows; with times each sample is an example, of the rows that
/// its hops reach and that are not later than it. Errors: BadTable (a value that is none of its
/// column's kind), DuplicateId (a key that is none), DanglingReference (a class that the
/// training had not), BadSample (no number), LimitNeurons.
[[nodiscard]] Result<RowFacts> make_row_facts(const RowFactsInput& input,
                                              ground::RuleProgram& program);

}  // namespace vecc::tools::sql
