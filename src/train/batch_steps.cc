#include "src/train/batch_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/support/log.h"
#include "src/support/what_helps.h"
#include "src/train/batch_way.h"
#include "src/train/sample_weights.h"
#include "vecc/step_inputs.h"

namespace vecc::training {
namespace {

void say_restricted(const Backend& backend, const std::string& why) {
  log_debug(fmt::format("train: each batch is a program of its own ({}: {})", backend.name(), why));
}

bool is_unsupported(const Errors& errors) {
  return errors.list().front().code == ErrorCode::BackendUnsupported;
}

Errors refuse(std::string_view way, const std::string& why) {
  return {ErrorCode::Usage, "--batch=" + std::string(way), why};
}

Errors refuse_fanout(const SampledMembers& members, const std::string& why) {
  return {ErrorCode::Usage, "--fanout=" + text_of(members.fanout), why};
}

// What was asked of batches, by the option that asks for most.
Errors refuse_asked(const TrainOptions& asked, const std::string& why) {
  if (asked.batch_values != BatchValues::Compact) return refuse(text_of(asked.batch_way), why);
  return {ErrorCode::Usage, "--batch-values=compact", why};
}

Errors cannot_bind(const Backend& backend, const TrainOptions& asked) {
  return refuse_asked(asked, std::string(backend.name()) + " cannot bind the batches of this step");
}

// What no backend can.
Result<void> check_asked(const TrainOptions& asked) {
  const bool is_compact = asked.batch_values == BatchValues::Compact;  // bound batches are
  if (is_compact && asked.batch_way == BatchWay::Mask) {
    return refuse_asked(asked, "a step with a mask has the values of all samples");
  }
  if (asked.loss.loss != Loss::MarginRanking) return {};
  if (asked.members) return refuse_fanout(*asked.members, "the loss is of pairs");
  const bool asks = is_compact || asked.batch_way != BatchWay::Choose;
  return asks ? Result<void>(refuse_asked(asked, "the loss is of pairs")) : Result<void>();
}

Program forward_of(const Program& program, const std::vector<std::uint32_t>& sorted) {
  if (sorted.size() == program.sample_count()) return program;
  return BatchProgram(program).restrict_to(sorted, RestrictUpdates::Keep);
}

// How batches of so many samples in all come, and what was asked of them.
void set_ways(const TrainOptions& options, std::uint64_t samples, BatchOptions& to) {
  to.keeps_more = true;
  to.mixes_samples = options.shuffle && options.batch_size > 1 && options.batch_size < samples;
  if (batches_come_again(options, samples)) {
    const std::uint64_t size = options.batch_size == 0 ? samples : options.batch_size;
    to.batches_again = (samples + size - 1) / size;
  }
  to.side = options.batch_side;
  to.values = options.batch_values;
}

}  // namespace

Result<std::unique_ptr<BatchSteps>> BatchSteps::make(const NeuronGraph& graph,
                                                     const Program& program, const Backend& backend,
                                                     const ExecutionOptions& execution,
                                                     const TrainOptions& asked,
                                                     std::span<const std::uint32_t> samples) {
  TrainOptions options = asked;
  BatchWay& way = options.batch_way;
  std::unique_ptr<BatchSteps> none;
  VECC_TRY_VOID(check_asked(asked));
  if (options.batch_values == BatchValues::Compact) way = BatchWay::Bind;
  if (options.loss.loss == Loss::MarginRanking) {
    say_restricted(backend, "the loss is of pairs");
    return none;
  }
  // Members that are not drawn have weights of 0, whichever way; so have rows of samples that are
  // not in the batch, in its statistics.
  const bool sets_rows = options.members || find_parameter(program, kStepSamples);
  if (sets_rows && way == BatchWay::Choose && !backend.binds_batches()) way = BatchWay::Mask;
  if (!backend.binds_batches() && way != BatchWay::Mask) {
    if (way == BatchWay::Bind) return cannot_bind(backend, asked);
    say_restricted(backend, "it does not bind batches");
    return none;
  }
  std::vector<std::uint32_t> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  Program forward = forward_of(program, sorted);
  VECC_TRY(BatchStepProgram made, make_batch_step_program(graph, forward, sorted, options));
  VECC_TRY_VOID(check_places(execution.places, made.step.program, /*of_steps=*/false));
  set_ways(options, samples.size(), made.batch);
  const bool lists_touched = made.batch.lists_touched;
  if (lists_touched && way == BatchWay::Mask) {
    return refuse("mask", "lazy-adam changes the rows that a batch touches, a mask all");
  }
  std::unique_ptr<BatchSteps> steps(new BatchSteps(graph, std::move(made), options, sorted));
  VECC_TRY(const BatchMachine machine, find_batch_machine(backend, execution));
  steps->binding_threads_ = machine.binding_threads;
  steps->shortest_binding_ = machine.shortest_binding;
  steps->made_.batch.binding_threads = machine.binding_threads + 1;
  if (backend.binds_batches()) {
    if (options.batch_values != BatchValues::Spread || backend.plans_by_typical_batch()) {
      steps->set_typical(sorted, options.batch_size);
    }
    if (steps->draws_ && !lists_touched) steps->set_draws();
    VECC_TRY_VOID(steps->compile_bound(backend, execution));
  }
  if (!steps->bound_ && way == BatchWay::Bind) return cannot_bind(backend, asked);
  if (!steps->bound_ && way == BatchWay::Choose && !sets_rows) return none;
  // A mask computes all rows.
  if (way == BatchWay::Choose && sets_rows) way = steps->bound_ ? BatchWay::Bind : BatchWay::Mask;
  if (!lists_touched && way != BatchWay::Bind) {
    VECC_TRY(const std::optional<Program> whole,
             masked_step(graph, steps->made_.step.program, forward, sorted, options, machine.gpu));
    if (whole) {
      VECC_TRY_VOID(steps->compile_masked(backend, execution, *whole, std::move(forward)));
    }
  }
  steps->made_.step.program = Program();  // its indices, of which executables have their own
  return steps;
}

Result<void> BatchSteps::compile_bound(const Backend& backend, const ExecutionOptions& execution) {
  ExecutionOptions own = execution;
  own.own_parameters = made_.step.own_parameters;
  own.expected_runs = 0;  // once a batch
  own.batch = std::make_shared<const BatchOptions>(made_.batch);
  auto executable = backend.compile(made_.step.program, own);
  if (!executable && is_unsupported(executable.error())) {
    say_restricted(backend, executable.error().list().front().message);
    return {};
  }
  VECC_TRY(bound_, std::move(executable));
  return {};
}

Result<void> BatchSteps::compile_masked(const Backend& backend, const ExecutionOptions& execution,
                                        const Program& whole, Program forward) {
  ExecutionOptions own = execution;
  own.own_parameters = made_.step.own_parameters;
  own.expected_runs = 0;  // once a batch
  if (bound_) own.storage = bound_->storage();
  auto masked = backend.compile(whole, own);
  if (!masked && bound_) {
    return say_what_helps(masked.error(),
                          "this step, with a mask, has values of all samples; --batch=bind has one "
                          "that is bound to each batch");
  }
  VECC_TRY(masked_, std::move(masked));
  forward_ = std::move(forward);
  forget_values(forward_);
  restrict_.emplace(forward_);
  reached_.resize(made_.weights.size());
  for (const ParameterIndex parameter : made_.batch.weights) {
    mask_.emplace_back(whole.parameters()[parameter].rows, 0.0);
  }
  return {};
}

BatchSteps::BatchSteps(const NeuronGraph& graph, BatchStepProgram made, const TrainOptions& options,
                       std::span<const std::uint32_t> samples)
    : made_(std::move(made)),
      loss_(options.loss),
      places_(graph.samples.size()),
      graph_(graph),
      members_(options.members),
      draws_(options.members != nullptr) {
  for (std::uint32_t i = 0; i < samples.size(); ++i) places_[samples[i]] = i;
  const std::vector<Parameter> parameters = made_.step.program.parameters();
  for (const BatchOptions::Update& update : made_.batch.updates) {
    if (!updated_.empty() && updated_.back().first == update.parameter) continue;
    updated_.emplace_back(update.parameter, parameters[update.parameter].name);
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
    order_.push_back(place);
  }
  to.divisor = 1;
  if (loss_.reduction == Reduction::Mean) to.divisor = static_cast<double>(to.counted);
  if (loss_.reduction == Reduction::ElementMean) to.divisor = elements;
  if (to.divisor == 0) to.divisor = 1;  // all weights are 0
  to.batch.weights.resize(made_.batch.weights.size());
  set_sample_weights(made_.rows, made_.weights, to.divisor, order_, to.batch.weights);
  if (!made_.has_statistics) return;
  Batch::Weights& own = to.batch.weights.back();
  own.rows.assign(samples.begin(), samples.end());
  std::ranges::sort(own.rows);
  own.values.assign(own.rows.size(), 1.0);
}

void BatchSteps::add_touched(TableRows rows, Batch& to) const {
  to.touched.clear();
  for (const auto& [parameter, name] : updated_) {
    to.touched.emplace_back(parameter, std::move(rows[name]));
  }
}

// A parameter that no sample of a batch reaches keeps its rows and states, which a mask cannot. By
// statistics of the batch a sample reaches what all of them do.
bool BatchSteps::reaches_all(std::span<const std::uint32_t> samples) {
  if (made_.has_statistics) return true;
  std::vector<char> all(forward_.parameters().size(), 0);
  for (const std::uint32_t sample : samples) {
    std::vector<char>& reached = reached_[places_[sample]];
    if (reached.empty()) {
      reached.resize(all.size(), 0);
      const Program part = restrict_->restrict_to(std::span(&places_[sample], 1));
      for (const Op& op : part.ops()) {
        if (op.kind() == OpKind::Weight) reached[std::get<WeightOp>(op.attributes).parameter] = 1;
      }
    }
    for (std::size_t p = 0; p < all.size(); ++p) all[p] |= reached[p];
  }
  return std::ranges::all_of(made_.batch.updates, [&](const BatchOptions::Update& update) {
    return all[update.parameter] != 0;
  });
}

bool BatchSteps::reaches_all(const TableRows& rows) const {
  return std::ranges::all_of(updated_,
                             [&](const auto& each) { return rows.contains(each.second); });
}

// The rows of tables that the samples read, where the step or a choice asks for them.
TableRows BatchSteps::find_rows(std::span<const std::uint32_t> samples, std::uint64_t run,
                                BatchStep& to) {
  if (!draws_ && !made_.batch.lists_touched) return {};
  std::unique_ptr<StepReads> reads = take_reads();
  reads->find(samples, run);
  if (draws_) reads->write_weights(to.batch.weights.back());
  const bool asks = made_.batch.lists_touched || masked_ != nullptr;
  TableRows rows = asks ? reads->rows() : TableRows();
  reads_.give_back(std::move(reads));
  return rows;
}

std::unique_ptr<StepReads> BatchSteps::take_reads() {
  return reads_.take([this] { return StepReads::make(graph_, members_.get()); });
}

void BatchSteps::set_draws() {
  const auto draw = [this](const Batch::Draw& of, Batch::Weights& to) {
    std::unique_ptr<StepReads> reads = take_reads();
    reads->find(of.samples, of.run);
    reads->write_weights(to);
    reads_.give_back(std::move(reads));
  };
  made_.batch.draws = std::make_shared<const BatchDraws>(BatchDraws{members_, draw});
}

// `size`: of batches, 0: all.
void BatchSteps::set_typical(std::span<const std::uint32_t> samples, std::uint64_t size) {
  std::vector<std::uint32_t> some;
  for (const std::uint32_t place :
       spread_places(size == 0 ? samples.size() : size, samples.size())) {
    some.push_back(samples[place]);
  }
  BatchStep typical;
  add_samples(some, typical);
  TableRows rows = find_rows(some, /*run=*/0, typical);
  if (made_.batch.lists_touched) add_touched(std::move(rows), typical.batch);
  made_.batch.typical = std::move(typical.batch);
}

Result<void> BatchSteps::bind(std::span<const std::uint32_t> samples, std::uint64_t run,
                              BatchStep& to) {
  {
    const std::lock_guard lock(finds_);
    add_samples(samples, to);
    to.is_masked = masked_ != nullptr && !draws_ && reaches_all(samples);
  }
  to.batch.draw.reset();
  if (bound_ && masked_ == nullptr && bound_->draws_members()) {
    to.batch.draw = {{samples.begin(), samples.end()}, run};
    to.batch.weights.back() = {};
    return bound_->bind_batch(to.batch, to.bound);
  }
  TableRows rows = find_rows(samples, run, to);
  if (draws_) to.is_masked = masked_ != nullptr && reaches_all(rows);
  if (made_.batch.lists_touched && !to.is_masked) add_touched(std::move(rows), to.batch);
  if (to.is_masked) return {};
  if (!bound_ && draws_) {
    return Errors(ErrorCode::Usage, "--fanout",
                  "the members drawn for a batch do not reach all parameters, and a step with a "
                  "mask changes all: a larger --batch-size, or --backend=cpu, which binds batches");
  }
  if (!bound_) {
    return refuse("mask",
                  "a batch does not reach all parameters, which a step with a mask changes");
  }
  return bound_->bind_batch(to.batch, to.bound);
}

Result<void> BatchSteps::set_mask(const BatchStep& batch) {
  for (std::size_t w = 0; w < mask_.size(); ++w) {
    if (draws_ && w + 1 == mask_.size()) {  // the members'
      std::unique_ptr<StepReads> reads = take_reads();
      reads->fill(batch.batch.weights[w], mask_[w]);
      reads_.give_back(std::move(reads));
    } else {
      std::ranges::fill(mask_[w], 0.0);
      const auto& [rows, values] = batch.batch.weights[w];
      for (std::size_t i = 0; i < rows.size(); ++i) mask_[w][rows[i]] = values[i];
    }
    VECC_TRY_VOID(masked_->set_parameter(made_.batch.weights[w], mask_[w]));
  }
  return {};
}

Result<void> BatchSteps::start(std::span<const Start> starts) {
  std::vector<Executable::BatchStart> bound;
  for (const Start& start : starts) {
    const BatchStep& batch = *start.batch;
    std::vector<ParameterValues> values =
        step_values(made_.step.ops, start.step, start.rate, start.run);
    values.push_back({made_.divisor, {batch.divisor}});
    if (!batch.is_masked) {
      bound.push_back({batch.bound.get(), std::move(values)});
      continue;
    }
    if (!bound.empty()) VECC_TRY_VOID(bound_->start_batches(bound));
    bound.clear();
    VECC_TRY_VOID(set_parameters(*masked_, values));
    VECC_TRY_VOID(set_mask(batch));
    VECC_TRY_VOID(masked_->start());
  }
  return bound.empty() ? Result<void>() : bound_->start_batches(bound);
}

std::uint64_t BatchSteps::bytes() const {
  return (bound_ ? bound_->bytes() : 0) + (masked_ ? masked_->bytes() : 0);
}

}  // namespace vecc::training
