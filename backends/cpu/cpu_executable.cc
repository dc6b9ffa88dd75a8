#include "backends/cpu/cpu_executable.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "src/program/output_begin.h"

namespace vecc::cpu {
namespace {

Errors usage(std::string message) {
  return Errors(ErrorCode::Usage, "cpu", std::move(message));
}

PlanOptions plan_options(const ExecutionOptions& options, const GradientProgram& program) {
  PlanOptions plan;
  plan.keep_values = options.keep_values;
  plan.kept = options.kept;
  if (!options.gradients) return plan;
  plan.second_stage = program.first;
  for (const auto& gradient : program.gradients) {
    if (gradient) plan.kept.push_back(*gradient);
  }
  return plan;
}

// One team a number of threads, shared by the executables that want it: a training has one for each
// kind of batch, and runs them in turn.
std::shared_ptr<ThreadTeam> team_of(std::uint32_t threads) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  static std::mutex mutex;
  static std::map<std::uint32_t, std::weak_ptr<ThreadTeam>> teams;
  const std::lock_guard lock(mutex);
  std::shared_ptr<ThreadTeam> team = teams[threads].lock();
  if (!team) teams[threads] = team = std::make_shared<ThreadTeam>(threads);
  return team;
}

}  // namespace

Result<std::unique_ptr<Executable>> CpuExecutable::make(const Program& program,
                                                        const ExecutionOptions& options) {
  GradientProgram whole{program, kNone, {}, {}};
  if (options.gradients) {
    VECC_TRY(whole, make_gradient_program(program));
  }
  std::unique_ptr<CpuExecutable> made(new CpuExecutable(std::move(whole)));
  made->with_gradients_ = options.gradients;
  made->parameter_count_ = static_cast<std::uint32_t>(program.parameters().size());
  made->team_ = team_of(options.threads);
  for (const Op& op : program.ops()) made->updates_ |= op.kind() == OpKind::Update;
  LoadOptions load;
  load.warn = [](const std::string& text) { spdlog::warn("{}", text); };
  Plan plan = make_plan(made->program_.program, plan_options(options, made->program_));
  const Result<void> verified = verify(plan);
  VECC_CHECK(verified, verified.error().text());
  VECC_TRY(made->plan_, BoundPlan::make(std::move(plan), load, &made->code_counts_));
  spdlog::debug("cpu: {} kernels compiled, {} cached, {:.3f} s", made->code_counts_.compiled,
                made->code_counts_.cached, made->code_counts_.seconds);
  made->bind(options);
  return std::unique_ptr<Executable>(std::move(made));
}

void CpuExecutable::bind(const ExecutionOptions& options) {
  ExecutionOptions own = options;
  own.own_parameters.insert(own.own_parameters.end(), program_.seeds.begin(), program_.seeds.end());
  const DType dtype = program_.program.dtype();
  stored_.bind(
      program_.program, own,
      [&](std::uint32_t rows, Shape shape, const std::vector<double>* values, double initial) {
        NativeBlock block(dtype, rows * shape.size());
        if (values != nullptr) {
          block.write(*values);
        } else {
          block.fill(initial);
        }
        return block;
      });
  const Plan& plan = plan_->plan();
  for (BufferIndex b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan.buffers[b];
    if (buffer.kind == PlanBuffer::Kind::Parameter) {
      plan_->set_block(b, stored_.parameter(buffer.source));
    } else if (buffer.kind == PlanBuffer::Kind::State) {
      plan_->set_block(b, stored_.state(buffer.source));
    }
  }
  plan_->bind();
}

void CpuExecutable::note_run() {
  if (updates_) stored_.note_change();
  has_run_ = true;
  has_gradients_ = false;
  changes_at_run_ = stored_.changes();
}

Result<void> CpuExecutable::run() {
  plan_->run(0, *team_);
  note_run();
  return {};
}

Result<std::vector<double>> CpuExecutable::profile() {
  std::vector<double> of_launches;
  plan_->run_timed(0, of_launches);
  note_run();
  std::vector<double> seconds(program_.program.ops().size());
  const Plan& plan = plan_->plan();
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const auto& ops = plan.launches[l].ops;  // the last op of a kernel stands for all
    if (!ops.empty()) seconds[ops.back()] += of_launches[l];
  }
  if (with_gradients_) seconds.resize(program_.first);
  return seconds;
}

// The rows of a value, through its view.
void CpuExecutable::append_rows(ValueId value, std::vector<double>& to) const {
  const Op& op = program_.program.op(value);
  const ValuePlace& place = plan_->plan().places[value];
  const NativeBlock& block = plan_->block(place.buffer);
  const std::uint64_t first = plan_->first(place.buffer) + place.first;
  const std::uint64_t size = op.shape.size();
  if (!place.view) return block.read(first, op.rows * size, to);
  for (std::uint32_t i = 0; i < op.rows; ++i) block.read(first + (*place.view)[i] * size, size, to);
}

