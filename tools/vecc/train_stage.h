// vecc --train: the stages between the optimizer and the run.
#pragma once

#include <functional>
#include <string>

#include "execute.h"
#include "options.h"
#include "tools/common/stages.h"
#include "tools/html/training_curves.h"
#include "training.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

using OpenValidation = std::function<Result<ValidationGraph>(const std::string& path)>;

/// Trains `program`, the optimized forward Program of `graph`, from its parameters' values, and
/// gives the graph the learned weights; neither has any meanwhile, and the Program none after it.
/// Returns the curves of its epochs: of those after a checkpoint that it resumed. Ctrl-C
/// ends a step and leaves a checkpoint; the caller's DeferInterrupt then ends the program. Errors:
/// those of make_trainer() and train().
[[nodiscard]] Result<TrainingCurves> train_graph(NeuronGraph& graph, Program& program,
                                                 const BackendChoice& choice,
                                                 const Options& options,
                                                 const OpenValidation& open_validation,
                                                 Stages& stages);

}  // namespace vecc::tools
