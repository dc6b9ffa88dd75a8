#include "optimizer/compare/program_run.h"

#include <memory>

#include "backends/reference/program_interpreter.h"
#include "optimizer/compare/random_draw.h"

namespace vecc::opt {
namespace {

// Ops and arrays are shared; only the weights are its own.
Program with_drawn_weights(Program program, std::uint64_t seed) {
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const Parameter& parameter = program.parameters()[p];
    const std::size_t count = parameter.rows * parameter.shape.size();
    program.set_parameter_values(p, std::make_shared<const std::vector<double>>(
                                        draw_numbers(seed, "parameter " + parameter.name, count)));
  }
  return program;
}

}  // namespace

Result<ProgramRun> run_on_draw(const Program& program, std::uint64_t seed, bool gradients) {
  ExecutionOptions options;
  options.gradients = gradients;
  VECC_TRY(const auto executable,
           reference::interpreter_backend().compile(with_drawn_weights(program, seed), options));
  VECC_TRY_VOID(executable->run());
  ProgramRun run;
  VECC_TRY(run.outputs, executable->outputs());
  if (!gradients) return run;
  std::size_t count = 0;
  for (const Executable::Output& output : run.outputs) count += output.value.size();
  VECC_TRY_VOID(executable->differentiate(draw_numbers(seed, "outputs", count)));
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    VECC_TRY(run.gradients.emplace_back(), executable->gradient(p));
  }
  return run;
}

}  // namespace vecc::opt
