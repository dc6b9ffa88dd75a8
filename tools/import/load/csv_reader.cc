#include "tools/import/load/csv_reader.h"

#include "tools/import/load/line_reader.h"

namespace vecc::tools {

CsvReader::CsvReader(const Text& text, LoadErrors& errors)
    : text_(text), errors_(errors), bytes_(without_ends(text.bytes)) {}

bool CsvReader::next() {
  while (at_ < bytes_.size()) {
    fields_.clear();
    undoubled_.clear();
    record_line_ = line_;
    FieldEnd end = FieldEnd::Comma;
    while (end == FieldEnd::Comma) {
      const bool quoted = at_ < bytes_.size() && bytes_[at_] == '"';
      end = quoted ? read_quoted_field() : read_plain_field();
    }
    if (end == FieldEnd::Line) return true;
    // A damaged record ends with its line.
    at_ = bytes_.find('\n', at_);
    if (at_ == std::string_view::npos) at_ = bytes_.size();
    (void)take_field_end();
  }
  return false;
}

CsvReader::FieldEnd CsvReader::read_plain_field() {
  const std::size_t end = std::min(bytes_.find_first_of("\",\n", at_), bytes_.size());
  if (end < bytes_.size() && bytes_[end] == '"') {
    return fail(end, "found a quote inside a field, expected the whole field in quotes");
  }
  std::string_view field = bytes_.substr(at_, end - at_);
  const bool ends_line = end == bytes_.size() || bytes_[end] == '\n';
  if (ends_line && field.ends_with('\r')) field.remove_suffix(1);
  fields_.push_back(field);
  at_ = end;
  return take_field_end();
}

CsvReader::FieldEnd CsvReader::read_quoted_field() {
  const std::size_t open = at_;
  const std::uint64_t open_column = open - line_begin_ + 1;
  const std::uint64_t open_line = line_;
  bool doubled = false;
  std::size_t end = open + 1;
  for (;; ++end) {
    if (end >= bytes_.size()) {
      errors_.add(ErrorCode::BadTable, {text_.name, open_line, open_column},
                  [] { return std::string("found no quote that ends this field"); });
      at_ = bytes_.size();
      return FieldEnd::Damaged;
    }
    if (bytes_[end] == '\n') {
      ++line_;
      line_begin_ = end + 1;
    } else if (bytes_[end] == '"') {
      if (end + 1 == bytes_.size() || bytes_[end + 1] != '"') break;
      doubled = true;
      ++end;
    }
  }
  std::string_view field = bytes_.substr(open + 1, end - open - 1);
  if (doubled) {
    std::string& text = undoubled_.emplace_back();
    for (std::size_t i = 0; i < field.size(); i += field[i] == '"' ? 2 : 1) text += field[i];
    field = text;
  }
  fields_.push_back(field);
  at_ = end + 1;
  return take_field_end();
}

// A comma, the end of the line, or the end of the text.
CsvReader::FieldEnd CsvReader::take_field_end() {
  if (at_ < bytes_.size() && bytes_[at_] == ',') {
    ++at_;
    return FieldEnd::Comma;
  }
  const std::size_t found = at_;
  if (at_ < bytes_.size() && bytes_[at_] == '\r') ++at_;
  if (at_ == bytes_.size()) return FieldEnd::Line;
  if (bytes_[at_] == '\n') {
    ++at_;
    ++line_;
    line_begin_ = at_;
    return FieldEnd::Line;
  }
  return fail(found, "found \"" + escape_terminal(bytes_.substr(found, 1)) +
                         "\" behind a field in quotes, expected a comma or the line's end");
}

CsvReader::FieldEnd CsvReader::fail(std::size_t at, std::string_view message) {
  errors_.add(ErrorCode::BadTable, {text_.name, line_, at - line_begin_ + 1},
              [&] { return std::string(message); });
  at_ = at;
  return FieldEnd::Damaged;
}

}  // namespace vecc::tools
