// Whether steps of batches are bound or masked, by counted work.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vecc/backend.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"
#include "vecc/target.h"
#include "vecc/train.h"

namespace vecc::training {

/// What steps run on, and what binds their batches.
struct BatchMachine {
  std::optional<Target> gpu;          ///< none: a processor
  std::uint32_t binding_threads = 0;  ///< beside the step's own
  double shortest_binding = 0;        ///< seconds that are worth one of these
};
/// Steps on a processor need its other cores. Errors: those of Backend::find_gpu().
[[nodiscard]] Result<BatchMachine> find_batch_machine(const Backend& backend,
                                                      const ExecutionOptions& execution);

/// `size` of so many samples, at most, evenly from the first on: those of a batch whose samples
/// come from all over.
[[nodiscard]] std::vector<std::uint32_t> spread_places(std::uint64_t size, std::uint64_t samples);

/// Whether each epoch has the batches of the one before, which are kept once they are bound.
[[nodiscard]] bool batches_come_again(const TrainOptions& options, std::uint64_t samples);

/// The step that runs with a mask: `step`, that of all `samples`, after the optimizer. With
/// BatchWay::Choose, none where to find and run the rows of a batch is less work; `gpu` is what
/// steps run on, none for a processor. `forward` has the samples, in their order. Errors: those of
/// make_step_program() and optimize().
[[nodiscard]] Result<std::optional<Program>> masked_step(const NeuronGraph& graph,
                                                         const Program& step,
                                                         const Program& forward,
                                                         std::span<const std::uint32_t> samples,
                                                         const TrainOptions& options,
                                                         const std::optional<Target>& gpu);

}  // namespace vecc::training
