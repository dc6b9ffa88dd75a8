#include "src/train/find_non_finite.h"

#include <algorithm>
#include <cmath>

#include "vecc/escape.h"

namespace vecc::training {

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
  for (ValueId id = 0; id < step.program.ops().size(); ++id) {
    const Op& op = step.program.op(id);
    VECC_TRY(const std::vector<double> values, executable->read(id));
    const auto bad =
        std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
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