Result<std::vector<Executable::Output>> CpuExecutable::outputs() {
  VECC_CHECK(has_run_, "outputs before the first run");
  const Program& program = program_.program;
  std::vector<Output> result(program.sample_count());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const auto* output = std::get_if<OutputOp>(&program.op(id).attributes);
    if (output == nullptr) continue;
    std::vector<double> all;
    append_rows(id, all);
    const std::size_t size = program.op(id).shape.size();
    for (std::uint32_t i = 0; i < program.op(id).rows; ++i) {
      const auto row = std::span(all).subspan(i * size, size);
      result[output->samples[i]] = {program.op(id).shape, {row.begin(), row.end()}};
    }
  }
  return result;
}

Result<std::vector<double>> CpuExecutable::read(ValueId value) {
  VECC_CHECK(has_run_, "read before the first run");
  const Op& op = program_.program.op(value);
  std::vector<double> rows;
  if (op.size() == 0) return rows;
  if (plan_->plan().places[value].buffer == kNone) {
    return Errors(ErrorCode::Usage,
                  "cpu: %" + std::to_string(value) + " " + std::string(text_of(op.kind())),
                  "the value was never stored; compile with keep_values");
  }
  rows.reserve(op.size());
  append_rows(value, rows);
  return rows;
}

Result<void> CpuExecutable::set_parameter(ParameterIndex parameter,
                                          std::span<const double> values) {
  const NativeBlock& block = stored_.parameter(parameter);
  VECC_TRY_VOID(check_value_count(describe_parameter(program_.program, parameter), values.size(),
                                  block.elements()));
  block.write(values);
  stored_.note_change(parameter);
  return {};
}

Result<std::vector<double>> CpuExecutable::parameter(ParameterIndex parameter) {
  const NativeBlock& block = stored_.parameter(parameter);
  std::vector<double> values;
  block.read(0, block.elements(), values);
  return values;
}

Result<void> CpuExecutable::set_state(std::string_view name, std::span<const double> values) {
  VECC_TRY(const ValueId id, find_state(program_.program, name, "cpu"));
  const NativeBlock& block = stored_.state(id);
  VECC_TRY_VOID(check_value_count(describe_state(name), values.size(), block.elements()));
  block.write(values);
  stored_.note_change();
  return {};
}

Result<std::vector<double>> CpuExecutable::state(std::string_view name) {
  VECC_TRY(const ValueId id, find_state(program_.program, name, "cpu"));
  const NativeBlock& block = stored_.state(id);
  std::vector<double> values;
  block.read(0, block.elements(), values);
  return values;
}

Result<void> CpuExecutable::differentiate(std::span<const double> output_gradients) {
  if (!with_gradients_) return usage("differentiate: the Program was compiled without gradients");
  if (!has_run_ || stored_.changes() != changes_at_run_) {
    return usage("differentiate: no run since the Program was compiled or a parameter was set");
  }
  const Program& program = program_.program;
  const std::vector<std::uint64_t> begin = output_begin(program);
  if (output_gradients.size() != begin.back()) {
    return Errors(ErrorCode::Usage, "output gradients",
                  std::to_string(output_gradients.size()) + " numbers, expected " +
                      std::to_string(begin.back()) + ": one an element of every sample's output");
  }
  std::size_t seed = 0;
  for (ValueId id = 0; id < program_.first; ++id) {
    const auto* output = std::get_if<OutputOp>(&program.op(id).attributes);
    if (output == nullptr) continue;
    const NativeBlock& block = stored_.parameter(program_.seeds[seed++]);
    const std::size_t size = program.op(id).shape.size();
    for (std::uint32_t i = 0; i < program.op(id).rows; ++i) {
      block.write(output_gradients.subspan(begin[output->samples[i]], size), i * size);
    }
  }
  plan_->run(1, *team_);
  has_gradients_ = true;
  return {};
}

Result<std::vector<double>> CpuExecutable::gradient(ParameterIndex parameter) {
  if (!has_gradients_) return usage("gradient: no differentiate() since the last run");
  const Parameter& of = program_.program.parameters()[parameter];
  const auto& value = program_.gradients[parameter];
  if (!value) return std::vector<double>(of.rows * of.shape.size(), 0.0);
  return read(*value);
}

std::uint64_t CpuExecutable::bytes() const {
  return plan_->bytes() + stored_.made_elements() * byte_size(program_.program.dtype());
}

}  // namespace vecc::cpu
