#include <algorithm>
#include <array>
#include <boost/container_hash/hash.hpp>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "src/support/list_threads.h"
#include "src/support/what_helps.h"
#include "src/train/batch_prefetch.h"
#include "src/train/batch_steps.h"
#include "src/train/batch_way.h"
#include "src/train/draw_samples.h"
#include "src/train/find_non_finite.h"
#include "src/train/step_program.h"
#include "src/train/step_reads.h"
#include "src/train/training_state.h"
#include "vecc/batch_program.h"
#include "vecc/step_inputs.h"
#include "vecc/train.h"

namespace vecc::training {
namespace {

using Samples = std::vector<std::uint32_t>;

struct CompiledStep {
  StepProgram step;
  std::unique_ptr<Executable> executable;
};

class BatchTrainer final : public Trainer {
 public:
  BatchTrainer(const NeuronGraph& graph, const Program& program, const Backend& backend,
               ExecutionOptions execution, TrainOptions options, Samples samples)
      : graph_(graph),
        program_(program),
        backend_(backend),
        execution_(std::move(execution)),
        options_(std::move(options)),
        given_(samples.size()),
        samples_(samples_to_draw(graph, program, options_, std::move(samples))),
        orders_{Order{{}, samples_}, Order{{}, samples_}},
        batches_(program) {
    execution_.gradients = false;
  }

  Result<void> prepare() {
    if (given_ == 0) return Errors(ErrorCode::Usage, "training", "no sample to train on");
    if (samples_.empty()) return nothing_to_learn();
    VECC_TRY_VOID(check_step_inputs());
    if (samples_members() || (!is_full_batch() && !options_.restricts_batches)) {
      VECC_TRY(bound_steps_,
               BatchSteps::make(graph_, program_, backend_, execution_, options_, samples_));
    }
    VECC_TRY_VOID(check_pairs(graph_, options_, samples_));
    if (bound_steps_) {
      const auto bind = [this](std::span<const std::uint32_t> samples, std::uint64_t run,
                               BatchStep& to) { return bound_steps_->bind(samples, run, to); };
      prefetch_.emplace(bind, bound_steps_->binding_threads(), bound_steps_->shortest_binding());
      return make_state(bound_steps_->storage());
    }
    VECC_TRY(const CompiledStep* first, step_of(batch_samples(0)));
    VECC_TRY_VOID(make_state(first->executable->storage()));
    if (first->step.counted == 0 && batch_count() == 1) return nothing_to_learn();
    return {};
  }

  [[nodiscard]] std::uint64_t batch_count() const override {
    const std::uint64_t size = batch_size();
    return (samples_.size() + size - 1) / size;
  }
  [[nodiscard]] TrainPosition position() const override { return position_; }
  [[nodiscard]] double rate() const override { return options_.schedule.rate_at(position_.epoch); }

  Result<void> step() override { return steps(1); }
  Result<void> steps(std::uint64_t count) override {
    while (count > 0) {
      if (position_.batch == batch_count()) position_ = {position_.epoch + 1, 0, position_.step};
      if (position_.batch == 0) {
        counted_ = 0;
        VECC_TRY_VOID(state_->set_loss(0));
      }
      const std::uint64_t together =
          std::min({count, steps_at_once(), batch_count() - position_.batch});
      if (bound_steps_) {
        VECC_TRY_VOID(start_bound(together));
      } else {
        VECC_TRY(const std::uint64_t counted, start_compiled());
        pass(together, counted);
      }
      count -= together;
      // The next epoch's order is drawn while a GPU runs this one's last steps.
      if (position_.batch == batch_count()) (void)batch_samples(position_.epoch + 1, 0);
    }
    return {};
  }
  [[nodiscard]] std::uint64_t steps_at_once() const override {
    return bound_steps_ && batches_come_again() ? bound_steps_->steps_at_once() : 1;
  }

  Result<double> epoch_loss() override {
    VECC_TRY(const double sum, state_->loss());
    return mean_error(sum);
  }

