// The backward step of a segment.
#pragma once

#include "backends/reference/differentiate_op.h"

namespace vecc::reference {

/// Adds to the members' gradients; a segment whose gradient is zero passes nothing on.
void differentiate_segment(const SegmentOp& segment, const BackwardStep& step);

}  // namespace vecc::reference
