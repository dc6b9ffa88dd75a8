// Numbers of a tensor of weights that an embedding is read from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vecc/error.h"
#include "vecc/weights.h"

namespace vecc::kg {

/// `tensor "NAME"`, for errors.
[[nodiscard]] std::string describe(const WeightTensor& tensor);

/// Its numbers, row-major, rows of `width`. Error: NotFinite with the row.
[[nodiscard]] Result<std::vector<double>> finite_values_of(const WeightTensor& tensor,
                                                           std::size_t width);

}  // namespace vecc::kg
