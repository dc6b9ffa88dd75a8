#include "backends/cpu/cpu_executable.h"

#include <fmt/format.h>

#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <variant>

#include "backends/cpu/bound_plan.h"
#include "backends/cpu/choose_compact.h"
#include "backends/cpu/thread_teams.h"
#include "src/program/index_algebra.h"
#include "src/support/free_memory.h"
#include "src/support/log.h"
#include "src/support/quantity_text.h"

namespace vecc::cpu {
namespace {

// Once, for a training compiles a program for each kind of batch.
void warn_without_compiler() {
  static std::once_flag once;
  std::call_once(once, [] {
    log_warning(
        "cpu: there is no C++ compiler, so kernels are interpreted, several times slower than "
        "compiled; "
        "this brings one: apt install g++ (in Python: pip install 'vecc[compiler]')");
  });
}

// A Plan on the threads of a team.
class CpuMachine final : public native::PlanMachine<NativeBlock> {
 public:
  CpuMachine(std::unique_ptr<BoundPlan> plan, TableFiles files, std::shared_ptr<ThreadTeam> team)
      : plan_(std::move(plan)), files_(std::move(files)), team_(std::move(team)) {}

  [[nodiscard]] const Plan& plan() const override { return plan_->plan(); }
  void set_block(BufferIndex buffer, NativeBlock block) override {
    plan_->set_block(buffer, std::move(block));
  }
  void bind() override { plan_->bind(team_->size()); }
  [[nodiscard]] const NativeBlock& block(BufferIndex buffer) const override {
    return plan_->block(buffer);
  }
  [[nodiscard]] NativeBlock make_block(const StoredRequest& asked) const override {
    const auto kind =
        asked.kind == StoredKind::Parameter ? PlanBuffer::Kind::Parameter : PlanBuffer::Kind::State;
    if (auto in_file = files_.find({kind, asked.source})) return *std::move(in_file);
    return {plan_->plan().dtype, asked.elements()};
  }
  Result<void> start(std::uint32_t stage) override { return plan_->run(stage, *team_); }
  void wait() override {}
  Result<void> run_timed(std::uint32_t stage, std::vector<double>& seconds) override {
    return plan_->run_timed(stage, seconds, *team_);
  }
  [[nodiscard]] std::uint64_t bytes() const override { return plan_->bytes(); }

