// The architectures over sets of graphs as commands.
#include "tools/import/graph_set_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/support/quantity_text.h"
#include "tools/common/idle_seed.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/import/number_like.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

/// What only the data can tell.
Result<void> check_against(const GraphSet& data, const GraphSetOptions& options, bool pools,
                           const std::string& command) {
  const auto graph_set_usage = [&command](const std::string& message) {
    return Errors(ErrorCode::Usage, command, message);
  };
  using Features = GraphSetOptions::Features;
  const auto asks = [&](Features features) {
    return std::ranges::find(options.features, features) != options.features.end();
  };
  if (asks(Features::OneHot) && data.node_labels.empty()) {
    return graph_set_usage(
        "--features=onehot: the data has no node labels; try --features=one or degree");
  }
  if (asks(Features::Attributes) && data.attribute_count == 0) {
    return graph_set_usage(
        "--features=attributes: the data has no node attributes; try --features=one");
  }
  if (options.regression && data.target_count == 0) {
    return graph_set_usage("--targets=attributes: the data has no graph attributes; leave it away");
  }
  if (options.regression) {
    if (options.classes > 0)
      return graph_set_usage("--classes says nothing to --targets=attributes");
    if (options.output != GraphSetOptions::Output::Softmax || data.target_count > 1) return {};
    return graph_set_usage("--output-function=softmax: the data has one number a graph");
  }
  if (data.has_node_samples && pools) {
    return graph_set_usage("--pool says nothing to samples that are nodes");
  }
  const bool labelled = !data.graph_label_values.empty();
  if (labelled && options.classes > 0 && options.classes != data.graph_label_values.size()) {
    return graph_set_usage(fmt::format("--classes={}: the data has labels, of {} classes",
                                       options.classes, data.graph_label_values.size()));
  }
  const std::size_t classes = labelled ? data.graph_label_values.size() : options.classes;
  if (options.output == GraphSetOptions::Output::Softmax && classes <= 2) {
    return graph_set_usage(
        "--output-function=softmax: two classes have one output; it needs three classes");
  }
  return {};
}

std::string describe_graph_set(const GraphSet& data) {
  std::string words = fmt::format(
      "{}: {}, {}, {}", escape_terminal(data.name), text_of_count(data.graph_count(), "graph"),
      text_of_count(data.node_count(), "node"), text_of_count(data.edge_count(), "directed edge"));
  if (data.has_node_samples) {
    const auto labelled = std::ranges::count_if(
        data.node_classes, [](std::uint32_t label) { return label != kUnknownLabel; });
    words += labelled == 0 ? ", no labels" : ", " + text_of_count(labelled, "labelled node");
  } else if (data.graph_labels.empty()) {
    words += ", no labels";
  }
  if (data.dropped_edges > 0) {
    words += fmt::format("; {} left out", text_of_count(data.dropped_edges, "repeated edge"));
  }
  return words;
}

ExitCode import_graph_set(const GraphSetCommandOptions& options,
                          const std::function<Result<GraphSet>()>& load) {
  const GraphSetModel* model = find_by_name(graph_set_models(), options.common.model);
  GraphSetOptions model_options = options.model;
  if (model_options.layers == 0) model_options.layers = model->layers;
  model_options.mean_pool = !options.sum_pool;
  return import_data(
      options.common,
      [&]() -> Result<GraphSet> {
        VECC_TRY(GraphSet data, load());
        if (options.common.like.empty()) return data;
        VECC_TRY(const EarlierGraph earlier, read_earlier(options.common.like));
        VECC_TRY_VOID(number_like(earlier, options.zero_unknown, data));
        return data;
      },
      describe_graph_set,
      [&](const GraphSet& data, Grounder& out) -> Result<void> {
        VECC_TRY_VOID(check_against(data, model_options, options.pools, options.command));
        return model->ground(data, model_options, out);
      });
}

template <class Enum>
void add_choice(CLI::App& command, const char* name, Enum& value,
                const std::map<std::string, Enum>& choices, const char* text, const char* type_name,
                const char* default_text) {
  command
      .add_option_function<std::string>(
          name, [&value, choices](const std::string& choice) { value = choices.at(choice); }, text)
      ->check(CLI::IsMember(choices).description(""))
      ->type_name(type_name)
      ->default_str(default_text);
}

