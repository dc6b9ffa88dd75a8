// The architectures over typed graphs, one file each; the table is in typed_models.cc.
#pragma once

#include "tools/import/models/models.h"

namespace vecc::tools {

Result<void> ground_rgcn(const TypedGraph& data, const TypedOptions& options, Grounder& out);
Result<void> ground_rgat(const TypedGraph& data, const TypedOptions& options, Grounder& out);
Result<void> ground_hgt(const TypedGraph& data, const TypedOptions& options, Grounder& out);

}  // namespace vecc::tools
