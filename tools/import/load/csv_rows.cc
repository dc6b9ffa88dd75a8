#include <algorithm>
#include <vector>

#include "tools/import/load/csv_reader.h"
#include "tools/import/load/line_reader.h"
#include "tools/import/load/table_rows.h"
#include "tools/import/load/text_checks.h"

namespace vecc::tools {
namespace {

// Where each wanted column stands in the header; nothing (with errors) if one is missing or twice.
std::optional<std::vector<std::size_t>> find_columns(const CsvReader& header, const Text& text,
                                                     ColumnNames columns, LoadErrors& errors) {
  std::vector<std::size_t> positions;
  for (const std::string_view column : columns) {
    const auto is_it = [&](std::string_view name) { return trim(name) == column; };
    const auto count = std::ranges::count_if(header.fields(), is_it);
    if (count == 1) {
      const auto found = std::ranges::find_if(header.fields(), is_it);
      positions.push_back(static_cast<std::size_t>(found - header.fields().begin()));
    } else {
      errors.add(ErrorCode::BadTable, {text.name, header.line()}, [&] {
        return std::string("the header has ") +
               (count == 0 ? "no column " : "more than one column ") + std::string(column);
      });
    }
  }
  if (positions.size() != columns.size()) return std::nullopt;
  return positions;
}

}  // namespace

void read_csv_rows(const Text& text, ColumnNames columns, LoadErrors& errors, const RowSink& sink) {
  if (!check_names_text(text, "a header and a row a line", errors)) return;
  CsvReader reader(text, errors);
  if (!reader.next() || !errors.empty()) return;
  const std::size_t width = reader.fields().size();
  const auto positions = find_columns(reader, text, columns, errors);
  if (!positions) return;
  std::vector<std::string_view> values(columns.size());
  bool has_rows = false;
  while (reader.next()) {
    has_rows = true;
    const Place place{text.name, reader.line()};
    if (reader.fields().size() != width) {
      errors.add(ErrorCode::BadTable, place, [&] {
        return count_of(reader.fields().size(), "column") + ", but the header has " +
               std::to_string(width);
      });
      continue;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = reader.fields()[(*positions)[i]];
    }
    sink({place, values});
  }
  if (has_rows || !errors.empty()) return;
  errors.add(ErrorCode::FileEmpty, {text.name}, [] { return std::string("has no rows"); });
}

}  // namespace vecc::tools
