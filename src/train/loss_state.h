// The sum of losses over runs, kept on the device.
#pragma once

#include <optional>
#include <string>

#include "src/train/formula.h"
#include "vecc/program.h"

namespace vecc::training {

/// Appends `name` <- `name` + total * divisor, a state of one number, 0 at first: the sum of errors
/// again. The divisor is a constant, or a value that `$2` stands for.
void append_loss_state(Program& program, const std::string& name, ValueId total,
                       const Formula& divisor, std::optional<ValueId> divisor_value = std::nullopt);

}  // namespace vecc::training
