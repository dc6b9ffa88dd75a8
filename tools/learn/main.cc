// vecc-learn: what vecc runs for databases. `vecc learn`, and `vecc predict MODEL DATABASE`.
#include "tools/common/run_tool.h"
#include "tools/learn/learn_command.h"
#include "tools/learn/predict_rows_command.h"
#include "tools/vecc/commands.h"

namespace vecc::tools {
namespace {

constexpr Command kCommands[] = {
    {"learn", learn_main, learn_command_line},
    {"predict", predict_rows_main, predict_rows_command_line},
};

std::shared_ptr<CLI::App> program_command_line() {
  auto app = std::make_shared<CLI::App>(
      "What vecc runs for databases: vecc learn, and vecc predict with a model.", "vecc-learn");
  app->footer("\ndocs/databases.md. Exit codes: those of vecc.");
  return app;
}

int run_words(int argc, char** argv) {
  if (const auto code = run_command(kCommands, program_command_line, argc, argv)) return *code;
  const auto app = whole_command_line(kCommands, program_command_line());
  app->require_subcommand(0, 1);
  if (const auto code = parse_arguments(*app, argc, argv)) return *code;
  return report_usage("vecc-learn", "a command is missing: learn or predict");
}

}  // namespace
}  // namespace vecc::tools

int main(int argc, char** argv) {
  return vecc::tools::run_tool([&] { return vecc::tools::run_words(argc, argv); });
}
