// What a run computed, as lines of id, value and target, separated by tabs.
#pragma once

#include <cstdio>

#include "forward_pass.h"  // the language's own
#include "src/emit/native/runtime/data_file.h"

namespace vecc::emitted {

/// Throws Failure.
void print_outputs(const DataFile& data, ForwardPass& pass, std::FILE* file);

}  // namespace vecc::emitted
