// The lines of a forward pass as methods of a class.
#pragma once

#include <string>
#include <vector>

#include "src/emit/python/op_emitter.h"

namespace vecc::python {

/// Methods of the class that holds them, indented once.
struct ForwardText {
  std::string parts;                 ///< part_1 ..., empty if the pass is short
  std::string body;                  ///< of forward(), up to its return
  std::vector<std::string> outputs;  ///< what reads each `output` op there
  std::vector<bool> used_buffers;    ///< by BufferId
};

/// `statements`: the emitter's, in order. Long passes are cut into parts, so that no method is
/// longer than a person reads; what several of them read are attributes of `v`.
[[nodiscard]] ForwardText print_forward(const Program& program, OpEmitter& emitter,
                                        std::vector<Statement> statements);

}  // namespace vecc::python
