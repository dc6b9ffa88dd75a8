#include "backends/reference/program_interpreter.h"

#include <algorithm>
#include <new>
#include <utility>

#include "backends/reference/interpret_op.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

Errors out_of_memory(const Program& program) {
  return Errors(ErrorCode::OutOfMemory, "interpreter",
                "no memory for values of " + std::to_string(2 * statistics(program).value_bytes) +
                    " bytes at most");
}

class InterpreterExecutable final : public Executable {
 public:
  explicit InterpreterExecutable(const Program& program)
      : program_(program), values_(program.ops().size()), states_(program.ops().size()) {
    for (const Parameter& parameter : program_.parameters()) {
      RowBlock& block = parameters_.emplace_back(parameter.rows, parameter.shape);
      std::ranges::copy(*parameter.values, block.values.begin());
    }
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const Op& op = program_.op(id);
      if (op.kind() == OpKind::Fact) values_[id] = interpret_op(op, values_);
      if (const auto* state = std::get_if<StateOp>(&op.attributes)) {
        states_[id] = RowBlock(op.rows, op.shape);
        std::ranges::fill(states_[id].values, state->initial);
      }
    }
  }

  Result<void> run() override {
    try {
      for (ValueId id = 0; id < program_.ops().size(); ++id) run_op(id);
    } catch (const std::bad_alloc&) {
      return out_of_memory(program_);
    }
    for (ValueId id = 0; id < program_.ops().size(); ++id) store_update(id);
    has_run_ = true;
    return {};
  }

  Result<std::vector<Output>> outputs() override {
    VECC_CHECK(has_run_, "outputs before the first run");
    std::vector<Output> result(program_.sample_count());
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const auto* output = std::get_if<OutputOp>(&program_.op(id).attributes);
      if (output == nullptr) continue;
      for (std::uint32_t i = 0; i < values_[id].rows; ++i) {
        const auto row = values_[id].row(i);
        result[output->samples[i]] = {values_[id].shape, {row.begin(), row.end()}};
      }
    }
    return result;
  }

  Result<std::vector<double>> read(ValueId value) override {
    VECC_CHECK(has_run_, "read before the first run");
    return values_[value].values;
  }

  Result<void> set_parameter(ParameterIndex parameter, std::span<const double> values) override {
    RowBlock& block = parameters_[parameter];
    if (values.size() != block.values.size()) {
      return Errors(ErrorCode::Usage,
                    "parameter \"" + escape_terminal(program_.parameters()[parameter].name) + "\"",
                    std::to_string(values.size()) + " values, expected " +
                        std::to_string(block.values.size()));
    }
    std::ranges::copy(values, block.values.begin());
    return {};
  }

  [[nodiscard]] std::uint64_t bytes() const override {
    std::uint64_t doubles = 0;
    for (const RowBlock& block : parameters_) doubles += block.values.size();
    for (const RowBlock& block : states_) doubles += block.values.size();
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (program_.op(id).kind() == OpKind::Fact) doubles += values_[id].values.size();
    }
    return doubles * sizeof(double) + statistics(program_).index_bytes;
  }

  [[nodiscard]] std::string device_name() const override { return "cpu"; }

 private:
  void run_op(ValueId id) {
    const Op& op = program_.op(id);
    if (op.kind() == OpKind::Fact) return;  // made once
    if (const auto* weight = std::get_if<WeightOp>(&op.attributes)) {
      values_[id] = parameters_[weight->parameter];
    } else if (op.kind() == OpKind::State) {
      values_[id] = states_[id];
    } else {
      values_[id] = interpret_op(op, values_);
    }
  }

  // After every other op of the run: all of them read what was stored before.
  void store_update(ValueId id) {
    const Op& op = program_.op(id);
    const auto* update = std::get_if<UpdateOp>(&op.attributes);
    if (update == nullptr) return;
    const ValueId target = op.operands[0];
    const auto* weight = std::get_if<WeightOp>(&program_.op(target).attributes);
    RowBlock& stored = weight != nullptr ? parameters_[weight->parameter] : states_[target];
    const RowBlock& rows = values_[op.operands[1]];
    for (std::uint32_t i = 0; i < rows.rows; ++i) {
      std::ranges::copy(rows.row(i), stored.row(update->rows ? (*update->rows)[i] : i).begin());
    }
  }

  Program program_;
  std::vector<RowBlock> values_;  // by value; facts are filled once
  std::vector<RowBlock> states_;  // by value; only of states
  std::vector<RowBlock> parameters_;
  bool has_run_ = false;
};

class InterpreterBackend final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "interpreter"; }

  [[nodiscard]] Result<void> available(const Device& device) const override {
    switch (device.kind) {
      case Device::Kind::Auto:
      case Device::Kind::Cpu: return {};
      case Device::Kind::Cuda: break;
    }
    return Errors(
        ErrorCode::DeviceAbsent, "interpreter",
        "the interpreter runs on the cpu, found device cuda:" + std::to_string(device.index));
  }

  [[nodiscard]] std::vector<std::string> unsupported(const Program& /*program*/) const override {
    return {};
  }

  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    VECC_TRY_VOID(available(options.device));
    Errors missing;
    for (const Parameter& parameter : program.parameters()) {
      if (parameter.values) continue;
      missing.add(ErrorCode::MissingValues, "interpreter",
                  "parameter \"" + escape_terminal(parameter.name) + "\" has no values");
    }
    if (!missing.empty()) return missing;
    try {
      return std::unique_ptr<Executable>(std::make_unique<InterpreterExecutable>(program));
    } catch (const std::bad_alloc&) {
      return out_of_memory(program);
    }
  }
};

}  // namespace

const Backend& interpreter_backend() {
  static const InterpreterBackend backend;
  return backend;
}

}  // namespace vecc
