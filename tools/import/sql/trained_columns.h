// What a graph of `vecc-import sql` carries of the database that it was made of: as vocabularies
// without use, but for those of categories and classes.
#pragma once

#include <string>
#include <vector>

#include "tools/import/ground/grounder.h"
#include "tools/import/sql/column_code.h"
#include "tools/import/sql/sql_template.h"

namespace vecc::tools::sql {

struct TrainedColumns {
  std::vector<ColumnCode> codes;
  SqlTarget target;
  std::string template_text;
};

void add_trained_columns(const Schema& schema, const TrainedColumns& trained,
                         const SqlTemplate& model, Grounder& out);
/// Errors: those of read_graph() and parse_columns(); MissingValues: a graph of something else.
[[nodiscard]] Result<TrainedColumns> read_trained_columns(const Schema& schema,
                                                          const std::string& path);

}  // namespace vecc::tools::sql
