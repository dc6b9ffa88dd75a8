#include "program.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "errors.h"
#include "program_builder.h"
#include "src/program/forward.h"
#include "src/support/list_threads.h"
#include "src/support/timed_stage.h"
#include "tools/common/data_sink.h"
#include "tools/common/emit.h"
#include "tools/common/freed_memory.h"
#include "tools/html/html_page.h"
#include "tools/vecc/emitted_code.h"
#include "tools/vecc/graph_stages.h"
#include "tools/vecc/report.h"
#include "tools/vecc/weight_stages.h"
#include "vecc/batch_program.h"
#include "vecc/escape.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/program_text.h"

namespace vecc::python_package {
namespace {

// Whether passes make arrays that are worth being kept.
bool has_many_rows(const NeuronGraph& graph, const Program* given) {
  constexpr std::uint64_t kMany = 1 << 20;
  std::uint64_t rows = graph.neuron_count();
  if (given != nullptr) {
    for (const Op& op : given->ops()) rows += op.rows;
  }
  return rows >= kMany;
}

Result<Vectorized> vectorize_graph(const NeuronGraph& graph, const tools::Options& options) {
  VectorizeOptions vectorize_options;
  vectorize_options.dtype = options.dtype;
  vectorize_options.threads = options.threads;
  vectorize_options.progress = [](std::uint64_t) { check_signals(); };
  return vectorize(graph, vectorize_options);
}

// The given Program with the values that the graph's tables have.
Result<Vectorized> take_program(const Program& given, const NeuronGraph& graph, DType dtype) {
  Vectorized result;
  VECC_TRY(result.program, with_dtype(given, dtype));
  for (ParameterIndex p = 0; p < given.parameters().size(); ++p) {
    const std::string& name = given.parameters()[p].name;
    const auto table = std::ranges::find(graph.weight_tables, name, &WeightTable::name);
    if (!table->has_values) {
      return Errors(ErrorCode::MissingValues, "weights \"" + escape_terminal(name) + '"',
                    "has no values");
    }
    result.program.set_parameter_values(p, table->values);
  }
  return result;
}

std::optional<Shape> common_output_shape(const Program& program) {
  std::optional<Shape> shape;
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Output || op.rows == 0) continue;
    if (shape && *shape != op.shape) return std::nullopt;
    shape = op.shape;
  }
  return shape;
}

}  // namespace

CompiledGraph::CompiledGraph(const Graph& graph, tools::Options options, std::uint64_t runs)
    : path_(graph.path),
      graph_(graph.graph),
      given_(graph.program),
      reads_lists_(graph.reads_lists),
      file_(graph.file),
      graph_mutex_(graph.mutex),
      options_(std::move(options)),
      runs_(runs) {
  options_.facts = graph.facts;
  options_.quiet = true;
  options_.optimize.options.before_pass = [] { check_signals(); };
}

Result<std::unique_ptr<CompiledGraph>> CompiledGraph::compile(const Graph& graph,
                                                              tools::Options options,
                                                              std::uint64_t runs, bool runs_later) {
  std::unique_ptr<CompiledGraph> self(new CompiledGraph(graph, std::move(options), runs));
  if (const Result<void> prepared = self->prepare(runs_later); !prepared)
    return tools::add_way_out(prepared.error(), "Graph.initialize() gives it some");
  return self;
}

Result<void> CompiledGraph::prepare(bool runs_later) {
  auto memory = std::make_unique<tools::FreedMemoryScope>(
      has_many_rows(*graph_, given_ ? &*given_ : nullptr));
  const ListThreads threads(options_.threads);
  VECC_TRY_VOID(make_program());
  split_updates();
  output_shape_ = common_output_shape(program());
  VECC_TRY_VOID(check_places(options_.places, optimized_.program, /*of_steps=*/true));
  if (!runs_later) return make_executable();
  kept_memory_ = std::move(memory);
  return {};
}

Result<void> CompiledGraph::make_executable() {
  if (executable_) return {};
  const ListThreads threads(options_.threads);
  renew_program();
  VECC_TRY(executable_, choice_.backend->compile(optimized_.program, execution_options()));
  is_made_ = true;
  kept_memory_ = nullptr;
  return {};
}

Result<std::string> CompiledGraph::device() {
  if (is_made_) return executable_->device_name();  // while a training goes on, too
  const auto guard = lock();
  VECC_TRY_VOID(make_executable());
  return executable_->device_name();
}

