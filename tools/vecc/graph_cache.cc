#include "graph_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "graph_stages.h"
#include "optimizer/describe_options.h"
#include "report.h"
#include "src/support/build_id.h"
#include "src/support/digest.h"
#include "src/support/log.h"
#include "src/support/quantity_text.h"
#include "start_values.h"
#include "tools/common/device_cost.h"

namespace vecc::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kKeyVersion = "vecc program 1\n";

bool watches_passes(const OptimizeSettings& s) {
  return !s.print_before.empty() || !s.print_after.empty() || s.print_after_all || s.time_passes ||
         s.pass_statistics || s.check || s.check_iso || s.options.verify_each ||
         s.options.observe || s.options.announce || s.options.before_pass;
}

bool needs_neurons(const Options& o) {
  return o.backend == "reference" || o.emit.kind || !o.save_program.empty() ||
         !o.bind_facts.empty() || !o.load_facts.empty() || !o.training.fanout.members.empty() ||
         (o.training.train && touches_rows(o.training.options.optimizer)) ||
         watches_passes(o.optimize);
}

/// The first that is there, as choose_backend() goes through them; null: none.
const Backend* first_available(const Options& options) {
  if (options.backend != "auto") {
    const Backend* const named = find_backend(options.backend);
    return named != nullptr && named->available(options.device) ? named : nullptr;
  }
  for (const Backend* const backend : preferred_backends(options.device)) {
    if (backend->available(options.device)) return backend;
  }
  return nullptr;
}

std::string text_of_limits(const ImportLimits& limits) {
  return fmt::format("limits {} {} {} {} {}\n", limits.max_input_bytes, limits.max_neurons,
                     limits.max_edges, limits.max_weights, limits.max_value_size);
}

/// Empty: there is no key.
std::string key_of(const Options& options, const Backend& backend) {
  const std::string build = build_id();
  const Result<Digest> digest = digest_file(options.input, options.threads);
  if (build.empty() || !digest) return {};
  OptimizeOptions optimize = options.optimize.options;
  std::string device;
  if (optimize.level >= 2) {
    const auto cost = find_device_cost(backend, execution_options(options));
    if (!cost) return {};
    device = cost->device;
    optimize.cost = cost->coefficients;
  }
  return std::string(kKeyVersion) + "build " + build + "\ngraph " + digest->text() +
         fmt::format("\nweights {}\ngroups {}\n", options.cache.has_weights ? "file" : "none",
                     options.find_groups ? "auto" : "file") +
         text_of_limits(options.limits) +
         fmt::format("dtype {}\nbackend {} {} {} {}\noptimize {}\n", text_of(options.dtype),
                     backend.name(), device,
                     text_of(options.precision.value_or(MatmulPrecision::Exact)),
                     text_of(options.torch_reduce.value_or(TorchReduce::Auto)),
                     opt::describe_options(optimize));
}

std::vector<WeightTable> without_learnable_values(std::span<const WeightTable> tables) {
  std::vector<WeightTable> result;
  for (const WeightTable& table : tables) {
    result.push_back({table.name, table.shape, table.first, table.count, table.file_first_id,
                      table.learnable, table.has_values && !table.learnable,
                      table.learnable ? SharedNumbers() : table.values, table.row_names});
  }
  return result;
}

double seconds_of(const Stages& stages, std::initializer_list<std::string_view> names) {
  double seconds = 0;
  for (const Stage& stage : stages.list()) {
    if (std::ranges::find(names, stage.name) != names.end()) seconds += stage.seconds;
  }
  return seconds;
}

bool changes_weights(const Options& o) {
  return !o.load_weights.empty() || o.init || o.training.train;
}

/// Whether the Program's parameters are the graph's learnable tables: an entry says both.
bool has_same_weights(const NeuronGraph& graph, const Program& program) {
  std::size_t learnable = 0;
  for (const WeightTable& table : graph.weight_tables) {
    if (!table.learnable) continue;
    if (learnable == program.parameters().size()) return false;
    const Parameter& parameter = program.parameters()[learnable++];
    if (parameter.name != table.name || parameter.rows != table.count ||
        parameter.shape != table.shape) {
      return false;
    }
  }
  return learnable == program.parameters().size();
}

}  // namespace

