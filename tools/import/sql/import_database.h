// From a database to graph.pb: all that `vecc-import sql` does.
#pragma once

#include <string>
#include <vector>

#include "tools/common/stages.h"
#include "tools/import/import_data.h"
#include "tools/import/sql/samples.h"
#include "tools/import/sql/sql_template.h"

namespace vecc::tools::sql {

struct ImportDatabaseOptions {
  ImportCommandOptions common;  ///< `input` is the source
  SampleOptions samples;
  SqlModelOptions model;
  std::vector<std::string> keys;          ///< TABLE.COLUMN[,TABLE.COLUMN]: names the rows
  std::vector<std::string> foreign_keys;  ///< TABLE.COLUMN:PARENT.COLUMN
  bool infer_keys = false;
  bool prints_template = false;  ///< to stdout; nothing is grounded
  bool explains = false;         ///< schema, columns, template and SQL to stdout
};

/// The file appears whole or not at all.
[[nodiscard]] Result<void> import_database(const ImportDatabaseOptions& options, Stages& stages);

}  // namespace vecc::tools::sql
