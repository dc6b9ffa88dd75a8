// Arrays in a Program's text, its side file or another source. Nothing is allocated because a
// number claims it: inline arrays grow with the text, side arrays are checked against the side file
// first.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "src/program/text_cursor.h"
#include "vecc/index.h"
#include "vecc/program.h"

namespace vecc {

using SharedWords = std::shared_ptr<const std::vector<std::uint32_t>>;

/// What holds the arrays that a text names as `@PLACE:COUNT`. Errors are at `position`.
class ArraySource {
 public:
  virtual ~ArraySource() = default;
  [[nodiscard]] virtual Result<SharedWords> words(const TextCursor& cursor, std::size_t position,
                                                  std::uint64_t place, std::uint64_t count) = 0;
  [[nodiscard]] virtual Result<SharedNumbers> numbers(const TextCursor& cursor,
                                                      std::size_t position, std::uint64_t place,
                                                      std::uint64_t count) = 0;
};

/// The bytes of a side file: a place is an offset.
class SideFile final : public ArraySource {
 public:
  explicit SideFile(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] Result<SharedWords> words(const TextCursor& cursor, std::size_t position,
                                          std::uint64_t place, std::uint64_t count) override;
  [[nodiscard]] Result<SharedNumbers> numbers(const TextCursor& cursor, std::size_t position,
                                              std::uint64_t place, std::uint64_t count) override;

 private:
  [[nodiscard]] Result<void> take(const TextCursor& cursor, std::size_t position,
                                  std::uint64_t place, std::uint64_t count,
                                  std::size_t element_bytes);

  std::string_view bytes_;
  std::size_t used_ = 0;
};

class ArrayParser {
 public:
  ArrayParser(TextCursor& cursor, ArraySource& source) : cursor_(cursor), source_(source) {}

  /// Whether an index or words come next: `[` or `@`.
  [[nodiscard]] bool is_next() { return cursor_.is_next("[") || cursor_.is_next("@"); }
  /// `[0, 4, 8]` or `@128:1000`
  [[nodiscard]] Result<SharedWords> words();
  /// `{0.5, 1}` or `@128:1000`
  [[nodiscard]] Result<SharedNumbers> numbers();
  /// Any form of Index.
  [[nodiscard]] Result<Index> index();
  /// `[fixed 4 dim 2]` or offsets.
  [[nodiscard]] Result<Segments> segments();

 private:
  struct Aside {
    std::size_t position;
    std::uint64_t place;
    std::uint64_t count;
  };

  [[nodiscard]] Result<Index> list_from(std::size_t begin, SharedWords rows);
  [[nodiscard]] Result<Index> progression(std::size_t position, std::uint32_t begin);
  [[nodiscard]] Result<Index> product(bool is_repeat);
  [[nodiscard]] Result<SharedWords> words_after(std::uint32_t first);
  [[nodiscard]] Result<Aside> aside();
  [[nodiscard]] Result<SharedWords> words_aside();

  TextCursor& cursor_;
  ArraySource& source_;
};

}  // namespace vecc