bool touches_rows(const OptimizerOptions& optimizer) {
  return info(optimizer.optimizer).rows == OptimizerRows::Touched;
}

GraphCache::GraphCache(const Options& options) : options_(options) {
  if (!options.cache.use || needs_neurons(options)) return;
  const auto start = Clock::now();
  backend_ = first_available(options);
  if (backend_ == nullptr) return;
  file_state_ = file_state(options.input);
  key_ = key_of(options, *backend_);
  if (key_.empty()) return;
  ProgramCacheOptions cache;
  cache.min_seconds = options.cache.min_seconds;
  cache.threads = options.threads;
  cache.warn = [](const std::string& text) { log_warning(text); };
  cache_ = std::make_unique<ProgramCache>(std::move(cache));
  steps_ = std::make_shared<CachedSteps>(*cache_, key_);
  key_time_ = Clock::now() - start;
}

std::optional<CachedForward> GraphCache::find(Stages& stages) {
  if (!is_used()) return std::nullopt;
  const auto start = Clock::now();
  std::optional<CachedForward> found = cache_->find_forward(key_);
  if (!found) return std::nullopt;
  const auto choice = choose_backend(found->program, options_);
  const NeuronGraph& graph = found->outline.graph;
  if (!choice || choice->backend != backend_ || !has_same_weights(graph, found->program)) {
    return std::nullopt;
  }
  stages.add("cache", key_time_ + (Clock::now() - start));
  describe_cached(stages, *found);
  return found;
}

void GraphCache::check_file() {
  if (!is_used() || file_state(options_.input) == file_state_) return;
  key_.clear();
  steps_.reset();
}

void GraphCache::keep(const NeuronGraph& graph, const GraphSizes& sizes,
                      std::span<const WeightTable> tables, const Program& program,
                      const VectorizeReport& report, Stages& stages) {
  if (!is_used()) return;
  const double seconds = seconds_of(stages, {"import", "group", "vectorize", "optimize"});
  if (seconds < options_.cache.min_seconds) return;
  const auto start = Clock::now();
  std::vector<WeightTable> bare;
  if (!options_.cache.has_weights) tables = bare = without_learnable_values(tables);
  const auto bytes = cache_->store_forward(key_, graph, sizes, tables, program, report);
  if (!bytes) return;
  stages.add("keep", Clock::now() - start);
  stages.describe("the program, for the next run: " + text_of_bytes(*bytes), {{"bytes", *bytes}});
}

Result<StartedGraph> start_graph(const Options& options, GraphCache& cache, Stages& stages) {
  StartedGraph started;
  started.cached = cache.find(stages);
  if (started.cached) {
    started.graph = std::move(started.cached->outline.graph);
    started.sizes = started.cached->outline.sizes;
    return started;
  }
  VECC_TRY(started.graph, import_graph(options, stages));
  cache.check_file();
  started.sizes = sizes_of(started.graph);
  if (cache.is_used() && changes_weights(options)) started.tables = started.graph.weight_tables;
  return started;
}

Result<FinishedProgram> finish_program(StartedGraph& started, const Options& options,
                                       GraphCache& cache, Stages& stages) {
  FinishedProgram finished;
  if (started.cached) {
    Program& program = started.cached->program;
    if (trains_once(options)) {
      move_values(started.graph, program);
    }
    give_weights(started.graph, program);  // what has not been moved
    VECC_TRY(finished.backend, choose_backend(program, options));
    finished.report = started.cached->report;
    finished.optimized.program = std::move(program);
    return finished;
  }
  const StartValues values =
      trains_once(options) ? take_values(started.graph) : StartValues();  // there is no copy
  VECC_TRY(Vectorized vectorized, vectorize_graph(started.graph, options, stages));
  give_values(values, vectorized.program);
  finished.report = vectorized.report;
  if (!needs_neurons(options)) forget_neurons(started.graph);
  VECC_TRY(finished.backend, choose_backend(vectorized.program, options));
  VECC_TRY(finished.optimized,
           optimize_for(std::move(vectorized.program), finished.backend, options, stages));
  const auto& tables = started.tables.empty() ? started.graph.weight_tables : started.tables;
  cache.keep(started.graph, started.sizes, tables, finished.optimized.program, finished.report,
             stages);
  started.tables = {};
  return finished;
}

}  // namespace vecc::tools
