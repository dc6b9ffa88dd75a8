#include "src/program/parse_arrays.h"

#include <algorithm>
#include <utility>

#include "src/program/array_bytes.h"

namespace vecc {
namespace {

constexpr std::string_view kRow = "a row number";

}  // namespace

// `128:1000`, behind the `@`. Arrays stand in the side file in the order of the text, so a short
// text cannot make a large one out of a side file by naming the same bytes again and again.
Result<ArrayParser::Range> ArrayParser::side_range(std::size_t element_bytes) {
  const std::size_t position = cursor_.position();
  VECC_TRY(const std::uint64_t begin, cursor_.read_u64("an offset in the side file"));
  VECC_TRY_VOID(cursor_.expect(":"));
  VECC_TRY(const std::uint64_t count, cursor_.read_u64("a number of elements"));
  if (begin < side_used_) {
    return cursor_.error_at(position, "an offset of at least " + std::to_string(side_used_) +
                                          ", the end of the array before it");
  }
  if (begin > side_.size() || count > (side_.size() - begin) / element_bytes) {
    return cursor_.error_at(
        position, "an array inside the side file's " + std::to_string(side_.size()) + " bytes");
  }
  side_used_ = begin + count * element_bytes;
  return Range{begin, count};
}

Result<std::vector<std::uint32_t>> ArrayParser::side_words() {
  VECC_TRY(const Range range, side_range(sizeof(std::uint32_t)));
  std::vector<std::uint32_t> values(range.count);
  for (std::size_t i = 0; i < range.count; ++i) {
    values[i] = read_word(side_, range.begin + i * sizeof(std::uint32_t));
  }
  return values;
}

Result<std::vector<double>> ArrayParser::numbers() {
  std::vector<double> values;
  if (cursor_.accept("@")) {
    VECC_TRY(const Range range, side_range(sizeof(double)));
    values.resize(range.count);
    for (std::size_t i = 0; i < range.count; ++i) {
      values[i] = read_double(side_, range.begin + i * sizeof(double));
    }
    return values;
  }
  VECC_TRY_VOID(cursor_.expect("{"));
  if (cursor_.accept("}")) return values;
  do {
    VECC_TRY(const double value, cursor_.read_double());
    values.push_back(value);
  } while (cursor_.accept(","));
  if (!cursor_.accept("}")) return cursor_.error("\",\" or \"}\"");
  return values;
}

Result<std::vector<std::uint32_t>> ArrayParser::words() {
  if (cursor_.accept("@")) return side_words();
  VECC_TRY_VOID(cursor_.expect("["));
  if (cursor_.accept("]")) return std::vector<std::uint32_t>();
  VECC_TRY(const std::uint32_t first, cursor_.read_u32("a number"));
  return words_after(first);
}

// The rest of a list whose first number has been read.
Result<std::vector<std::uint32_t>> ArrayParser::words_after(std::uint32_t first) {
  std::vector<std::uint32_t> values{first};
  while (cursor_.accept(",")) {
    VECC_TRY(const std::uint32_t value, cursor_.read_u32("a number"));
    values.push_back(value);
  }
  if (!cursor_.accept("]")) return cursor_.error("\",\" or \"]\"");
  return values;
}

Result<Index> ArrayParser::index() {
  const std::size_t position = cursor_.position();
  if (cursor_.accept("@")) {
    VECC_TRY(auto rows, side_words());
    return list_from(position, std::move(rows));
  }
  VECC_TRY_VOID(cursor_.expect("["));
  if (cursor_.accept("]")) return Index::list({});
  if (cursor_.accept("repeat")) return product(true);
  if (cursor_.accept("interleave")) return product(false);
  VECC_TRY(const std::uint32_t first, cursor_.read_u32(kRow));
  if (cursor_.accept(":")) return progression(position, first);
  VECC_TRY(auto rows, words_after(first));
  return list_from(position, std::move(rows));
}

Result<Index> ArrayParser::list_from(std::size_t begin, std::vector<std::uint32_t> rows) {
  if (std::ranges::find(rows, kMaxRows) != rows.end() || rows.size() > kMaxRows) {
    return cursor_.error_at(begin, "rows below " + std::to_string(kMaxRows));
  }
  return Index::list(std::move(rows));
}

// `9]` or `9:3]`, behind `[begin:`. A stride's end may lie beyond 32 bits: it is no row.
Result<Index> ArrayParser::progression(std::size_t position, std::uint32_t begin) {
  VECC_TRY(const std::uint64_t end, cursor_.read_u64("an end"));
  const bool has_step = cursor_.accept(":");
  std::uint32_t step = 1;
  if (has_step) {
    VECC_TRY(step, cursor_.read_u32("a step"));
  }
  if (step == 0) return cursor_.error_at(position, "a step of at least 1");
  if (end < begin) return cursor_.error_at(position, "an end not before the begin");
  const std::uint64_t count = (end - begin) / step + ((end - begin) % step > 0 ? 1 : 0);
  if (count > kMaxRows || (count > 0 && begin + (count - 1) * step >= kMaxRows)) {
    return cursor_.error_at(position, "rows below " + std::to_string(kMaxRows));
  }
  VECC_TRY_VOID(cursor_.expect("]"));
  const auto size = static_cast<std::uint32_t>(count);
  return has_step ? Index::stride(begin, step, size) : Index::slice(begin, size);
}

// `4 x 3]`, behind `repeat` or `interleave`.
Result<Index> ArrayParser::product(bool is_repeat) {
  const std::size_t position = cursor_.position();
  VECC_TRY(const std::uint32_t rows, cursor_.read_u32("a number of rows"));
  VECC_TRY_VOID(cursor_.expect("x"));
  VECC_TRY(const std::uint32_t times, cursor_.read_u32("a number of times"));
  if (std::uint64_t{rows} * times > kMaxRows) {
    return cursor_.error_at(position, "at most " + std::to_string(kMaxRows) + " rows");
  }
  VECC_TRY_VOID(cursor_.expect("]"));
  return is_repeat ? Index::repeat(rows, times) : Index::interleave(rows, times);
}

Result<Segments> ArrayParser::segments() {
  const std::size_t position = cursor_.position();
  if (cursor_.accept("@")) {
    VECC_TRY(auto offsets, side_words());
    return Segments::ragged(std::move(offsets));
  }
  VECC_TRY_VOID(cursor_.expect("["));
  if (cursor_.accept("]")) return Segments::ragged({});
  if (cursor_.accept("fixed")) {
    const std::size_t members_position = cursor_.position();
    VECC_TRY(const std::uint32_t members, cursor_.read_u32("a number of members"));
    if (members == 0) return cursor_.error_at(members_position, "at least 1 member");
    VECC_TRY_VOID(cursor_.expect("dim"));
    VECC_TRY(const std::uint32_t dimension, cursor_.read_u32("1 or 2"));
    VECC_TRY_VOID(cursor_.expect("]"));
    return Segments::fixed(members, dimension);
  }
  VECC_TRY(const std::uint32_t first, cursor_.read_u32("an offset or \"fixed\""));
  VECC_TRY(auto offsets, words_after(first));
  if (offsets.size() > kMaxRows) return cursor_.error_at(position, "fewer offsets");
  return Segments::ragged(std::move(offsets));
}

}  // namespace vecc
