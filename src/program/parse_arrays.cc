#include "src/program/parse_arrays.h"

#include <algorithm>
#include <utility>

#include "src/program/array_bytes.h"

namespace vecc {
namespace {

constexpr std::string_view kRow = "a row number";

SharedWords share(std::vector<std::uint32_t> values) {
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(values));
}

}  // namespace

// Arrays stand in the side file in the order of the text, so a short text cannot make a large one
// out of a side file by naming the same bytes again and again.
Result<void> SideFile::take(const TextCursor& cursor, std::size_t position, std::uint64_t place,
                            std::uint64_t count, std::size_t element_bytes) {
  if (place < used_) {
    return cursor.error_at(position, "an offset of at least " + std::to_string(used_) +
                                         ", the end of the array before it");
  }
  if (place > bytes_.size() || count > (bytes_.size() - place) / element_bytes) {
    return cursor.error_at(
        position, "an array inside the side file's " + std::to_string(bytes_.size()) + " bytes");
  }
  used_ = place + count * element_bytes;
  return {};
}

Result<SharedWords> SideFile::words(const TextCursor& cursor, std::size_t position,
                                    std::uint64_t place, std::uint64_t count) {
  VECC_TRY_VOID(take(cursor, position, place, count, sizeof(std::uint32_t)));
  std::vector<std::uint32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = read_word(bytes_, place + i * sizeof(std::uint32_t));
  }
  return share(std::move(values));
}

Result<SharedNumbers> SideFile::numbers(const TextCursor& cursor, std::size_t position,
                                        std::uint64_t place, std::uint64_t count) {
  VECC_TRY_VOID(take(cursor, position, place, count, sizeof(double)));
  NumberColumn values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(read_double(bytes_, place + i * sizeof(double)));
  }
  return values.take();
}

// `128:1000`, behind the `@`.
Result<ArrayParser::Aside> ArrayParser::aside() {
  const std::size_t position = cursor_.position();
  VECC_TRY(const std::uint64_t place, cursor_.read_u64("an offset in the side file"));
  VECC_TRY_VOID(cursor_.expect(":"));
  VECC_TRY(const std::uint64_t count, cursor_.read_u64("a number of elements"));
  return Aside{position, place, count};
}

Result<SharedWords> ArrayParser::words_aside() {
  VECC_TRY(const Aside at, aside());
  return source_.words(cursor_, at.position, at.place, at.count);
}

Result<SharedNumbers> ArrayParser::numbers() {
  NumberColumn values;
  if (cursor_.accept("@")) {
    VECC_TRY(const Aside at, aside());
    return source_.numbers(cursor_, at.position, at.place, at.count);
  }
  VECC_TRY_VOID(cursor_.expect("{"));
  if (cursor_.accept("}")) return values.take();
  do {
    VECC_TRY(const double value, cursor_.read_double());
    values.push_back(value);
  } while (cursor_.accept(","));
  if (!cursor_.accept("}")) return cursor_.error("\",\" or \"}\"");
  return values.take();
}

Result<SharedWords> ArrayParser::words() {
  if (cursor_.accept("@")) return words_aside();
  VECC_TRY_VOID(cursor_.expect("["));
  if (cursor_.accept("]")) return share(std::vector<std::uint32_t>());
  VECC_TRY(const std::uint32_t first, cursor_.read_u32("a number"));
  return words_after(first);
}

// The rest of a list whose first number has been read.
Result<SharedWords> ArrayParser::words_after(std::uint32_t first) {
  std::vector<std::uint32_t> values{first};
  while (cursor_.accept(",")) {
    VECC_TRY(const std::uint32_t value, cursor_.read_u32("a number"));
    values.push_back(value);
  }
  if (!cursor_.accept("]")) return cursor_.error("\",\" or \"]\"");
  return share(std::move(values));
}

Result<Index> ArrayParser::index() {
  const std::size_t position = cursor_.position();
  if (cursor_.accept("@")) {
    VECC_TRY(SharedWords rows, words_aside());
    return list_from(position, std::move(rows));
  }
  VECC_TRY_VOID(cursor_.expect("["));
  if (cursor_.accept("]")) return Index::list({});
  if (cursor_.accept("repeat")) return product(true);
  if (cursor_.accept("interleave")) return product(false);
  VECC_TRY(const std::uint32_t first, cursor_.read_u32(kRow));
  if (cursor_.accept(":")) return progression(position, first);
  VECC_TRY(SharedWords rows, words_after(first));
  return list_from(position, std::move(rows));
}

Result<Index> ArrayParser::list_from(std::size_t begin, SharedWords rows) {
  if (std::ranges::find(*rows, kMaxRows) != rows->end() || rows->size() > kMaxRows) {
    return cursor_.error_at(begin, "rows below " + std::to_string(kMaxRows));
  }
  return Index::shared_list(std::move(rows));
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
    VECC_TRY(SharedWords offsets, words_aside());
    return Segments::shared_ragged(std::move(offsets));
  }
  VECC_TRY_VOID(cursor_.expect("["));
  if (cursor_.accept("]")) return Segments::ragged(std::vector<std::uint32_t>());
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
  VECC_TRY(SharedWords offsets, words_after(first));
  if (offsets->size() > kMaxRows) return cursor_.error_at(position, "fewer offsets");
  return Segments::shared_ragged(std::move(offsets));
}

}  // namespace vecc
