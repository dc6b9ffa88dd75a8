// vecc-bench kg: a step of vecc-kg train (forward, backward, update), with draws, on triples of the
// size of FB15k-237.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "kg_bench.h"
#include "kg_peers.h"
#include "src/kg/train/cuda/cuda_triple_trainer.h"
#include "src/kg/train/draws.h"
#include "src/support/quantity_text.h"
#include "tools/common/number_options.h"

namespace vecc::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kTriples = 272115;

struct KgBenchOptions {
  std::vector<std::string> models{"transe", "distmult", "rescal"};
  std::vector<std::uint32_t> batch_sizes{1024, 4096};
  kg::TripleTrainOptions train;
  std::string backend = "cpu";
  std::uint32_t steps = 200;
  std::uint32_t repeat = 5;
  bool launches = false;
  std::string python = "python3";
  std::vector<std::string> peers{"torch", "pykeen"};
  std::uint32_t give_up_seconds = 60;
};

struct StepTime {
  std::string model;
  std::uint32_t batch_size = 0;
  double seconds = 0;  // of a step, the median of the repetitions
  std::uint64_t bytes = 0;
  std::vector<kg::LaunchTime> launches;
};

std::vector<kg::Triple> drawn_triples() {
  const kg::Draws draws(1, kg::DrawStream::Order, 0);
  std::vector<kg::Triple> triples;
  for (std::uint64_t i = 0; i < kTriples; ++i) {
    triples.push_back({draws.below(3 * i, kKgEntities), draws.below(3 * i + 1, kKgRelations),
                       draws.below(3 * i + 2, kKgEntities)});
  }
  return triples;
}

Result<void> run_steps(kg::TripleTrainer& trainer, std::uint32_t steps) {
  for (std::uint32_t i = 0; i < steps; ++i) VECC_TRY_VOID(trainer.step());
  VECC_TRY([[maybe_unused]] const double loss, trainer.epoch_loss());  // waits for a GPU
  return {};
}

Result<StepTime> time_steps(const KgBenchOptions& options, const std::string& model,
                            std::uint32_t batch_size, const std::vector<kg::Triple>& triples) {
  VECC_TRY(kg::TripleTrainOptions train, options_of_model(options.train, model));
  train.batch_size = batch_size;
  const bool on_gpu = options.backend == "cuda";
  VECC_TRY(const auto trainer,
           on_gpu ? kg::make_cuda_triple_trainer(triples, kKgEntities, kKgRelations, train, 0)
                  : kg::make_triple_trainer(triples, kKgEntities, kKgRelations, train));
  StepTime result{model, batch_size, 0, 0, {}};
  VECC_TRY_VOID(run_steps(*trainer, std::max(1u, options.steps / 4)));
  std::vector<double> seconds;
  for (std::uint32_t i = 0; i < options.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    VECC_TRY_VOID(run_steps(*trainer, options.steps));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    seconds.push_back(taken.count() / options.steps);
  }
  std::ranges::sort(seconds);
  result.seconds = seconds[seconds.size() / 2];
  result.bytes = trainer->bytes();
  if (options.launches && on_gpu) {
    VECC_TRY(result.launches, kg::time_step_launches(triples, kKgEntities, kKgRelations, train, 0));
  }
  return result;
}

std::string microseconds(double seconds) {
  return fmt::format("{:.1f}", seconds * 1e6);
}

// Beside a step of vecc's: a line and an entry of each peer.
void add_peers_of(const KgBenchOptions& options, const StepTime& step, BenchTable& table,
                  Json& entry) {
  KgPeerCase of;
  of.python = options.python;
  of.model = step.model;
  of.on_gpu = options.backend == "cuda";
  of.steps = options.steps;
  of.repeat = options.repeat;
  of.give_up_seconds = options.give_up_seconds;
  of.entities = kKgEntities;
  of.relations = kKgRelations;
  of.triples = kTriples;
  of.train = options.train;
  of.train.batch_size = step.batch_size;
  for (const std::string& peer : options.peers) {
    const KgPeerTime time = time_kg_peer(peer, of);
    const std::string size = std::to_string(step.batch_size);
    const bool known = time.seconds > 0;
    table.add({step.model, size, peer, known ? microseconds(time.seconds) : "-",
               time.bytes > 0 ? text_of_bytes(time.bytes) : "-",
               known ? fmt::format("{:.1f}", time.seconds / step.seconds) : "-",
               known ? time.how : escape_terminal(time.why, 160)});
    Json& found = entry["peers"][peer];
    if (known) {
      found = {{"step_seconds", time.seconds}, {"bytes", time.bytes}, {"how", time.how}};
    } else {
      found = {{"error", time.why}};
    }
  }
}

