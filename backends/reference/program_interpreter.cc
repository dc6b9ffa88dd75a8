#include "backends/reference/program_interpreter.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include "backends/common/only_exact.h"
#include "backends/common/shared_rows.h"
#include "backends/reference/interpret_op.h"
#include "backends/reference/program_differentiator.h"
#include "backends/reference/row_numbers.h"
#include "src/program/output_begin.h"
#include "vecc/escape.h"

namespace vecc::reference {
namespace {

using Clock = std::chrono::steady_clock;

Errors out_of_memory(const Program& program) {
  return Errors(ErrorCode::OutOfMemory, "interpreter",
                "no memory for values of " + std::to_string(2 * statistics(program).value_bytes) +
                    " bytes at most");
}

// Runs `body`; an error if there is no memory for what it makes.
template <class Body>
Result<void> guard(const Program& program, Body&& body) {
  try {
    body();
    return {};
  } catch (const std::bad_alloc&) {
    return out_of_memory(program);
  } catch (const std::length_error&) {  // more than a vector can ever hold
    return out_of_memory(program);
  }
}

Errors usage(std::string message) {
  return Errors(ErrorCode::Usage, "interpreter", std::move(message));
}

Errors no_values(const std::string& call) {
  return usage(call + ": no run yet, or the last one had an error");
}

using InterpreterBlock = std::shared_ptr<std::vector<double>>;

class InterpreterExecutable final : public Executable {
 public:
  InterpreterExecutable(const Program& program, const ExecutionOptions& options)
      : program_(program),
        with_gradients_(options.gradients),
        plan_(plan_interpreter(program_, options)),
        values_(program_, plan_.places) {
    stored_.bind(program_, options, [](const StoredRequest& asked) {
      return asked.values ? std::make_shared<std::vector<double>>(asked.values.doubles())
                          : std::make_shared<std::vector<double>>(asked.elements(), asked.initial);
    });
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (program_.op(id).kind() == OpKind::Fact) compute(id, operands_of(id));
    }
  }

  Result<void> run() override { return run_ops(nullptr); }

  Result<std::vector<double>> profile() override {
    std::vector<double> seconds(program_.ops().size());
    VECC_TRY_VOID(run_ops(&seconds));
    return seconds;
  }

  Result<std::vector<Output>> outputs() override {
    if (!has_run_) return no_values("outputs");
    std::vector<Output> result(program_.sample_count());
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const auto* output = std::get_if<OutputOp>(&program_.op(id).attributes);
      if (output == nullptr) continue;
      const Rows rows = const_values().rows(id);
      for (std::uint32_t i = 0; i < rows.rows(); ++i) {
        const auto row = rows.row(i);
        result[output->samples[i]] = {rows.shape(), {row.begin(), row.end()}};
      }
    }
    return result;
  }

  Result<std::vector<double>> read(ValueId value) override {
    if (!has_run_) return no_values("read");
    const Rows rows = const_values().rows(value);
    if (!rows.present() && program_.op(value).size() > 0) {
      return Errors(ErrorCode::Usage,
                    "interpreter: %" + std::to_string(value) + " " +
                        std::string(text_of(program_.op(value).kind())),
                    "the value was released after its last reader; compile with keep_values");
    }
    std::vector<double> result;
    VECC_TRY_VOID(guard(program_, [&] {
      result.reserve(program_.op(value).size());
      for (std::uint32_t i = 0; i < rows.rows(); ++i) {
        result.insert(result.end(), rows.row(i).begin(), rows.row(i).end());
      }
    }));
    return result;
  }

  Result<void> set_parameter(ParameterIndex parameter, std::span<const double> values) override {
    VECC_TRY_VOID(set_block(stored_.parameter(parameter), values,
                            describe_parameter(program_.parameters()[parameter].name)));
    stored_.note_change(parameter);
    return {};
  }

  Result<std::vector<double>> parameter(ParameterIndex parameter) override {
    return *stored_.parameter(parameter);
  }

  Result<void> set_state(std::string_view name, std::span<const double> values) override {
    VECC_TRY(const ValueId id, find_state(program_, name, "interpreter"));
    VECC_TRY_VOID(set_block(stored_.state(id), values, describe_state(name)));
    stored_.note_change();
    return {};
  }

  Result<std::vector<double>> state(std::string_view name) override {
    VECC_TRY(const ValueId id, find_state(program_, name, "interpreter"));
    return *stored_.state(id);
  }

  [[nodiscard]] std::shared_ptr<Storage> storage() const override { return stored_.shared(); }

  Result<void> differentiate(std::span<const double> output_gradients) override {
    if (!with_gradients_) return usage("differentiate: the Program was compiled without gradients");
    if (!has_run_ || stored_.changes() != changes_at_run_) {
      return usage("differentiate: no run since the Program was compiled or a parameter was set");
    }
    const std::uint64_t expected = output_begin(program_).back();
    if (output_gradients.size() != expected) {
      return Errors(ErrorCode::Usage, "output gradients",
                    std::to_string(output_gradients.size()) + " numbers, expected " +
                        std::to_string(expected) + ": one an element of every sample's output");
    }
    gradients_.clear();
    return guard(program_, [&] {
      gradients_ = differentiate_program(program_, plan_, values_, output_gradients);
    });
  }

  Result<std::vector<double>> gradient(ParameterIndex parameter) override {
    if (gradients_.size() <= parameter)
      return usage("gradient: no differentiate() since the last run");
    return gradients_[parameter];
  }

