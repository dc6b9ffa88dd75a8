// vecc-kg: embeddings of knowledge graphs, trained, evaluated, asked and written out.
#include "tools/common/run_tool.h"
#include "tools/kg/commands.h"

namespace vecc::tools {
namespace {

constexpr Command kCommands[] = {
    {"train", train_triples_main, train_triples_command_line},
    {"evaluate", evaluate_triples_main, evaluate_triples_command_line},
    {"predict", answer_queries_main, answer_queries_command_line},
    {"nearest", nearest_entities_main, nearest_entities_command_line},
    {"export", export_embeddings_main, export_embeddings_command_line},
};

std::shared_ptr<CLI::App> program_command_line() {
  auto app = std::make_shared<CLI::App>(
      "Embeddings of knowledge graphs: trained, evaluated, asked, written out.", "vecc-kg");
  app->footer("\ndocs/knowledge-graphs.md. Exit codes: those of vecc.");
  return app;
}

int run_words(int argc, char** argv) {
  if (const auto code = run_command(kCommands, program_command_line, argc, argv)) return *code;
  const auto app = whole_command_line(kCommands, program_command_line());
  app->require_subcommand(0, 1);
  if (const auto code = parse_arguments(*app, argc, argv)) return *code;
  return report_usage("vecc-kg",
                      "a command is missing: train, evaluate, predict, nearest or export");
}

}  // namespace
}  // namespace vecc::tools

int main(int argc, char** argv) {
  return vecc::tools::run_tool([&] { return vecc::tools::run_words(argc, argv); });
}
