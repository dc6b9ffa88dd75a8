// The rows of a database in memory: what facts are made of, and which rows foreign keys join.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tools/ground/fact_base.h"
#include "tools/import/sql/row_facts.h"
#include "tools/import/sql/row_index.h"

namespace vecc::tools::sql {

inline constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();
inline constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

/// A table's rows, in the order of the table.
struct RowColumns {
  std::uint32_t count = 0;
  ground::FactIndex first_value = 0;
  std::vector<std::vector<std::uint32_t>> categories;  ///< by CategoryPredicates and row
  std::vector<double> times;                           ///< kNever: none; empty: the table has none
  std::vector<double> moments;                         ///< by row, of each age; kNever: none
};

/// A foreign key's pairs of rows.
struct RowLinks {
  std::shared_ptr<const RowIndex> index;  ///< while rows are read; null: the key is in no rule
  std::vector<std::uint32_t> parent;      ///< by row: kNoRow is none
  std::vector<std::uint32_t> begin;       ///< by parent: in children
  std::vector<std::uint32_t> children;
};

/// Reads each table once, with its foreign keys.
class RowReader {
 public:
  RowReader(const RowFactsInput& input, ground::FactValues& values)
      : in_(input), values_(values), tables_(input.schema.tables.size()) {}

  /// Before the tables: the rows that foreign keys name. Error DuplicateId.
  [[nodiscard]] Result<void> index_parents();
  /// A row's entries become a value. Errors: BadTable, LimitRows.
  [[nodiscard]] Result<void> read(std::uint32_t table);
  /// After the tables.
  void sort_children();

  [[nodiscard]] const std::vector<RowColumns>& tables() const { return tables_; }
  /// By foreign key.
  [[nodiscard]] const std::vector<RowLinks>& links() const { return links_; }
  /// By foreign key: rows whose parent is not there.
  [[nodiscard]] const std::vector<std::uint64_t>& missing_parents() const {
    return missing_parents_;
  }

 private:
  [[nodiscard]] std::vector<std::string> columns_of(std::uint32_t t) const;
  [[nodiscard]] std::vector<std::size_t> keys_of(std::uint32_t t) const;
  [[nodiscard]] Result<void> read_entries(std::uint32_t t, SqlRow values);
  [[nodiscard]] Result<void> read_time(std::uint32_t t, const SqlValue& value);
  void read_link(std::size_t k, SqlRow key);
  [[nodiscard]] Errors bad_value(const ColumnCode& code, const SqlValue& value,
                                 std::uint64_t row) const;

  const RowFactsInput& in_;
  ground::FactValues& values_;
  std::vector<double> entries_;  // of a row, while it is read
  std::vector<RowColumns> tables_;
  std::vector<RowLinks> links_;
  std::vector<std::uint64_t> missing_parents_;
};

/// Adds a value that rows may have: a column vector, or a scalar.
ground::FactIndex add_value(ground::FactValues& store, std::span<const double> values);

/// A scalar where it has one element.
[[nodiscard]] inline Shape vector_shape(std::uint32_t size) {
  return size == 1 ? Shape() : Shape::column(size);
}

}  // namespace vecc::tools::sql
