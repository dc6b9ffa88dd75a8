#include "src/differentiate/gradient_path.h"
#include "src/differentiate/gradient_sum.h"
#include "src/differentiate/op_gradients.h"
#include "src/support/timed_stage.h"
#include "vecc/differentiate.h"

namespace vecc {
namespace {

// Of `wanted` parameters, by parameter.
struct FoundGradients {
  std::vector<std::vector<ValueId>> whole;         // by `weight` op
  std::vector<std::vector<RowGradient>> of_takes;  // of parameters that takes alone read
};

// By parameter: whether all that reads its `weight` ops on the path is `take`.
std::vector<bool> only_taken(const Program& program, const std::vector<bool>& path,
                             std::span<const Seed> seeds) {
  std::vector<bool> only(program.parameters().size(), true);
  const auto read_whole = [&](ValueId id) {
    const auto* weight = std::get_if<WeightOp>(&program.op(id).attributes);
    if (weight != nullptr) only[weight->parameter] = false;
  };
  for (const Seed& seed : seeds) read_whole(seed.value);
  for (ValueId id = 0; id < path.size(); ++id) {
    const bool takes = program.op(id).kind() == OpKind::Take;
    if (!path[id] || takes) continue;
    for (const ValueId operand : program.op(id).operands) read_whole(operand);
  }
  return only;
}

// A take of a parameter of which gradients by rows are enough.
const WeightOp* taken_weight(const Program& program, ValueId id, const std::vector<bool>& by_rows) {
  const Op& op = program.op(id);
  if (op.kind() != OpKind::Take) return nullptr;
  const auto* weight = std::get_if<WeightOp>(&program.op(op.operands[0]).attributes);
  return weight != nullptr && by_rows[weight->parameter] ? weight : nullptr;
}

Result<FoundGradients> find_gradients(Program& program, std::span<const Seed> seeds,
                                      autodiff::GradientSum& sums, const std::vector<bool>& path,
                                      const std::vector<bool>& by_rows) {
  autodiff::OpGradients rules(program, sums);
  for (const Seed& seed : seeds) sums.add(seed.value, seed.gradient);
  const std::size_t parameters = program.parameters().size();
  FoundGradients found{std::vector<std::vector<ValueId>>(parameters),
                       std::vector<std::vector<RowGradient>>(parameters)};
  for (auto id = static_cast<ValueId>(path.size()); id-- > 0;) {
    if (!path[id]) continue;
    const autodiff::GradientSum::Read* const read = sums.sole_read(id);
    if (read != nullptr && rules.pass_read(id, *read)) continue;
    const Note note = program.op(id).note;
    VECC_TRY(const std::optional<ValueId> gradient, sums.sum(id, note));
    if (!gradient) continue;
    if (const auto* weight = std::get_if<WeightOp>(&program.op(id).attributes)) {
      found.whole[weight->parameter].push_back(*gradient);
    } else if (const WeightOp* const taken = taken_weight(program, id, by_rows)) {
      found.of_takes[taken->parameter].push_back({*gradient, program.op(id).operands[1]});
    } else {
      rules.pass_on(id, *gradient);
    }
  }
  return found;
}

// Of all takes of a parameter, in the order in which they stand, the sums of equal rows.
Result<RowGradient> sum_taken(Program& program, const std::vector<RowGradient>& takes,
                              const std::string& name) {
  std::vector<ValueId> gradients;
  std::vector<ValueId> rows;
  for (auto take = takes.rbegin(); take != takes.rend(); ++take) {
    gradients.push_back(take->gradient);
    rows.push_back(*take->rows);
  }
  const auto joined = [&](const std::vector<ValueId>& parts) -> Result<ValueId> {
    if (parts.size() == 1) return parts[0];
    return program.add(ConcatOp{}, Operands(parts.begin(), parts.end()), name);
  };
  VECC_TRY(const ValueId all, joined(gradients));
  VECC_TRY(const ValueId numbers, joined(rows));
  VECC_TRY(const ValueId sum, program.add(SumEqualOp{}, {all, numbers}, name));
  return RowGradient{sum, numbers};
}

}  // namespace

Result<std::vector<std::optional<ValueId>>> append_gradients(
    Program& program, std::span<const Seed> seeds, std::span<const ParameterIndex> wanted) {
  const TimedStage stage("differentiate");
  VECC_TRY(const std::vector<bool> path, autodiff::find_gradient_path(program, seeds, wanted));
  autodiff::GradientSum sums(program, path);
  const std::vector<bool> by_rows(program.parameters().size());
  VECC_TRY(FoundGradients found, find_gradients(program, seeds, sums, path, by_rows));
  std::vector<std::optional<ValueId>> result;
  for (const ParameterIndex parameter : wanted) {
    std::vector<ValueId>& terms = found.whole[parameter];
    if (terms.empty()) {
      result.emplace_back();
      continue;
    }
    VECC_TRY(const ValueId all, sums.sum_whole(terms, program.parameters()[parameter].name));
    terms = {all};  // a parameter may be wanted twice
    result.emplace_back(all);
  }
  return result;
}

Result<std::vector<std::optional<RowGradient>>> append_row_gradients(
    Program& program, std::span<const Seed> seeds, std::span<const ParameterIndex> wanted) {
  const TimedStage stage("differentiate");
  VECC_TRY(const std::vector<bool> path, autodiff::find_gradient_path(program, seeds, wanted));
  autodiff::GradientSum sums(program, path);
  const std::vector<bool> by_rows = only_taken(program, path, seeds);
  VECC_TRY(FoundGradients found, find_gradients(program, seeds, sums, path, by_rows));
  std::vector<std::optional<RowGradient>> result;
  for (const ParameterIndex parameter : wanted) {
    const std::string& name = program.parameters()[parameter].name;
    if (!found.of_takes[parameter].empty()) {
      VECC_TRY(const RowGradient rows, sum_taken(program, found.of_takes[parameter], name));
      result.emplace_back(rows);
    } else if (!found.whole[parameter].empty()) {
      VECC_TRY(const ValueId all, sums.sum_whole(found.whole[parameter], name));
      result.emplace_back(RowGradient{all, std::nullopt});
    } else {
      result.emplace_back();
    }
  }
  return result;
}

}  // namespace vecc
