// Numbers of 16 bits. Stands on the standard library alone: programs that --emit=cpp and
// --emit=cuda write contain it.
#pragma once

#include <cstdint>

namespace vecc {

/// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits.
[[nodiscard]] double half_value(std::uint16_t bits);

/// bfloat16: the upper half of a float.
[[nodiscard]] double bfloat_value(std::uint16_t bits);

}  // namespace vecc
