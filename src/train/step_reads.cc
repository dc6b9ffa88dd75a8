#include "src/train/step_reads.h"

#include "src/train/neuron_reads.h"

namespace vecc::training {

std::unique_ptr<StepReads> StepReads::make(const NeuronGraph& graph,
                                           const SampledMembers* members) {
  return std::make_unique<NeuronReads>(graph, members);
}

}  // namespace vecc::training