Result<BenchReport> measure_kg(const KgBenchOptions& options) {
  const std::vector<kg::Triple> triples = drawn_triples();
  BenchTable table{{"score", -10}, {"batch", 8}, {"runner", -7}, {"us a step", 12},
                   {"memory", 12}, {"times", 7}, {"", -1}};
  BenchTable kernels{{"score", -10}, {"batch", 8}, {"kernel", -20}, {"blocks", 8}, {"us", 10}};
  BenchReport report;
  Json& list = report.json["steps"] = Json::array();
  for (const std::string& model : options.models) {
    for (const std::uint32_t batch_size : options.batch_sizes) {
      say("{}, batches of {}", model, batch_size);
      VECC_TRY(const StepTime time, time_steps(options, model, batch_size, triples));
      const std::string size = std::to_string(batch_size);
      table.add(
          {model, size, "vecc", microseconds(time.seconds), text_of_bytes(time.bytes), "", ""});
      Json entry{{"model", model},
                 {"batch_size", batch_size},
                 {"step_seconds", time.seconds},
                 {"bytes", time.bytes}};
      for (const kg::LaunchTime& launch : time.launches) {
        kernels.add({model, size, launch.kernel, std::to_string(launch.blocks),
                     microseconds(launch.seconds)});
        entry["launches"].push_back({{"kernel", launch.kernel}, {"seconds", launch.seconds}});
      }
      add_peers_of(options, time, table, entry);
      list.push_back(std::move(entry));
    }
  }
  report.table = table.text() + (options.launches ? "\n" + kernels.text() : "");
  return report;
}

}  // namespace

void add_kg(CLI::App& app, CommandBody& body) {
  auto options = std::make_shared<KgBenchOptions>();
  KgBenchOptions& o = *options;
  o.train.dim = 400;
  o.train.negatives.corruption = kg::Corruption::Head;
  o.train.optimizer.optimizer = Optimizer::Adagrad;
  o.train.schedule.base = 0.01;
  CLI::App& command =
      *app.add_subcommand("kg",
                          "Times steps of vecc-kg train, on triples of FB15k-237's size: "
                          "logistic loss, adagrad, the head is replaced");
  command.add_option("--models", o.models, "Scores")->delimiter(',')->capture_default_str();
  command.add_option("--score", o.train.formula, "Of --models=formula")->type_name("FORMULA");
  add_whole(command, "--relation-dim", o.train.relation_dim, {1, 1 << 20},
            "Of formula and tucker: numbers of r");
  command.add_option("--batch-sizes", o.batch_sizes, "Triples a step")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 24).description(""))
      ->capture_default_str();
  add_whole(command, "--dim", o.train.dim, {1, 1 << 20}, "Numbers of an entity");
  add_whole(command, "--negatives", o.train.negatives.count, {1, 1 << 24}, "Of a chunk");
  add_whole(command, "--chunk", o.train.negatives.chunk, {1, 1 << 24}, "Triples that share them");
  command.add_option("--backend", o.backend, "Where steps run")
      ->check(CLI::IsMember({"cpu", "cuda"}).description(""))
      ->type_name("cpu|cuda")
      ->capture_default_str();
  add_whole(command, "--threads", o.train.threads, {0, 4096}, "0: one a processor");
  add_whole(command, "--steps", o.steps, {1, 1 << 20}, "Of a repetition");
  add_whole(command, "--repeat", o.repeat, {1, 1 << 10}, "Repetitions; the median counts");
  command
      .add_option("--peers", o.peers,
                  "Beside each step: torch, recorded as a CUDA graph on a GPU; pykeen; none")
      ->delimiter(',')
      ->check(CLI::IsMember({"torch", "pykeen", "none"}).description(""))
      ->capture_default_str();
  command.add_option("--python", o.python, "A Python with torch and PyKEEN")
      ->type_name("PYTHON")
      ->capture_default_str();
  add_whole(command, "--give-up", o.give_up_seconds, {1, 86400}, "Seconds for a peer of a step");
  command.add_flag("--launches", o.launches, "Also each kernel of a step alone, on a GPU");
  add_measurement(command, body, BenchOutput::Json, [options] {
    std::erase(options->peers, "none");
    return measure_kg(*options);
  });
}

}  // namespace vecc::tools
