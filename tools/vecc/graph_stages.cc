#include "graph_stages.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "report.h"
#include "src/support/quantity_text.h"
#include "vecc/find_groups.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"

namespace vecc::tools {
namespace {

/// Bytes that an import will read, for the progress line; 0 if unknown (compressed, a pipe).
std::uint64_t bytes_to_read(const std::string& path) {
  std::error_code no_file;
  if (!std::filesystem::is_regular_file(path, no_file) || no_file) return 0;
  std::ifstream file(path, std::ios::binary);
  const int first = file.get();
  if (first == 0x1f || first == 0x28) return 0;  // gzip's and zstd's first bytes; no field's tag
  const auto size = std::filesystem::file_size(path, no_file);
  return no_file ? 0 : size;
}

}  // namespace

Result<NeuronGraph> import_graph(const Options& options, Stages& stages) {
  auto graph = stages.run("import", [&](ProgressLine& line) {
    const std::uint64_t total = bytes_to_read(options.input);
    ImportOptions import_options;
    import_options.limits = options.limits;
    import_options.progress = [&line, total](std::uint64_t bytes) {
      line.update(bytes, total, ProgressUnit::Bytes);
    };
    import_options.threads = options.threads;
    return read_graph(options.input, import_options);
  });
  if (!graph) return graph;
  describe_import(stages, *graph, options);
  if (options.find_groups) {
    *graph = stages.run("group", [&](ProgressLine&) { return find_groups(std::move(*graph)); });
    stages.describe(text_of_count(graph->groups.size(), "group"),
                    {{"groups", graph->groups.size()}});
  }
  return graph;
}

void initialize_graph(NeuronGraph& graph, const Options& options, Stages& stages) {
  // Training begins somewhere: without --init, where Glorot does.
  if (!options.init && !options.training.train) return;
  const std::uint64_t weights = stages.run("initialize", [&](ProgressLine&) {
    return initialize_weights(graph, options.init.value_or(Initializer::Glorot), options.init_seed);
  });
  describe_initialize(stages, weights, options);
}

Errors add_way_out(const Errors& errors, std::string_view way_out) {
  Errors result;
  for (const Diagnostic& d : errors.list()) {
    const bool missing = d.code == ErrorCode::MissingValues;
    result.add(d.code, d.place, d.message + (missing ? "; " + std::string(way_out) : ""));
  }
  result.omit(errors.omitted());
  return result;
}

void give_weights(const NeuronGraph& graph, Program& program) {
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const auto table =
        std::ranges::find(graph.weight_tables, program.parameters()[p].name, &WeightTable::name);
    if (table == graph.weight_tables.end() || !table->has_values) continue;
    program.set_parameter_values(p, table->values);
  }
}

Result<Vectorized> vectorize_graph(const NeuronGraph& graph, const Options& options,
                                   Stages& stages) {
  auto vectorized = stages.run("vectorize", [&](ProgressLine& line) {
    VectorizeOptions vectorize_options;
    vectorize_options.dtype = options.dtype;
    vectorize_options.threads = options.threads;
    vectorize_options.progress = [&](std::uint64_t neurons) {
      line.update(neurons, graph.neuron_count(), ProgressUnit::Neurons);
    };
    return vectorize(graph, vectorize_options);
  });
  if (vectorized) describe_vectorize(stages, *vectorized);
  return vectorized;
}

}  // namespace vecc::tools
