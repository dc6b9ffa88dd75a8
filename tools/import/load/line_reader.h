// Lines, fields and numbers of a text, without copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vecc::tools {

/// The text without a byte order mark and without blank lines at the end.
[[nodiscard]] std::string_view without_ends(std::string_view text);

/// Lines in order, without their ends (\n or \r\n). See without_ends.
class LineReader {
 public:
  explicit LineReader(std::string_view bytes);

  /// Goes to the next line; false after the last one.
  [[nodiscard]] bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
  }
  [[nodiscard]] std::string_view line() const { return line_; }
  /// Of the current line, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// How many lines are still to come.
  [[nodiscard]] std::uint64_t count_rest() const;

 private:
  std::string_view rest_;
  std::string_view line_;
  std::uint64_t number_ = 0;
};

/// Fields of a line between separators; a blank line is one empty field.
class FieldReader {
 public:
  FieldReader(std::string_view line, char separator) : line_(line), separator_(separator) {}

  /// Goes to the next field; false after the last one.
  [[nodiscard]] bool next() {
    if (next_ > line_.size()) return false;
    begin_ = next_;
    const std::size_t end = line_.find(separator_, begin_);
    next_ = (end == std::string_view::npos ? line_.size() : end) + 1;
    return true;
  }
  [[nodiscard]] std::string_view field() const { return line_.substr(begin_, next_ - 1 - begin_); }
  /// Of the field's first byte that is not a space, from 1.
  [[nodiscard]] std::uint64_t column() const;

 private:
  std::string_view line_;
  char separator_;
  std::size_t begin_ = 0;
  std::size_t next_ = 0;
};

/// How many fields a line has.
[[nodiscard]] std::uint64_t count_fields(std::string_view line, char separator);
/// Without spaces and tabs at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
/// A whole decimal number, spaces around it allowed; nothing where it is none or does not fit.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view field);
/// A decimal number. Too large ones and the words for them are infinite, too small ones 0.
[[nodiscard]] std::optional<double> parse_real(std::string_view field);

/// The first byte that is not UTF-8.
struct BadByte {
  std::uint64_t line = 0;    ///< from 1
  std::uint64_t column = 0;  ///< from 1
  unsigned char value = 0;
};
[[nodiscard]] std::optional<BadByte> find_bad_utf8(std::string_view bytes);

}  // namespace vecc::tools
