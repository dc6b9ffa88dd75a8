#include "peers_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "command.h"
#include "ground_graph.h"
#include "peers_runners.h"
#include "src/support/child_process.h"
#include "src/support/temporary_folder.h"
#include "tools/common/interrupt.h"
#include "vecc/graph_io.h"

namespace vecc::tools {
namespace {

namespace fs = std::filesystem;

Result<void> check_names(const PeersBenchOptions& options) {
  const auto runs_here = [&](const PeerRunner& runner) {
    return runner.device == Device::Kind::Auto || runner.device == options.device.kind;
  };
  for (const std::string& name : options.runners) {
    const auto found = std::ranges::find(peer_runners(), name, &PeerRunner::name);
    if (found != peer_runners().end() && runs_here(*found)) continue;
    std::string known;
    for (const PeerRunner& runner : peer_runners()) {
      if (runs_here(runner)) known += fmt::format(", {}", runner.name);
    }
    return Errors(ErrorCode::Usage, "--runners",
                  "no \"" + name + "\"; there are " + known.substr(2));
  }
  return {};
}

// What vecc-import makes the case's graph by. The molecules start as NeuraLogic does.
std::vector<std::string> model_options(const PeerCase& what) {
  if (what.import != "sql") return {"--model=" + what.model, "--init=glorot", "--seed=1"};
  return {"--target=drugs.active",
          "--infer-keys",
          "--foreign-key=bonds.atom1_id:atoms.id",
          "--foreign-key=bonds.atom2_id:atoms.id",
          "--column=atoms.element:category",
          "--column=bonds.bond_type:category",
          "--valid=0",
          "--test=0",
          "--template=" + source_file("examples/mutagenesis/" + what.model + ".txt"),
          "--init=uniform",
          "--seed=0"};
}

// The graph with its weights, and what vecc's reference makes of it. The reference of a graph of
// hundreds of thousands of wide neurons takes minutes; the interpreter computes the same in double.
Result<PeerFiles> make_files(const PeerCase& what, const std::string& folder) {
  PeerFiles files{folder, what.source, folder + "/outputs.json", folder + "/gradients.tsv"};
  if (!what.import.empty()) {
    VECC_TRY(const std::string import, sibling("vecc-import"));
    files.graph = folder + "/graph.pb";
    std::vector<std::string> arguments{what.import};
    if (!what.is_random()) arguments.push_back(what.source);
    const std::vector<std::string> model = model_options(what);
    arguments.insert(arguments.end(), model.begin(), model.end());
    arguments.insert(arguments.end(), what.options.begin(), what.options.end());
    arguments.insert(arguments.end(), {"--quiet", "-o", files.graph});
    VECC_TRY_VOID(run_child({.file = import, .arguments = arguments}));
  }
  VECC_TRY(const std::string vecc, sibling("vecc"));
  std::vector<std::string> arguments{
      files.graph,  "--backend=interpreter", "--dtype=f64", "--quiet", "--json", "-o",
      files.outputs};
  if (what.is_score()) {
    files.gradients.clear();
  } else {
    arguments.push_back("--gradients=" + files.gradients);
  }
  VECC_TRY_VOID(run_child({.file = vecc, .arguments = arguments}));
  return files;
}

Result<PeerTable> bench_case(const PeerCase& what, const PeersBenchOptions& options) {
  PeerTable table;
  table.what = what;
  if (!what.is_random() && !fs::exists(what.source)) {
    table.absent = "there is no " + what.source;
    table.remedy = "--data=FOLDER of the unpacked data sets (datasets/README.md says where from)";
    VECC_TRY_VOID(options.print(header_of(table, options)));
    return table;
  }
  const DeferInterrupt defer;  // the folder must go first
  VECC_TRY(const TemporaryFolder folder,
           TemporaryFolder::create(fs::temp_directory_path().string(), "vecc-bench"));
  VECC_TRY(const PeerFiles files, make_files(what, folder.path()));
  {
    VECC_TRY(const NeuronGraph graph, read_graph(files.graph));
    table.neurons = graph.neuron_count();
    table.samples = graph.samples.size();
  }
  VECC_TRY_VOID(options.print(header_of(table, options)));
  for (const PeerRunner& runner : peer_runners()) {
    const bool wanted = options.runners.empty() ||
                        std::ranges::find(options.runners, runner.name) != options.runners.end();
    if (interrupt_pending()) break;
    if (!wanted || !has_line(runner, what, options)) continue;
    say("{}: {}", what.line, runner.name);
    VECC_TRY(table.rows.emplace_back(), run_peer(runner, what, files, options));
    VECC_TRY_VOID(options.print(line_of(table.rows.back(), options)));
  }
  VECC_TRY_VOID(options.print("\n"));
  return table;
}

}  // namespace

Result<std::vector<PeerTable>> bench_peers(const PeersBenchOptions& options) {
  VECC_TRY_VOID(check_names(options));
  std::vector<PeerCase> cases;
  for (const std::string& line :
       options.cases.empty() ? default_peer_cases(options.on_gpu()) : options.cases) {
    VECC_TRY(cases.emplace_back(), parse_peer_case(line, options.data));
  }
  const DeferInterrupt defer;  // what was measured is printed
  std::vector<PeerTable> tables;
  for (const PeerCase& what : cases) {
    if (interrupt_pending()) break;
    VECC_TRY(tables.emplace_back(), bench_case(what, options));
  }
  VECC_TRY_VOID(options.print(footer_of(options)));
  return tables;
}

}  // namespace vecc::tools
