// Pieces of a Program's text that several printers share.
#pragma once

#include <string>

#include "src/program/print_arrays.h"
#include "vecc/program.h"

namespace vecc {

/// `%7 = gather %3 [0:12] : f32[12, 3x1]`, without the note.
[[nodiscard]] std::string op_text(const Program& program, ValueId value,
                                  const ArrayPrinter& arrays);

}  // namespace vecc