  Result<std::vector<TrainedEpoch>> epochs(std::uint32_t count) override {
    VECC_CHECK(next_position().batch == 0, "epochs from within one");
    if (is_full_batch() && !samples_members()) return full_batch_epochs(count);
    std::vector<TrainedEpoch> epochs(count);
    for (TrainedEpoch& epoch : epochs) {
      VECC_TRY_VOID(steps(batch_count()));
      epoch.rate = rate();
      VECC_TRY(epoch.loss, epoch_loss());
    }
    return epochs;
  }

  [[nodiscard]] std::shared_ptr<Storage> storage() const override { return state_->storage(); }
  [[nodiscard]] std::uint64_t bytes() const override {
    std::uint64_t bytes = state_->bytes();
    for (const auto& [samples, compiled] : steps_) bytes += compiled.executable->bytes();
    if (bound_steps_) bytes += bound_steps_->bytes();
    if (prefetch_) bytes += prefetch_->bytes();
    for (const auto& [samples, step] : kept_batches_) {
      if (step.bound) bytes += step.bound->bytes();
    }
    return bytes;
  }

  [[nodiscard]] BatchCounts batch_counts() const override {
    return bound_steps_ ? bound_steps_->counts() : BatchCounts();
  }
  Result<BatchReport> batch_report() override {
    BatchReport report;
    report.samples = batch_size();
    report.drawn_of = samples_.size();
    report.left_out = given_ - samples_.size();
    if (bound_steps_) {
      VECC_TRY(const FoundBatch batch, bound_batch(next_position()));
      report.way = text_of(bound_steps_->masks() ? BatchWay::Mask : BatchWay::Bind);
      if (!bound_steps_->masks()) report.bytes = batch.step->bound->step_bytes();
    } else if (!is_full_batch()) {
      report.way = "restrict";
    }
    report.step_bytes = bytes();
    return report;
  }

  using Trainer::find_non_finite;
  using Trainer::restore;
  Result<std::vector<MetadataEntry>> save_to(const PlaceTensor& place) override {
    return state_->save({position_, counted_}, place);
  }
  Result<void> restore(const WeightSource& source) override {
    VECC_TRY(const TrainingProgress progress, state_->restore(source, batch_count()));
    position_ = progress.position;
    counted_ = progress.counted;
    return {};
  }

  Result<void> copy_weights_to(NeuronGraph& graph) override {
    for (ParameterIndex p = 0; p < program_.parameters().size(); ++p) {
      const auto table =
          std::ranges::find(graph.weight_tables, program_.parameters()[p].name, &WeightTable::name);
      if (table == graph.weight_tables.end() || is_step_input(table->name)) continue;
      if (table->name == kFanoutTable) continue;
      VECC_TRY(std::vector<double> values, state_->parameter(p));
      table->values = SharedNumbers::of(std::move(values));
      table->has_values = true;
    }
    return {};
  }

  Result<std::optional<NonFinite>> find_non_finite(const WeightSource& good) override {
    const TrainPosition end = position_;
    VECC_TRY_VOID(restore(good));
    while (position_.step < end.step) {
      VECC_TRY_VOID(step());
      VECC_TRY(const bool finite, state_->is_finite());
      if (finite) continue;
      // No copy was made of the state before: the same steps lead there again, bit for bit.
      const std::uint64_t last = position_.step - 1;
      VECC_TRY_VOID(restore(good));
      VECC_TRY_VOID(steps(last - position_.step));
      const TrainPosition at = next_position();
      VECC_TRY(const StepProgram step, make_step(batch_samples(at.batch)));
      std::vector<ParameterValues> inputs = values_of(step.ops, rate());
      if (samples_members()) inputs.push_back(drawn_members(at));
      return locate_non_finite(backend_, execution_, step, at, inputs);
    }
    return std::optional<NonFinite>();
  }

 private:
  [[nodiscard]] Result<void> check_step_inputs() const {
    const bool draws = std::ranges::any_of(options_.inputs, is_step_input);
    if (draws && options_.seed >= kStepSeeds) {
      return Errors(ErrorCode::Usage, "--seed",
                    "of a model that draws random numbers: expected less than 2^32");
    }
    const bool has_statistics = std::ranges::any_of(
        program_.ops(), [](const Op& op) { return op.kind() == OpKind::Update; });
    if (has_statistics && samples_members()) {
      return Errors(ErrorCode::Usage, "--fanout",
                    "the model's statistics (batch norm) are those of all rows and members");
    }
    if (has_statistics && !is_full_batch() && !find_parameter(program_, kStepSamples)) {
      return Errors(ErrorCode::Usage, "--batch-size",
                    "the model's statistics (batch norm) are those of all rows, as its samples are "
                    "no graphs: expected all");
    }
    return {};
  }

