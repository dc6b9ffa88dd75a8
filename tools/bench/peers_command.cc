// vecc-bench peers.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "peers_bench.h"
#include "peers_vecc.h"
#include "tools/common/data_sink.h"
#include "tools/common/number_options.h"
#include "tools/common/precision_option.h"
#include "tools/common/statistics.h"

namespace vecc::tools {
namespace {

constexpr const char* kPeersFooter = R"(
Cases: MUTAG, ENZYMES, PROTEINS with gcn of 10 dimensions; NeuraLogic's mutagenesis, simple and
dims; FB15k-237 with rgcn, 64 to 64. On a GPU also sage, NCI1 with gin, FB15k-237 with rgat and hgt,
and the scores transr and rescal of 4,096 triples in 512 dimensions.
Runners: PyG, PyG compiled (torch.compile), PyG fast (FastRGCNConv), torch and torch compiled
(scores), by type (a product for each type), Neumann (the compiler of his thesis, on the CPU),
NeuraLogic (on the CPU), vecc torch, vecc cpu. On a GPU also PyG captured, torch captured, by type
captured, vecc torch captured (in a CUDA graph), vecc torch -O0, vecc cuda.
Each runs in a process of its own, one after the other, on as many threads. What is not there, or
fails, has a line that says why.

Examples:
  vecc-bench peers --data=build/data --python=.venv/bin/python --json peers.json --svg peers.svg
  vecc-bench peers --data=build/data --python=.venv/bin/python --neumann=../neumann --threads=8
  vecc-bench peers --data=build/data --case="MUTAG gcn --dim=10" --case="ENZYMES sage --dim=32"
  vecc-bench peers --case="molecules gcn" --runners="PyG,vecc cpu" --repeat=1000 --limit=60
  vecc-bench peers --device=cuda --data=build/data --threads=16 --limit=1 --give-up=60 --once
  vecc-bench peers --device=cuda --data=build/data --case="FB15k-237 rgcn --dims=64,64" --runners="vecc cuda" --matmul-precision=tf32)";

Result<BenchReport> report_peers(PeersBenchOptions options) {
  if (options.precision != MatmulPrecision::Exact && !options.on_gpu()) {
    return Errors(ErrorCode::Usage, "--matmul-precision", "is vecc cuda's: it needs --device=cuda");
  }
  options.print = [](const std::string& text) { return write_data("", text); };
  VECC_TRY(const auto tables, bench_peers(options));
  return BenchReport{"", json_of(options, tables), panels_of(tables)};
}

void add_peers_device(CLI::App& command, Device& device) {
  command
      .add_option_function<std::string>(
          "--device",
          [&device](const std::string& text) {
            const Result<Device> parsed = parse_device(text);
            if (!parsed) throw CLI::ValidationError("--device", parsed.error().text());
            if (parsed->kind == Device::Kind::Auto) {
              throw CLI::ValidationError("--device", "cpu or cuda: the runners are not the same");
            }
            device = *parsed;
          },
          "Where all of them run")
      ->type_name("cpu|cuda[:N]")
      ->default_str("cpu");
}

void add_peers_one(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand("peers-one", "")->group("");  // hidden
  const auto run = std::make_shared<PeersVeccRun>();
  command->add_option("--graph", run->graph)->required();
  command->add_option("--backend", run->backend)->required();
  command->add_option("--outputs", run->outputs);
  command->add_option("--gradients", run->gradients);
  add_peers_device(*command, run->device);
  add_precision_option(*command, [run](MatmulPrecision precision) { run->precision = precision; });
  add_whole(*command, "--level", run->level, {0, 3}, "");
  command->add_flag("--eager", run->eager);
  command->add_flag("--forward-only", run->forward_only);
  command->add_option("--loss", run->loss);
  add_whole(*command, "--threads", run->threads, {0, 4096}, "");
  add_whole(*command, "--warmup", run->warmup, {}, "");
  add_whole(*command, "--repeat", run->repeat, {1}, "");
  add_real(*command, "--limit", run->limit, RealRange::AboveZero, "");
  command->add_flag("--set-up-only", run->set_up_only);
  command->add_flag("--mini-batches", run->mini_batches);
  command->callback([&body, run] {
    body = [run]() -> Result<void> {
      VECC_TRY(const auto row, time_vecc(*run));
      return write_data("", dump_json(row, -1) + "\n");
    };
  });
}

void add_counts(CLI::App& command, PeersBenchOptions& options) {
  const auto count = [&](const char* name, std::uint32_t& value, const char* text) {
    add_whole(command, name, value, {1, 1'000'000}, text);
  };
  const auto seconds = [&](const char* name, double& value, const char* text) {
    add_real(command, name, value, RealRange::AboveZero, text)->type_name("SECONDS");
  };
  count("--threads", options.threads, "CPU threads of every runner");
  count("--warmup", options.warmup, "Runs that the medians leave out");
  count("--repeat", options.repeat, "Runs after them");
  seconds("--limit", options.limit,
          "Time for the runs of one measurement: slow ones are repeated less often (3 times at "
          "least)");
  seconds("--give-up", options.give_up,
          "A runner that takes longer for a case is ended; what it measured counts");
}

}  // namespace

void add_peers(CLI::App& app, CommandBody& body) {
  add_peers_one(app, body);
  CLI::App* command =
      app.add_subcommand("peers",
                         "vecc beside its peers on a CPU or a GPU: forward, forward and backward, "
                         "epochs of training in full "
                         "and mini-batches, set-up and memory; outputs are compared first");
  command->footer(kPeersFooter);
  const auto options = std::make_shared<PeersBenchOptions>();
  command->add_option("--data", options->data, "Where the unpacked data sets are: tu_MUTAG, ...")
      ->type_name("FOLDER");
  command
      ->add_option(
          "--case", options->cases,
          "Only this: a data set, an architecture, and vecc-import's options; may be given "
          "several times")
      ->type_name("\"SET MODEL ...\"")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--runners", options->runners, "Only these")
      ->delimiter(',')
      ->type_name("NAME,...");
  command->add_option("--python", options->python, "A Python with torch_geometric")
      ->type_name("PATH")
      ->capture_default_str();
  command
      ->add_option("--neumann", options->neumann,
                   "The repository of Neumann's compiler (nn-structural-graph-vectorizer-compiler)")
      ->type_name("FOLDER");
  add_peers_device(*command, options->device);
  add_precision_option(*command,
                       [options](MatmulPrecision precision) { options->precision = precision; });
  add_counts(*command, *options);
  command->add_flag("--once", options->once,
                    "Start what compiles only once, with empty caches: saves half of its time");
  add_measurement(*command, body, BenchOutput::JsonAndChart,
                  [options] { return report_peers(*options); });
}

}  // namespace vecc::tools
