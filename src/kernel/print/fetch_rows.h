// Fetches of rows that are stored later (KernelSchedule::fetched).
#pragma once

#include <string>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// In a loop over rows in C++, `at` the counter at hand: lines that fetch where the row stores that
/// comes `rows_ahead` later, `ahead`. `row`: its number, "ahead" where rows come in no order. None
/// where it stores no row by that or a list.
void print_fetches(BodyText& out, const std::string& at, const std::string& row);

}  // namespace vecc
