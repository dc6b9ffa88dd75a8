// The texts are put together when the build is configured.
#include "src/kernel/prelude.h"

namespace vecc {

#include "batch_prelude.inc"
#include "device_prelude.inc"
#include "kernel_prelude.inc"
#include "make_batch_prelude.inc"
#include "number_prelude.inc"
#include "series_prelude.inc"
#include "tensor_core_prelude.inc"

}  // namespace vecc
