#include "report.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "outputs.h"
#include "src/support/free_memory.h"
#include "src/support/quantity_text.h"
#include "tools/common/statistics.h"
#include "tools/common/timing.h"
#include "vecc/escape.h"

namespace vecc::tools {

using Json = nlohmann::ordered_json;

namespace {

// Layers are made of groups: small ones make many launches.
std::string hint_of_groups(const NeuronGraph& graph) {
  constexpr std::uint64_t kManyGroups = 256;
  constexpr std::uint64_t kFewNeurons = 4;
  const std::uint64_t groups = graph.groups.size();
  if (groups < kManyGroups || graph.neuron_count() > kFewNeurons * groups) return {};
  return fmt::format("; {:.1f} neurons a group: --group=auto finds larger groups",
                     static_cast<double>(graph.neuron_count()) / static_cast<double>(groups));
}

}  // namespace

void describe_import(Stages& stages, const NeuronGraph& graph, const Options& options) {
  std::error_code no_size;  // a pipe has none
  const auto file_bytes = std::filesystem::file_size(options.input, no_size);
  const std::string hint = options.find_groups ? std::string() : hint_of_groups(graph);
  stages.describe(
      fmt::format(
          "{}, {}, {}, {}, {}; {} in memory{}", text_of_count(graph.neuron_count(), "neuron"),
          text_of_count(graph.edge_count(), "edge"), text_of_count(graph.groups.size(), "group"),
          text_of_count(graph.weight_count(), "weight"),
          text_of_count(graph.samples.size(), "sample"), text_of_bytes(graph.bytes()), hint),
      {{"neurons", graph.neuron_count()},
       {"edges", graph.edge_count()},
       {"file_bytes", no_size ? Json() : Json(file_bytes)},
       {"bytes", graph.bytes()}});
}

void describe_initialize(Stages& stages, std::uint64_t weights, const Options& options) {
  stages.describe(
      fmt::format("{}, {}, seed {}", text_of_count(weights, "weight"),
                  text_of(options.init.value_or(Initializer::Glorot)), options.init_seed),
      {{"weights", weights}});
}

void describe_vectorize(Stages& stages, const Vectorized& vectorized) {
  const ProgramStatistics s = statistics(vectorized.program);
  const std::uint64_t bytes = s.value_bytes + s.index_bytes + s.parameter_bytes;
  std::string words = fmt::format(
      "{}, {}, {}; {} of values and indices", text_of_count(vectorized.report.layers, "layer"),
      text_of_count(s.ops, "op"), text_of_count(s.rows, "row"), text_of_bytes(bytes));
  if (vectorized.report.recursive_components > 0) {
    words += fmt::format(
        "; {} in {}", text_of_count(vectorized.report.recursive_components, "recursive component"),
        text_of_count(vectorized.report.levels, "level"));
  }
  stages.describe(
      words,
      {{"layers", vectorized.report.layers}, {"ops", s.ops}, {"rows", s.rows}, {"bytes", bytes}});
}

void describe_optimize(Stages& stages, const ProgramStatistics& b, const Program& after,
                       const OptimizeReport& report) {
  const ProgramStatistics a = statistics(after);
  const auto bytes = [](const ProgramStatistics& s) {
    return s.value_bytes + s.index_bytes + s.parameter_bytes;
  };
  Json numbers{{"ops", a.ops}, {"rows", a.rows}, {"bytes", bytes(a)}};
  numbers.update(json_of(report));
  stages.describe(
      fmt::format("{} (of {}), {} (of {}); {} of values and indices", text_of_count(a.ops, "op"),
                  text_of_count(b.ops), text_of_count(a.rows, "row"), text_of_count(b.rows),
                  text_of_bytes(bytes(a))),
      std::move(numbers));
}

void describe_cached(Stages& stages, const CachedForward& found) {
  const GraphSizes& sizes = found.outline.sizes;
  const ProgramStatistics s = statistics(found.program);
  stages.describe(fmt::format("{}, {}; {}, {}: made before, {} of the program cache",
                              text_of_count(sizes.neurons, "neuron"),
                              text_of_count(sizes.edges, "edge"), text_of_count(s.ops, "op"),
                              text_of_count(s.rows, "row"), text_of_bytes(found.bytes)),
                  {{"neurons", sizes.neurons},
                   {"edges", sizes.edges},
                   {"ops", s.ops},
                   {"rows", s.rows},
                   {"bytes", found.bytes}});
}

Json describe_sizes(const NeuronGraph& graph, const GraphSizes& sizes,
                    const VectorizeReport* vectorized, const Program* optimized) {
  Json result{{"graph", json_of(graph, sizes)}, {"program", nullptr}};
  if (vectorized == nullptr) return result;
  result["program"] = {{"layers", vectorized->layers},
                       {"recursive_components", vectorized->recursive_components},
                       {"levels", vectorized->levels},
                       {"merged_groups", vectorized->merged_groups}};
  result["program"].update(json_of(*optimized));
  return result;
}

Json describe_execution(const Execution& execution, const Stages& stages, const Json& sizes) {
  Json result{{"stages", stages.json()}};
  result.update(sizes);
  result["backend"] = execution.backend;
  result["device"] = execution.device;
  result["dtype"] = text_of(execution.dtype);
  result["matmul_precision"] = text_of(execution.precision);
  if (const ProcessMemory peak = process_peak(); peak.resident != 0) {
    result["peak_bytes"] = peak.resident;
    result["peak_address_bytes"] = peak.address_space;
  }
  result["timing"] = json_of(summarize_timing(execution.run_seconds));
  result["vecc"] = VECC_VERSION;
  return result;
}

void print_report(const Options& options, const Stages& stages, const Execution* execution) {
  if (options.quiet) return;
  std::string text = escape_terminal(options.input, 4096) + "\n" + stages.text();
  if (execution != nullptr) {
    if (!execution->reason.empty()) {
      text += fmt::format("backend {} ({})\n", execution->backend, execution->reason);
    }
    if (execution->run_seconds.size() > 1) {
      text += text_of(summarize_timing(execution->run_seconds));
    }
    if (const std::uint64_t count = count_not_finite(*execution); count > 0) {
      text += fmt::format("warning: {} of {} outputs are not finite\n", text_of_count(count),
                          text_of_count(execution->outputs.size()));
    }
  }
  std::fputs(text.c_str(), stderr);
}

}  // namespace vecc::tools
