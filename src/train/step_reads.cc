#include "src/train/step_reads.h"

#include "src/train/neuron_reads.h"
#include "src/train/program_reads.h"

namespace vecc::training {

std::unique_ptr<StepReads> StepReads::make(const NeuronGraph& graph,
                                           const SampledMembers* members) {
  if (members != nullptr && members->segments) return std::make_unique<ProgramReads>(*members);
  return std::make_unique<NeuronReads>(graph, members);
}

}  // namespace vecc::training
