// Link tasks: which rows of another table belong to a row (what a customer buys next).
#pragma once

#include "tools/import/sql/samples.h"

namespace vecc::tools::sql {

/// A line of a task, whose value is a list of keys (`p1|p7`), becomes a group of samples: a
/// positive each, and negatives out of the rows that are there at its time and not in the list.
/// Their number is `negatives` of a line to train on, `candidates` of others; they are drawn by
/// seed and line, each row at most once. A line without a list gets a sample for each row, without
/// a role. Error DanglingReference: a key that no row has.
[[nodiscard]] Result<void> expand_links(const SourceDatabase& database, const Schema& schema,
                                        const SampleOptions& options, SampleTable& samples);

}  // namespace vecc::tools::sql
