#include <algorithm>
#include <cmath>

#include "src/support/utf8.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/sql/row_facts.h"
#include "tools/import/sql/row_index.h"

namespace vecc::tools::sql {
namespace {

// Categories go into the graph by name.
Result<void> check_categories(const SourceDatabase& database, const Schema& schema,
                              const ColumnCode& code, std::uint64_t max_categories) {
  if (code.kind != ColumnKind::Category) return {};
  const auto refuse = [&](const std::string& message) {
    return Errors(ErrorCode::BadTable, place_of(database, schema, code.at, 0), message);
  };
  if (code.values.size() > max_categories) {
    return refuse("has more than " + count_of(max_categories, "value") +
                  ": --max-categories, at most 4096, or --column=TABLE.COLUMN:out");
  }
  for (const std::string& value : code.values) {
    if (!is_utf8(value)) {
      return refuse(found_expected(value, "UTF-8 text; --column=TABLE.COLUMN:out leaves it out"));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<ColumnCode>> measure_columns(
    const SourceDatabase& database, const Schema& schema, const SampleTable& samples,
    const std::vector<std::vector<std::optional<ColumnKind>>>& kinds,
    std::uint64_t max_categories) {
  double last = -INFINITY;
  std::vector<bool> trains;
  for (const RowSample& sample : samples.samples) {
    if (sample.split != Split::Train) continue;
    if (sample.time) last = std::max(last, *sample.time);
    trains.resize(std::max<std::size_t>(trains.size(), sample.row + std::size_t{1}));
    trains[sample.row] = true;
  }
  std::vector<ColumnCode> codes;
  for (std::uint32_t t = 0; t < schema.tables.size(); ++t) {
    const Table& table = schema.tables[t];
    std::vector<std::string> names;
    std::vector<ColumnStatistics> columns;
    for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
      const bool is_target = t == samples.table && samples.column == c;
      // A column of splits has one value in the rows to train on.
      const bool is_split = t == samples.table && samples.split_column == c;
      if (is_target || ((is_split || schema.is_key(t, c)) && !kinds[t][c])) continue;
      names.push_back(table.columns[c].name);
      columns.emplace_back(TableColumn{t, c}, table.columns[c], max_categories);
    }
    const std::size_t features = columns.size();
    if (features == 0) continue;
    const auto time = samples.times[t];
    if (time) names.push_back(table.columns[*time].name);
    std::uint32_t row = 0;
    VECC_TRY_VOID(database.scan(table.name, names, [&](SqlRow values) -> Result<void> {
      const std::uint32_t at = row++;
      if (samples.column && t == samples.table && (at >= trains.size() || !trains[at])) return {};
      if (time) {
        const auto when = time_of(values[features]);
        if (!when || *when > last) return {};
      }
      for (std::size_t i = 0; i < features; ++i) columns[i].add(values[i]);
      return {};
    }));
    for (std::size_t i = 0; i < features; ++i) {
      const std::uint32_t c = table.find(names[i]);
      ColumnCode code = columns[i].code(kinds[t][c]);
      VECC_TRY_VOID(check_categories(database, schema, code, max_categories));
      codes.push_back(std::move(code));
    }
  }
  return codes;
}

}  // namespace vecc::tools::sql
