#include "predict_command.h"

#include "commands.h"
#include "learn_program.h"
#include "predict_options.h"
#include "tools/common/logging.h"
#include "tools/common/run_tool.h"

namespace vecc::tools {

int predict_main(int argc, char** argv) {
  PredictCommandLine line;
  PredictOptions& options = line.options;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = line.finish();
  if (!problem.empty()) return report_usage("vecc predict", problem);
  if (!options.database.empty()) return run_learn_program("vecc predict", argc, argv);
  set_up_logging(options.run.quiet ? "off" : options.run.log_level);
  Stages stages(!options.run.quiet);
  const Result<void> result = options.new_graph.empty()
                                  ? predict_samples(options, options.run.input, stages)
                                  : predict_bound(options, stages);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> predict_command_line() {
  return app_of(std::make_shared<PredictCommandLine>());
}

}  // namespace vecc::tools
