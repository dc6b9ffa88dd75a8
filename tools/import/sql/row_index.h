// Rows by their keys, and where a row is, for errors.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/import/sql/schema.h"

namespace vecc::tools::sql {

/// Rows of a table by the values of some columns.
class RowIndex {
 public:
  /// Errors: BadTable: two rows have one key.
  [[nodiscard]] static Result<RowIndex> build(const SourceDatabase& database, const Schema& schema,
                                              std::uint32_t table,
                                              const std::vector<std::uint32_t>& columns);
  /// Nothing where a part is NULL or no row has the key.
  [[nodiscard]] std::optional<std::uint32_t> find(SqlRow key) const;

 private:
  // The row of a new key is set to `row`; what it is of one that is there stays.
  std::uint32_t& row_of(SqlRow key, std::uint32_t row);

  boost::unordered_flat_map<std::int64_t, std::uint32_t> whole_;  // single whole numbers
  boost::unordered_flat_map<std::string, std::uint32_t> rows_;    // other keys, by their texts
};

/// `shop.db: table orders, row 17, column price`
[[nodiscard]] std::string place_of(const SourceDatabase& database, const Schema& schema,
                                   TableColumn at, std::uint64_t row);

}  // namespace vecc::tools::sql
