// vecc --train --folds: cross-validation, between the optimizer and the outputs.
#pragma once

#include "execute.h"
#include "options.h"
#include "tools/common/stages.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

/// Trains `program`, the optimized forward Program of `graph`, once a fold: on the samples of the
/// other folds, each time from the Program's weights. Returns the out-of-fold predictions: the
/// output of a sample is that of the training which did not see it, and Execution::folds says which
/// that was. A sample for tests is in no fold and has no output. --save-weights and --log get a
/// file a fold; the report has every fold and the mean and standard error of all. Ctrl-C ends the
/// program after a step. Errors: those of fold_splits(), make_trainer(), train() and of the
/// backend; CannotWrite.
[[nodiscard]] Result<Execution> cross_validate(const NeuronGraph& graph, const Program& program,
                                               const BackendChoice& choice, const Options& options,
                                               Stages& stages);

}  // namespace vecc::tools
