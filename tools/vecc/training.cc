#include "training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "choose_loss.h"
#include "evaluation_memory.h"
#include "execute_batches.h"
#include "src/support/list_threads.h"
#include "src/support/log.h"
#include "src/support/quantity_text.h"
#include "src/support/timed_stage.h"
#include "src/train/draw_samples.h"
#include "tools/common/device_cost.h"
#include "tools/common/interrupt.h"
#include "tools/train_log/epoch_fields.h"
#include "tools/train_log/train_log.h"
#include "vecc/vectorize.h"

namespace vecc::tools {
namespace {

std::string text_of_evaluation(const std::string& prefix, const Evaluator::Evaluation& e) {
  std::string text;
  if (!prefix.empty()) text += fmt::format("  {}loss {:.5g}", prefix, e.loss);
  for (const auto& [name, value] : values_of(e.metrics)) {
    text += fmt::format("  {}{} {:.4f}", prefix, name, value);
  }
  return text;
}

std::string text_of_epoch(const EpochReport& report) {
  std::string text = fmt::format("loss {:.5g}", report.loss);
  if (report.training) text += text_of_evaluation("", *report.training);
  if (report.validation) text += text_of_evaluation("validation ", *report.validation);
  return text;
}

std::string text_of_samples(const NeuronGraph& graph, std::span<const std::uint32_t> samples) {
  return fmt::format("{} {}", samples.size(), fingerprint_samples(graph, samples).text());
}

// What a checkpoint must agree on; `validation`: that of another graph.
std::string settings_text(const TrainOptions& o, const NeuronGraph& graph, const Program& program,
                          const SampleSplit& split, const ValidationGraph* validation,
                          std::string_view backend, MatmulPrecision precision) {
  std::string text = fmt::format("program {}, dtype {}, backend {}", fingerprint(program).text(),
                                 text_of(program.dtype()), backend);
  text += ", samples to train on " + text_of_samples(graph, split.training);
  if (validation == nullptr) {
    text += ", to validate with " + text_of_samples(graph, split.validation);
  } else {
    text += fmt::format(", to validate with {} of program {}",
                        text_of_samples(validation->graph, samples_to_validate(validation->graph)),
                        fingerprint(validation->program).text());
  }
  text += fmt::format(", loss {}, reduction {}, margin {}", text_of(o.loss.loss),
                      text_of(o.loss.reduction), o.loss.margin);
  if (precision != MatmulPrecision::Exact) {
    text += fmt::format(", matmul precision {}", text_of(precision));
  }
  text += fmt::format(", optimizer {}", text_of(o.optimizer.optimizer));
  const OptimizerOptions complete = with_defaults(o.optimizer);
  for (const HyperparameterInfo& each : hyperparameters()) {
    if (const auto& value = complete.*each.value) text += fmt::format(", {} {}", each.name, *value);
  }
  text += fmt::format(", clip-value {}, clip-norm {}", o.optimizer.clip_value.value_or(0),
                      o.optimizer.clip_norm.value_or(0));
  text += fmt::format(", rate {} {} {} {} {}", o.schedule.base, text_of(o.schedule.kind),
                      o.schedule.period, o.schedule.factor, o.schedule.last);
  return text + fmt::format(", batch size {}, batch {}, shuffle {}, seed {}", o.batch_size,
                            text_of(o.batch_way), o.shuffle, o.seed);
}

// The values of parameters, by name.
void give_values(const Program& from, Program& to) {
  for (ParameterIndex p = 0; p < to.parameters().size(); ++p) {
    const auto found =
        std::ranges::find(from.parameters(), to.parameters()[p].name, &Parameter::name);
    if (found != from.parameters().end()) to.set_parameter_values(p, found->values);
  }
}

// Plain lines where stderr is no terminal: the first, then one a second, then the last.
class EpochLines {
 public:
  EpochLines(bool prints, std::uint64_t epochs) : prints_(prints), epochs_(epochs) {}

  void print(const EpochReport& report) {
    if (!prints_ || (!report.training && !report.validation)) return;
    const auto now = std::chrono::steady_clock::now();
    if (report.epoch != epochs_ && last_ && now - *last_ < std::chrono::seconds(1)) return;
    last_ = now;
    std::fputs(
        fmt::format("epoch {}/{}  {}\n", report.epoch, epochs_, text_of_epoch(report)).c_str(),
        stderr);
  }

