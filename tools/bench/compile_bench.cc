#include "compile_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <type_traits>

#include "command.h"
#include "src/support/child_process.h"
#include "src/support/temporary_folder.h"
#include "tools/common/interrupt.h"
#include "vecc/graph_io.h"

namespace vecc::tools {
namespace {

// The middle one (of an even number, the lower of the two). `value`: a field or a method.
template <class Value>
auto median_of(const std::vector<CompileMeasurement>& runs, Value value) {
  std::vector<std::decay_t<std::invoke_result_t<Value, const CompileMeasurement&>>> values;
  for (const CompileMeasurement& run : runs) values.push_back(std::invoke(value, run));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

CompileRow summarize(std::uint32_t times, std::vector<CompileMeasurement> runs) {
  using M = CompileMeasurement;
  CompileRow row{times, runs.front(), median_of(runs, &M::neurons_per_second), {}};
  for (const auto seconds : {&M::import_seconds, &M::vectorize_seconds, &M::optimize_seconds}) {
    row.median.*seconds = median_of(runs, seconds);
  }
  row.median.peak_bytes = median_of(runs, &M::peak_bytes);
  row.runs = std::move(runs);
  return row;
}

Result<CompileRow> bench_size(const std::string& path, const CompileBenchOptions& options,
                              std::uint32_t times) {
  std::vector<CompileMeasurement> runs;
  for (std::uint32_t i = 0; i < options.repeat; ++i) {
    say("{} x: run {} of {}", times, i + 1, options.repeat);
    VECC_TRY(const std::string text,
             run_child({.file = "/proc/self/exe",
                        .arguments = {"compile-one", path, fmt::format("-O{}", options.level)}}));
    if (interrupt_pending()) break;
    runs.push_back(measurement_of(nlohmann::ordered_json::parse(text)));
  }
  if (runs.empty()) return Errors(ErrorCode::DeviceFailure, "vecc-bench", "interrupted");
  return summarize(times, std::move(runs));
}

}  // namespace

Result<std::vector<CompileRow>> bench_compile(const CompileBenchOptions& options) {
  const DeferInterrupt defer;  // the folder below must go first
  const std::string parent = options.temporary_parent.empty()
                                 ? std::filesystem::temp_directory_path().string()
                                 : options.temporary_parent;
  VECC_TRY(const NeuronGraph graph, read_graph(options.input));
  VECC_TRY(const TemporaryFolder folder, TemporaryFolder::create(parent, "vecc-bench"));
  std::vector<CompileRow> rows;
  for (const std::uint32_t times : options.times) {
    if (interrupt_pending()) break;
    const std::string path = fmt::format("{}/x{}.pb", folder.path(), times);
    say("{} x: writing", times);
    VECC_TRY_VOID(write_graph(graph, path, Compression::None, times));
    VECC_TRY(CompileRow row, bench_size(path, options, times));
    rows.push_back(std::move(row));
    std::error_code ignored;  // the folder's end tries again
    std::filesystem::remove(path, ignored);
  }
  return rows;
}

}  // namespace vecc::tools
