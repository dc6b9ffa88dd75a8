// Fetches of rows that are stored later (KernelSchedule::fetched), or loaded by later members
// (KernelSchedule::gathered).
#pragma once

#include <cstdint>
#include <string>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// In a loop over rows in C++, `at` the counter at hand: lines that fetch where the row stores that
/// comes `rows_ahead` later, `ahead`. `row`: its number, "ahead" where rows come in no order. None
/// where it stores no row by that or a list.
void print_fetches(BodyText& out, const std::string& at, const std::string& row);

/// Before a loop over rows in C++: `far`, the end of the members that a tile has one behind the
/// other; `members_end`: that of rows in no order. None where no members' rows are fetched.
void print_far(BodyText& out, const std::string& members_end);
/// Of the last row of a tile.
inline constexpr const char* kMembersEnd = "begin < end ? end_of(end - 1) : 0";
/// In a loop over members, `e` the one at hand: a line that fetches what a load reads of the one
/// that comes `members_ahead` later. None if the load's access is not gathered.
void print_member_fetch(BodyText& out, std::uint32_t load);

}  // namespace vecc
