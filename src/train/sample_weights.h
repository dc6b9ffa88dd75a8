// The weights of a batch's samples, as a Program that runs batch by batch reads them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/batch.h"
#include "vecc/batch_program.h"

namespace vecc::training {

/// Sets the weights of some samples in place of those that are there. `rows`, `weights`: by sample;
/// SampleRow::output is a number of `to`. Each weight is divided. Sorts `samples` by their rows.
void set_sample_weights(std::span<const SampleRow> rows, std::span<const double> weights,
                        double divisor, std::span<std::uint32_t> samples,
                        std::span<Batch::Weights> to);

}  // namespace vecc::training
