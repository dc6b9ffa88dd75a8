// From a database to graph.pb: all that `vecc-import sql` does.
#pragma once

#include <string>
#include <vector>

#include "tools/common/stages.h"
#include "tools/ground/rule_query.h"
#include "tools/import/import_options.h"
#include "tools/import/sql/samples.h"
#include "tools/import/sql/sql_template.h"

namespace vecc::tools::sql {

enum class Picture : std::uint8_t { None, Schema, Template };

struct ImportDatabaseOptions {
  ImportCommandOptions common;  ///< `input` is the source
  SampleOptions samples;
  SqlModelOptions model;
  std::vector<std::string> keys;          ///< TABLE.COLUMN[,TABLE.COLUMN]: names the rows
  std::vector<std::string> foreign_keys;  ///< TABLE.COLUMN:PARENT.COLUMN
  bool infer_keys = false;
  std::string template_path;        ///< grounded instead of what the keys make; empty: none
  bool prints_template = false;     ///< to stdout; nothing is grounded
  Picture picture = Picture::None;  ///< to stdout; nothing is grounded
  bool is_temporary = false;        ///< the graph: reports do not name its file
  ground::SqlEngine engine = ground::SqlEngine::Sqlite;
  bool explains = false;  ///< schema, columns, template and SQL to stdout
  /// The text of a model (trained_columns.h), by which the database is read: keys, columns, times
  /// and template are its. Empty: there is none.
  std::string trained;
  std::string trained_place;  ///< where it is from, for errors

  /// No graph is made.
  [[nodiscard]] bool only_prints() const { return prints_template || picture != Picture::None; }
};

/// What a model says of the options of an import of other rows. Error BadTable.
[[nodiscard]] Result<void> set_trained(ImportDatabaseOptions& options, std::string text,
                                       std::string place);

/// The file appears whole or not at all.
[[nodiscard]] Result<void> import_database(const ImportDatabaseOptions& options, Stages& stages);

}  // namespace vecc::tools::sql
