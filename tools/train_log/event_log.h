// --log=tensorboard:DIR: an event file as TensorBoard reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tools/train_log/train_log.h"

namespace vecc::tools {

/// A new file in the folder, which is made if it is not there. Its scalars: `loss/train`,
/// `accuracy/validation` and so on, `loss/epoch`, `rate`, `seconds`; a step is an epoch. It tells
/// TensorBoard to forget what the folder's earlier files have of epochs after `finished_epochs`.
/// Error: CannotWrite.
[[nodiscard]] Result<std::unique_ptr<EpochLog>> open_event_log(const std::string& folder,
                                                               std::uint64_t finished_epochs);

}  // namespace vecc::tools