/// Words between commas, each once.
void add_features_option(CLI::App& command, std::vector<GraphSetOptions::Features>& features) {
  using Features = GraphSetOptions::Features;
  static const std::map<std::string, Features> kFeatures{{"onehot", Features::OneHot},
                                                         {"one", Features::One},
                                                         {"degree", Features::Degree},
                                                         {"attributes", Features::Attributes}};
  command
      .add_option_function<std::vector<std::string>>(
          "--features",
          [&features](const std::vector<std::string>& words) {
            features.clear();
            for (const std::string& word : words) {
              const Features each = kFeatures.at(word);
              if (std::ranges::find(features, each) != features.end()) {
                throw CLI::ValidationError("--features", word + " is there twice");
              }
              features.push_back(each);
            }
          },
          "Node features, side by side: onehot,attributes")
      ->delimiter(',')
      ->check(CLI::IsMember(kFeatures).description(""))
      ->type_name("onehot|one|degree|attributes,...")
      ->default_str("onehot, one where there are no labels");
}

void add_model_options(CLI::App& command, GraphSetCommandOptions& o) {
  using Output = GraphSetOptions::Output;
  const auto add_number = [&](const char* name, std::uint32_t& value, const char* text) {
    return add_unset_whole(command, name, value, {1, 4096}, text);
  };
  add_number("--dim", o.model.dim, "Dimensions of every layer")
      ->default_str(std::to_string(o.model.dim));
  add_number("--layers", o.model.layers, "Layers (default: 5 for gin, 3 for gine, else 2)");
  add_features_option(command, o.model.features);
  add_choice<Output>(
      command, "--output-function", o.model.output,
      {{"sigmoid", Output::Sigmoid}, {"softmax", Output::Softmax}, {"identity", Output::Identity}},
      "Function of each graph's output", "sigmoid|softmax|identity",
      "sigmoid of two classes, softmax of more");
  add_unset_whole(command, "--classes", o.model.classes, {2, 65536},
                  "Where the data has no labels: how many classes the model tells apart")
      ->default_str("2");
  add_choice<bool>(command, "--targets", o.model.regression,
                   {{"labels", false}, {"attributes", true}},
                   "What graphs are to be predicted: their classes, or their numbers",
                   "labels|attributes", "labels");
  add_choice<bool>(command, "--pool", o.sum_pool, {{"mean", false}, {"sum", true}},
                   "Aggregation of a graph's nodes", "mean|sum", "mean");
  add_choice<bool>(command, "--isolated", o.model.keep_isolated, {{"keep", true}, {"drop", false}},
                   "Nodes without neighbours: an aggregation of nothing (zero), or no neuron",
                   "keep|drop", "keep");
  add_like_option(command, o.common);
  add_choice<bool>(command, "--unknown-labels", o.zero_unknown, {{"refuse", false}, {"zero", true}},
                   "Node labels that the graph of --like lacks: an error, or no element of the "
                   "one-hot features",
                   "refuse|zero", "refuse");
  add_real(command, "--slope", o.model.slope, RealRange::Finite,
           "gat: slope of the leaky relu below 0");
}

/// An option that says nothing beside the others; empty if there is none.
std::string find_idle_graph_set_option(const CLI::App& command, const ImportCommandOptions& o) {
  if (command.get_option("--unknown-labels")->count() > 0 && o.like.empty()) {
    return "--unknown-labels says nothing without --like=graph.pb";
  }
  if (command.get_option("--slope")->count() > 0 && o.model != "gat") {
    return "--slope says nothing to --model=" + o.model + ": it is of gat";
  }
  return find_idle_seed(command, "--seed", o.init);
}

}  // namespace

void add_graph_set_command(CLI::App& command,
                           const std::shared_ptr<GraphSetCommandOptions>& options,
                           std::function<Result<GraphSet>()> load, ExitCode& exit_code) {
  options->command = "vecc-import " + command.get_name();
  add_model_option(command, options->common.model, names_of(graph_set_models()));
  add_model_options(command, *options);
  add_import_options(command, options->common, kPartThreads);
  add_parts_option(command, options->common);
  command.callback([&command, options, load = std::move(load), &exit_code] {
    const std::string idle = find_idle_graph_set_option(command, options->common);
    if (!idle.empty()) {
      exit_code = static_cast<ExitCode>(report_usage(options->command, idle));
      return;
    }
    options->pools = command.get_option("--pool")->count() > 0;
    exit_code = import_graph_set(*options, load);
  });
}

}  // namespace vecc::tools
