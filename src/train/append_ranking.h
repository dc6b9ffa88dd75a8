// A loss over pairs of samples.
#pragma once

#include "vecc/loss.h"

namespace vecc::training {

/// Margin ranking; `samples` fit the program (append_loss checks).
[[nodiscard]] Result<LossOps> append_ranking(Program& program, const LossSamples& samples,
                                             double margin);

}  // namespace vecc::training
