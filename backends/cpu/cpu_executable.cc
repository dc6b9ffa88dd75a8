#include "backends/cpu/cpu_executable.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

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

// What nobody will ask for has no place: its memory is somebody else's by then.
void forget_values(Plan& plan, const Program& program, const PlanOptions& options) {
  if (options.keep_values) return;
  std::vector<bool> kept(plan.places.size());
  for (const ValueId id : options.kept) kept[id] = true;
  for (ValueId id = 0; id < plan.places.size(); ++id) {
    ValuePlace& place = plan.places[id];
    if (kept[id] || place.buffer == kNone || program.op(id).kind() == OpKind::Output) continue;
    if (place.view || plan.buffers[place.buffer].kind == PlanBuffer::Kind::Arena) place = {};
  }
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
  std::unique_ptr<CpuExecutable> made(new CpuExecutable(whole));
  made->team_ = team_of(options.threads);
  LoadOptions load;
  load.warn = [](const std::string& text) { spdlog::warn("{}", text); };
  const PlanOptions planned = plan_options(options, whole);
  Plan plan = make_plan(whole.program, planned);
  const Result<void> verified = verify(plan);
  VECC_CHECK(verified, verified.error().text());
  forget_values(plan, whole.program, planned);
  VECC_TRY(made->plan_, BoundPlan::make(std::move(plan), load, &made->code_counts_));
  spdlog::debug("cpu: {} kernels compiled, {} cached, {:.3f} s", made->code_counts_.compiled,
                made->code_counts_.cached, made->code_counts_.seconds);
  made->bind(whole.program, options);
  return std::unique_ptr<Executable>(std::move(made));
}

void CpuExecutable::bind(const Program& program, const ExecutionOptions& options) {
  ExecutionOptions own = options;
  own.own_parameters.insert(own.own_parameters.end(), seeds_.begin(), seeds_.end());
  stored_.bind(
      program, own,
      [&](std::uint32_t rows, Shape shape, const std::vector<double>* values, double initial) {
        NativeBlock block(program_.dtype, rows * shape.size());
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
  if (program_.updates) stored_.note_change();
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
  std::vector<double> seconds(program_.values.size());
  const Plan& plan = plan_->plan();
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const auto& ops = plan.launches[l].ops;  // the last op of a kernel stands for all
    if (!ops.empty()) seconds[ops.back()] += of_launches[l];
  }
  if (first_ != kNone) seconds.resize(first_);
  return seconds;
}

// The rows of a value, through its view.
void CpuExecutable::append_rows(ValueId value, std::vector<double>& to) const {
  const ProgramOutline::Value& of = program_.values[value];
  const ValuePlace& place = plan_->plan().places[value];
  const NativeBlock& block = plan_->block(place.buffer);
  const std::uint64_t first = plan_->first(place.buffer) + place.first;
  const std::uint64_t size = of.shape.size();
  if (!place.view) return block.read(first, of.size(), to);
  for (std::uint32_t i = 0; i < of.rows; ++i) block.read(first + (*place.view)[i] * size, size, to);
}

Result<std::vector<Executable::Output>> CpuExecutable::outputs() {
  VECC_CHECK(has_run_, "outputs before the first run");
  std::vector<Output> result(program_.sample_count);
  for (const ProgramOutline::Output& output : program_.outputs) {
    std::vector<double> all;
    append_rows(output.value, all);
    const Shape shape = program_.values[output.value].shape;
    for (std::uint32_t i = 0; i < output.samples.size(); ++i) {
      const auto row = std::span(all).subspan(i * shape.size(), shape.size());
      result[output.samples[i]] = {shape, {row.begin(), row.end()}};
    }
  }
  return result;
}

Result<std::vector<double>> CpuExecutable::read(ValueId value) {
  VECC_CHECK(has_run_, "read before the first run");
  const ProgramOutline::Value& of = program_.values[value];
  std::vector<double> rows;
  if (of.size() == 0) return rows;
  if (plan_->plan().places[value].buffer == kNone) {
    return Errors(ErrorCode::Usage,
                  "cpu: %" + std::to_string(value) + " " + std::string(text_of(of.kind)),
                  "the value is not kept; compile with keep_values");
  }
  rows.reserve(of.size());
  append_rows(value, rows);
  return rows;
}

Result<void> CpuExecutable::set_parameter(ParameterIndex parameter,
                                          std::span<const double> values) {
  const NativeBlock& block = stored_.parameter(parameter);
  VECC_TRY_VOID(check_value_count(describe_parameter(program_.parameters[parameter]), values.size(),
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
  VECC_TRY(const ValueId id, program_.find_state(name));
  const NativeBlock& block = stored_.state(id);
  VECC_TRY_VOID(check_value_count(describe_state(name), values.size(), block.elements()));
  block.write(values);
  stored_.note_change();
  return {};
}

Result<std::vector<double>> CpuExecutable::state(std::string_view name) {
  VECC_TRY(const ValueId id, program_.find_state(name));
  const NativeBlock& block = stored_.state(id);
  std::vector<double> values;
  block.read(0, block.elements(), values);
  return values;
}

Result<void> CpuExecutable::differentiate(std::span<const double> output_gradients) {
  if (first_ == kNone) return usage("differentiate: the Program was compiled without gradients");
  if (!has_run_ || stored_.changes() != changes_at_run_) {
    return usage("differentiate: no run since the Program was compiled or a parameter was set");
  }
  const std::vector<std::uint64_t>& begin = program_.output_begin;
  if (output_gradients.size() != begin.back()) {
    return Errors(ErrorCode::Usage, "output gradients",
                  std::to_string(output_gradients.size()) + " numbers, expected " +
                      std::to_string(begin.back()) + ": one an element of every sample's output");
  }
  for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
    const auto& [value, samples] = program_.outputs[o];
    const NativeBlock& block = stored_.parameter(seeds_[o]);
    const std::size_t size = program_.values[value].shape.size();
    for (std::uint32_t i = 0; i < samples.size(); ++i) {
      block.write(output_gradients.subspan(begin[samples[i]], size), i * size);
    }
  }
  plan_->run(1, *team_);
  has_gradients_ = true;
  return {};
}

Result<std::vector<double>> CpuExecutable::gradient(ParameterIndex parameter) {
  if (!has_gradients_) return usage("gradient: no differentiate() since the last run");
  if (const auto& value = gradients_[parameter]) return read(*value);
  return std::vector<double>(stored_.parameter(parameter).elements(), 0.0);
}

std::uint64_t CpuExecutable::bytes() const {
  return plan_->bytes() + stored_.made_elements() * byte_size(program_.dtype);
}

}  // namespace vecc::cpu
