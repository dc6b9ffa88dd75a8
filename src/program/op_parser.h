// One op's line of a Program's text.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>

#include "src/program/parse_arrays.h"
#include "src/program/text_cursor.h"
#include "vecc/program.h"

namespace vecc {

using ParameterNames = boost::unordered_flat_map<std::string, ParameterIndex>;

/// Parses ops and adds them to a program.
class OpParser {
 public:
  OpParser(TextCursor& cursor, ArrayParser& arrays, const ParameterNames& names, Program& program)
      : cursor_(cursor), arrays_(arrays), names_(names), program_(program) {}

  /// `%7 = gather %3 [0:12] : f32[12, 3x1]  # note` with its newline.
  [[nodiscard]] Result<void> parse_line();

 private:
  // The result type as the text states it.
  struct StatedType {
    std::size_t begin = 0;
    std::uint32_t rows = 0;
    Shape shape;
  };
  using Body = Result<OpAttributes>;

  [[nodiscard]] Result<OpKind> parse_kind();
  [[nodiscard]] Result<void> parse_value();
  [[nodiscard]] Result<void> parse_values(std::size_t count);
  [[nodiscard]] Result<void> parse_all_values();
  [[nodiscard]] Result<StatedType> parse_type();
  [[nodiscard]] Result<Note> parse_note();
  [[nodiscard]] Result<void> parse_side(bool& transpose, Lift& lift);

  [[nodiscard]] Body parse_body(OpKind kind);
  [[nodiscard]] Body parse_fact();
  [[nodiscard]] Body parse_weight();
  [[nodiscard]] Body parse_linear();
  // What follows the operands.
  [[nodiscard]] Body parse_segment();
  [[nodiscard]] Body parse_transform();
  [[nodiscard]] Body parse_map();
  [[nodiscard]] Body parse_contract();
  [[nodiscard]] Body parse_vjp();
  [[nodiscard]] Body parse_draw();
  [[nodiscard]] Body parse_state();
  [[nodiscard]] Body parse_update();

  TextCursor& cursor_;
  ArrayParser& arrays_;
  const ParameterNames& names_;
  Program& program_;
  Operands operands_;  // of the op being parsed
  boost::unordered_flat_map<std::string, Note> notes_;
};

}  // namespace vecc
