#include "peers_runners.h"

#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "ground_graph.h"
#include "src/support/cache_folder.h"
#include "src/support/child_process.h"
#include "tools/common/interrupt.h"

namespace vecc::tools {
namespace {

namespace fs = std::filesystem;

struct PeerProcess {
  std::string text;     // what it printed: rows, one a line, each with more in it
  std::string failure;  // empty: none

  // A line that was cut off when the process was ended does not count. Throws.
  [[nodiscard]] nlohmann::json last_row() const {
    const std::string whole = text.substr(0, text.rfind('\n'));
    return nlohmann::json::parse(whole.substr(whole.rfind('\n') + 1));
  }
};

// Ended after so many seconds, or when we are.
PeerProcess run_limited(const ChildCommand& command, double seconds) {
  auto started = ChildProcess::start(command);
  if (!started) return {"", started.error().text()};
  ChildProcess& child = *started;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (bool more = true; more;) {
    pollfd ready{child.descriptor(), POLLIN, 0};
    if (::poll(&ready, 1, 200) > 0) more = child.read_some();
    const bool late = std::chrono::steady_clock::now() > end;
    if (!more || (!late && !interrupt_pending())) continue;
    child.kill();
    (void)child.wait();
    return {child.text(),
            late ? fmt::format("it took more than {:.0f} s", seconds) : "interrupted"};
  }
  const std::string failure = child.wait();
  return {child.text(), failure.empty() ? "" : "it failed (" + failure + "), see stderr"};
}

TimedRuns series_in(const nlohmann::json& row, const char* name) {
  if (!row.contains(name)) return {};
  return {row[name].at("warmup"), row[name].at("seconds").get<std::vector<double>>()};
}

// What a runner computed that is not what vecc computes, in words.
std::optional<std::string> difference_in(const nlohmann::json& json) {
  for (const char* name : {"difference", "gradient_difference"}) {
    const bool outputs = std::string_view(name) == "difference";
    const double most = json.value(outputs ? "tolerance" : "gradient_tolerance", INFINITY);
    const double found = json.value(name, 0.0);
    if (found <= most) continue;
    return fmt::format("its {} differ by {:.1e}", outputs ? "outputs" : "gradients", found);
  }
  return std::nullopt;
}

// A runner's own words; throws nlohmann's exception on others.
void read_row(const nlohmann::json& json, PeerRow& row) {
  row.absent = json.value("absent", "");
  row.remedy = json.value("remedy", "");
  if (!row.absent.empty()) return;
  row.stopped = json.value("stopped", "");
  row.version = json.value("version", "");
  row.device = json.value("device", "");
  row.difference = json.value("difference", 0.0);
  if (json.contains("gradient_difference")) row.gradient_difference = json["gradient_difference"];
  if (const auto far = difference_in(json)) {
    row.absent = *far;
    return;
  }
  row.set_up = json.at("set_up");
  for (const PeerSeries& each : peer_series()) row.*each.series = series_in(json, each.name);
  row.first_loss = json.value("first_loss", 0.0);
  row.loaded_bytes = json.value("loaded_bytes", std::uint64_t{0});
  row.peak_bytes = json.value("peak_bytes", std::uint64_t{0});
}

void add_vecc_arguments(const PeerRunner& runner, const PeerCase& what,
                        const PeersBenchOptions& options, std::vector<std::string>& arguments) {
  arguments.insert(arguments.begin(), "peers-one");
  arguments.push_back("--backend=" + std::string(runner.backend));
  arguments.push_back(fmt::format("--level={}", runner.level));
  if (runner.way == "eager") arguments.emplace_back("--eager");
  if (runner.backend == "cuda") {
    arguments.push_back("--matmul-precision=" + std::string(text_of(options.precision)));
  }
  if (what.small_graphs) arguments.emplace_back("--mini-batches");
}

void add_script_arguments(const PeerRunner& runner, const PeerCase& what,
                          const PeersBenchOptions& options, std::vector<std::string>& arguments) {
  arguments.insert(arguments.begin(), {"-B", source_file(std::string(runner.script))});
  arguments.push_back("--case=" + what.line);
  if (is_neumann(runner)) arguments.push_back("--folder=" + options.neumann);
  if (!is_torch_peer(runner)) return;
  arguments.insert(arguments.end(),
                   {"--directory=" + what.source, "--layers=" + std::string(runner.layers),
                    "--way=" + std::string(runner.way)});
}

// Both scripts and vecc's own process take these.
ChildCommand command_of(const PeerRunner& runner, const PeerCase& what, const PeerFiles& files,
                        const PeersBenchOptions& options) {
  ChildCommand command;
  command.arguments = {
      "--graph=" + files.graph,
      "--outputs=" + files.outputs,
      options.on_gpu() ? fmt::format("--device=cuda:{}", options.device.index) : "--device=cpu",
      fmt::format("--loss={}", what.loss()),
      fmt::format("--threads={}", options.threads),
      fmt::format("--warmup={}", options.warmup),
      fmt::format("--repeat={}", options.repeat),
      fmt::format("--limit={}", options.limit)};
  if (!files.gradients.empty()) command.arguments.push_back("--gradients=" + files.gradients);
  if (what.is_score()) command.arguments.emplace_back("--forward-only");
  if (!runner.backend.empty()) {
    command.file = "/proc/self/exe";
    add_vecc_arguments(runner, what, options, command.arguments);
  } else {
    command.file = options.python;
    add_script_arguments(runner, what, options, command.arguments);
  }
  command.variables = {fmt::format("OMP_NUM_THREADS={}", options.threads),
                       "TORCHINDUCTOR_CACHE_DIR=" + files.folder + "/inductor",
                       "VECC_CACHE_DIR=" + files.folder + "/vecc"};
  return command;
}

// Caches that hold nothing but vecc's calibration of this machine.
Result<void> empty_caches(const PeerFiles& files) {
  std::error_code ignored;
  fs::remove_all(files.folder + "/inductor", ignored);
  fs::remove_all(files.folder + "/vecc", ignored);
  VECC_TRY_VOID(make_private_folder(files.folder + "/vecc"));
  VECC_TRY(const std::string calibration, cache_folder("cost"));
  fs::copy(calibration, files.folder + "/vecc/cost", fs::copy_options::recursive, ignored);
  return make_private_folder(files.folder + "/vecc/cost");
}

}  // namespace

Result<PeerRow> run_peer(const PeerRunner& runner, const PeerCase& what, const PeerFiles& files,
                         const PeersBenchOptions& options) {
  PeerRow row;
  row.runner = runner.name;
  row.peer = runner.backend.empty();
  if (!can_start(runner, what, options, row)) return row;
  VECC_TRY_VOID(empty_caches(files));
  ChildCommand command = command_of(runner, what, files, options);
  try {
    if (runner.compiles && !options.once) {
      ChildCommand cold = command;
      cold.arguments.emplace_back("--set-up-only");
      const PeerProcess process = run_limited(cold, options.give_up);
      if (!process.failure.empty()) return absent_row(row, process.failure, "");
      const auto json = process.last_row();
      if (!json.contains("absent")) row.set_up_cold = json.at("set_up");
    }
    const PeerProcess process = run_limited(command, options.give_up);
    const bool has_row = process.text.find('\n') != std::string::npos;
    if (!process.failure.empty() && !has_row) return absent_row(row, process.failure, "");
    read_row(process.last_row(), row);
    if (row.stopped.empty()) row.stopped = process.failure;
  } catch (const nlohmann::json::exception& error) {
    return absent_row(row, std::string("printed no times: ") + error.what(), "");
  }
  return row;
}

}  // namespace vecc::tools
