#include "weight_stages.h"

#include <functional>
#include <string>
#include <vector>

#include "src/support/quantity_text.h"
#include "src/weights/table_names.h"
#include "tools/common/interrupt.h"
#include "vecc/escape.h"
#include "vecc/template.h"
#include "vecc/weight_source.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kMaxPath = 4096;

/// `"a", "b" and 3 more`: the first ones by name, as many as errors would be reported.
std::string list_some(std::size_t count, std::uint64_t limit,
                      const std::function<std::string(std::size_t)>& text_of_item) {
  std::string text;
  std::size_t i = 0;
  for (; i < count && i < limit; ++i) text += (i > 0 ? ", " : "") + text_of_item(i);
  if (i < count) text += " and " + text_of_count(count - i) + " more";
  return text;
}

std::string quote_name(std::string_view name) {
  return '"' + escape_terminal(name) + '"';
}

void describe_load(Stages& stages, const NeuronGraph& graph, const LoadReport& report,
                   const Options& options) {
  const auto table = [&](std::size_t i) -> const WeightTable& {
    return graph.weight_tables[report.not_in_file[i]];
  };
  std::string words = text_of_count(report.loaded, "weight table") + " of " +
                      escape_terminal(options.load_weights, kMaxPath);
  auto initialised = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.not_in_file.size(); ++i) initialised.push_back(table(i).name);
  if (!initialised.empty()) {
    words += "; not in the file: " +
             list_some(initialised.size(), options.limits.max_errors, [&](std::size_t i) {
               return quote_name(table(i).name) +
                      (table(i).has_values ? " (as in the graph)" : " (initialised)");
             });
  }
  if (!report.unused.empty()) {
    words += "; unused: " + list_some(report.unused.size(), options.limits.max_errors,
                                      [&](std::size_t i) { return quote_name(report.unused[i]); });
  }
  if (!report.mapped.empty()) {
    words += "; by name, as the numbers differ: " +
             list_some(report.mapped.size(), options.limits.max_errors,
                       [&](std::size_t i) { return quote_name(report.mapped[i]); });
  }
  stages.describe(words, {{"tables", report.loaded},
                          {"mapped", report.mapped},
                          {"not_in_file", std::move(initialised)},
                          {"unused", report.unused}});
}

}  // namespace

Result<void> check_saved_names(const NeuronGraph& graph, const Options& options) {
  const std::optional<EmitKind> emits = options.emit.kind;
  const bool saves = !options.save_weights.empty() || !options.save_program.empty() ||
                     !options.training.loop.checkpoint_folder.empty() ||
                     emits == EmitKind::Python || emits == EmitKind::Cpp || emits == EmitKind::Cuda;
  if (!saves) return {};
  const Result<void> checked = weights::check_table_names(graph);
  if (!checked) return checked.error().in(escape_terminal(options.input, kMaxPath));
  return {};
}

Result<void> load_graph_weights(NeuronGraph& graph, const Options& options, Stages& stages) {
  if (options.load_weights.empty()) return {};
  VECC_TRY(const LoadReport report, stages.run("load", [&](ProgressLine&) -> Result<LoadReport> {
    const WeightLimits limits{options.limits.max_input_bytes};
    VECC_TRY(WeightFile file, read_weights(options.load_weights, limits));
    auto loaded =
        load_weights(graph, std::move(file), options.load_mode, options.limits.max_errors);
    if (!loaded) return loaded.error().in(escape_terminal(options.load_weights, kMaxPath));
    return loaded;
  }));
  describe_load(stages, graph, report, options);
  return {};
}

Result<void> save_graph_weights(const NeuronGraph& graph, const BoundFacts& facts,
                                const std::string& path, Stages& stages,
                                const std::vector<MetadataEntry>& metadata) {
  if (path.empty()) return {};
  std::uint64_t bytes = 0;
  std::size_t tables = 0;
  VECC_TRY_VOID(stages.run("save", [&](ProgressLine&) -> Result<void> {
    VECC_TRY(const auto source, weight_source_of(graph, facts.tables));
    tables = source->tensors().size();
    for (const TensorHeader& tensor : source->tensors()) bytes += byte_count(tensor);
    const DeferInterrupt whole_file;
    return write_weights(*source, metadata, path);
  }));
  stages.describe(text_of_count(tables, "weight table") + ", " + text_of_bytes(bytes) + " in " +
                      escape_terminal(path, kMaxPath),
                  {{"tables", tables}, {"bytes", bytes}});
  return {};
}

Result<void> save_graph_program(const NeuronGraph& graph, const Options& options, std::string loss,
                                Stages& stages) {
  if (options.save_program.empty()) return {};
  VECC_TRY_VOID(stages.run("program", [&](ProgressLine&) -> Result<void> {
    VECC_TRY(const Template model, Template::of(graph, {options.dtype, std::move(loss)}));
    const DeferInterrupt whole_file;
    return model.write(options.save_program);
  }));
  stages.describe(text_of_count(graph.groups.size(), "group") + " in " +
                      escape_terminal(options.save_program, kMaxPath),
                  {{"groups", graph.groups.size()}});
  return {};
}

Result<void> bind_graph_facts(NeuronGraph& graph, Options& options, Stages& stages) {
  if (options.bind_facts.empty() && options.load_facts.empty()) return {};
  VECC_TRY_VOID(stages.run("bind", [&](ProgressLine&) -> Result<void> {
    VECC_TRY(options.facts, bind_facts(graph, options.bind_facts));
    if (options.load_facts.empty()) return {};
    VECC_TRY(WeightFile file, read_weights(options.load_facts, {options.limits.max_input_bytes}));
    const Result<void> loaded = load_facts(graph, options.facts, std::move(file));
    if (!loaded) return loaded.error().in(escape_terminal(options.load_facts, kMaxPath));
    return {};
  }));
  std::uint64_t count = 0;
  for (const WeightTable& table : graph.weight_tables) {
    if (options.facts.contains(table.name)) count += table.count;
  }
  std::string words = text_of_count(count, "fact");
  if (!options.load_facts.empty()) words += " of " + escape_terminal(options.load_facts, kMaxPath);
  stages.describe(words, {{"facts", count}, {"tables", options.facts.tables}});
  return {};
}

}  // namespace vecc::tools
