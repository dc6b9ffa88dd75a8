// Computed values as text. Stands on the standard library alone: programs that --emit=cpp and
// --emit=cuda write contain it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vecc {

/// The shortest text that reads back as the same number; `NaN`, `Infinity`, `-Infinity`. A value
/// that a single-precision program computed (`single`, and exactly a float) is written as the
/// shortest text of that float: 0.1, not 0.10000000149011612.
[[nodiscard]] std::string text_of_number(double value, bool single);

/// A row of a value, row-major. A scalar (`rows` is 0): `1`; a column or a row: `[1, 2]`; a matrix:
/// `[[1, 2], [3, 4]]`.
[[nodiscard]] std::string text_of_value(std::uint32_t rows, std::uint32_t cols,
                                        std::span<const double> value, bool single);

}  // namespace vecc
