#include "execute_batches.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "run_repeatedly.h"
#include "src/support/quantity_text.h"
#include "vecc/forward_batches.h"

namespace vecc::tools {

std::string check_eval_batches(const Options& o) {
  if (o.eval_batch_size == 0) return {};
  if (o.backend == "cuda") {
    return "--eval-batch-size needs --backend=cpu: on a GPU the values of all samples have memory";
  }
  if (o.backend != "auto" && o.backend != "cpu") {
    return "--eval-batch-size needs --backend=cpu: " + o.backend + " runs all samples at once";
  }
  if (!o.gradients.empty()) {
    return "--gradients are of the outputs of all samples at once: leave out --eval-batch-size";
  }
  if (o.training.loss == Loss::MarginRanking) {
    return "--loss=margin_ranking is of pairs of samples: leave out --eval-batch-size";
  }
  if (o.emit.kind == EmitKind::Html && o.run) {
    return "--emit=html with --run times the ops of all samples at once: leave out "
           "--eval-batch-size";
  }
  return {};
}

void say_eval_batches(std::string_view what, const BatchBytes& bytes, std::uint64_t there,
                      const Options& options) {
  if (options.quiet) return;
  const std::string text =
      fmt::format("{} of {} at a time: {} of values and {} of index arrays; {} there\n", what,
                  text_of_count(options.eval_batch_size, "sample"), text_of_bytes(bytes.values),
                  text_of_bytes(bytes.arrays), text_of_bytes(there));
  std::fputs(text.c_str(), stderr);
}

Result<void> execute_batches(const Program& program, const Backend& backend,
                             const ExecutionOptions& execution, const Options& options,
                             const MemoryStatement& memory, Stages& stages, Execution& to) {
  VECC_TRY(ForwardBatches batches, stages.run("compile", [&](ProgressLine&) {
    return ForwardBatches::compile(program, backend, execution,
                                   {.batch_size = options.eval_batch_size});
  }));
  to.device = batches.executable().device_name();
  VECC_TRY(const BatchBytes first, batches.first_bytes());
  std::string words =
      fmt::format("{} on {}, {} there, outputs of {} at a time", backend.name(), to.device,
                  text_of_bytes(batches.bytes()), text_of_count(options.eval_batch_size, "sample"));
  nlohmann::ordered_json numbers{{"bytes", batches.bytes()},
                                 {"batches", batches.batch_count()},
                                 {"batch_value_bytes", first.values},
                                 {"batch_array_bytes", first.arrays}};
  if (!options.training.train) memory.describe(words, numbers);
  stages.describe(std::move(words), std::move(numbers));
  say_eval_batches("outputs", first, batches.bytes(), options);
  VECC_TRY(to.run_seconds, stages.run("run", [&](ProgressLine& line) {
    return run_repeatedly(options.repeat, line, [&]() -> Result<void> {
      VECC_TRY(to.outputs, batches.outputs());
      return {};
    });
  }));
  return {};
}

}  // namespace vecc::tools
