#include "compile_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/support/quantity_text.h"

namespace vecc::tools {
namespace {

double per_edge(std::uint64_t bytes, const CompileMeasurement& m) {
  return static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(m.edges, 1));
}

}  // namespace

std::string table_of(const std::vector<CompileRow>& rows) {
  constexpr const char* kFormat =
      "{:>6} {:>12} {:>12} {:>10} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}\n";
  std::string text =
      fmt::format(fmt::runtime(kFormat), "copies", "neurons", "edges", "import s", "vectorize s",
                  "optimize s", "rows left", "neurons/s", "peak B/edge", "graph B/edge");
  for (const CompileRow& row : rows) {
    const CompileMeasurement& m = row.median;
    text += fmt::format(fmt::runtime(kFormat), row.times, text_of_count(m.neurons),
                        text_of_count(m.edges), fmt::format("{:.4f}", m.import_seconds),
                        fmt::format("{:.4f}", m.vectorize_seconds),
                        fmt::format("{:.4f}", m.optimize_seconds), text_of_count(m.optimized_rows),
                        text_of_count(static_cast<std::uint64_t>(row.neurons_per_second)),
                        fmt::format("{:.1f}", per_edge(m.peak_bytes, m)),
                        fmt::format("{:.1f}", per_edge(m.graph_bytes, m)));
  }
  return text;
}

nlohmann::ordered_json json_of(const CompileBenchOptions& options,
                               const std::vector<CompileRow>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CompileRow& row : rows) {
    const CompileMeasurement& m = row.median;
    nlohmann::ordered_json entry{{"times", row.times}};
    entry.update(json_of(m));
    entry["neurons_per_second"] = row.neurons_per_second;
    entry["peak_bytes_per_edge"] = per_edge(m.peak_bytes, m);
    entry["graph_bytes_per_edge"] = per_edge(m.graph_bytes, m);
    entry["runs"] = nlohmann::ordered_json::array();
    for (const CompileMeasurement& run : row.runs) entry["runs"].push_back(json_of(run));
    list.push_back(std::move(entry));
  }
  return {{"benchmark", "compile"},
          {"input", options.input},
          {"cpus", 1},
          {"repeat", options.repeat},
          {"rows", list}};
}

}  // namespace vecc::tools
