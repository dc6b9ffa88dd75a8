#include "measure.h"

#include <sched.h>

#include <chrono>
#include <fstream>
#include <string_view>

#include "timed_runs.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::tools {
namespace {

/// The CPU it runs on stays the only one: libraries cannot spread over more.
void stay_on_one_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int cpu = ::sched_getcpu();
  if (cpu < 0) return;
  CPU_SET(static_cast<unsigned>(cpu), &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

template <class Measurement, class Visit>
void for_each_field(Measurement& m, Visit&& visit) {
  visit("neurons", m.neurons);
  visit("edges", m.edges);
  visit("layers", m.layers);
  visit("import_seconds", m.import_seconds);
  visit("vectorize_seconds", m.vectorize_seconds);
  visit("optimize_seconds", m.optimize_seconds);
  visit("rows", m.rows);
  visit("optimized_rows", m.optimized_rows);
  visit("peak_bytes", m.peak_bytes);
  visit("graph_bytes", m.graph_bytes);
}

}  // namespace

Result<std::uint64_t> status_bytes(std::string_view name) {
  std::ifstream file("/proc/self/status");
  for (std::string key; file >> key; file.ignore(4096, '\n')) {
    std::uint64_t kilobytes = 0;
    if (key == std::string(name) + ":" && file >> kilobytes) return kilobytes * 1024;
  }
  return Errors(ErrorCode::FileUnreadable, "/proc/self/status", "no line " + std::string(name));
}

nlohmann::ordered_json json_of(const CompileMeasurement& m) {
  nlohmann::ordered_json json;
  for_each_field(m, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

CompileMeasurement measurement_of(const nlohmann::ordered_json& json) {
  CompileMeasurement m;
  for_each_field(m, [&](const char* name, auto& value) { json.at(name).get_to(value); });
  return m;
}

Result<CompileMeasurement> measure_compile(const std::string& path, std::uint32_t level) {
  stay_on_one_cpu();
  VECC_TRY(const std::uint64_t before, status_bytes("VmRSS"));
  CompileMeasurement m;
  auto start = std::chrono::steady_clock::now();
  VECC_TRY(const NeuronGraph graph, read_graph(path));
  m.import_seconds = seconds_since(start);
  start = std::chrono::steady_clock::now();
  VECC_TRY(Vectorized vectorized, vectorize(graph));
  m.vectorize_seconds = seconds_since(start);
  m.rows = statistics(vectorized.program).rows;
  OptimizeOptions options;
  options.level = level;
  start = std::chrono::steady_clock::now();
  VECC_TRY(const Program optimized, optimize(std::move(vectorized.program), options));
  m.optimize_seconds = seconds_since(start);
  m.optimized_rows = statistics(optimized).rows;
  VECC_TRY(const std::uint64_t peak, status_bytes("VmHWM"));
  m.neurons = graph.neuron_count();
  m.edges = graph.edge_count();
  m.layers = vectorized.report.layers;
  m.peak_bytes = peak > before ? peak - before : 0;
  m.graph_bytes = graph.bytes();
  return m;
}

}  // namespace vecc::tools
