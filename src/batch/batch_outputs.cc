#include "src/batch/batch_outputs.h"

namespace vecc {

std::vector<BatchOutput> find_outputs(const Plan& plan, const Program& program) {
  std::vector<BatchOutput> outputs(program.sample_count());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    const auto* const output = std::get_if<OutputOp>(&op.attributes);
    if (output == nullptr) continue;
    const ValuePlace& place = plan.places[id];
    VECC_CHECK(place.buffer != kNone || output->samples.size() == 0, "outputs have a place");
    for (std::uint32_t i = 0; i < output->samples.size(); ++i) {
      const std::uint64_t row = place.view == kNone ? i : plan.views[place.view][i];
      outputs[output->samples[i]] = {place.buffer, op.shape, place.first + row * op.shape.size()};
    }
  }
  return outputs;
}

}  // namespace vecc
