#include "tools/import/load/triple_layout.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "src/support/enum_names.h"
#include "tools/import/load/line_reader.h"

namespace vecc::tools {
namespace {

constexpr std::int64_t kMaxColumn = 1000000;

// `1,3,2`
std::array<std::uint32_t, 3> parse_columns(const std::string& text) {
  std::array<std::uint32_t, 3> columns{};
  FieldReader fields(text, ',');
  std::size_t count = 0;
  for (; fields.next(); ++count) {
    const auto number = parse_integer(fields.field());
    const bool fits = count < columns.size() && number && *number >= 1 && *number <= kMaxColumn;
    if (!fits) break;
    columns[count] = static_cast<std::uint32_t>(*number);
    if (std::count(columns.begin(), columns.end(), columns[count]) > 1) break;
  }
  if (count == columns.size() && !fields.next()) return columns;
  throw CLI::ValidationError("--columns", "expected three different numbers from 1, such as 1,2,3");
}

}  // namespace

std::string_view text_of(TripleFormat format) {
  switch (format) {
    case TripleFormat::Auto: return "auto";
    case TripleFormat::Tsv: return "tsv";
    case TripleFormat::Csv: return "csv";
    case TripleFormat::Space: return "space";
    case TripleFormat::NTriples: return "nt";
  }
  return "";
}

TripleFormat format_of_name(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  if (path.ends_with(".csv")) return TripleFormat::Csv;
  return path.ends_with(".nt") ? TripleFormat::NTriples : TripleFormat::Tsv;
}

void add_triple_format_options(CLI::App& app, TripleLayout& layout) {
  app.add_option_function<std::string>(
         "--format",
         [&layout](const std::string& word) {
           layout.format = parse_name<TripleFormat>(word).value_or(TripleFormat::Auto);
         },
         "Of the files of triples; auto: .csv, .nt (N-Triples), else tabs")
      ->check(CLI::IsMember(names_of<TripleFormat>()).description(""))
      ->type_name(names_text<TripleFormat>("|"))
      ->default_str("auto");
  app.add_flag("--header", layout.has_header, "The first line of each file is no triple");
  app.add_option_function<std::string>(
         "--columns", [&layout](const std::string& word) { layout.columns = parse_columns(word); },
         "Where head, relation and tail stand; other columns are passed over (default: three "
         "columns, in this order)")
      ->type_name("N,N,N");
}

void add_triple_layout_options(CLI::App& app, TripleLayout& layout) {
  add_triple_format_options(app, layout);
  app.add_option("--types", layout.types, "Types of entities: entity TAB type, or .csv")
      ->type_name("FILE");
}

}  // namespace vecc::tools
