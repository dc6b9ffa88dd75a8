// The kernel prelude as C++, in the order of its parts (src/kernel/CMakeLists.txt).
#pragma once

// clang-format off
#include "src/kernel/prelude/base.h"
#include "src/kernel/prelude/exponential.h"
#include "src/kernel/prelude/scalars.h"
#include "src/kernel/prelude/draw.h"
#include "src/kernel/prelude/packs.h"
#include "src/kernel/prelude/rows.h"
#include "src/kernel/prelude/softmax.h"
#include "src/kernel/prelude/row_vjps.h"
#include "src/kernel/prelude/combinations.h"
#include "src/kernel/prelude/products.h"
#include "src/kernel/prelude/kernels.h"
// clang-format on
