// Sums and means over members that are only loaded, in C++: rows in registers, in a loop of the
// prelude's (prelude/members.h).
#pragma once

#include "src/kernel/print/body_text.h"

namespace vecc {

void print_segment_sum(BodyText& out, const KernelPhase& phase);

}  // namespace vecc
