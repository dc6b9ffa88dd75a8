// Files of Python's pickle: told apart, never read.
#pragma once

#include <string_view>

#include "vecc/error.h"

namespace vecc::weights {

/// How a pickle of protocol 2 to 5 begins: an opcode and the protocol. A safetensors file may begin
/// so too: ask only of what is none.
[[nodiscard]] inline bool is_pickle(std::string_view start) {
  return start.size() >= 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
}

[[nodiscard]] inline Errors refuse_pickle() {
  return {ErrorCode::UnreadWeights, "",
          "is a pickle, as PyTorch's own files hold, and pickles are never read: save with "
          "safetensors.torch.save_file"};
}

}  // namespace vecc::weights
