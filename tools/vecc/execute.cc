#include "execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

#include "execute_batches.h"
#include "gradients.h"
#include "run_repeatedly.h"
#include "src/support/log.h"
#include "src/support/quantity_text.h"
#include "tools/common/memory_statement.h"
#include "tools/common/timing.h"

namespace vecc::tools {
namespace {

/// Whether a backend can run the program here: its availability, then its list of gaps.
Result<void> check_backend(const Backend& backend, const Program& program, const Device& device) {
  VECC_TRY_VOID(backend.available(device));
  Errors gaps;
  for (const std::string& gap : backend.unsupported(program)) {
    gaps.add(ErrorCode::BackendUnsupported, std::string(backend.name()), gap);
  }
  if (!gaps.empty()) return gaps;
  return {};
}

/// A compiler is asked what it is only where VECC_CXX or VECC_NVRTC names it: naming one asks for
/// that one, and no other backend.
bool blames_named_compiler(const Errors& errors) {
  return std::ranges::any_of(
      errors.list(), [](const Diagnostic& d) { return d.code == ErrorCode::CompilerFailed; });
}

/// The first backend that can, with words on those that cannot.
Result<BackendChoice> choose_first(const Program& program, const Options& options) {
  Errors refusals;
  std::string reason;
  for (const Backend* backend : preferred_backends(options.device)) {
    const Result<void> usable = check_backend(*backend, program, options.device);
    if (usable) {
      reason = refusals.empty() ? "first choice" : "next choice: " + reason;
      return BackendChoice{backend, reason};
    }
    const Errors& errors = usable.error();
    if (blames_named_compiler(errors)) return errors;
    log_info(fmt::format("backend {}: {}", backend->name(), errors.text()));
    if (reason.empty()) {
      reason = fmt::format("{}: {}", backend->name(), errors.list().front().message);
    }
    for (const Diagnostic& d : errors.list()) {
      refusals.add(d.code, "backend " + std::string(backend->name()), d.message);
    }
  }
  return refusals;
}

void describe_run(Stages& stages, const Execution& execution) {
  const std::size_t runs = execution.run_seconds.size();
  std::string words = text_of_count(execution.outputs.size(), "output");
  if (runs > 1) words += ", " + text_of_count(runs, "run");
  stages.describe(words, {{"outputs", execution.outputs.size()}, {"runs", runs}});
}

/// The median of each op over several runs in which every op is timed: stage `profile`.
Result<std::vector<double>> measure_ops(Executable& executable, Stages& stages) {
  constexpr std::size_t kRuns = 5;
  std::vector<std::vector<double>> times;  // by op
  VECC_TRY_VOID(stages.run("profile", [&](ProgressLine& line) -> Result<void> {
    for (std::size_t i = 0; i < kRuns; ++i) {
      VECC_TRY(const std::vector<double> seconds, executable.profile());
      times.resize(seconds.size());
      for (std::size_t op = 0; op < seconds.size(); ++op) times[op].push_back(seconds[op]);
      line.update(i + 1, kRuns, ProgressUnit::Runs);
    }
    return {};
  }));
  std::vector<double> medians;
  for (const auto& seconds : times) medians.push_back(summarize_timing(seconds).median);
  const double sum = std::accumulate(medians.begin(), medians.end(), 0.0);
  stages.describe(text_of_count(medians.size(), "op") + ", " + text_of_seconds(sum) + " in all",
                  {{"seconds", sum}});
  return medians;
}

}  // namespace

Result<BackendChoice> choose_backend(const Program& program, const Options& options) {
  if (options.backend == "auto") {
    VECC_TRY(BackendChoice first, choose_first(program, options));
    if (first.backend->name() == "cpu") return first;
    for (const auto& [option, is_given] :
         {std::pair{"--eval-batch-size", options.eval_batch_size > 0},
          std::pair{"--host-memory", options.host_memory > 0}}) {
      if (!is_given) continue;
      return Errors(ErrorCode::Usage, option,
                    fmt::format("needs --backend=cpu, and {} was chosen", first.backend->name()));
    }
    return first;
  }
  const Backend* backend = find_backend(options.backend);
  VECC_CHECK(backend != nullptr, "a backend name that the command line let through");
  VECC_TRY_VOID(check_backend(*backend, program, options.device));
  return BackendChoice{backend, {}};
}

std::function<void(const std::string&)> says_memory(const Options& options) {
  if (options.quiet) return nullptr;
  return [](const std::string& text) { std::fputs((text + "\n").c_str(), stderr); };
}

ExecutionOptions execution_options(const Options& options) {
  ExecutionOptions execution;
  execution.device = options.device;
  execution.threads = options.threads;
  execution.torch_reduce = options.torch_reduce.value_or(TorchReduce::Auto);
  execution.precision = options.precision.value_or(MatmulPrecision::Exact);
  execution.places = options.places;
  execution.gradients = !options.gradients.empty();
  return execution;
}

Result<Execution> execute_reference(const NeuronGraph& graph, const Options& options,
                                    Stages& stages) {
  Execution result;
  result.backend = "reference";
  result.device = "cpu";
  ReferenceValues values;
  VECC_TRY(result.run_seconds, stages.run("run", [&](ProgressLine& line) {
    return run_repeatedly(options.repeat, line, [&]() -> Result<void> {
      VECC_TRY(values, evaluate_reference(graph));
      return {};
    });
  }));
  for (const Sample& sample : graph.samples) {
    const auto at = values.values.begin();
    const auto begin = static_cast<std::ptrdiff_t>(values.begin[sample.output]);
    const auto end = static_cast<std::ptrdiff_t>(values.begin[sample.output + std::size_t{1}]);
    result.outputs.push_back({values.shapes[sample.output], {at + begin, at + end}});
  }
  describe_run(stages, result);
  if (!options.gradients.empty()) {
    VECC_TRY_VOID(write_gradients(graph, values, options.gradients, stages));
  }
  return result;
}

Result<Execution> execute_program(const NeuronGraph& graph, const Program& program,
                                  const BackendChoice& choice, const Options& options,
                                  Stages& stages) {
  Execution result;
  result.backend = choice.backend->name();
  result.reason = choice.reason;
  result.dtype = program.dtype();
  ExecutionOptions execution = execution_options(options);
  execution.expected_runs = options.repeat;
  // A training has refused what its steps have not, and they have tables that this has not.
  if (!options.training.train) {
    VECC_TRY_VOID(check_places(execution.places, program, /*of_steps=*/false));
  }
  result.precision = execution.precision;
  // What follows a training takes less, and its statement is there: the process's peak would count
  // pages of files that the training had.
  MemoryStatement memory(options.host_memory,
                         options.training.train ? nullptr : says_memory(options));
  execution.check_plan = [&](const PlannedProgram& planned) {
    return memory.state(planned, &program);
  };
  if (options.eval_batch_size > 0) {
    VECC_TRY_VOID(
        execute_batches(program, *choice.backend, execution, options, memory, stages, result));
    describe_run(stages, result);
    return result;
  }
  VECC_TRY(auto executable, stages.run("compile", [&](ProgressLine&) {
    return choice.backend->compile(program, execution);
  }));
  result.device = executable->device_name();
  std::string words = fmt::format("{} on {}, {} there", result.backend, result.device,
                                  text_of_bytes(executable->bytes()));
  if (result.precision != MatmulPrecision::Exact) {
    words += fmt::format(", products in {}", text_of(result.precision));
  }
  nlohmann::ordered_json numbers{{"bytes", executable->bytes()}};
  if (!options.training.train) memory.describe(words, numbers);
  stages.describe(words, std::move(numbers));
  VECC_TRY(result.run_seconds, stages.run("run", [&](ProgressLine& line) {
    return run_repeatedly(options.repeat, line, [&] { return executable->run(); });
  }));
  VECC_TRY(result.outputs, executable->outputs());
  VECC_CHECK(result.outputs.size() == program.sample_count(), "one output a sample");
  describe_run(stages, result);
  if (options.emit.kind == EmitKind::Html) {
    VECC_TRY(result.op_seconds, measure_ops(*executable, stages));
  }
  if (!options.gradients.empty()) {
    VECC_TRY_VOID(write_gradients(graph, program, *executable, options.gradients, stages));
  }
  return result;
}

}  // namespace vecc::tools
