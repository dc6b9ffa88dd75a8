// The random numbers of a comparison.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vecc::opt {

/// `count` numbers, uniform in [-1, 1), that depend on the seed and the name alone: the same for a
/// parameter wherever it stands in a Program, on every machine.
[[nodiscard]] std::vector<double> draw_numbers(std::uint64_t seed, std::string_view name,
                                               std::size_t count);

}  // namespace vecc::opt
