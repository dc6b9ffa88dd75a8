#include "src/train/find_non_finite.h"

#include <algorithm>
#include <cmath>

#include "vecc/escape.h"
#include "vecc/fanout.h"

namespace vecc::training {
namespace {

// By value, whether members stand in it of which those that were not drawn are infinite.
std::vector<bool> masked_values(const Program& program) {
  std::vector<bool> is_weight;  // of members
  std::vector<bool> is_masked;
  for (const Op& op : program.ops()) {
    const auto any_of = [&](const std::vector<bool>& values) {
      return std::ranges::any_of(op.operands, [&](ValueId operand) { return values[operand]; });
    };
    const auto* weight = std::get_if<WeightOp>(&op.attributes);
    const bool is_moved = op.kind() == OpKind::Gather || op.kind() == OpKind::Concat;
    is_weight.push_back(weight != nullptr
                            ? program.parameters()[weight->parameter].name == kFanoutTable
                            : is_moved && any_of(is_weight));
    is_masked.push_back((op.kind() == OpKind::Map && any_of(is_weight)) ||
                        (is_moved && any_of(is_masked)));
  }
  return is_masked;
}

}  // namespace

Result<std::optional<NonFinite>> locate_non_finite(const Backend& backend,
                                                   const ExecutionOptions& execution,
                                                   const StepProgram& step,
                                                   const TrainPosition& position,
                                                   std::span<const ParameterValues> inputs) {
  ExecutionOptions options = execution;
  options.keep_values = true;
  options.own_parameters = step.own_parameters;
  VECC_TRY(const auto executable, backend.compile(step.program, options));
  VECC_TRY_VOID(set_parameters(*executable, inputs));
  VECC_TRY_VOID(executable->run());
  const std::vector<bool> is_masked = masked_values(step.program);
  for (ValueId id = 0; id < step.program.ops().size(); ++id) {
    const Op& op = step.program.op(id);
    VECC_TRY(const std::vector<double> values, executable->read(id));
    const auto bad = std::ranges::find_if(values, [&](double value) {
      return is_masked[id] ? std::isnan(value) : !std::isfinite(value);
    });
    if (bad == values.end()) continue;
    std::string name = "%" + std::to_string(id) + " " + std::string(text_of(op.kind()));
    if (!op.note.empty()) name += " \"" + escape_terminal(op.note.text()) + "\"";
    const auto place = static_cast<std::uint64_t>(bad - values.begin());
    return NonFinite{position, std::move(name),
                     static_cast<std::uint32_t>(place / op.shape.size())};
  }
  return std::optional<NonFinite>();
}

}  // namespace vecc::training
