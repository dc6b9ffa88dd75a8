#include "src/train/saved_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "optimizer/describe_options.h"
#include "src/support/hash128.h"

namespace vecc::training {
namespace {

using Seconds = std::chrono::duration<double>;

bool is_update_of(const SavedStep& step, std::size_t u) {
  return step.updates[u] < step.program.ops().size() &&
         step.program.op(step.updates[u]).kind() == OpKind::Update &&
         step.updated[u] < step.program.parameters().size();
}

// Whether a step that was read can be one of `program`: its parameters come first, and others are
// scalars that the host sets.
bool continues(const SavedStep& step, const Program& program) {
  const std::vector<Parameter>& own = step.program.parameters();
  const std::vector<Parameter>& before = program.parameters();
  if (step.program.dtype() != program.dtype() || own.size() < before.size() ||
      step.program.sample_count() != program.sample_count() ||
      step.updates.size() != step.updated.size()) {
    return false;
  }
  for (std::size_t p = 0; p < own.size(); ++p) {
    const bool fits = p < before.size()
                          ? own[p].name == before[p].name && own[p].rows == before[p].rows &&
                                own[p].shape == before[p].shape
                          : own[p].rows == 1 && own[p].shape.is_scalar();
    if (!fits) return false;
  }
  for (std::size_t u = 0; u < step.updates.size(); ++u) {
    if (!is_update_of(step, u)) return false;
  }
  return true;
}

void give_values(const Program& from, Program& to) {
  const SharedNumbers one = SharedNumbers::repeated(1, 1);
  const std::size_t known = from.parameters().size();
  for (ParameterIndex p = 0; p < to.parameters().size(); ++p) {
    if (p >= known) {
      to.set_parameter_values(p, one);
    } else if (from.parameters()[p].values) {
      to.set_parameter_values(p, from.parameters()[p].values);
    }
  }
}

}  // namespace

std::string describe_step(std::string_view kind, std::span<const std::uint32_t> samples,
                          const TrainOptions& options) {
  Hash128 numbers;
  for (const std::uint32_t sample : samples) numbers.add(std::uint64_t{sample});
  const LossOptions& loss = options.loss;
  std::string text =
      fmt::format("step {}\nsamples {} {}\nloss {} {} margin {:a} neuralogic {}\noptimizer {}",
                  kind, samples.size(), hexadecimal_text(numbers.high(), numbers.low()),
                  text_of(loss.loss), text_of(loss.reduction), loss.margin,
                  loss.neuralogic_gradients, text_of(options.optimizer.optimizer));
  const OptimizerOptions complete = with_defaults(options.optimizer);
  for (const HyperparameterInfo& each : hyperparameters()) {
    if (const auto& value = complete.*each.value)
      text += fmt::format(" {} {:a}", each.name, *value);
  }
  text += fmt::format(" clip-value {:a} clip-norm {:a}\ninputs", complete.clip_value.value_or(0),
                      complete.clip_norm.value_or(0));
  for (const std::string& input : options.inputs)
    text += fmt::format(" {} {}", input.size(), input);
  return text + "\noptimize " + opt::describe_options(options.optimize) + "\n";
}

Result<SavedStep> find_or_make_step(const TrainOptions& options, const std::string& what,
                                    Program program,
                                    const std::function<Result<SavedStep>(Program)>& make) {
  if (options.steps == nullptr) return make(std::move(program));
  std::optional<SavedStep> found = options.steps->find(what);
  if (found && continues(*found, program)) {
    give_values(program, found->program);
    return std::move(*found);
  }
  const auto start = std::chrono::steady_clock::now();
  Result<SavedStep> step = make(std::move(program));
  if (step) {
    options.steps->keep(what, *step, Seconds(std::chrono::steady_clock::now() - start).count());
  }
  return step;
}

}  // namespace vecc::training
