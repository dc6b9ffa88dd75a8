// The architectures over sets of small graphs, one file each; the table is in graph_set_models.cc.
#pragma once

#include "tools/import/models/models.h"

namespace vecc::tools {

Result<void> ground_gcn(const GraphSet& data, const GraphSetOptions& options, Grounder& out);
Result<void> ground_sage(const GraphSet& data, const GraphSetOptions& options, Grounder& out);
Result<void> ground_gin(const GraphSet& data, const GraphSetOptions& options, Grounder& out);
Result<void> ground_gcn_norm(const GraphSet& data, const GraphSetOptions& options, Grounder& out);
Result<void> ground_gat(const GraphSet& data, const GraphSetOptions& options, Grounder& out);
/// Error Usage: the data has neither edge labels nor edge attributes.
Result<void> ground_gine(const GraphSet& data, const GraphSetOptions& options, Grounder& out);

}  // namespace vecc::tools
