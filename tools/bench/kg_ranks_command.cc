// vecc-bench kg-ranks: ranks of test triples among all entities, raw and filtered, of a set of
// FB15k-237's size, on the CPU, on a GPU, and by torch on the same numbers.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command.h"
#include "kg_bench.h"
#include "peer_script.h"
#include "src/kg/cuda/cuda_ranks.h"
#include "src/kg/evaluation.h"
#include "src/kg/train/draws.h"
#include "src/support/temporary_folder.h"
#include "tools/common/number_options.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kKnownTriples = 310116;
constexpr std::uint32_t kTestTriples = 20466;

struct KgRanksOptions {
  std::vector<std::string> models{"distmult", "complex", "rescal", "transe", "rotate"};
  std::vector<std::string> runners{"cpu"};
  kg::TripleTrainOptions train;  ///< what embeddings begin as
  std::uint32_t triples = kTestTriples;
  std::uint32_t repeat = 5;
  std::string python = "python3";
};

struct RanksTime {
  double prepare_seconds = 0;  ///< before the first ranks: what is done once
  double seconds = 0;          ///< of ranks, the median of the repetitions
  double mrr = 0;              ///< filtered, both sides
};

// Some entities are in many: a tenth of them in nearly half of the places.
std::vector<kg::Triple> triples_with_hubs() {
  const kg::Draws draws(1, kg::DrawStream::Order, 0);
  const auto entity = [&](std::uint64_t position) {
    const double place = std::pow(draws.uniform(position), 3) * kKgEntities;
    return std::min(static_cast<std::uint32_t>(place), kKgEntities - 1);
  };
  std::vector<kg::Triple> triples;
  for (std::uint64_t i = 0; i < kKnownTriples; ++i) {
    triples.push_back({entity(3 * i), draws.below(3 * i + 1, kKgRelations), entity(3 * i + 2)});
  }
  return triples;
}

double seconds_of(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double filtered_mrr(std::span<const kg::Rank> ranks) {
  double sum = 0;
  for (const kg::Rank& rank : ranks) sum += 1 / rank.filtered;
  return sum / static_cast<double>(ranks.size());
}

// `rank()` returns ranks; once to warm up.
Result<RanksTime> time_ranks(std::uint32_t repeat,
                             const std::function<Result<std::vector<kg::Rank>>()>& rank) {
  std::vector<double> seconds;
  RanksTime time;
  for (std::uint32_t i = 0; i <= repeat; ++i) {
    Result<std::vector<kg::Rank>> ranks = std::vector<kg::Rank>();
    const double taken = seconds_of([&] { ranks = rank(); });
    if (!ranks) return ranks.error();
    time.mrr = filtered_mrr(*ranks);
    if (i > 0) seconds.push_back(taken);
  }
  std::ranges::sort(seconds);
  time.seconds = seconds[seconds.size() / 2];
  return time;
}

Result<kg::Embeddings> drawn_embeddings(const KgRanksOptions& options, const std::string& model) {
  VECC_TRY(kg::TripleTrainOptions train, options_of_model(options.train, model));
  if (train.model == kg::ScoreModel::ComplEx || train.model == kg::ScoreModel::RotatE) {
    train.dim /= 2;
  }
  VECC_TRY(const auto trainer,
           kg::make_triple_trainer({{0, 0, 1}}, kKgEntities, kKgRelations, train));
  return trainer->embeddings();
}

template <class T>
Result<void> write_numbers(const std::string& path, std::span<const T> numbers) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size_bytes()));
  if (file.flush()) return {};
  return Errors(ErrorCode::CannotWrite, escape_terminal(path, 4096), "cannot be written");
}

// The script reads tables and triples as they lie here.
Result<RanksTime> time_torch(const KgRanksOptions& options, const std::string& model,
                             const kg::Embeddings& e, std::span<const kg::Triple> asked,
                             std::span<const kg::Triple> known, bool on_gpu) {
  VECC_TRY(const TemporaryFolder folder,
           TemporaryFolder::create(std::filesystem::temp_directory_path(), "vecc-kg-ranks"));
  const auto& tables = std::get<kg::EmbeddingTables<float>>(e.tables);
  const auto write = [&](const char* name, const auto& numbers) {
    using T = std::remove_cvref_t<decltype(numbers[0])>;
    return write_numbers<T>(folder.path() + "/" + name, numbers);
  };
  VECC_TRY_VOID(write("entities", tables.entities));
  VECC_TRY_VOID(write("relations", tables.relations));
  VECC_TRY_VOID(write("matrices", tables.matrices));
  VECC_TRY_VOID(write("shared", tables.shared));
  VECC_TRY_VOID(write("asked", asked));
  VECC_TRY_VOID(write("known", known));
  VECC_TRY(const nlohmann::json json,
           run_peer_script(options.python, "tools/bench/kg/time_ranks.py",
                           {"--folder=" + folder.path(), "--model=" + model,
                            fmt::format("--entities={}", e.entities),
                            fmt::format("--relations={}", e.relations),
                            on_gpu ? "--device=cuda" : "--device=cpu",
                            fmt::format("--threads={}", options.train.threads),
                            fmt::format("--repeat={}", options.repeat)},
                           "seconds"));
  return RanksTime{json["prepare_seconds"], json["seconds"], json["mrr"]};
}

