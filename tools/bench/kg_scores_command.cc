// vecc-bench kg-scores: forward scores of batches of triples, alone, beside torch: cuKE's table.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "command.h"
#include "kg_scores.h"
#include "peer_script.h"
#include "src/support/quantity_text.h"
#include "src/support/temporary_folder.h"
#include "tools/common/interrupt.h"
#include "tools/common/number_options.h"
#include "tools/import/load/loaders.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

using Json = nlohmann::ordered_json;

struct KgScoresOptions {
  std::vector<std::string> data;
  std::vector<std::string> models{kScoresOfTable.begin(), kScoresOfTable.end()};
  std::vector<std::string> kinds{"positives", "negatives"};
  std::vector<std::uint32_t> batch_sizes{4096, 8192, 16384};
  std::vector<std::uint32_t> dims{512, 1024};
  TimeOptions time;
  std::vector<std::string> peers{"torch"};
  std::string python = "python3";
  std::uint32_t give_up_seconds = 60;
};

template <class T>
Result<void> write_raw(const std::string& path, const std::vector<T>& numbers) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(T)));
  if (file.flush()) return {};
  return Errors(ErrorCode::CannotWrite, escape_terminal(path, 4096), "cannot be written");
}

// The script reads tables, triples and vecc's scores as they lie here.
Result<nlohmann::json> run_torch(const KgScoresOptions& options, const ScoreCase& what,
                                 const MeasuredScores& measured) {
  const DeferInterrupt defer;  // the folder must go first
  VECC_TRY(const TemporaryFolder folder,
           TemporaryFolder::create(std::filesystem::temp_directory_path(), "vecc-kg-scores"));
  for (const ScoreTable& table : measured.data.tables) {
    VECC_TRY_VOID(write_raw(folder.path() + "/" + table.name, table.values));
  }
  VECC_TRY_VOID(write_raw(folder.path() + "/triples", measured.data.triples));
  VECC_TRY_VOID(write_raw(folder.path() + "/scores", measured.time.found));
  const ExecutionOptions& execution = options.time.execution;
  const std::string device = options.time.backend == "cuda"
                                 ? fmt::format("cuda:{}", execution.device.index)
                                 : std::string("cpu");
  return run_peer_script(
      options.python, "tools/bench/kg/time_scores.py",
      {"--folder=" + folder.path(), "--model=" + what.model, fmt::format("--dim={}", what.dim),
       "--device=" + device, fmt::format("--threads={}", execution.threads),
       fmt::format("--warmup={}", options.time.warmup),
       fmt::format("--repeat={}", options.time.repeat),
       fmt::format("--give-up={}", options.give_up_seconds)},
      "eager");
}

double median_of(std::vector<double> seconds) {
  return summarize_timing(seconds).median;
}

std::string microseconds_of(double seconds) {
  return seconds > 0 ? fmt::format("{:.1f}", seconds * 1e6) : "-";
}

/// A table's lines of one case, and its JSON.
class CaseReport {
 public:
  CaseReport(const std::string& set, const ScoreCase& what, BenchTable& table)
      : table_(table),
        cells_{set, what.model, what.negatives ? "negatives" : "positives",
               std::to_string(what.batch_size), std::to_string(what.dim)},
        json_{{"set", set},
              {"model", what.model},
              {"kind", cells_[2]},
              {"batch_size", what.batch_size},
              {"dim", what.dim}} {}

  void add(const std::string& runner, double seconds, double on_device, std::uint64_t bytes,
           double difference) {
    if (runner == "vecc") ours_ = seconds;
    const std::string times =
        runner != "vecc" && ours_ > 0 ? fmt::format("{:.1f}", seconds / ours_) : "";
    line(runner, microseconds_of(seconds), microseconds_of(on_device),
         bytes > 0 ? text_of_bytes(bytes) : "-", times, "");
    json_["runners"][runner] = {{"seconds", seconds}, {"bytes", bytes}, {"difference", difference}};
    if (on_device > 0) json_["runners"][runner]["device_seconds"] = on_device;
  }
  void fail(const std::string& runner, const std::string& why) {
    line(runner, "-", "-", "-", "", escape_terminal(why, 160));
    json_["runners"][runner] = {{"error", why}};
  }
  [[nodiscard]] const Json& json() const { return json_; }

 private:
  void line(const std::string& runner, const std::string& us, const std::string& gpu_us,
            const std::string& memory, const std::string& times, const std::string& words) {
    const auto& [set, model, kind, batch, dim] = cells_;
    table_.add({set, model, kind, batch, dim, runner, us, gpu_us, memory, times, words});
  }

  BenchTable& table_;
  std::array<std::string, 5> cells_;
  Json json_;
  double ours_ = 0;
};

