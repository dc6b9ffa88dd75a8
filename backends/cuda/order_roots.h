// Small launches that wait for nobody, one behind another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vecc::cuda {

/// Those of `is_small` that wait for nobody and that others wait for, in the order in which they
/// should stand: whoever is needed last first, so that what waits for some of them waits for one.
/// Empty if there are not several. `before`: by launch, those that it waits for, all of them
/// earlier.
///
/// A GPU begins a kernel 0.4 us after the one that it waits for where that is one, 2.5 us after the
/// last where there are several (an H200). Of a row of such launches each begins with the one
/// before it, and ends after it.
[[nodiscard]] std::vector<std::uint32_t> order_roots(
    std::span<const std::vector<std::uint32_t>> before, const std::vector<bool>& is_small);

}  // namespace vecc::cuda
