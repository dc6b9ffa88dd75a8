// Pieces of a Program's text that several printers share.
#pragma once

#include <string>

#include "src/program/print_arrays.h"
#include "vecc/program.h"

namespace vecc {

/// `%7 = gather %3 [0:12] : f32[12, 3x1]`, without the note.
[[nodiscard]] std::string op_text(const Program& program, ValueId value,
                                  const ArrayPrinter& arrays);

/// print() with the long arrays in a sink; the first line says nothing of them.
[[nodiscard]] std::string print_to(const Program& program, const PrintOptions& options,
                                   ArraySink& sink);

}  // namespace vecc
