#include "backends/native/gradient_program.h"

#include <memory>
#include <numeric>
#include <string>

#include "src/support/free_memory.h"
#include "vecc/differentiate.h"

namespace vecc::native {
namespace {

// A name that no parameter has.
std::string seed_name(const Program& program, ValueId output) {
  std::string name = "output_gradient/" + std::to_string(output);
  const auto is_taken = [&] {
    for (const Parameter& parameter : program.parameters()) {
      if (parameter.name == name) return true;
    }
    return false;
  };
  while (is_taken()) name += "'";
  return name;
}

}  // namespace

Result<GradientProgram> make_gradient_program(const Program& forward) {
  GradientProgram result{forward, static_cast<ValueId>(forward.ops().size()), {}, {}};
  std::vector<ParameterIndex> wanted(forward.parameters().size());
  std::iota(wanted.begin(), wanted.end(), 0u);
  std::vector<Seed> seeds;
  for (ValueId id = 0; id < result.first; ++id) {
    const Op& op = forward.op(id);
    if (op.kind() != OpKind::Output) continue;
    SharedNumbers zeros = SharedNumbers::repeated(op.size(), 0);
    VECC_TRY(const ParameterIndex seed,
             result.program.add_parameter(
                 {seed_name(result.program, id), op.rows, op.shape, std::move(zeros)}));
    result.seeds.push_back(seed);
    seeds.push_back({id, result.program.weight(seed)});
  }
  VECC_TRY(result.gradients, append_gradients(result.program, seeds, wanted));
  return_free_memory(result.program.ops().size());
  return result;
}

void forget_backward(GradientProgram& whole, const Program& forward) {
  Program kept = forward;
  const std::vector<Parameter>& all = whole.program.parameters();
  for (std::size_t p = forward.parameters().size(); p < all.size(); ++p) {
    const auto added = kept.add_parameter(all[p]);
    VECC_CHECK(added.has_value(), "a parameter that another Program holds");
  }
  whole.program = std::move(kept);
}

}  // namespace vecc::native
