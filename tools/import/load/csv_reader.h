// RFC 4180: records of fields between commas; a field in double quotes may hold commas, line ends
// and doubled quotes. Lines end with \n or \r\n.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/load/load_errors.h"
#include "tools/import/load/text_file.h"

namespace vecc::tools {

class CsvReader {
 public:
  /// The text and the errors must outlive the reader. A byte order mark and blank lines at the end
  /// are left out.
  CsvReader(const Text& text, LoadErrors& errors);

  /// Goes to the next record that is well-formed; false after the last one. Others are errors
  /// (BadTable).
  [[nodiscard]] bool next();
  /// Of the current record; the views hold until next().
  [[nodiscard]] const std::vector<std::string_view>& fields() const { return fields_; }
  /// The line in which the current record begins, from 1.
  [[nodiscard]] std::uint64_t line() const { return record_line_; }

 private:
  enum class FieldEnd { Comma, Line, Damaged };

  FieldEnd read_plain_field();
  FieldEnd read_quoted_field();
  FieldEnd take_field_end();
  FieldEnd fail(std::size_t at, std::string_view message);

  const Text& text_;
  LoadErrors& errors_;
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t record_line_ = 0;
  std::vector<std::string_view> fields_;
  std::deque<std::string> undoubled_;  ///< the fields with doubled quotes, without the doubling
};

}  // namespace vecc::tools
