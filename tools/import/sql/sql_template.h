// The template of a schema: one predicate a table and hop, one rule a foreign key and direction, in
// the language of docs/templates.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/sql/column_code.h"
#include "tools/import/sql/schema.h"

namespace vecc::tools::sql {

inline constexpr std::uint32_t kMaxHops = 16;
inline constexpr std::uint32_t kMaxDim = 65'536;
inline constexpr std::array<std::string_view, 4> kAggregations{"avg", "sum", "max", "min"};

struct SqlModelOptions {
  std::uint32_t hops = 2;
  std::uint32_t dim = 16;
  std::string aggregation = "avg";  ///< of the rows that name a row
  bool has_ages = false;            ///< of rows at a sample's time: samples have times
};

/// What is predicted of the rows of a table.
struct SqlTarget {
  std::uint32_t table = 0;
  std::optional<std::uint32_t> column;  ///< none: a task has it
  std::optional<std::uint32_t> other;   ///< of links: the table of their targets
  bool is_class = false;
  std::vector<std::string> classes;  ///< two: one output for the second
  double mean = 0;                   ///< a number: outputs are in its own unit
  double deviation = 1;

  [[nodiscard]] std::uint32_t output_size() const {
    return is_class && classes.size() > 2 ? static_cast<std::uint32_t>(classes.size()) : 1;
  }
};

struct CategoryPredicates {
  std::uint32_t code = 0;  ///< of the list of codes
  std::string value;       ///< one-hot fact of a value
  std::string link;        ///< row, value
  std::string weight;
};

struct TablePredicates {
  bool is_reached = false;
  std::uint32_t hops = 0;  ///< from the target
  std::string row;         ///< vector fact of a row: 1, then the columns that have entries
  std::uint32_t width = 1;
  std::vector<std::uint32_t> entries;  ///< of the list of codes
  std::string age;                     ///< vector fact of a row in an example; "": none
  std::vector<std::uint32_t> ages;     ///< of the list of codes: two entries each
  std::vector<CategoryPredicates> categories;
};

struct SqlTemplate {
  std::string text;
  std::vector<TablePredicates> tables;  ///< of the schema
  std::vector<std::string> links;       ///< by foreign key: row, parent's row; "": not reached
};

/// The query of a row is `predict(X)`, of a link `predict(X, Y)`.
inline constexpr std::string_view kPredict = "predict";
/// The pairs of rows that links may join.
inline constexpr std::string_view kCandidate = "candidate";

[[nodiscard]] SqlTemplate make_template(const Schema& schema, const std::vector<ColumnCode>& codes,
                                        const SqlTarget& target, const SqlModelOptions& options);

}  // namespace vecc::tools::sql