 private:
  std::unique_ptr<BoundPlan> plan_;
  TableFiles files_;
  std::shared_ptr<ThreadTeam> team_;
};

// Before any other memory is taken.
Result<TableFiles> reserve_tables(const Plan& plan, const Program& program,
                                  const ExecutionOptions& options,
                                  const std::optional<BatchBytes>& compact,
                                  std::uint64_t& kept_bytes) {
  std::vector<PlacedTable> tables = place_in_files(plan, program, options);
  const BatchOptions* const batch = options.batch.get();
  if (options.check_plan) {
    PlannedProgram planned{program, plan, batch, &options.places, &tables};
    if (compact) {
      planned.compact = &compact.value();
    } else {
      planned.kept_bytes = &kept_bytes;
    }
    VECC_TRY_VOID(options.check_plan(planned));
  } else if (batch != nullptr && batch->keeps_more && !compact) {
    const std::uint64_t values = plan.arena_elements * byte_size(plan.dtype);
    kept_bytes = kept_where_free(kept_bytes, values, free_host_bytes());
  }
  return TableFiles::make(plan, std::move(tables), options.places);
}

}  // namespace

Result<std::unique_ptr<Executable>> CpuExecutable::make(const Program& program,
                                                        const ExecutionOptions& options) {
  native::GradientProgram whole{program, kNone, {}, {}};
  if (options.gradients) {
    VECC_TRY(whole, native::make_gradient_program(program));
  }
  LoadOptions load;
  load.warn = native::warn_uncached;
  PlanOptions planned = native::plan_options(options, whole);
  planned.target = host_processor();
  Plan plan = native::make_verified_plan(whole.program, planned);
  if (options.batch && !plan.number_steps.empty()) {
    return Errors(ErrorCode::BackendUnsupported, "cpu",
                  "batches of a step with draws, or with row "
                  "numbers that are its values: it runs whole");
  }
  std::optional<BatchPlan> batch;
  std::optional<BatchBytes> compact;  // what a usual batch takes
  if (options.batch) {
    VECC_TRY(const bool is_compact, takes_compact(plan, *options.batch));
    VECC_TRY(batch, make_batch_plan(std::move(plan), program, *options.batch, is_compact));
    if (is_compact) compact.emplace();
    if (is_compact && options.check_plan) {
      VECC_TRY(compact, usual_bytes(*batch, options.batch->typical));
    }
    const Result<void> verified = verify(batch->plan);
    VECC_CHECK(verified, verified.error().text());
    plan = std::move(batch->plan);
  }
  std::uint64_t kept_bytes = options.batch ? options.batch->kept_bytes : 0;
  VECC_TRY(TableFiles files, reserve_tables(plan, whole.program, options, compact, kept_bytes));
  if (batch && batch->is_compact) plan.arena_elements = 0;  // a batch's values are its runner's
  const bool compiles = is_worth_compiling(plan, options.expected_runs);
  std::unique_ptr<CpuExecutable> made(new CpuExecutable(whole));
  native::forget_backward(whole, program);
  CodeCounts& counts = made->code_counts_;
  VECC_TRY(auto bound, BoundPlan::make(std::move(plan), files, options.expected_runs,
                                       batch.has_value(), load, &counts));
  made->is_interpreted_ = bound->is_interpreted();
  if (made->is_interpreted_ && compiles) warn_without_compiler();
  log_debug(fmt::format("cpu: {} kernels compiled, {} cached, {:.3f} s", counts.compiled,
                        counts.cached, counts.seconds));
  const BoundPlan& bound_plan = *bound;
  const std::shared_ptr<ThreadTeam> team = team_of(options.threads);
  const std::set<std::string> in_files = files.names();
  made->bind(whole.program, options,
             std::make_unique<CpuMachine>(std::move(bound), std::move(files), team));
  made->note_files(in_files);
  if (batch) {
    made->batches_ = std::make_unique<BatchRunner>(std::move(*batch), bound_plan, team, kept_bytes);
    made->arena_bytes_ = bound_plan.arena().bytes();
    made->weights_ = options.batch->weights;
    made->set_.resize(made->weights_.size());
  }
  return std::unique_ptr<Executable>(std::move(made));
}

namespace {

Errors needs_batch() {
  return Errors(ErrorCode::Usage, "batch", "the program was compiled for batches, and has none");
}

Errors no_memory(const std::string& what) {
  return Errors(ErrorCode::OutOfMemory, "cpu",
                fmt::format("no memory on the host for {}, {} are free; a smaller --batch-size "
                            "takes less",
                            what, text_of_bytes(free_host_bytes())));
}

}  // namespace

Result<void> CpuExecutable::start() {
  if (batches_) return needs_batch();
  return PlanExecutable::start();
}

Result<double> CpuExecutable::timed_run() {
  if (batches_) return needs_batch();
  return PlanExecutable::timed_run();
}

Result<std::vector<double>> CpuExecutable::profile() {
  if (batches_) return needs_batch();
  return PlanExecutable::profile();
}

Result<std::vector<Executable::Output>> CpuExecutable::outputs() {
  if (batches_) return batch_outputs(batches_->outputs());
  return PlanExecutable::outputs();
}

Result<void> CpuExecutable::copy_batch_outputs(OutputElements to) {
  const std::span<const BatchOutput> by_sample = batches_->outputs();
  return std::visit(
      [&](auto elements) {
        return for_each_run_of_outputs(by_sample, [&](const NativeBlock& block, std::uint64_t first,
                                                      std::size_t begin, std::size_t end) {
          const Shape shape = by_sample[batch_samples()[begin]].shape;
          const std::uint64_t count = (end - begin) * shape.size();
          block.copy(first, elements.first(count));
          elements = elements.subspan(count);
        });
      },
      to);
}

Result<void> CpuExecutable::copy_outputs(OutputElements to) {
  if (batches_) return copy_batch_outputs(to);
  VECC_TRY_VOID(check_has_run("outputs"));
  const native::ProgramOutline& program = outline();
  std::visit(
      [&](auto elements) {
        for (const auto& [value, samples] : program.outputs) {
          const auto& [block, first, view] = placed_rows(value);
          const std::uint64_t size = program.values[value].shape.size();
          if (view == nullptr && is_identity(samples, program.sample_count)) {
            block.copy(first, elements);
            continue;
          }
          for (std::uint32_t i = 0; i < samples.size(); ++i) {
            const std::uint64_t row = view == nullptr ? i : (*view)[i];
            block.copy(first + row * size,
                       elements.subspan(program.output_begin[samples[i]], size));
          }
        }
      },
      to);
  return {};
}

Result<void> CpuExecutable::bind_batch(const Batch& batch, std::unique_ptr<BoundBatch>& to) {
  if (!batches_) return Executable::bind_batch(batch, to);
  try {
    return batches_->bind(batch, to);
  } catch (const std::bad_alloc&) {
    return no_memory("the index arrays of a batch");
  }
}

// Rows of the batch before are 0 again.
void CpuExecutable::write_weights(const PlanBatch& batch) {
  for (std::size_t w = 0; w < weights_.size(); ++w) {
    const NativeBlock& block = parameter_block(weights_[w]);
    const auto& [rows, values] = batch.weights()[w];
    block.clear(set_[w]);
    block.write(values, rows);
    set_[w] = rows;
  }
}

Result<void> CpuExecutable::start_batch(const BoundBatch& batch) {
  const PlanBatch* const own = batches_ ? batches_->find(batch) : nullptr;
  if (own == nullptr) return Executable::start_batch(batch);
  write_weights(*own);
  try {
    batches_->run(*own);
  } catch (const std::bad_alloc&) {  // before anything runs
    return no_memory(text_of_bytes(own->step_bytes().values) + " of values of a compact batch");
  }
  note_batch(*own);
  return {};
}

}  // namespace vecc::cpu
