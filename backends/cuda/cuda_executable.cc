#include "backends/cuda/cuda_executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/cuda/batch_places.h"
#include "backends/cuda/device_places.h"
#include "src/batch/batch_sizes.h"
#include "src/batch/check_batch.h"
#include "src/plan/launch_layout.h"
#include "src/support/free_memory.h"
#include "src/support/log.h"
#include "src/support/quantity_text.h"
#include "src/support/timed_stage.h"

namespace vecc::cuda {

Plan make_device_plan(const native::GradientProgram& program, const ExecutionOptions& options,
                      const Target& target, std::vector<PlanOptions::UsualMembers> usual) {
  PlanOptions plan = native::plan_options(options, program);
  plan.target = target;
  plan.usual_members = std::move(usual);
  return native::make_verified_plan(program.program, plan);
}

namespace {

using UsualMembers = std::vector<PlanOptions::UsualMembers>;

Result<UsualMembers> find_usual_members(const Plan& plan, const Program& program,
                                        const BatchOptions& options) {
  VECC_TRY(const BatchPlan batch, make_batch_plan(plan, program, options, /*compact=*/false));
  VECC_TRY_VOID(check_batch(batch, options.typical));
  return usual_members(plan, batch_sizes(plan, batch, options.typical));
}

// Planned once more, if a step's sums are cut into pieces of all samples' members, of which each
// batch has others. As it was, if batches cannot be bound to what that makes.
Result<Plan> plan_for_batches(Plan plan, const native::GradientProgram& program,
                              const ExecutionOptions& options, const Target& target) {
  const BatchOptions& batch = *options.batch;
  if (is_empty(batch.typical) || batch.updates.empty() || batch.batches_again > 0) return plan;
  VECC_TRY(UsualMembers usual, find_usual_members(plan, program.program, batch));
  if (usual.empty()) return plan;
  Plan cut = make_device_plan(program, options, target, std::move(usual));
  if (!make_batch_plan(cut, program.program, batch, /*compact=*/false)) return plan;
  return cut;
}

}  // namespace

Result<std::unique_ptr<Executable>> CudaExecutable::make(const Program& program,
                                                         const ExecutionOptions& options,
                                                         const std::shared_ptr<Device>& device) {
  native::GradientProgram whole{program, kNone, {}, {}};
  if (options.gradients) {
    VECC_TRY(whole, native::make_gradient_program(program));
  }
  Plan plan = make_device_plan(whole, options, device->target());
  if (options.batch) {
    VECC_TRY(plan, plan_for_batches(std::move(plan), whole, options, device->target()));
  }
  std::unique_ptr<CudaExecutable> made(new CudaExecutable(whole, device));
  native::forget_backward(whole, program);
  DeviceCodeCounts& counts = made->code_counts_;
  try {
    device->use();
    VECC_TRY(auto machine, options.batch
                               ? made->make_for_batches(program, options, std::move(plan))
                               : made->make_whole(whole.program, options, std::move(plan)));
    made->cuda_machine_ = machine.get();
    made->batches_ = machine->batches();
    log_debug(fmt::format("cuda: {} kernels compiled, {} cached, {:.3f} s", counts.compiled,
                          counts.cached, counts.seconds));
    const TimedStage stage("cuda: bind");
    made->bind(whole.program, options, std::move(machine));
    return_free_memory(program.ops().size());
  } catch (const DeviceError& error) {
    return error.errors;
  }
  return std::unique_ptr<Executable>(std::move(made));
}

namespace {

DeviceCodeOptions code_options() {
  DeviceCodeOptions code;
  code.warn = native::warn_uncached;
  return code;
}

// Parameters of one number that are the executable's own, and that its launches only read.
std::vector<ParameterIndex> find_scalars(const Program& program, const ExecutionOptions& options,
                                         const BatchPlan& batch) {
  const auto is_stored = [&](ParameterIndex parameter) {
    return std::ranges::any_of(batch.launches, [&](const BatchLaunch& launch) {
      return std::ranges::any_of(launch.accesses, [&](const BatchAccess& access) {
        const PlanBuffer& buffer = batch.plan.buffers[access.buffer];
        return access.store && buffer.kind == PlanBuffer::Kind::Parameter &&
               buffer.source == parameter;
      });
    });
  };
  std::vector<ParameterIndex> scalars;
  for (const ParameterIndex own : options.own_parameters) {
    const Parameter& parameter = program.parameters()[own];
    const bool is_weight = std::ranges::count(options.batch->weights, own) > 0;
    const bool is_scalar = parameter.rows == 1 && parameter.shape.size() == 1;
    if (is_scalar && !is_weight && parameter.values && !is_stored(own)) scalars.push_back(own);
  }
  return scalars;
}

}  // namespace

Result<void> CudaExecutable::check_plan(const Program& program, const Plan& plan,
                                        const std::vector<PlacedTable>& places,
                                        const ExecutionOptions& options) const {
  if (!options.check_plan) return {};
  PlannedProgram planned{.program = program, .plan = plan};
  planned.batch = options.batch.get();
  planned.on_device = &places;
  const std::string name = device_->name();
  planned.device = name;
  return options.check_plan(planned);
}

Result<std::unique_ptr<CudaMachine>> CudaExecutable::make_whole(const Program& program,
                                                                const ExecutionOptions& options,
                                                                Plan plan) {
  VECC_TRY_VOID(check_thread_memory(plan));
  VECC_TRY(const auto places, place_on_device(plan, program, options, *device_));
  VECC_TRY_VOID(check_plan(program, plan, places, options));
  return CudaMachine::make(device_, std::move(plan), places, options.expected_runs, code_options(),
                           &code_counts_);
}

Result<std::unique_ptr<CudaMachine>> CudaExecutable::make_for_batches(
    const Program& program, const ExecutionOptions& options, Plan plan) {
  VECC_TRY(PlacedBatches placed, place_batches(std::move(plan), program, options, *device_));
  VECC_TRY(BatchPlan batch,
           make_batch_plan(std::move(placed.plan), program, *options.batch, placed.is_compact));
  const Result<void> verified = verify(batch.plan);
  VECC_CHECK(verified, verified.error().text());
  scalars_ = find_scalars(program, options, batch);
  for (const ParameterIndex scalar : scalars_) {
    scalar_values_.push_back(program.parameters()[scalar].values[0]);
  }
  plan = std::move(batch.plan);
  if (batch.is_compact) plan.arena_elements = 0;  // a batch's values are its runner's
  VECC_TRY_VOID(check_thread_memory(plan));
  VECC_TRY_VOID(check_plan(program, plan, placed.tables, options));
  VECC_TRY(auto batches, BatchRunner::make(device_, plan, std::move(batch), scalars_,
                                           *options.batch, code_options(), &code_counts_));
  return CudaMachine::make_for_batches(device_, std::move(plan), placed.tables, std::move(batches));
}

Result<void> CudaExecutable::bind_batch(const Batch& batch, std::unique_ptr<BoundBatch>& to) {
  if (batches_ == nullptr) return Executable::bind_batch(batch, to);
  return batches_->bind_batch(batch, to);
}

Result<void> CudaExecutable::start_batch_with(std::span<const ParameterValues> values,
                                              const BoundBatch& batch) {
  const PlanBatch* const own = batches_ != nullptr ? batches_->find(batch) : nullptr;
  if (own == nullptr) return Executable::start_batch(batch);
  return guarded([&]() -> Result<void> {
    VECC_TRY_VOID(set_scalars(values));
    const BatchRunner::Start start{own, scalar_values_};
    batches_->start(std::span(&start, 1));
    note_batch(*own);
    return {};
  });
}

// And what goes to the device by itself.
Result<void> CudaExecutable::set_scalars(std::span<const ParameterValues> values) {
  for (const ParameterValues& of : values) {
    double* const number = scalar(of.parameter);
    if (number == nullptr) {
      VECC_TRY_VOID(PlanExecutable::set_parameter(of.parameter, of.values));
      continue;
    }
    VECC_TRY_VOID(check_value_count("a parameter of one number", of.values.size(), 1));
    *number = of.values.front();
  }
  return {};
}

// Whether nothing is set between them but what goes to the device with a batch.
bool CudaExecutable::starts_together(std::span<const BatchStart> batches) {
  return batches_ != nullptr && std::ranges::all_of(batches, [&](const BatchStart& start) {
           return batches_->find(*start.batch) != nullptr &&
                  std::ranges::all_of(start.values, [&](const ParameterValues& of) {
                    return scalar(of.parameter) != nullptr && of.values.size() == 1;
                  });
         });
}

Result<void> CudaExecutable::start_batches(std::span<const BatchStart> batches) {
  if (!starts_together(batches)) return Executable::start_batches(batches);
  return guarded([&]() -> Result<void> {
    std::vector<std::vector<double>> scalars;
    std::vector<BatchRunner::Start> starts;
    for (const auto& [batch, values] : batches) {
      VECC_TRY_VOID(set_scalars(values));
      scalars.push_back(scalar_values_);
      starts.push_back({batches_->find(*batch), scalars.back()});
    }
    batches_->start(starts);
    for (const BatchRunner::Start& start : starts) note_batch(*start.batch);
    return {};
  });
}

// Null if it does not go to the device with a batch.
double* CudaExecutable::scalar(ParameterIndex parameter) {
  const auto found = std::ranges::find(scalars_, parameter);
  return found == scalars_.end() ? nullptr : &scalar_values_[found - scalars_.begin()];
}

Result<void> CudaExecutable::set_parameter(ParameterIndex parameter,
                                           std::span<const double> values) {
  return guarded([&]() -> Result<void> {
    VECC_TRY_VOID(PlanExecutable::set_parameter(parameter, values));
    if (double* const number = scalar(parameter)) *number = values.front();
    return {};
  });
}

Result<std::vector<double>> CudaExecutable::parameter(ParameterIndex parameter) {
  if (const double* const number = scalar(parameter)) {
    return std::vector<double>(1, dtype_ == DType::F64 ? *number : static_cast<float>(*number));
  }
  return guarded([&] { return PlanExecutable::parameter(parameter); });
}

Result<std::vector<double>> CudaExecutable::run_series(const RunSeries& series) {
  return whole([&]() -> Result<std::vector<double>> {
    SeriesPlaces places;
    VECC_TRY(const DeviceBlock total, scalar_state(series.total));
    places.total = total.at(0);
    for (const RunSeries::Input& input : series.inputs) {
      VECC_TRY_VOID(set_parameter(input.parameter, std::span(input.values).first(1)));
      places.inputs.push_back(parameter_block(input.parameter).at(0));
    }
    std::vector<double> totals;
    for (std::uint32_t first = 0; first < series.runs; first += kLongestSeries) {
      const std::uint32_t runs = std::min(series.runs - first, kLongestSeries);
      total.fill(0);
      std::vector<double> values;
      for (std::uint32_t run = first; run < first + runs; ++run) {
        for (const RunSeries::Input& input : series.inputs) values.push_back(input.values[run]);
      }
      if (first > 0) {
        for (std::size_t i = 0; i < series.inputs.size(); ++i) {
          parameter_block(series.inputs[i].parameter).write(std::span(&values[i], 1));
        }
      }
      cuda_machine_->run_series(places, runs, values, totals);
    }
    note_run();
    return totals;
  });
}

}  // namespace vecc::cuda
