// What one row of a kernel does, in C++ and CUDA: phases, their steps, nodes, loads and stores.
// Statements from the variables r (row), d0, d1, ... (data of the accesses), l0, ... (lists),
// w0, ... (words by row), offsets, members, rows, type.
#pragma once

#include <cstdint>
#include <span>

#include "src/kernel/print/body_text.h"
#include "src/kernel/print/reductions.h"

namespace vecc {

/// All of it.
void print_body(BodyText& out);

/// Phase number `phase`, of which only `steps`.
void print_phase(BodyText& out, std::size_t phase, std::span<const KernelStep> steps);
void print_step(BodyText& out, const KernelStep& step, const StepPlace& place);
void print_load(BodyText& out, std::uint32_t number, KernelSpace space);

}  // namespace vecc
