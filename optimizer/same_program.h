// Whether two Programs are the same.
#pragma once

#include "vecc/program.h"

namespace vecc::opt {

/// Whether fingerprint() of both is the same. Ops and arrays that they share are not looked at, so
/// that two that a pass made of one Program are told apart by what it wrote.
[[nodiscard]] bool is_same_program(const Program& a, const Program& b);

}  // namespace vecc::opt
