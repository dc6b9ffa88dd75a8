// Pictures of what `vecc-import sql` reads and makes of it, as Mermaid's text.
#pragma once

#include <string>

#include "tools/ground/language/template.h"
#include "tools/import/sql/samples.h"
#include "tools/import/sql/sql_template.h"
#include "tools/import/sql/trained_columns.h"

namespace vecc::tools::sql {

/// A box a table, with what its columns are; an edge a foreign key, to the parent.
[[nodiscard]] std::string draw_schema(const Schema& schema, const TrainedColumns& trained,
                                      const SqlTemplate& model, const SampleTable& samples);

/// A node a predicate, round where it is one of facts; an edge from each input of a rule to its
/// head, with the literals that only constrain it and its aggregation. Any template's.
[[nodiscard]] std::string draw_template(const language::Template& rules);

}  // namespace vecc::tools::sql
