// What a graph of `vecc-import sql` carries of the database that it was made of, as a text: how
// another database is read as that one was. Vocabularies of the graph have it, and those of
// categories and classes.
#pragma once

#include <string>
#include <vector>

#include "tools/import/ground/grounder.h"
#include "tools/import/sql/column_code.h"
#include "tools/import/sql/samples.h"
#include "tools/import/sql/sql_template.h"

namespace vecc::tools::sql {

/// The vocabulary that has the text.
inline constexpr std::string_view kTrainedDatabase = "sql database";

struct TrainedColumns {
  std::vector<ColumnCode> codes;
  SqlTarget target;
  std::string template_text;  ///< that the keys make: its predicates are those of the facts
  std::string user_template;  ///< of --template, which was grounded instead; empty: none
};

/// How rows without times came into their splits.
struct TrainedSplit {
  bool is_known = false;  ///< models of before do not say it
  std::int64_t seed = 0;
  std::uint32_t valid = 0;  ///< percent
  std::uint32_t test = 0;
  std::string column;  ///< of --split; empty: by the hash of their keys
};

/// What of the options of an import goes with a model.
struct TrainedOptions {
  std::string target;              ///< TABLE.COLUMN; of a task TABLE
  std::vector<std::string> times;  ///< TABLE.COLUMN
  SqlModelOptions model;
  TrainedSplit split = {};
};

void add_trained_columns(const Schema& schema, const TrainedColumns& trained,
                         const TrainedOptions& options, const SqlTemplate& model, Grounder& out);

/// The text of a graph. Errors: those of read_graph(); MissingValues: a graph of something else.
[[nodiscard]] Result<std::string> read_trained_text(const std::string& graph,
                                                    const std::string& place);
/// Error BadTable, as of the next two: a text of another program.
[[nodiscard]] Result<TrainedOptions> parse_trained_options(const std::string& text,
                                                           const std::string& place);
/// The keys of tables and those between them, instead of what the database declares. Error
/// DanglingReference: a table or column that the database lacks.
[[nodiscard]] Result<void> apply_trained_keys(const std::string& text, const std::string& place,
                                              Schema& schema);
/// Error DanglingReference: a column that the database lacks; a target may be none of its columns.
[[nodiscard]] Result<TrainedColumns> parse_trained_columns(const Schema& schema,
                                                           const std::string& text,
                                                           const std::string& place);

}  // namespace vecc::tools::sql
