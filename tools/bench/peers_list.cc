// The runners of vecc-bench peers, and which of them has what for which case.
#include <array>

#include "peers_runners.h"
#include "src/support/child_process.h"

namespace vecc::tools {
namespace {

constexpr auto kCpu = Device::Kind::Cpu;
constexpr auto kCuda = Device::Kind::Cuda;
constexpr auto kAny = Device::Kind::Auto;
constexpr std::string_view kTorchPeer = "tools/bench/pyg/time_peer.py";
constexpr std::string_view kNeumann = "tools/bench/neumann/time_neumann.py";
constexpr std::string_view kNeuraLogic = "tools/bench/neuralogic/time_neuralogic.py";
constexpr std::array kPeerRunners{
    PeerRunner{"PyG", "", kTorchPeer, "pyg", "eager"},
    PeerRunner{"PyG compiled", "", kTorchPeer, "pyg", "compile", true},
    PeerRunner{"PyG captured", "", kTorchPeer, "pyg", "capture", false, kCuda},
    PeerRunner{"PyG fast", "", kTorchPeer, "fast", "eager"},
    PeerRunner{"torch", "", kTorchPeer, "torch", "eager"},
    PeerRunner{"torch compiled", "", kTorchPeer, "torch", "compile", true},
    PeerRunner{"torch captured", "", kTorchPeer, "torch", "capture", false, kCuda},
    PeerRunner{"by type", "", kTorchPeer, "types", "eager"},
    PeerRunner{"by type captured", "", kTorchPeer, "types", "capture", false, kCuda},
    PeerRunner{"Neumann", "", kNeumann, "", "", false, kCpu},
    PeerRunner{"NeuraLogic", "", kNeuraLogic},
    PeerRunner{"vecc torch -O0", "torch", "", "", "capture", false, kCuda, 0},
    PeerRunner{"vecc torch", "torch", "", "", "eager"},
    PeerRunner{"vecc torch captured", "torch", "", "", "capture", false, kCuda},
    PeerRunner{"vecc cpu", "cpu", "", "", "", true, kCpu},
    PeerRunner{"vecc cuda", "cuda", "", "", "", true, kCuda},
};

// What a Python must have for a peer's script.
constexpr const char* kPythonProbe =
    "import importlib.util as u, sys\n"
    "sys.exit(not all(u.find_spec(name) for name in ('numpy', 'torch', 'torch_geometric')))";
constexpr const char* kPythonRemedy =
    "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt "
    "-r tools/bench/pyg/requirements.txt; then --python=.venv/bin/python";
constexpr const char* kNeumannRemedy =
    "git clone https://github.com/neumannjan/nn-structural-graph-vectorizer-compiler, and pip "
    "install torch-scatter for its own sums";

// A matrix for each type, that rows are multiplied with type by type.
bool has_typed_matrices(const PeerCase& what) {
  return what.is_typed() || what.model == "transr" || what.model == "rescal";
}

}  // namespace

std::span<const PeerRunner> peer_runners() {
  return kPeerRunners;
}

bool is_torch_peer(const PeerRunner& runner) {
  return runner.script == kTorchPeer;
}

bool is_neumann(const PeerRunner& runner) {
  return runner.script == kNeumann;
}

bool has_line(const PeerRunner& runner, const PeerCase& what, const PeersBenchOptions& options) {
  if (runner.device != kAny && runner.device != options.device.kind) return false;
  if (runner.layers == "fast") return what.model == "rgcn";
  if (runner.layers == "types") return has_typed_matrices(what);
  if (runner.layers == "torch" || runner.layers == "pyg") {
    return what.is_score() == (runner.layers == "torch");
  }
  if (is_neumann(runner)) return !what.is_score();
  const bool of_mutagenesis =
      runner.level == 0 || (options.on_gpu() && runner.script == kNeuraLogic);
  return !of_mutagenesis || what.set == "mutagenesis";
}

PeerRow absent_row(PeerRow row, std::string why, std::string remedy) {
  row.absent = std::move(why);
  row.remedy = std::move(remedy);
  return row;
}

bool can_start(const PeerRunner& runner, const PeerCase& what, const PeersBenchOptions& options,
               PeerRow& row) {
  if (!row.peer) return true;
  if (is_torch_peer(runner) && what.is_random()) {
    row = absent_row(row, "a random graph is in no file that its script reads", "");
  } else if (is_torch_peer(runner) && what.set == "mutagenesis") {
    row = absent_row(row, "no layer of PyTorch Geometric is this template's", "");
  } else if (runner.script == kNeuraLogic && what.set != "mutagenesis") {
    row = absent_row(row, "only its own molecules and their templates are run", "");
  } else if (is_neumann(runner) && options.neumann.empty()) {
    row = absent_row(row, "no --neumann=FOLDER is given", kNeumannRemedy);
  } else if (!run_child({.file = options.python, .arguments = {"-c", kPythonProbe}})) {
    row = absent_row(row, options.python + " has no torch_geometric", kPythonRemedy);
  }
  return row.absent.empty();
}

}  // namespace vecc::tools