void add_torch(const KgScoresOptions& options, const ScoreCase& what,
               const MeasuredScores& measured, CaseReport& report) {
  const auto json = run_torch(options, what, measured);
  if (!json) return report.fail("torch", json.error().text());
  for (const char* way : {"eager", "recorded"}) {
    if (!json->contains(way)) continue;
    const nlohmann::json& row = (*json)[way];
    const std::string runner = fmt::format("torch {}", way);
    if (row.contains("error")) {
      report.fail(runner, row["error"].get<std::string>());
      continue;
    }
    const nlohmann::json& device = row["device_seconds"];
    const double difference = row["difference"];
    if (!(difference <= 1e-3)) {
      report.fail(runner, fmt::format("its scores differ by {:.1e}", difference));
      continue;
    }
    report.add(runner, median_of(row["seconds"]), device.is_null() ? 0 : median_of(device),
               row["bytes"], difference);
  }
}

// What does not fit, or cannot be measured, has a line that says why.
Json measure_case(const KgScoresOptions& options, const TypedGraph& set, const ScoreCase& what,
                  BenchTable& table) {
  say("{}, {} of {}, {} numbers: {}", escape_terminal(set.name, 64), what.batch_size,
      what.negatives ? "negatives" : "positives", what.dim, what.model);
  CaseReport report(escape_terminal(set.name, 64), what, table);
  const auto measured = measure_scores(set, what, options.time, options.give_up_seconds);
  if (!measured) {
    report.fail("vecc", measured.error().text());
    return report.json();
  }
  const ScoreTime& time = measured->time;
  report.add("vecc", time.host.steady().median,
             time.on_device.seconds.empty() ? 0 : time.on_device.steady().median, time.bytes,
             time.difference);
  if (!options.peers.empty()) add_torch(options, what, *measured, report);
  return report.json();
}

std::vector<ScoreCase> cases_of(const KgScoresOptions& options) {
  std::vector<ScoreCase> cases;
  for (const std::string& model : options.models) {
    for (const std::uint32_t dim : options.dims) {
      for (const std::string& kind : options.kinds) {
        for (const std::uint32_t batch : options.batch_sizes) {
          cases.push_back({model, batch, dim, kind == "negatives"});
        }
      }
    }
  }
  return cases;
}

Result<BenchReport> measure_kg_scores(const KgScoresOptions& options) {
  VECC_TRY(const Backend* backend, backend_of(options.time));
  VECC_TRY_VOID(backend->available(options.time.execution.device));
  BenchTable table{{"set", -10},   {"score", -7},   {"kind", -10}, {"batch", 6},
                   {"dim", 5},     {"runner", -14}, {"us", 10},    {"GPU us", 10},
                   {"memory", 12}, {"times", 7},    {"", -1}};
  BenchReport report;
  report.json["backend"] = options.time.backend;
  Json& list = report.json["scores"] = Json::array();
  const DeferInterrupt defer;  // what was measured is printed
  for (const std::string& path : options.data) {
    VECC_TRY(const TypedGraph set, load_triples(path));
    for (const ScoreCase& what : cases_of(options)) {
      if (interrupt_pending()) break;
      list.push_back(measure_case(options, set, what, table));
    }
  }
  report.table = table.text();
  return report;
}

template <class T>
void add_list(CLI::App& command, const char* name, std::vector<T>& values, CLI::Validator check,
              const char* text) {
  command.add_option(name, values, text)
      ->delimiter(',')
      ->check(std::move(check.description("")))
      ->capture_default_str();
}

}  // namespace

void add_kg_scores(CLI::App& app, CommandBody& body) {
  auto options = std::make_shared<KgScoresOptions>();
  KgScoresOptions& o = *options;
  o.time.backend = "cpu";
  o.time.repeat = 200;
  CLI::App& command =
      *app.add_subcommand("kg-scores",
                          "Times forward scores of batches of triples, alone, and their memory: "
                          "of the first ones to train with, or of those with drawn tails");
  command.add_option("data", o.data, "Sets of triples, as vecc-import kg reads them")
      ->type_name("DIR|FILE")
      ->required();
  add_list(command, "--models", o.models, CLI::IsMember(o.models), "Scores");
  add_list(command, "--kinds", o.kinds, CLI::IsMember(o.kinds),
           "positives; negatives: tails are other entities, drawn uniformly");
  add_list(command, "--batch-sizes", o.batch_sizes, CLI::Range(1, 1 << 24), "Triples");
  add_list(command, "--dims", o.dims, CLI::Range(1, 1 << 16), "Numbers of an entity");
  add_timing_options(command, o.time);
  add_list(command, "--peers", o.peers, CLI::IsMember({"torch", "none"}),
           "Beside them: torch, on a GPU eager and recorded as a CUDA graph; none");
  command.add_option("--python", o.python, "A Python with torch")
      ->type_name("PYTHON")
      ->capture_default_str();
  add_whole(command, "--give-up", o.give_up_seconds, {1, 86400},
            "Seconds for the runs of one measurement; vecc's are 3 at least");
  add_measurement(
      command, body, BenchOutput::Json,
      [options] {
        std::erase(options->peers, "none");
        return measure_kg_scores(*options);
      },
      [options] { return options->data; });
}

}  // namespace vecc::tools
