// Scattered rows that a processor stores are on their way into a cache before: a store to a line
// that is in none makes those behind it wait, and no processor guesses where a list goes on.
#pragma once

#include <cstdint>
#include <string>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// So many rows before they are stored.
inline constexpr std::uint32_t kRowsAhead = 16;

/// Whether rows of a kernel in C++ are stored by an order, or by lists.
[[nodiscard]] bool scatters_rows(const Kernel& kernel, const KernelSchedule& schedule);

/// In a loop over rows, `at` the counter at hand: lines that fetch where the row stores that comes
/// `distance` later, `ahead`. `row`: its number, "ahead" where rows come in no order. None where it
/// stores no row by that or a list.
void print_fetches(BodyText& out, const std::string& at, std::uint32_t distance,
                   const std::string& row);

}  // namespace vecc
