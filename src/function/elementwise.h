// The elementwise functions: values and derivatives, in double. evaluate.h and differentiate.h say
// what holds for all functions.
#pragma once

#include <span>

#include "vecc/function.h"

namespace vecc {

/// y = T(x), entry by entry.
void evaluate_entries(const TransformationSpec& spec, std::span<const double> x,
                      std::span<double> y);

/// gx += g * dy/dx. Of x and y only what the derivative reads need be there.
void differentiate_entries(const TransformationSpec& spec, std::span<const double> x,
                           std::span<const double> y, std::span<const double> g,
                           std::span<double> gx);

}  // namespace vecc