Result<void> CompiledGraph::make_program() {
  if (file_) cache_ = GraphPrograms::open(*file_, options_);
  tools::Stages stages(/*show_progress=*/false);
  {
    const std::lock_guard guard(*graph_mutex_);
    own_.weight_tables = graph_->weight_tables;
    own_.vocabularies = graph_->vocabularies;
    std::optional<CachedForward> found;
    if (cache_) found = cache_->find();
    if (found) return take_cached(std::move(*found));
    const TimedStage stage("take the program");
    VECC_TRY(vectorized_, stages.run("vectorize", [&](tools::ProgressLine&) {
      return given_ ? take_program(*given_, *graph_, options_.dtype)
                    : vectorize_graph(*graph_, options_);
    }));
  }
  report_ = vectorized_->report;
  VECC_TRY(choice_, tools::choose_backend(vectorized_->program, options_));
  VECC_TRY(optimized_, tools::optimize_for(vectorized_->program, choice_, options_, stages));
  if (!cache_) return {};
  const std::lock_guard guard(*graph_mutex_);
  cache_->keep(*graph_, optimized_.program, report_, stages);
  return {};
}

Result<void> CompiledGraph::take_cached(CachedForward found) {
  is_cached_ = true;
  report_ = found.report;
  optimized_.program = std::move(found.program);
  tools::give_weights(own_, optimized_.program);
  VECC_TRY(choice_, tools::choose_backend(optimized_.program, options_));
  return {};
}

ExecutionOptions CompiledGraph::execution_options() const {
  ExecutionOptions execution = tools::execution_options(options_);
  execution.expected_runs = runs_;
  return execution;
}

void CompiledGraph::split_updates() {
  if (is_forward(program())) return;
  std::vector<std::uint32_t> all(program().sample_count());
  std::iota(all.begin(), all.end(), 0);
  Program forward = BatchProgram(program()).restrict_to(all);
  updating_ = std::exchange(optimized_.program, std::move(forward));
}

Result<std::vector<Executable::Output>> CompiledGraph::run() {
  const auto guard = lock();
  VECC_TRY_VOID(make_executable());
  VECC_TRY_VOID(executable_->run());
  return executable_->outputs();
}

Result<void> CompiledGraph::run_into(Executable::OutputElements to) {
  const auto guard = lock();
  VECC_TRY_VOID(make_executable());
  VECC_TRY_VOID(executable_->run());
  return executable_->copy_outputs(to);
}

Result<void> CompiledGraph::run_with_gradients(const std::vector<double>& of_outputs) {
  VECC_TRY_VOID(make_executable());
  if (!with_gradients_) {
    ExecutionOptions execution = execution_options();
    execution.gradients = true;
    execution.storage = executable_->storage();
    VECC_TRY(with_gradients_, choice_.backend->compile(program(), execution));
  }
  VECC_TRY_VOID(with_gradients_->run());
  return of_outputs.empty() ? with_gradients_->differentiate_sum()
                            : with_gradients_->differentiate(of_outputs);
}

Result<std::vector<std::vector<double>>> CompiledGraph::gradients(std::vector<double> of_outputs) {
  const auto guard = lock();
  VECC_TRY_VOID(run_with_gradients(of_outputs));
  std::vector<std::vector<double>> gradients(program().parameters().size());
  for (ParameterIndex p = 0; p < gradients.size(); ++p) {
    VECC_TRY(gradients[p], with_gradients_->gradient(p));
  }
  return gradients;
}

Result<std::vector<double>> CompiledGraph::time_runs(std::uint32_t runs, bool gradients) {
  const auto guard = lock();
  VECC_TRY_VOID(make_executable());
  std::vector<double> seconds;
  for (std::uint32_t i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    VECC_TRY_VOID(gradients ? run_with_gradients({}) : executable_->run());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count());
  }
  return seconds;
}

Result<std::shared_ptr<SavedProgram>> CompiledGraph::saved() {
  const auto guard = lock();
  if (saved_) return saved_;
  const auto refuse = [](const char* why) {
    return Errors(ErrorCode::BackendUnsupported, "new graphs", why);
  };
  if (given_) {
    return refuse(
        "programs of vecc.nn are not saved, nor bound to them: model.save() keeps the weights, and "
        "nn.Model(network).load(path, data) has them again");
  }
  if (!options_.facts.tables.empty()) {
    return refuse("bound facts are inputs, with a value each: load the graph without bind_facts");
  }
  const bool is_cuda = choice_.backend->name() == "cuda";
  if (!is_cuda && choice_.backend->name() != "cpu") {
    return refuse(
        "they are bound by the backends cpu and cuda: compile(backend=\"cpu\"), or compile() the "
        "new graph");
  }
  if (options_.precision.value_or(MatmulPrecision::Exact) != MatmulPrecision::Exact) {
    return refuse("they are computed exactly: compile() without matmul_precision");
  }
  if (!template_) {
    const std::lock_guard graph_guard(*graph_mutex_);
    VECC_TRY(template_, Template::of(*graph_, {options_.dtype, ""}));
  }
  VECC_TRY(template_, template_->with_weights(own_.weight_tables));
  TemplateCompileOptions how;
  how.threads = options_.threads;
  if (is_cuda) how.device = {Device::Kind::Cuda, options_.device.index};
  VECC_TRY(saved_, SavedProgram::make(*template_, how));
  return saved_;
}

