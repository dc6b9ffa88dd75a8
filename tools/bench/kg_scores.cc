#include "kg_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "ground_graph.h"
#include "src/kg/train/draws.h"
#include "src/support/child_process.h"
#include "src/support/quantity_text.h"
#include "src/support/temporary_folder.h"
#include "tools/common/device_cost.h"
#include "tools/common/interrupt.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kChecked = 64;
constexpr double kScoreTolerance = 1e-4;

// vecc-import numbers entities anew, in the order of the file: names are the set's numbers.
Result<void> write_triples(const std::string& path, std::span<const kg::Triple> triples) {
  std::ofstream file(path);
  for (const kg::Triple& t : triples) {
    file << fmt::format("{}\t{}\t{}\n", t.head, t.relation, t.tail);
  }
  if (file.flush()) return {};
  return Errors(ErrorCode::CannotWrite, path, "cannot be written");
}

std::vector<kg::Triple> all_triples(const TypedGraph& set) {
  std::vector<kg::Triple> triples;
  for (std::size_t i = 0; i < set.edge_count(); ++i) {
    triples.push_back({set.source[i], set.relation[i], set.target[i]});
  }
  return triples;
}

// The batch is the only train.txt; valid.txt names all entities and relations, for their tables.
Result<NeuronGraph> ground_batch(const TypedGraph& set, std::span<const kg::Triple> batch,
                                 const ScoreCase& what) {
  VECC_TRY(const std::string import, sibling("vecc-import"));
  const DeferInterrupt defer;  // the folder must go first
  VECC_TRY(const TemporaryFolder folder,
           TemporaryFolder::create(std::filesystem::temp_directory_path().string(), "vecc-bench"));
  VECC_TRY_VOID(write_triples(folder.path() + "/train.txt", batch));
  VECC_TRY_VOID(write_triples(folder.path() + "/valid.txt", all_triples(set)));
  const std::string path = folder.path() + "/graph.pb";
  VECC_TRY_VOID(
      run_child({.file = import,
                 .arguments = {"kg", folder.path(), "--model=" + what.model,
                               fmt::format("--dim={}", what.dim), "--negatives=0",
                               "--triples=train", "--init=none", "--quiet", "-o", path}}));
  return read_graph(path);
}

// Of the host: the graph's numbers in double, their copy in a Program and one in single precision.
Result<void> check_host_memory(const TypedGraph& set, const ScoreCase& what) {
  const std::uint64_t d = what.dim;
  const bool matrices = what.model == "transr" || what.model == "rescal";
  const std::uint64_t numbers =
      set.node_count * d + set.relation_count() * (matrices ? d * d + d : 2 * d);
  const std::uint64_t needed = numbers * (2 * sizeof(double) + 2 * sizeof(float));
  std::ifstream file("/proc/meminfo");
  std::string word;
  std::uint64_t kibibytes = 0;
  while (file >> word && word != "MemAvailable:") {
  }
  if (!(file >> kibibytes) || kibibytes * 1024 >= needed) return {};
  return Errors(ErrorCode::OutOfMemory, what.model,
                fmt::format("tables need {} of the host's memory, {} are free",
                            text_of_bytes(needed), text_of_bytes(kibibytes * 1024)));
}

// Rows by the set's numbers, which are the rows' names.
Result<std::vector<std::uint32_t>> rows_by_number(const WeightTable& table, std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t row = 0; row < table.row_names.size(); ++row) {
    const std::string_view name = table.row_names[row];
    std::size_t number = count;
    std::from_chars(name.data(), name.data() + name.size(), number);
    VECC_CHECK(number < count, "a row is named by the set's number");
    rows[number] = row;
  }
  return rows;
}

Result<ScoreData> data_of(const NeuronGraph& graph, const TypedGraph& set,
                          std::span<const kg::Triple> batch) {
  ScoreData data;
  std::vector<std::uint32_t> entities;
  std::vector<std::uint32_t> relations;
  for (const WeightTable& table : graph.weight_tables) {
    if (!table.learnable) continue;
    const bool of_entities = table.name == "e";
    auto& rows = of_entities ? entities : relations;
    VECC_TRY(rows, rows_by_number(table, of_entities ? set.node_count : set.relation_count()));
    std::vector<float> values(table.values.size());
    table.values.copy_to(0, values);
    data.tables.push_back({table.name, table.count, static_cast<std::uint32_t>(table.shape.size()),
                           std::move(values)});
  }
  for (const kg::Triple& t : batch) {
    data.triples.push_back({entities[t.head], relations[t.relation], entities[t.tail]});
  }
  return data;
}

// `run` says how long it took.
template <class Run>
Result<TimedRuns> time_runs(const TimeOptions& options, double most_seconds, Run&& run) {
  TimedRuns runs;
  const auto repeat = [&](std::uint32_t times, std::uint32_t least, double most) -> Result<void> {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < times && (i < least || seconds_since(begin) < most); ++i) {
      VECC_TRY(runs.seconds.emplace_back(), run());
    }
    return {};
  };
  VECC_TRY_VOID(repeat(options.warmup, 0, most_seconds / 4));
  runs.warmup = static_cast<std::uint32_t>(runs.seconds.size());
  VECC_TRY_VOID(repeat(options.repeat, 3, most_seconds));
  return runs;
}

