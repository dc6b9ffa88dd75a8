// Arrays in a Program's text and its side file. Nothing is allocated because a number claims it:
// inline arrays grow with the text, side arrays are checked against the side file first.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/program/text_cursor.h"
#include "vecc/index.h"
#include "vecc/program.h"

namespace vecc {

class ArrayParser {
 public:
  ArrayParser(TextCursor& cursor, std::string_view side) : cursor_(cursor), side_(side) {}

  /// Whether an index or words come next: `[` or `@`.
  [[nodiscard]] bool is_next() { return cursor_.is_next("[") || cursor_.is_next("@"); }
  /// `[0, 4, 8]` or `@128:1000`
  [[nodiscard]] Result<std::vector<std::uint32_t>> words();
  /// `{0.5, 1}` or `@128:1000`
  [[nodiscard]] Result<std::vector<double>> numbers();
  /// Any form of Index.
  [[nodiscard]] Result<Index> index();
  /// `[fixed 4 dim 2]` or offsets.
  [[nodiscard]] Result<Segments> segments();

 private:
  struct Range {
    std::size_t begin;
    std::size_t count;
  };

  [[nodiscard]] Result<Index> list_from(std::size_t begin, std::vector<std::uint32_t> rows);
  [[nodiscard]] Result<Index> progression(std::size_t position, std::uint32_t begin);
  [[nodiscard]] Result<Index> product(bool is_repeat);
  [[nodiscard]] Result<std::vector<std::uint32_t>> words_after(std::uint32_t first);
  [[nodiscard]] Result<Range> side_range(std::size_t element_bytes);
  [[nodiscard]] Result<std::vector<std::uint32_t>> side_words();

  TextCursor& cursor_;
  std::string_view side_;
  std::size_t side_used_ = 0;
};

}  // namespace vecc