  [[nodiscard]] Errors nothing_to_learn() const {
    return {ErrorCode::Usage, "training",
            "none of the " + std::to_string(given_) + " samples to train on has a target"};
  }

  [[nodiscard]] std::uint64_t batch_size() const {
    const std::uint64_t all = samples_.size();
    return options_.batch_size == 0 ? all : std::min<std::uint64_t>(options_.batch_size, all);
  }
  // A batch of all samples that have a target is one as any other where some have none.
  [[nodiscard]] bool is_full_batch() const {
    return batch_count() == 1 && (samples_.size() == given_ || samples_members());
  }
  [[nodiscard]] bool samples_members() const { return options_.members != nullptr; }
  [[nodiscard]] bool batches_come_again() const {
    return training::batches_come_again(options_, samples_.size());
  }

  // Where the next step stands.
  [[nodiscard]] TrainPosition next_position() const {
    if (position_.batch < batch_count()) return position_;
    return {position_.epoch + 1, 0, position_.step};
  }

  [[nodiscard]] double mean_error(double sum) const {
    return counted_ == 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sum / static_cast<double>(counted_);
  }

  Result<std::vector<TrainedEpoch>> full_batch_epochs(std::uint32_t count) {
    VECC_TRY(const CompiledStep* compiled, step_of(batch_samples(0)));
    std::vector<TrainedEpoch> epochs(count);
    RunSeries series{.runs = count, .inputs = {}, .total = kLossState};
    for (TrainedEpoch& epoch : epochs) {
      position_ = {next_position().epoch, 0, position_.step};
      epoch.rate = rate();
      const auto values = values_of(compiled->step.ops, epoch.rate);
      series.inputs.resize(values.size());
      for (std::size_t v = 0; v < values.size(); ++v) {
        series.inputs[v].parameter = values[v].parameter;
        series.inputs[v].values.push_back(values[v].values.front());
      }
      ++position_.batch;
      ++position_.step;
    }
    counted_ = compiled->step.counted;
    VECC_TRY(const std::vector<double> sums, compiled->executable->run_series(series));
    for (std::uint32_t e = 0; e < count; ++e) epochs[e].loss = mean_error(sums[e]);
    return epochs;
  }

  [[nodiscard]] bool steps_touched_rows() const {
    return info(options_.optimizer.optimizer).rows == OptimizerRows::Touched;
  }

  // NeuraLogic counts a step a sample online, and a step an epoch with minibatches.
  [[nodiscard]] std::uint64_t optimizer_step(const TrainPosition& at) const {
    return steps_touched_rows() && batch_size() > 1 ? at.epoch + 1 : at.step + 1;
  }

  // What the next step's run sets.
  [[nodiscard]] std::vector<ParameterValues> values_of(const StepOps& ops, double rate) const {
    return step_values(ops, optimizer_step(position_), rate, position_.step + 1);
  }

  // Made when it is first asked for: it has a bit for each neuron.
  [[nodiscard]] StepReads& step_reads() {
    if (!reads_) reads_ = StepReads::make(graph_, options_.members.get());
    return *reads_;
  }

  // The weights of all members in a step.
  [[nodiscard]] ParameterValues drawn_members(const TrainPosition& at) {
    StepReads& reads = step_reads();
    reads.find(batch_samples(at.epoch, at.batch), at.step + 1);
    Batch::Weights drawn;
    reads.write_weights(drawn);
    ParameterValues values;
    values.parameter = static_cast<ParameterIndex>(program_.parameters().size() - 1);
    values.values.resize(options_.members->members);
    reads.fill(drawn, values.values);
    return values;
  }

