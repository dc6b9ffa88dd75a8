// What the values of a column are to the network. Statistics and categories are a value that goes
// with the graph, so that later rows are read as those of the training were.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/sql/schema.h"
#include "vecc/error.h"

namespace vecc::tools::sql {

enum class ColumnKind : std::uint8_t {
  Out,       ///< no feature
  Number,    ///< (x - mean) / deviation, is NULL
  Boolean,   ///< 1 or -1, is NULL
  Time,      ///< standardised, sine and cosine of year, week and day, is NULL
  Category,  ///< a learnable column a value, one for NULL and one for unknown values
  Text,      ///< hashed n-grams of its words, is NULL
};

struct ColumnCode {
  TableColumn at;
  ColumnKind kind = ColumnKind::Out;
  double mean = 0;  ///< Number; Time: in seconds since 1970
  double deviation = 1;
  std::vector<std::string> values;  ///< Category, by number; NULL and unknown come behind them
  std::string why;                  ///< Out: for people

  /// Entries of the row's vector.
  [[nodiscard]] std::uint32_t width() const;
  /// Category: all that there are.
  [[nodiscard]] std::uint32_t category_count() const {
    return static_cast<std::uint32_t>(values.size()) + 2;
  }
  [[nodiscard]] std::uint32_t null_category() const {
    return static_cast<std::uint32_t>(values.size());
  }
};

/// A column of weights each.
inline constexpr std::uint64_t kMaxCategories = 4096;

/// Entries of a text beside that of NULL (text_features.h).
inline constexpr std::uint32_t kTextEntries = 32;

/// `number`, `category`, ...
[[nodiscard]] std::string_view name_of(ColumnKind kind);
[[nodiscard]] std::optional<ColumnKind> parse_column_kind(std::string_view name);

/// Seconds since 1970: of `2020-01-31`, `2020-01-31 12:30[:15]` (also with T and Z), or a number.
[[nodiscard]] std::optional<double> time_of(const SqlValue& value);
/// A number, also one that is written as a text.
[[nodiscard]] std::optional<double> number_of(const SqlValue& value);
/// 1 and 0; true, false, yes, no, t, f, y, n in any case.
[[nodiscard]] std::optional<bool> boolean_of(const SqlValue& value);
/// A value as a text by which equal ones are equal: 1 and 1.0 are.
[[nodiscard]] std::string text_of(const SqlValue& value);

/// Appends width() entries; false: not a value of this kind.
[[nodiscard]] bool encode(const ColumnCode& code, const SqlValue& value, std::vector<double>& out);
/// What encode() takes: `a number`.
[[nodiscard]] std::string_view expected_of(ColumnKind kind);
/// Categories by number.
class CategoryNumbers {
 public:
  explicit CategoryNumbers(const ColumnCode& code);
  [[nodiscard]] std::uint32_t of(const SqlValue& value) const;

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::uint32_t null_ = 0;
};

/// What a column's kind and statistics are decided from, value after value.
class ColumnStatistics {
 public:
  ColumnStatistics(TableColumn at, const Column& column, std::uint64_t max_categories)
      : at_(at), type_(column.type), max_categories_(max_categories) {}
  void add(const SqlValue& value);
  /// `kind`: as the user says, or by type and values.
  [[nodiscard]] ColumnCode code(std::optional<ColumnKind> kind) const;

 private:
  [[nodiscard]] ColumnKind choose(std::string& why) const;

  TableColumn at_;
  std::string type_;
  std::uint64_t max_categories_;
  std::uint64_t count_ = 0;
  std::uint64_t numbers_ = 0;  ///< of INTEGER and REAL
  std::uint64_t booleans_ = 0;
  std::uint64_t dates_ = 0;  ///< texts
  std::uint64_t blobs_ = 0;
  std::uint64_t phrases_ = 0;  ///< texts of several words
  std::uint64_t measured_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  std::uint64_t time_measured_ = 0;
  double time_mean_ = 0;
  double time_squares_ = 0;
  std::map<std::string, std::uint64_t> values_;  ///< at most max_categories_ + 1
};

/// The columns as JSON, and back. Error DanglingReference: a column that the schema lacks. Throws
/// where the JSON is of another program.
[[nodiscard]] nlohmann::json columns_json(const Schema& schema,
                                          const std::vector<ColumnCode>& codes);
[[nodiscard]] Result<std::vector<ColumnCode>> parse_columns(const Schema& schema,
                                                            const nlohmann::json& list,
                                                            const std::string& place);

}  // namespace vecc::tools::sql