  [[nodiscard]] std::uint64_t bytes() const override {
    std::uint64_t doubles = stored_.made_elements();
    for (const Op& op : program_.ops()) doubles += op.kind() == OpKind::Fact ? op.size() : 0;
    return doubles * sizeof(double) + statistics(program_).index_bytes;
  }

  [[nodiscard]] std::string device_name() const override { return "cpu"; }

 private:
  [[nodiscard]] const ValueStorage& const_values() const { return values_; }

  static Result<void> set_block(const InterpreterBlock& block, std::span<const double> values,
                                const std::string& what) {
    VECC_TRY_VOID(check_value_count(what, values.size(), block->size()));
    std::ranges::copy(values, block->begin());
    return {};
  }

  // A run; if `seconds` is there, with each op timed.
  Result<void> run_ops(std::vector<double>* seconds) {
    has_run_ = false;
    gradients_.clear();
    Result<void> ran;
    VECC_TRY_VOID(guard(program_, [&] { ran = run_each_op(seconds); }));
    if (!ran) return ran;
    for (ValueId id = 0; id < program_.ops().size(); ++id) store_update(id);
    has_run_ = true;
    changes_at_run_ = stored_.changes();
    return {};
  }

  // Errors: of row numbers, before anything is stored.
  Result<void> run_each_op(std::vector<double>* seconds) {
    release_last_run();
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const auto start = seconds != nullptr ? Clock::now() : Clock::time_point();
      VECC_TRY(const bool ran, run_op(id));
      if (ran && seconds != nullptr) {
        (*seconds)[id] = std::chrono::duration<double>(Clock::now() - start).count();
      }
      for (const ValueId buffer : plan_.released[id]) values_.release(buffer);
    }
    return {};
  }

  // Buffers are filled anew, from zeros.
  void release_last_run() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (program_.op(id).kind() != OpKind::Fact) values_.release(id);
    }
  }

  // Whether there was something to do.
  Result<bool> run_op(ValueId id) {
    const Op& op = program_.op(id);
    if (op.kind() == OpKind::Fact) return false;    // made once
    if (op.kind() == OpKind::Gather) return false;  // read through its index
    if (const auto* weight = std::get_if<WeightOp>(&op.attributes)) {
      copy_stored(*stored_.parameter(weight->parameter), id);
    } else if (op.kind() == OpKind::State) {
      copy_stored(*stored_.state(id), id);
    } else {
      const std::vector<Rows> operands = operands_of(id);
      VECC_TRY_VOID(check_row_numbers(program_, id, operands));
      compute(id, operands);
    }
    return true;
  }

  // A run reads what was stored before it, whatever it stores itself.
  void copy_stored(const std::vector<double>& stored, ValueId id) {
    values_.allocate(id);
    std::ranges::copy(stored, values_.rows(id).all().begin());
  }

  [[nodiscard]] std::vector<Rows> operands_of(ValueId id) const {
    std::vector<Rows> operands;
    for (const ValueId operand : program_.op(id).operands) {
      operands.push_back(const_values().rows(operand));
    }
    return operands;
  }

  void compute(ValueId id, const std::vector<Rows>& operands) {
    values_.allocate(id);
    interpret_op(program_.op(id), operands, values_.rows(id));
  }

  // After every other op of the run: all of them read what was stored before.
  void store_update(ValueId id) {
    const Op& op = program_.op(id);
    const auto* update = std::get_if<UpdateOp>(&op.attributes);
    if (update == nullptr) return;
    std::vector<double>& stored = *stored_.target(program_, op.operands[0]);
    stored_.note_change();
    const Rows rows = const_values().rows(id);
    const std::size_t size = op.shape.size();
    for (std::uint32_t i = 0; i < rows.rows(); ++i) {
      const std::size_t row = stored_row(*update, op, i);
      std::ranges::copy(rows.row(i), std::span(stored).subspan(row * size, size).begin());
    }
  }

  [[nodiscard]] std::size_t stored_row(const UpdateOp& update, const Op& op,
                                       std::uint32_t i) const {
    if (op.operands.size() == 3) return row_number(const_values().rows(op.operands[2]), i);
    return update.rows ? (*update.rows)[i] : i;
  }

  Program program_;
  bool with_gradients_;
  InterpreterPlan plan_;
  ValueStorage values_;
  StoredRows<InterpreterBlock> stored_;
  std::vector<std::vector<double>> gradients_;  // by parameter; of the last differentiate()
  bool has_run_ = false;
  std::uint64_t changes_at_run_ = 0;
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

  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    VECC_TRY_VOID(available(options.device));
    VECC_TRY_VOID(check_exact(options, "interpreter"));
    Errors errors;
    check_stored<InterpreterBlock>(program, options, "interpreter", errors);
    for (ValueId id = 0; options.gradients && id < program.ops().size(); ++id) {
      const OpKind kind = program.op(id).kind();
      if (kind != OpKind::Update && kind != OpKind::Vjp) continue;
      const std::string name(text_of(kind));
      errors.add(
          ErrorCode::BackendUnsupported, "interpreter",
          "%" + std::to_string(id) + " " + name + ": no gradients of a Program with " + name + "s");
    }
    if (!errors.empty()) return errors;
    std::unique_ptr<Executable> executable;
    VECC_TRY_VOID(guard(
        program, [&] { executable = std::make_unique<InterpreterExecutable>(program, options); }));
    return executable;
  }
};

}  // namespace

const Backend& interpreter_backend() {
  static const InterpreterBackend backend;
  return backend;
}

}  // namespace vecc::reference