Result<void> read_scores(Executable& executable, const std::string& model, const ScoreData& data,
                         ScoreTime& time) {
  VECC_TRY(const auto outputs, executable.outputs());
  VECC_CHECK(outputs.size() == data.triples.size(), "one output a triple");
  for (const auto& output : outputs) time.found.push_back(static_cast<float>(output.value.at(0)));
  const std::size_t step = std::max<std::size_t>(1, outputs.size() / kChecked);
  for (std::size_t i = 0; i < outputs.size(); i += step) {
    const double wanted = direct_score(data, model, data.triples[i]);
    const double far = std::abs(time.found[i] - wanted) / std::max(1.0, std::abs(wanted));
    if (!(far <= kScoreTolerance)) {
      return Errors(
          ErrorCode::DeviceFailure, model,
          fmt::format("the score of triple {} is {}, expected {}", i, time.found[i], wanted));
    }
    time.difference = std::max(time.difference, far);
  }
  return {};
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> row_of(const ScoreTable& table, std::uint32_t row) {
  const auto begin = table.values.begin() + std::size_t{row} * table.size;
  return {begin, begin + table.size};
}

std::vector<double> multiply(std::span<const double> matrix, std::span<const double> x) {
  std::vector<double> y(matrix.size() / x.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = dot(matrix.subspan(i * x.size(), x.size()), x);
  return y;
}

std::vector<double> project(std::vector<double> x, std::span<const double> normal) {
  const double along = dot(normal, x) / dot(normal, normal);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= along * normal[i];
  return x;
}

}  // namespace

Result<std::vector<kg::Triple>> batch_of(const TypedGraph& set, const ScoreCase& what) {
  std::vector<kg::Triple> batch;
  const kg::Draws draws(1, kg::DrawStream::Order, 0);
  std::uint64_t draw = 0;
  std::set<std::array<std::uint32_t, 3>> seen;
  for (std::size_t i = 0; i < set.edge_count() && batch.size() < what.batch_size; ++i) {
    if (!set.edge_split.empty() && set.edge_split[i] != Split::Train) continue;
    kg::Triple t{set.source[i], set.relation[i], set.target[i]};
    if (what.negatives) {
      const std::uint32_t positive = t.tail;
      for (std::uint32_t tries = 0; tries < 1000; ++tries) {
        t.tail = draws.below(draw++, set.node_count);
        if (t.tail != positive && !seen.contains({t.head, t.relation, t.tail})) break;
      }
      if (t.tail == positive) continue;  // no other entity is left
    }
    if (seen.insert({t.head, t.relation, t.tail}).second) batch.push_back(t);
  }
  if (batch.size() == what.batch_size) return batch;
  return Errors(ErrorCode::Usage, "--batch-sizes",
                fmt::format("found {}, but {} has {} triples to train with", what.batch_size,
                            set.name, batch.size()));
}

const ScoreTable* ScoreData::table(std::string_view name) const {
  const auto found = std::ranges::find(tables, name, &ScoreTable::name);
  return found == tables.end() ? nullptr : &*found;
}

double direct_score(const ScoreData& data, const std::string& model, const kg::Triple& triple) {
  const ScoreTable& e = *data.table("e");
  std::vector<double> h = row_of(e, triple.head);
  std::vector<double> t = row_of(e, triple.tail);
  if (model == "rescal") return dot(h, multiply(row_of(*data.table("M"), triple.relation), t));
  const std::vector<double> r = row_of(*data.table("r"), triple.relation);
  if (model == "transf") return 2 * dot(h, t) + dot(r, t) - dot(h, r);
  if (model == "transr") {
    const std::vector<double> m = row_of(*data.table("M"), triple.relation);
    h = multiply(m, h);
    t = multiply(m, t);
  } else if (model == "transh") {
    const std::vector<double> w = row_of(*data.table("w"), triple.relation);
    h = project(std::move(h), w);
    t = project(std::move(t), w);
  }
  double sum = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double d = h[i] + r[i] - t[i];
    sum += model == "transe" ? std::abs(d) : d * d;
  }
  return -sum;
}

Result<MeasuredScores> measure_scores(const TypedGraph& set, const ScoreCase& what,
                                      const TimeOptions& options, double most_seconds) {
  VECC_TRY_VOID(check_host_memory(set, what));
  VECC_TRY(const std::vector<kg::Triple> batch, batch_of(set, what));
  VECC_TRY(NeuronGraph graph, ground_batch(set, batch, what));
  initialize_weights(graph, Initializer::Glorot, 1);
  MeasuredScores result;
  VECC_TRY(result.data, data_of(graph, set, batch));
  VECC_TRY(const Backend* backend, backend_of(options));
  VECC_TRY(const DeviceCost cost, find_device_cost(*backend, options.execution));
  VECC_TRY(Vectorized vectorized, vectorize(graph));
  graph = {};
  OptimizeOptions optimizing;
  optimizing.cost = cost.coefficients;
  optimizing.threads = options.execution.threads;
  VECC_TRY(const Program program, optimize(std::move(vectorized.program), optimizing));
  VECC_TRY(const auto executable, backend->compile(program, options.execution));
  ScoreTime& time = result.time;
  time.device = cost.device;
  VECC_TRY_VOID(executable->run());
  VECC_TRY_VOID(read_scores(*executable, what.model, result.data, time));
  VECC_TRY(time.host, time_runs(options, most_seconds, [&]() -> Result<double> {
             const auto begin = std::chrono::steady_clock::now();
             VECC_TRY_VOID(executable->run());
             return seconds_since(begin);
           }));
  if (options.backend == "cuda") {
    VECC_TRY(time.on_device,
             time_runs(options, most_seconds, [&] { return executable->timed_run(); }));
  }
  time.bytes = executable->bytes();
  return result;
}

}  // namespace vecc::tools
