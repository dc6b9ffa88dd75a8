// The passes' functions; what each does stands at the top of its file, NAME.cc.
#pragma once

#include "optimizer/passes/pass_context.h"

namespace vecc::opt {

#define VECC_PASS(function, ...) bool function(Program& program, PassContext& context);
#include "optimizer/passes/passes.def"

}  // namespace vecc::opt
