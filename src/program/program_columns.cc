#include "src/program/program_columns.h"

#include <string>

#include "src/program/parse_program.h"
#include "src/program/print_program.h"

namespace vecc {
namespace {

class ColumnSource final : public ArraySource {
 public:
  explicit ColumnSource(const ColumnFile& file) : file_(file) {}

  Result<SharedWords> words(const TextCursor& cursor, std::size_t position, std::uint64_t place,
                            std::uint64_t count) override {
    SharedWords words = file_.words(place);
    if (words != nullptr && words->size() == count) return words;
    return error(cursor, position, count);
  }
  Result<SharedNumbers> numbers(const TextCursor& cursor, std::size_t position, std::uint64_t place,
                                std::uint64_t count) override {
    SharedNumbers numbers = file_.numbers(place);
    if (numbers && numbers.size() == count) return numbers;
    return error(cursor, position, count);
  }

 private:
  static Errors error(const TextCursor& cursor, std::size_t position, std::uint64_t count) {
    return cursor.error_at(position, "a column of " + std::to_string(count) + " elements");
  }

  const ColumnFile& file_;
};

}  // namespace

template <class Values>
std::string ProgramColumns::add_once(const Values& values) {
  const auto [entry, is_new] = written_.try_emplace({values.data(), values.size()});
  if (is_new) entry->second = writer_.add(values);
  return "@" + std::to_string(entry->second) + ":" + std::to_string(values.size());
}

std::string ProgramColumns::add(std::span<const std::uint32_t> words) {
  return add_once(words);
}

std::string ProgramColumns::add(const SharedNumbers& numbers) {
  return add_once(numbers);
}

std::uint32_t ProgramColumns::add_program(const Program& program) {
  PrintOptions options;
  options.long_arrays = LongArrays::SideFile;
  return writer_.add(std::string_view(print_to(program, options, *this)));
}

Result<Program> read_program(const ColumnFile& file, std::uint64_t column) {
  const std::string* const text = file.text(column);
  if (text == nullptr) {
    return Errors(ErrorCode::WrongCounts, "column " + std::to_string(column),
                  "is not there, or no text");
  }
  ColumnSource source(file);
  VECC_TRY(Program program, parse_program_of(*text, "program", {}, source));
  VECC_TRY_VOID(verify(program));
  return program;
}

}  // namespace vecc
