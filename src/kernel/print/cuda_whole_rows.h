// Nodes that see whole rows, where lanes of a GPU share a row (prelude/lanes.h). Totals go through
// the lanes, products are computed entry by entry, each lane its own; for all else (softmax,
// norms, concat, ...) every lane gets the whole row and calls the same function as in C++.
#pragma once

#include <cstdint>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// What computes node `number`, which is declared.
void print_whole_row(BodyText& out, std::uint32_t number, KernelSpace space);

}  // namespace vecc