Result<RanksTime> time_runner(const KgRanksOptions& options, const std::string& model,
                              const std::string& runner, const kg::Embeddings& e,
                              const std::vector<kg::Triple>& triples) {
  const std::span<const kg::Triple> asked = std::span(triples).first(options.triples);
  if (runner == "torch" || runner == "torch-cpu") {
    return time_torch(options, model, e, asked, triples, runner == "torch");
  }
  kg::RankOptions ranking;
  ranking.threads = options.train.threads;
  std::optional<kg::KnownTriples> known;
  Result<std::unique_ptr<kg::TripleRanker>> ranker = std::unique_ptr<kg::TripleRanker>();
  const double prepare_seconds = seconds_of([&] {
    known.emplace(triples);
    if (runner == "cuda") ranker = kg::make_cuda_ranker(e, asked, *known, ranking, 0);
  });
  if (!ranker) return ranker.error();
  VECC_TRY(RanksTime time, time_ranks(options.repeat, [&]() -> Result<std::vector<kg::Rank>> {
             return *ranker != nullptr ? (*ranker)->rank()
                                       : kg::rank_triples(e, asked, *known, ranking);
           }));
  time.prepare_seconds = prepare_seconds;
  return time;
}

Result<BenchReport> measure_ranks(const KgRanksOptions& options) {
  const std::vector<kg::Triple> triples = triples_with_hubs();
  BenchTable table{{"score", -10}, {"ranks by", -10}, {"ms", 12}, {"once ms", 12}, {"mrr", 10}};
  BenchReport report;
  report.json["triples"] = options.triples;
  report.json["entities"] = kKgEntities;
  report.json["dim"] = options.train.dim;
  Json& list = report.json["ranks"] = Json::array();
  for (const std::string& model : options.models) {
    VECC_TRY(const kg::Embeddings e, drawn_embeddings(options, model));
    for (const std::string& runner : options.runners) {
      say("{}, {}", model, runner);
      VECC_TRY(const RanksTime time, time_runner(options, model, runner, e, triples));
      table.add({model, runner, fmt::format("{:.1f}", time.seconds * 1e3),
                 fmt::format("{:.1f}", time.prepare_seconds * 1e3),
                 fmt::format("{:.6f}", time.mrr)});
      list.push_back({{"model", model},
                      {"runner", runner},
                      {"seconds", time.seconds},
                      {"prepare_seconds", time.prepare_seconds},
                      {"mrr", time.mrr}});
    }
  }
  report.table = table.text();
  return report;
}

}  // namespace

void add_kg_ranks(CLI::App& app, CommandBody& body) {
  auto options = std::make_shared<KgRanksOptions>();
  KgRanksOptions& o = *options;
  o.train.dim = 400;
  o.train.relation_dim = 30;
  CLI::App& command =
      *app.add_subcommand("kg-ranks",
                          "Times filtered and raw ranks of both sides, of triples of "
                          "FB15k-237's size, by embeddings as a training begins with them");
  command
      .add_option("--models", o.models,
                  "Scores; complex and rotate: of half as many complex numbers")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--score", o.train.formula, "Of --models=formula")->type_name("FORMULA");
  add_whole(command, "--relation-dim", o.train.relation_dim, {1, 1 << 20},
            "Of formula and tucker: numbers of r");
  command
      .add_option("--runners", o.runners,
                  "What ranks: vecc's cpu and cuda, torch (on a GPU: distmult, complex, rescal, "
                  "tucker, transe, rotate), torch-cpu")
      ->delimiter(',')
      ->check(CLI::IsMember({"cpu", "cuda", "torch", "torch-cpu"}).description(""))
      ->capture_default_str();
  add_whole(command, "--dim", o.train.dim, {2, 1 << 20}, "Numbers of an entity");
  add_whole(command, "--triples", o.triples, {1, kKnownTriples}, "That are ranked, on both sides");
  add_whole(command, "--threads", o.train.threads, {0, 4096}, "0: one a processor");
  add_whole(command, "--repeat", o.repeat, {1, 1 << 10}, "Repetitions; the median counts");
  command.add_option("--python", o.python, "One that has torch, for its runners")
      ->capture_default_str();
  add_measurement(command, body, BenchOutput::Json, [options] { return measure_ranks(*options); });
}

}  // namespace vecc::tools
