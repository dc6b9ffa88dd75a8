// The rows that are predicted: with target, time and split.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/import/sql/column_code.h"
#include "tools/import/sql/sql_template.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools::sql {

struct SampleOptions {
  /// TABLE.COLUMN; with a task: TABLE, or TABLE:OTHER where the targets are rows of another table.
  std::string target;
  /// A CSV file, or a query: key, time, target and perhaps split; empty: none.
  std::string task;
  std::string split;               ///< a column of the target's table; empty: by time or hash
  std::vector<std::string> times;  ///< TABLE.COLUMN
  std::vector<std::string> kinds;  ///< TABLE.COLUMN:KIND
  std::uint32_t valid = 15;        ///< percent
  std::uint32_t test = 15;
  std::uint32_t negatives = 5;     ///< of a link sample to train on
  std::uint32_t candidates = 100;  ///< of one to validate or test with; 0: all rows that it may see
  std::int64_t seed = 0;
  std::string link_option;     ///< --negatives or --candidates, if one was given
  std::string percent_option;  ///< --valid or --test
  std::uint64_t max_categories = 100;
  /// Rows without a target are samples, too: all of them where the database has no such column.
  bool keeps_unlabeled = false;
  /// Rows of one split alone are wanted: that in which they were when the model was trained.
  bool asks_for_split = false;
  bool knows_split = true;  ///< seed, percents and column are those of the training
};

struct RowSample {
  std::uint32_t row = 0;
  std::string id;
  std::optional<std::string> value;  ///< as text_of() gives it
  std::optional<double> number;
  std::optional<double> time;
  Split split = Split::Train;
  std::optional<std::uint32_t> other = {};  ///< of a link: the row of the other table
  std::uint32_t group = kNoGroup;           ///< of a link: one a line of the task
  Role role = Role::Unspecified;
};

struct SampleTable {
  std::uint32_t table = 0;
  std::optional<std::uint32_t> column;              ///< of the target; none: the task has it
  std::optional<std::uint32_t> split_column;        ///< of --split
  std::optional<std::uint32_t> other;               ///< of links: the table of their targets
  std::vector<std::optional<std::uint32_t>> times;  ///< by table: its column of times
  bool is_timed = false;
  std::vector<RowSample> samples;
  std::uint64_t unlabeled = 0;  ///< rows left out
};

/// Errors: Usage (options that do not fit the schema); BadTable (times, splits, tasks with places);
/// DanglingReference (a task's row that is not there); BadSample (no sample).
[[nodiscard]] Result<SampleTable> read_samples(const SourceDatabase& database, const Schema& schema,
                                               const SampleOptions& options);

/// What the targets are. Error BadSample: one class, more than --max-categories, texts.
[[nodiscard]] Result<SqlTarget> find_target(const Schema& schema, const SampleTable& samples,
                                            std::optional<ColumnKind> kind,
                                            std::uint64_t max_categories);

/// Whether what stands in the sample's target is a class of the training, or a number.
[[nodiscard]] bool is_known_target(const SqlTarget& target, const RowSample& sample);
/// What to say if it is not, with the classes. Codes: DanglingReference; BadSample (no number).
[[nodiscard]] Errors unknown_target(const SqlTarget& target, const RowSample& sample,
                                    const std::string& place);

}  // namespace vecc::tools::sql
