#include "tools/import/load/name_rows.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tools/import/load/csv_reader.h"
#include "tools/import/load/line_reader.h"

namespace vecc::tools {
namespace {

using Sink = std::function<bool(const Place&, std::span<const std::string_view>)>;
constexpr std::string_view kBlanks = " \t";

void split_at_tabs(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (FieldReader reader(line, '\t'); reader.next();) fields.push_back(reader.field());
}

void split_at_blanks(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
}

std::string_view separator_of(TripleFormat format) {
  return format == TripleFormat::Csv ? "commas" : format == TripleFormat::Space ? "blanks" : "tabs";
}

class NameRowReader {
 public:
  NameRowReader(const NameRows& rows, LoadErrors& errors, const Sink& sink)
      : rows_(rows), errors_(errors), sink_(sink), names_(rows.titles.size()) {}

  // Whether the next row is wanted.
  bool take(const Place& place, const std::vector<std::string_view>& fields) {
    if (rows_.has_header && !header_passed_) {
      header_passed_ = true;
      return true;
    }
    if (!pick(place, fields)) return true;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i].empty()) continue;
      errors_.add(ErrorCode::BadTable, place,
                  [&] { return "the " + std::string(rows_.titles[i]) + " has no name"; });
      return true;
    }
    return sink_(place, names_);
  }

 private:
  bool pick(const Place& place, const std::vector<std::string_view>& fields) {
    const std::size_t wanted =
        rows_.columns.empty() ? names_.size() : std::ranges::max(rows_.columns);
    if (rows_.columns.empty() ? fields.size() != wanted : fields.size() < wanted) {
      errors_.add(ErrorCode::BadTable, place, [&] { return describe(fields.size(), wanted); });
      return false;
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      names_[i] = fields[rows_.columns.empty() ? i : rows_.columns[i] - 1];
    }
    return true;
  }
  [[nodiscard]] std::string describe(std::size_t found, std::size_t wanted) const {
    std::string text = count_of(found, "column") + ", expected " +
                       (rows_.columns.empty() ? "" : "at least ") + std::to_string(wanted) +
                       " with " + std::string(separator_of(rows_.format)) + " between them";
    for (std::size_t i = 0; rows_.columns.empty() && i < rows_.titles.size(); ++i) {
      text += (i == 0 ? ": " : ", ") + std::string(rows_.titles[i]);
    }
    return text;
  }

  const NameRows& rows_;
  LoadErrors& errors_;
  const Sink& sink_;
  std::vector<std::string_view> names_;
  bool header_passed_ = false;
};

}  // namespace

void read_name_rows(const Text& text, const NameRows& rows, LoadErrors& errors, const Sink& sink) {
  NameRowReader reader(rows, errors, sink);
  if (rows.format == TripleFormat::Csv) {
    CsvReader records(text, errors);
    while (records.next()) {
      if (!reader.take({text.name, records.line()}, records.fields())) return;
    }
    return;
  }
  LineReader lines(text.bytes);
  std::vector<std::string_view> fields;
  while (lines.next()) {
    if (rows.format == TripleFormat::Space) {
      split_at_blanks(lines.line(), fields);
    } else {
      split_at_tabs(lines.line(), fields);
    }
    if (!reader.take({text.name, lines.number()}, fields)) return;
  }
}

}  // namespace vecc::tools
