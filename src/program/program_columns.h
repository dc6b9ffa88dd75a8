// A Program in a file of columns: its text, whose long arrays are columns of their own.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <utility>

#include "src/program/print_arrays.h"
#include "src/support/column_file.h"
#include "vecc/program.h"

namespace vecc {

/// Writes Programs whose ops may share arrays: an array that several name is written once.
class ProgramColumns final : public ArraySink {
 public:
  /// `writer` must outlive it.
  explicit ProgramColumns(ColumnWriter& writer) : writer_(writer) {}

  /// The number of the column that has the text. Without parameters' values. The Program must live
  /// as long as this.
  std::uint32_t add_program(const Program& program);

  [[nodiscard]] std::string add(std::span<const std::uint32_t> words) override;
  [[nodiscard]] std::string add(const SharedNumbers& numbers) override;

 private:
  template <class Values>
  std::string add_once(const Values& values);

  ColumnWriter& writer_;
  // By place and number of elements: those of words and of numbers are never the same.
  boost::unordered_flat_map<std::pair<const void*, std::size_t>, std::uint32_t> written_;
};

/// The Program whose text is in that column, verified; ops share arrays that they name together.
/// Parameters have no values. Errors: WrongCounts (no such column); those of parse_program() and
/// verify().
[[nodiscard]] Result<Program> read_program(const ColumnFile& file, std::uint64_t column);

}  // namespace vecc
