// The words of one line of a score's formula, and errors that say where they stand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/kg/score_formula/score_formula.h"
#include "vecc/error.h"

namespace vecc::kg {

class ScoreReader {
 public:
  ScoreReader(std::string_view line, std::size_t number, const ScoreDims& dims,
              std::string_view place)
      : line_(line), number_(number), dims_(dims), place_(place) {}

  [[nodiscard]] std::size_t position() const { return position_; }
  void go_back(std::size_t position) { position_ = position; }
  /// Behind spaces.
  [[nodiscard]] bool at_end();
  [[nodiscard]] char peek();
  /// Whether the character comes next; then it is behind it.
  bool accept(char c);
  /// A letter, then letters, digits and _; empty if none comes next.
  [[nodiscard]] std::string_view take_name();
  /// `name`, or `name.name` without spaces; empty if none comes next.
  [[nodiscard]] std::string take_dotted_name();
  /// A number without a sign.
  [[nodiscard]] std::optional<double> take_number();
  /// Up to the closing bracket, which is taken, too.
  [[nodiscard]] Result<std::string_view> take_bracketed();
  /// `1`, `dim`, `dim x 3`, `dim*dim x relation_dim`.
  [[nodiscard]] Result<Shape> take_shape();

  [[nodiscard]] Errors error_at(std::size_t position, ErrorCode code, std::string message) const;
  /// "expected ..., found ..." here.
  [[nodiscard]] Errors expected(const std::string& what);
  /// `--score, line 2, column 5`
  [[nodiscard]] std::string place_at(std::size_t position) const;

 private:
  void skip_spaces();
  [[nodiscard]] Result<std::uint64_t> take_size();

  std::string_view line_;
  std::size_t number_;
  const ScoreDims& dims_;
  std::string_view place_;
  std::size_t position_ = 0;
};

}  // namespace vecc::kg
