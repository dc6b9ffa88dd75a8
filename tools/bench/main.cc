// vecc-bench: what vecc costs, and what its programs cost beside their peers.
#include <CLI/CLI.hpp>

#include "command.h"
#include "tools/common/run_tool.h"

namespace vecc::tools {
namespace {

constexpr const char* kFooter = R"(
Examples:
  vecc-bench compile datasets/mutagenesis.pb
  vecc-bench compile graph.pb --times=1,1000 --repeat=5 --json compile.json
  vecc-bench calibrate --device=cuda
  vecc-bench rows MUTAG ENZYMES --models=gcn,sage
  vecc-bench presets MUTAG PROTEINS --device=cuda --json presets.json --svg presets.svg
  vecc-bench train MUTAG --models=gcn,gin --device=cuda
  vecc-bench large --case="synth-set --graphs=1000 --model=gin --dim=32"
  vecc-bench kg --models=transe,rescal --batch-sizes=1024,4096 --backend=cuda --launches
  vecc-bench peers --data=build/data --python=.venv/bin/python)";

int bench_main(int argc, char** argv) {
  CLI::App app("Measures vecc.", "vecc-bench");
  app.footer(kFooter);
  app.require_subcommand(1);
  CommandBody body;
  add_compile(app, body);
  add_rows(app, body);
  add_presets(app, body);
  add_train(app, body);
  add_large(app, body);
  add_peers(app, body);
  add_kg(app, body);
  add_kg_ranks(app, body);
  add_kg_scores(app, body);
  add_calibrate(app, body);
  if (const auto code = parse_arguments(app, argc, argv)) return *code;
  const Result<void> result = body();
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

}  // namespace
}  // namespace vecc::tools

int main(int argc, char** argv) {
  return vecc::tools::run_tool([&] { return vecc::tools::bench_main(argc, argv); });
}
