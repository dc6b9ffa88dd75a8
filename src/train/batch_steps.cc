#include "src/train/batch_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/support/log.h"
#include "vecc/batch_program.h"

namespace vecc::training {
namespace {

void say_restricted(const Backend& backend, const std::string& why) {
  log_debug(fmt::format("train: each batch is a program of its own ({}: {})", backend.name(), why));
}

bool is_unsupported(const Errors& errors) {
  return errors.list().front().code == ErrorCode::BackendUnsupported;
}

}  // namespace

Result<std::unique_ptr<BatchSteps>> BatchSteps::make(const NeuronGraph& graph,
                                                     const Program& program, const Backend& backend,
                                                     const ExecutionOptions& execution,
                                                     const TrainOptions& options,
                                                     std::span<const std::uint32_t> samples) {
  std::unique_ptr<BatchSteps> none;
  if (!backend.binds_batches()) {
    say_restricted(backend, "it does not bind batches");
    return none;
  }
  if (options.loss.loss == Loss::MarginRanking) {
    say_restricted(backend, "the loss is of pairs");
    return none;
  }
  std::vector<std::uint32_t> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const bool has_all = sorted.size() == program.sample_count();
  Program forward = has_all ? program : BatchProgram(program).restrict_to(sorted);
  VECC_TRY(BatchStepProgram made,
           make_batch_step_program(graph, std::move(forward), sorted, options));
  ExecutionOptions own = execution;
  own.own_parameters = made.step.own_parameters;
  made.batch.share =
      std::min(1.0, static_cast<double>(options.batch_size) /
                        static_cast<double>(std::max<std::size_t>(samples.size(), 1)));
  own.batch = std::make_shared<const BatchOptions>(made.batch);
  auto executable = backend.compile(made.step.program, own);
  if (!executable && is_unsupported(executable.error())) {
    say_restricted(backend, executable.error().list().front().message);
    return none;
  }
  if (!executable) return executable.error();
  std::unique_ptr<BatchSteps> steps(new BatchSteps(graph, std::move(made), options, sorted));
  steps->executable_ = std::move(*executable);
  return steps;
}

BatchSteps::BatchSteps(const NeuronGraph& graph, BatchStepProgram made, const TrainOptions& options,
                       std::span<const std::uint32_t> samples)
    : made_(std::move(made)), loss_(options.loss), places_(graph.samples.size()), touched_(graph) {
  for (std::uint32_t i = 0; i < samples.size(); ++i) places_[samples[i]] = i;
  batch_.weights.resize(made_.batch.weights.size());
  const std::vector<Parameter> parameters = made_.step.program.parameters();
  made_.step.program = Program();  // its indices, of which the executable has its own
  for (const BatchOptions::Update& update : made_.batch.updates) {
    if (!batch_.touched.empty() && batch_.touched.back().first == update.parameter) continue;
    batch_.touched.emplace_back(update.parameter, std::vector<std::uint32_t>());
    names_.push_back(parameters[update.parameter].name);
  }
}

// The samples in the order of their rows, with what each counts.
void BatchSteps::add_samples(std::span<const std::uint32_t> samples, BatchStep& to) {
  double elements = 0;
  to.counted = 0;
  order_.clear();
  for (const std::uint32_t sample : samples) {
    const std::uint32_t place = places_[sample];
    elements += made_.elements[place];
    if (made_.weights[place] != 0) ++to.counted;
    order_.emplace_back(made_.rows[place].row, place);
  }
  std::ranges::sort(order_);
  to.divisor = 1;
  if (loss_.reduction == Reduction::Mean) to.divisor = static_cast<double>(to.counted);
  if (loss_.reduction == Reduction::ElementMean) to.divisor = elements;
  if (to.divisor == 0) to.divisor = 1;  // all weights are 0
  for (Batch::Weights& weights : batch_.weights) {
    weights.rows.clear();
    weights.values.clear();
  }
  for (const auto& [row, place] : order_) {
    Batch::Weights& weights = batch_.weights[made_.rows[place].output];
    weights.rows.push_back(row);
    weights.values.push_back(made_.weights[place] / to.divisor);
  }
}

void BatchSteps::add_touched(std::span<const std::uint32_t> samples) {
  TableRows rows = touched_.of(samples);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto found = rows.find(names_[i]);
    batch_.touched[i].second.clear();
    if (found != rows.end()) batch_.touched[i].second = std::move(found->second);
  }
}

Result<void> BatchSteps::bind(std::span<const std::uint32_t> samples, BatchStep& to) {
  add_samples(samples, to);
  if (made_.batch.lists_touched) add_touched(samples);
  return executable_->bind_batch(batch_, to.bound);
}

Result<void> BatchSteps::start(const BatchStep& batch, std::uint64_t step, std::uint64_t run,
                               double rate) {
  std::vector<ParameterValues> values = step_values(made_.step.ops, step, rate, run);
  values.push_back({made_.divisor, {batch.divisor}});
  return executable_->start_batch_with(values, *batch.bound);
}

}  // namespace vecc::training