 private:
  bool prints_;
  std::uint64_t epochs_;
  std::optional<std::chrono::steady_clock::time_point> last_;
};

}  // namespace

std::string text_of_batches(const BatchReport& report) {
  if (report.way == "all") return {};
  std::string text = fmt::format("batches of {}", report.samples);
  if (report.left_out > 0) {
    text += fmt::format(" of the {} with a target", text_of_count(report.drawn_of, "sample"));
  }
  text += ", ";
  if (report.way == "bind") {
    text += fmt::format("bound{}: {} of values and {} of index arrays a step; ",
                        report.bytes.is_compact ? ", compact" : "",
                        text_of_bytes(report.bytes.values), text_of_bytes(report.bytes.arrays));
  } else if (report.way == "mask") {
    text += "masked: a step has all samples; ";
  } else {
    text += "each a program of its own; ";
  }
  return text + text_of_bytes(report.step_bytes) + " there";
}

TrainOptions complete_options(const NeuronGraph& graph, const Program& program,
                              const Options& options) {
  TrainOptions result = options.training.options;
  result.loss.loss = options.training.loss.value_or(choose_loss(graph, program));
  result.inputs = options.facts.tables;
  result.optimize = options.optimize.options;
  result.optimize.observe = nullptr;
  result.optimize.announce = nullptr;
  result.optimize.before_pass = nullptr;
  const std::string misfit = find_misfit(program, result.loss.loss);
  if (!misfit.empty()) log_warning(misfit);
  return result;
}

Training::Training(const NeuronGraph& graph, const Program& program, const BackendChoice& choice,
                   const Options& options, const TrainOptions& train_options, const Program* given)
    : graph_(graph),
      program_(program),
      given_(given),
      backend_(*choice.backend),
      options_(options),
      train_options_(train_options),
      execution_(execution_options(options)),
      memory_(options.host_memory, says_memory(options)) {
  execution_.gradients = false;  // a step has its own
}

bool Training::keep_members(SampledMembers members) {
  fanout_ = {{"levels", text_of(members.fanout)},
             {"aggregations", members.aggregations},
             {"members", members.members}};
  if (members.ranges.empty() && !members.segments) return false;
  members.seed = train_options_.seed;
  train_options_.members = std::make_shared<const SampledMembers>(std::move(members));
  return true;
}

Result<std::optional<SampledSteps>> Training::make_sampled(const Fanout& fanout) {
  const std::optional<SampledSteps> none;  // steps are those of the whole graph
  if (given_ != nullptr) {
    VECC_TRY(SampledProgram sampled, vecc::sample_members(*given_, fanout));
    if (!keep_members(std::move(sampled.members))) return none;
    return std::optional(SampledSteps{std::nullopt, std::move(sampled.program)});
  }
  VECC_TRY(SampledGraph sampled, vecc::sample_members(graph_, fanout));
  if (!keep_members(std::move(sampled.members))) return none;
  VectorizeOptions options;
  options.dtype = program_.dtype();
  options.threads = train_options_.optimize.threads;
  VECC_TRY(Vectorized vectorized, vectorize(sampled.graph, options));
  return std::optional(SampledSteps{std::move(sampled.graph), std::move(vectorized.program)});
}

Result<void> Training::sample_members() {
  const Fanout& fanout = options_.training.fanout;
  if (fanout.members.empty()) return {};
  loop_.settings += fmt::format(", fanout {}, scaled {}", text_of(fanout), fanout.scales_sums);
  VECC_TRY(sampled_, make_sampled(fanout));
  if (!sampled_) return {};
  VECC_TRY(sampled_->program, optimize(std::move(sampled_->program), train_options_.optimize));
  give_values(program_, sampled_->program);
  return {};
}

// Steps are optimized for what runs them, as the Program was (optimize_for.cc).
Result<void> Training::find_cost() {
  if (train_options_.optimize.level < 2) return {};
  VECC_TRY(const DeviceCost cost, find_device_cost(backend_, execution_));
  train_options_.optimize.cost = cost.coefficients;
  log_debug(fmt::format("train: steps are optimized for {}: {:.3g} s a launch", cost.device,
                        cost.coefficients.launch));
  return {};
}

Result<void> Training::expect_evaluations(const SampleSplit& split,
                                          const ValidationGraph* validation) {
  const bool on_device = backend_.name() == "cuda";
  if (backend_.name() != "cpu" && !on_device) return {};
  const TimedStage stage("count the memory of evaluations");
  EvaluationMemory memory(options_.eval_batch_size, on_device);
  memory.add(graph_, program_, split.training);
  if (validation != nullptr) {
    memory.add(validation->graph, validation->program, samples_to_validate(validation->graph));
  } else if (!split.validation.empty()) {
    memory.add(graph_, program_, split.validation);
  }
  const bool validates = validation != nullptr || !split.validation.empty();
  MemoryNeed need = memory.need();
  need.copies = bytes_to_copy(program_);
  need.starts = forgets_ ? bytes_to_forget(graph_, program_) : 0;
  return memory_.expect(need, copies_of_weights(loop_, validates),
                        statistics(program_).parameter_bytes);
}

Result<void> Training::prepare(const SampleSplit& split, const ValidationGraph* validation) {
  const ListThreads threads(train_options_.optimize.threads);
  loop_ = options_.training.loop;
  execution_.expected_runs = loop_.epochs;
  if (!loop_.checkpoint_folder.empty()) {  // a hash of all that there is
    loop_.settings = settings_text(train_options_, graph_, program_, split, validation,
                                   backend_.name(), execution_.precision);
  }
  loop_.metadata = vocabulary_metadata(graph_);
  if (validation != nullptr) {
    const Result<void> same = check_same_vocabularies(graph_, validation->graph);
    if (!same) return same.error().in("--validate");
  }
  VECC_TRY_VOID(find_cost());
  VECC_TRY_VOID(sample_members());
  const std::size_t drawn =
      training::samples_to_draw(graph_, program_, train_options_, split.training).size();
  if (drawn < split.training.size()) loop_.settings += ", batches of samples with a target";
  VECC_TRY_VOID(expect_evaluations(split, validation));
  execution_.check_plan = [this](const PlannedProgram& planned) {
    return memory_.state(planned, &program_);
  };
  std::optional<TimedStage> stage("prepare steps");
  VECC_TRY(trainer_, make_trainer(sampled_ && sampled_->graph ? *sampled_->graph : graph_,
                                  sampled_ ? sampled_->program : program_, backend_, execution_,
                                  train_options_, split.training));
  execution_.check_plan = nullptr;  // evaluations were counted
  loop_.kept = memory_.kept_copies();
  VECC_TRY(batches_, trainer_->batch_report());
  execution_.storage = trainer_->storage();
  stage.emplace("prepare evaluations");
  VECC_TRY(training_, make_evaluator(graph_, program_, backend_, execution_, train_options_.loss,
                                     split.training, options_.eval_batch_size));
  if (validation != nullptr) {
    VECC_TRY(validation_,
             make_evaluator(validation->graph, validation->program, backend_, execution_,
                            train_options_.loss, samples_to_validate(validation->graph),
                            options_.eval_batch_size));
  } else if (!split.validation.empty()) {
    VECC_TRY(validation_,
             make_evaluator(graph_, program_, backend_, execution_, train_options_.loss,
                            split.validation, options_.eval_batch_size));
  }
  if (loop_.early_stop > 0 && !validation_) {
    return Errors(ErrorCode::Usage, "--early-stop",
                  "needs samples to validate with: --validate=0.2, or samples that the graph "
                  "marks for validation");
  }
  return {};
}

Result<void> Training::run(ProgressLine& line, const std::vector<std::string>& log_texts) {
  TrainLogs logs;
  const auto begin = [&](std::uint64_t finished_epochs) {
    return logs.open(log_texts, loop_.resume ? std::optional(finished_epochs) : std::nullopt);
  };
  if (const std::string text = text_of_batches(batches_); !text.empty() && !options_.quiet) {
    std::fputs((text + "\n").c_str(), stderr);
  }
  if (options_.eval_batch_size > 0) {
    VECC_TRY(const BatchBytes bytes, training_->batch_bytes());
    say_eval_batches("metrics", bytes, training_->bytes(), options_);
  }
  EpochLines lines(!options_.quiet && ::isatty(STDERR_FILENO) == 0, loop_.epochs);
  const auto report = [&](const EpochReport& epoch) -> Result<void> {
    last_ = epoch;
    add_to_curves(epoch);
    line.update(epoch.epoch, loop_.epochs, ProgressUnit::Epochs);
    if (epoch.training) line.say(text_of_epoch(epoch));
    lines.print(epoch);
    if (const auto& observe = options_.training.observe) VECC_TRY_VOID(observe(epoch));
    return logs.write(epoch);
  };
  const auto& asked = options_.training.should_stop;
  const std::function<bool()> should_stop = asked ? asked : interrupt_pending;
  VECC_TRY(
      summary_,
      train({*trainer_, training_.get(), validation_.get(), report, should_stop, begin}, loop_));
  return {};
}

TrainingCurves Training::take_curves() {
  curves_.best_epoch = summary_.best_epoch;
  curves_.words = words();
  return std::move(curves_);
}

void Training::describe(Stages& stages) const {
  nlohmann::ordered_json numbers{{"loss_function", text_of(train_options_.loss.loss)},
                                 {"output_function", text_of(output_function(program_))},
                                 {"epochs", summary_.epochs},
                                 {"step_seconds", summary_.step_seconds},
                                 {"batch", batches_.way}};
  if (batches_.way != "all") numbers["batch_samples"] = batches_.drawn_of;
  if (batches_.way == "bind") {
    numbers["batch_values"] =
        text_of(batches_.bytes.is_compact ? BatchValues::Compact : BatchValues::Spread);
    numbers["batch_value_bytes"] = batches_.bytes.values;
    numbers["batch_array_bytes"] = batches_.bytes.arrays;
    const BatchCounts made = trainer_->batch_counts();
    numbers["batches_made_on_host"] = made.on_host;
    numbers["batches_made_on_device"] = made.on_device;
  }
  if (last_) numbers["loss"] = last_->loss;
  numbers["bytes"] = bytes();
  if (!fanout_.empty()) numbers["fanout"] = fanout_;
  if (summary_.best_epoch > 0) numbers["best_epoch"] = summary_.best_epoch;
  stages.describe(words(), std::move(numbers));
}

void Training::add_to_curves(const EpochReport& report) {
  for (const EpochField& field : fields_of(report)) {
    if (field.side.empty() || !field.value) continue;
    curves_.add(field.name, field.side, report.epoch, *field.value);
  }
}

std::uint64_t Training::bytes() const {
  std::uint64_t bytes = trainer_->bytes() + training_->bytes();
  if (validation_) bytes += validation_->bytes();
  return bytes;
}

std::string Training::words_of_fanout() const {
  if (fanout_.empty()) return {};
  std::string words = ", fanout " + fanout_["levels"].get<std::string>() + ": ";
  if (!sampled_) return words + "no aggregation has more members";
  return words +
         fmt::format("{} draw from {}, which no pass merges or counts",
                     text_of_count(fanout_["aggregations"].get<std::uint64_t>(), "aggregation"),
                     text_of_count(fanout_["members"].get<std::uint64_t>(), "member"));
}

std::string Training::words() const {
  const std::uint64_t run = summary_.epochs + 1 - summary_.first_epoch;
  std::string words = text_of_count(summary_.epochs, "epoch");
  if (summary_.step_seconds > 0 && run > 0) {
    words += fmt::format(", {:.1f} epochs/s", static_cast<double>(run) / summary_.step_seconds);
  }
  words += ", " + text_of_bytes(bytes());
  words += words_of_fanout();
  words += ", " + describe_loss(program_, train_options_.loss.loss);
  if (last_) words += ", " + text_of_epoch(*last_);
  if (summary_.end == TrainEnd::EarlyStop) {
    words += fmt::format("; stopped early, the weights are those of epoch {}", summary_.best_epoch);
  }
  if (summary_.end == TrainEnd::Interrupted) words += "; interrupted";
  return words;
}

}  // namespace vecc::tools