Result<void> CompiledGraph::push_weights(const std::set<std::string_view>* only) {
  saved_ = nullptr;
  for (ParameterIndex p = 0; p < program().parameters().size(); ++p) {
    const std::string& name = program().parameters()[p].name;
    if (only != nullptr && !only->contains(name)) continue;
    const auto table = std::ranges::find(own_.weight_tables, name, &WeightTable::name);
    if (table == own_.weight_tables.end() || !table->has_values) continue;
    if (executable_) VECC_TRY_VOID(executable_->set_parameter(p, table->values.doubles()));
    stale_.insert(p);
  }
  return {};
}

void CompiledGraph::renew_program() {
  for (const ParameterIndex p : std::exchange(stale_, {})) {
    const std::string& name = program().parameters()[p].name;
    const auto table = std::ranges::find(own_.weight_tables, name, &WeightTable::name);
    const SharedNumbers& values = table->values;
    optimized_.program.set_parameter_values(p, values);
    if (updating_) updating_->set_parameter_values(p, values);
  }
}

Result<void> CompiledGraph::set_weights(const std::vector<NamedArray>& arrays) {
  const auto guard = lock();
  VECC_TRY_VOID(set_tables(own_, arrays));
  std::set<std::string_view> names;
  for (const auto& [name, array] : arrays) names.insert(name);
  return push_weights(&names);
}

Result<void> CompiledGraph::load_weights(const std::string& path, LoadMode mode) {
  const auto guard = lock();
  VECC_TRY_VOID(load_tables(own_, options_.facts, path, mode));
  return push_weights();
}

Result<void> CompiledGraph::save_weights(const std::string& path) {
  const auto guard = lock();
  tools::Stages stages(/*show_progress=*/false);
  return tools::save_graph_weights(own_, options_.facts, path, stages);
}

Result<tools::ValidationGraph> CompiledGraph::open_validation(const tools::Options& options) const {
  VECC_TRY(NeuronGraph graph, read_graph(options.training.validate_file, {options.limits, {}}));
  initialize_weights(graph, Initializer::Glorot, 0);  // for structure alone: the trainer has values
  VECC_TRY(const Vectorized vectorized, vectorize_graph(graph, options));
  tools::Stages stages(/*show_progress=*/false);
  VECC_TRY(tools::Optimized optimized,
           tools::optimize_for(vectorized.program, choice_, options, stages));
  return tools::ValidationGraph{std::move(graph), std::move(optimized.program)};
}

Result<TrainedGraph> CompiledGraph::train(tools::Options options, const TrainCalls& calls) {
  const auto guard = lock();
  renew_program();
  options.facts = options_.facts;
  options.quiet = true;
  VECC_TRY_VOID(check_batches(options.eval_batch_size));
  if (cache_) options.training.options.steps = cache_->steps_of(options.training);
  auto memory = std::exchange(kept_memory_, nullptr);
  options.training.observe = [&](const EpochReport& epoch) {
    memory = nullptr;
    return calls.observe(epoch);
  };
  options.training.should_stop = calls.should_stop;
  const tools::TrainSettings& settings = options.training;
  const ListThreads threads(options.threads);
  const TrainOptions train_options = tools::complete_options(*graph_, program(), options);
  if (given_ && train_options.optimizer.optimizer == Optimizer::LazyAdam) {
    return Errors(ErrorCode::Usage, "--optimizer",
                  "lazy-adam finds the weights that a step touches by neurons, and this program "
                  "was made without; adam");
  }
  if (reads_lists_ && !settings.fanout.members.empty()) {
    return Errors(
        ErrorCode::Usage, "--fanout",
        "the model reads lists in order (lstm), of which a step cannot leave members out");
  }
  tools::SampleSplit split = tools::marked_split(*graph_);
  if (settings.validate_fraction) {
    VECC_TRY(split,
             tools::fraction_split(*graph_, *settings.validate_fraction, train_options.seed));
  }
  std::optional<tools::ValidationGraph> validation;
  if (!settings.validate_file.empty()) {
    VECC_TRY(validation, open_validation(options));
  }
  tools::Training training(*graph_, trained_program(), choice_, options, train_options,
                           given_ ? &vectorized_->program : nullptr);
  if (memory == nullptr) {
    memory = std::make_unique<tools::FreedMemoryScope>(has_many_rows(*graph_, &program()));
  }
  VECC_TRY_VOID(training.prepare(split, validation ? &*validation : nullptr));
  // A GPU's first epoch is soon measured, and what its outputs and scores take was there before.
  const bool is_soon_measured = choice_.backend->name() == "cuda" &&
                                settings.options.batch_size == 0 && settings.loop.log_every <= 1;
  if (!is_soon_measured) memory = nullptr;
  tools::Stages stages(/*show_progress=*/false);
  VECC_TRY_VOID(stages.run(
      "train", [&](tools::ProgressLine& line) { return training.run(line, settings.logs); }));
  VECC_TRY_VOID(training.trainer().copy_weights_to(own_));
  VECC_TRY_VOID(push_weights());
  return TrainedGraph{training.summary(), training.batches()};
}

