// The scores of triples, one file each; the table is in scores.cc.
#pragma once

#include "tools/import/models/models.h"

namespace vecc::tools {

Result<void> ground_transe(const TypedGraph& data, const ScoreOptions& options, Grounder& out);
Result<void> ground_transh(const TypedGraph& data, const ScoreOptions& options, Grounder& out);
Result<void> ground_transr(const TypedGraph& data, const ScoreOptions& options, Grounder& out);
Result<void> ground_transf(const TypedGraph& data, const ScoreOptions& options, Grounder& out);
Result<void> ground_rescal(const TypedGraph& data, const ScoreOptions& options, Grounder& out);
Result<void> ground_distmult(const TypedGraph& data, const ScoreOptions& options, Grounder& out);
Result<void> ground_complex(const TypedGraph& data, const ScoreOptions& options, Grounder& out);
Result<void> ground_rotate(const TypedGraph& data, const ScoreOptions& options, Grounder& out);
Result<void> ground_tucker(const TypedGraph& data, const ScoreOptions& options, Grounder& out);

}  // namespace vecc::tools