  Samples batch_samples(std::uint64_t batch) { return batch_samples(next_position().epoch, batch); }
  Samples batch_samples(std::uint64_t epoch, std::uint64_t batch) {
    auto& [ordered_epoch, order] = orders_[epoch % orders_.size()];
    if (options_.shuffle && batch_count() > 1 && ordered_epoch != epoch) {
      order = samples_;
      shuffle_samples(graph_, options_, epoch, order);
      ordered_epoch = epoch;
    }
    const std::uint64_t begin = batch * batch_size();
    const std::uint64_t end = std::min<std::uint64_t>(begin + batch_size(), order.size());
    return {order.begin() + static_cast<std::ptrdiff_t>(begin),
            order.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  // Returns how many samples of the batch count.
  Result<std::uint64_t> start_compiled() {
    VECC_TRY(const CompiledStep* compiled, step_of(batch_samples(position_.batch)));
    Executable& executable = *compiled->executable;
    VECC_TRY_VOID(set_parameters(executable, values_of(compiled->step.ops, rate())));
    VECC_TRY_VOID(executable.start());
    return compiled->step.counted;
  }
  // Those steps whose batches are kept together.
  Result<void> start_bound(std::uint64_t count) {
    std::uint64_t counted = 0;
    starts_.clear();
    for (; count > 0; --count) {
      const std::uint64_t i = starts_.size();
      const TrainPosition at{position_.epoch, position_.batch + i, position_.step + i};
      VECC_TRY(const FoundBatch batch, bound_batch(at));
      if (is_bound_ahead(*batch.step) && prefetch_->is_worth_a_thread()) begin_batches();
      starts_.push_back({batch.step, optimizer_step(at), at.step + 1, rate()});
      counted += batch.step->counted;
      if (batch.is_kept && count > 1) continue;
      VECC_TRY_VOID(bound_steps_->start(starts_));
      pass(starts_.size(), std::exchange(counted, 0));
      starts_.clear();
    }
    return {};
  }

  // Steps that were started, of so many samples.
  void pass(std::uint64_t steps, std::uint64_t counted) {
    counted_ += counted;
    position_.batch += steps;
    position_.step += steps;
  }

  // By the batch at hand: a mask's weights take less time than another thread does, which waits for
  // the others there; to draw members takes more.
  [[nodiscard]] bool is_bound_ahead(const BatchStep& step) const {
    return !batches_come_again() && (!step.is_masked || samples_members());
  }

  // Those after the one at hand, also of the next epoch.
  void begin_batches() {
    for (std::uint64_t ahead = prefetch_->begun() + 1; ahead <= prefetch_->most_begun(); ++ahead) {
      const std::uint64_t next = position_.batch + ahead;
      prefetch_->begin(batch_samples(position_.epoch + next / batch_count(), next % batch_count()),
                       position_.step + 1 + ahead);
    }
  }

  // Batches that come again are kept, as long as there is room; another is there until the next is
  // asked for.
  struct FoundBatch {
    const BatchStep* step = nullptr;
    bool is_kept = false;
  };
  Result<FoundBatch> bound_batch(const TrainPosition& at) {
    const Samples samples = batch_samples(at.epoch, at.batch);
    const auto found = kept_batches_.find(samples);
    if (found != kept_batches_.end()) return FoundBatch{&found->second, true};
    VECC_TRY(const BatchStep* batch, prefetch_->get(samples, at.step + 1));
    if (!batches_come_again() || kept_bytes_ > kKeptBatchArrays) return FoundBatch{batch, false};
    if (batch->bound) kept_bytes_ += batch->bound->bytes();
    return FoundBatch{&kept_batches_.emplace(samples, batch->copy()).first->second, true};
  }

  // Batches that come again are kept; of a shuffle only the last.
  Result<const CompiledStep*> step_of(const Samples& samples) {
    const auto found = steps_.find(samples);
    if (found != steps_.end()) return &found->second;
    VECC_TRY(CompiledStep compiled, compile_step(samples));
    if (!batches_come_again()) steps_.clear();
    return &steps_.emplace(samples, std::move(compiled)).first->second;
  }

  // A step is compiled first: a GPU's tables are placed by what it reads.
  Result<void> make_state(std::shared_ptr<Storage> storage) {
    execution_.storage = std::move(storage);
    execution_.check_plan = nullptr;  // that was of the first step
    VECC_TRY(state_, TrainingState::make(program_, backend_, execution_, options_.optimizer));
    return {};
  }

  Result<StepProgram> make_step(const Samples& samples) {
    const bool is_whole =
        samples.size() == program_.sample_count() && std::ranges::is_sorted(samples);
    Program forward = is_whole ? program_ : batches_.restrict_to(samples, RestrictUpdates::Keep);
    const bool is_lazy = steps_touched_rows();
    if (is_lazy) step_reads().find(samples, position_.step + 1);
    const TableRows touched = is_lazy ? step_reads().rows() : TableRows();
    return make_step_program(graph_, std::move(forward), samples, is_lazy ? &touched : nullptr,
                             /*optimizes=*/is_full_batch(), options_);
  }

  [[nodiscard]] const char* way_out() const {
    if (!is_full_batch()) return "a smaller --batch-size needs fewer values";
    if (options_.loss.loss == Loss::MarginRanking)
      return "--batch-size=N needs values of N samples";
    return "--batch-size=N --batch=bind computes values of N samples";
  }

  Result<CompiledStep> compile_step(const Samples& samples) {
    VECC_TRY(StepProgram step, make_step(samples));
    VECC_TRY_VOID(check_places(execution_.places, step.program, /*of_steps=*/false));
    ExecutionOptions execution = execution_;
    execution.own_parameters = step.own_parameters;
    if (!batches_come_again()) execution.expected_runs = 0;  // others have the same kernels
    auto compiled = backend_.compile(step.program, execution);
    if (!compiled) return say_what_helps(compiled.error(), way_out());
    std::unique_ptr<Executable> executable = *std::move(compiled);
    step.program = Program();  // its indices, of which the executable has its own
    return CompiledStep{std::move(step), std::move(executable)};
  }

  const NeuronGraph& graph_;
  const Program& program_;
  const Backend& backend_;
  ExecutionOptions execution_;
  TrainOptions options_;
  std::uint64_t given_ = 0;  // samples to train on
  Samples samples_;          // of which batches are drawn
  struct Order {
    std::optional<std::uint64_t> epoch;  // none: as they were given
    Samples samples;
  };
  std::array<Order, 2> orders_;  // of an epoch and the next, which is begun with in this one
  BatchProgram batches_;
  std::unique_ptr<StepReads> reads_;  // of step_reads()
  std::optional<TrainingState> state_;
  std::map<Samples, CompiledStep> steps_;
  std::unique_ptr<BatchSteps> bound_steps_;  // in place of steps_, where there are such
  std::optional<BatchPrefetch> prefetch_;    // of bound_steps_, which must outlive it
  std::unordered_map<Samples, BatchStep, boost::hash<Samples>> kept_batches_;
  std::uint64_t kept_bytes_ = 0;           // of their arrays
  std::vector<BatchSteps::Start> starts_;  // that are started at once
  TrainPosition position_;
  std::uint64_t counted_ = 0;  // samples of this epoch so far
};

}  // namespace

}  // namespace vecc::training

namespace vecc {

Result<void> Trainer::steps(std::uint64_t count) {
  for (std::uint64_t step = 0; step < count; ++step) VECC_TRY_VOID(this->step());
  return {};
}

Result<WeightFile> Trainer::save() {
  WeightFile file;
  const auto add = [&file](const TensorHeader& tensor) -> Result<char*> {
    file.tensors.push_back(
        {tensor.name, tensor.type, tensor.shape, std::string(byte_count(tensor), '\0')});
    return file.tensors.back().data.data();
  };
  VECC_TRY(file.metadata, save_to(add));
  return file;
}

Result<void> Trainer::restore(const WeightFile& file) {
  return restore(WeightFileSource(file));
}

Result<std::optional<NonFinite>> Trainer::find_non_finite(const WeightFile& good) {
  return find_non_finite(WeightFileSource(good));
}

Result<std::unique_ptr<Trainer>> make_trainer(const NeuronGraph& graph, const Program& program,
                                              const Backend& backend,
                                              const ExecutionOptions& execution,
                                              const TrainOptions& options,
                                              std::vector<std::uint32_t> samples) {
  const ListThreads threads(options.optimize.threads);
  auto trainer = std::make_unique<training::BatchTrainer>(graph, program, backend, execution,
                                                          options, std::move(samples));
  VECC_TRY_VOID(trainer->prepare());
  return std::unique_ptr<Trainer>(std::move(trainer));
}

}  // namespace vecc