Result<void> CompiledGraph::check_batches(std::uint32_t batch_size) const {
  if (batch_size == 0 || choice_.backend->name() == "cpu") return {};
  return Errors(ErrorCode::Usage, "--eval-batch-size", "needs a program of backend=\"cpu\"");
}

Result<tools::SampleEvaluation> CompiledGraph::evaluate(std::optional<tools::SplitChoice> split,
                                                        std::optional<Loss> loss,
                                                        std::uint32_t batch_size) {
  const auto guard = lock();
  VECC_TRY_VOID(check_batches(batch_size));
  VECC_TRY(const auto samples,
           tools::choose_samples(*graph_, split.value_or(tools::tested_split(*graph_))));
  VECC_TRY_VOID(make_executable());
  ExecutionOptions execution = tools::execution_options(options_);
  execution.storage = executable_->storage();
  return tools::evaluate_samples(*graph_, program(), *choice_.backend, execution, loss, samples,
                                 batch_size);
}

Result<tools::Predictions> CompiledGraph::predict(std::optional<tools::SplitChoice> split,
                                                  std::optional<Loss> loss) {
  const auto guard = lock();
  VECC_TRY(auto samples, tools::choose_samples(*graph_, split.value_or(tools::SplitChoice::All)));
  VECC_TRY(const auto outputs, run());
  std::vector<Executable::Output> chosen;
  chosen.reserve(samples.size());
  for (const std::uint32_t sample : samples) chosen.push_back(outputs[sample]);
  return tools::make_predictions(*graph_, program(), loss, std::move(samples), chosen);
}

Result<void> CompiledGraph::emit(const tools::Options& options) {
  if (options.training.train || options.run) {
    return Errors(ErrorCode::Usage, options.run ? "--run" : "--train",
                  "emit() writes the program with the weights of now, and runs nothing");
  }
  const auto guard = lock();
  renew_program();
  tools::Options with_facts = options;
  with_facts.facts = options_.facts;
  VECC_TRY_VOID(tools::read_emit_target(with_facts.emit));
  if (options.emit.kind == tools::EmitKind::Html) {
    if (!vectorized_) VECC_TRY_VOID(make_report());
    const tools::HtmlInput page{path_, vectorized_->program, program(), optimized_.report, {}};
    return tools::write_data(options.emit.path, tools::html_page(page));
  }
  own_.samples = graph_->samples;
  own_.sample_ids = graph_->sample_ids;
  own_.target_values = graph_->target_values;
  VECC_TRY(const tools::EmittedCode code, tools::describe_graph(own_, program(), with_facts));
  const auto sizes = tools::describe_sizes(*graph_, sizes_of(*graph_), &report_, &program());
  return tools::emit_program(program(), with_facts.emit, sizes, code);
}

Result<void> CompiledGraph::make_report() {
  tools::Stages stages(/*show_progress=*/false);
  {
    const std::lock_guard guard(*graph_mutex_);
    VECC_TRY(vectorized_, vectorize_graph(*graph_, options_));
  }
  VECC_TRY(tools::Optimized again,
           tools::optimize_for(vectorized_->program, choice_, options_, stages));
  optimized_.report = std::move(again.report);
  return {};
}

std::string CompiledGraph::picture() {
  const auto guard = lock();
  return tools::html_picture(path_.empty() ? "vecc.Program" : path_, program());
}

std::string CompiledGraph::text() {
  const auto guard = lock();
  return print(program());
}

}  // namespace vecc::python_package
