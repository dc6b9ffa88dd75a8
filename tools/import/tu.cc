// vecc-import tu: a set of small graphs in TUDataset text.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "src/support/quantity_text.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/import/commands.h"
#include "tools/import/import_data.h"
#include "tools/import/load/loaders.h"
#include "tools/import/models/models.h"
#include "tools/import/number_like.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

struct TuOptions {
  ImportCommandOptions common;
  GraphSetOptions model;
  bool sum_pool = false;
  bool zero_unknown = false;
};

constexpr const char* kFooter = R"(
Examples:
  vecc-import tu MUTAG --model=gcn --dim=10 -o mutag.pb
  vecc-import tu REDDIT-BINARY --model=sage --features=degree -o reddit.pb.gz
  vecc-import tu later --model=gcn --like=mutag.pb -o later.pb    for weights of mutag.pb
  vecc-import tu ENZYMES --model=gin --layers=3 --pool=sum -o enzymes.pb
  vecc-import tu NEW --model=gcn --dim=10 -o new.pb      without NEW_graph_labels.txt: to predict
Formulas: vecc-import --list, docs/architectures.md.)";

Errors tu_usage(const std::string& message) {
  return {ErrorCode::Usage, "vecc-import tu", message};
}

/// What only the data can tell.
Result<void> check_against(const GraphSet& data, const GraphSetOptions& options) {
  using Features = GraphSetOptions::Features;
  if (options.features == Features::OneHot && data.node_labels.empty()) {
    return tu_usage("--features=onehot: the data has no node labels; try --features=one or degree");
  }
  if (options.features == Features::Attributes && data.attribute_count == 0) {
    return tu_usage("--features=attributes: the data has no node attributes; try --features=one");
  }
  const bool labelled = !data.graph_label_values.empty();
  if (labelled && options.classes > 0 && options.classes != data.graph_label_values.size()) {
    return tu_usage(fmt::format("--classes={}: the data has labels, of {} classes", options.classes,
                                data.graph_label_values.size()));
  }
  const std::size_t classes = labelled ? data.graph_label_values.size() : options.classes;
  if (options.output == GraphSetOptions::Output::Softmax && classes <= 2) {
    return tu_usage(
        "--output-function=softmax: two classes have one output; it needs three classes");
  }
  return {};
}

std::string describe_graph_set(const GraphSet& data) {
  std::string words = fmt::format(
      "{}: {}, {}, {}", escape_terminal(data.name), text_of_count(data.graph_count(), "graph"),
      text_of_count(data.node_count(), "node"), text_of_count(data.edge_count(), "directed edge"));
  if (data.graph_labels.empty()) words += ", no labels";
  if (data.dropped_edges > 0) {
    words += fmt::format("; {} left out", text_of_count(data.dropped_edges, "repeated edge"));
  }
  return words;
}

ExitCode import_tu(const TuOptions& options) {
  const GraphSetModel* model = find_by_name(graph_set_models(), options.common.model);
  GraphSetOptions model_options = options.model;
  if (model_options.layers == 0) model_options.layers = model->layers;
  model_options.mean_pool = !options.sum_pool;
  return import_data(
      options.common,
      [&]() -> Result<GraphSet> {
        VECC_TRY(GraphSet data, load_tu(options.common.input));
        if (options.common.like.empty()) return data;
        VECC_TRY(const EarlierGraph earlier, read_earlier(options.common.like));
        VECC_TRY_VOID(number_like(earlier, options.zero_unknown, data));
        return data;
      },
      describe_graph_set,
      [&](const GraphSet& data, Grounder& out) -> Result<void> {
        VECC_TRY_VOID(check_against(data, model_options));
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

void add_model_options(CLI::App& command, TuOptions& o) {
  using Features = GraphSetOptions::Features;
  using Output = GraphSetOptions::Output;
  const auto add_number = [&](const char* name, std::uint32_t& value, const char* text) {
    return add_unset_whole(command, name, value, {1, 4096}, text);
  };
  add_number("--dim", o.model.dim, "Dimensions of every layer")
      ->default_str(std::to_string(o.model.dim));
  add_number("--layers", o.model.layers, "Layers (default: 5 for gin, else 2)");
  add_choice<Features>(command, "--features", o.model.features,
                       {{"onehot", Features::OneHot},
                        {"one", Features::One},
                        {"degree", Features::Degree},
                        {"attributes", Features::Attributes}},
                       "Node features", "onehot|one|degree|attributes",
                       "onehot, one where there are no labels");
  add_choice<Output>(
      command, "--output-function", o.model.output,
      {{"sigmoid", Output::Sigmoid}, {"softmax", Output::Softmax}, {"identity", Output::Identity}},
      "Function of each graph's output", "sigmoid|softmax|identity",
      "sigmoid of two classes, softmax of more");
  add_unset_whole(command, "--classes", o.model.classes, {2, 65536},
                  "Where the data has no labels: how many classes the model tells apart")
      ->default_str("2");
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

}  // namespace

void add_tu(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command =
      app.add_subcommand("tu", "A set of small graphs in TUDataset text (MUTAG, ENZYMES, ...)");
  const auto options = std::make_shared<TuOptions>();
  command
      ->add_option("directory", options->common.input,
                   "The folder with NAME_A.txt, NAME_graph_indicator.txt, ...")
      ->required()
      ->type_name("DIR");
  add_model_option(*command, options->common.model, names_of(graph_set_models()));
  add_model_options(*command, *options);
  add_import_options(*command, options->common);
  command->footer(kFooter);
  command->callback([command, options, &exit_code] {
    if (command->get_option("--unknown-labels")->count() > 0 && options->common.like.empty()) {
      exit_code = static_cast<ExitCode>(
          report_usage("vecc-import tu", "--unknown-labels says nothing without --like=graph.pb"));
      return;
    }
    exit_code = import_tu(*options);
  });
}

}  // namespace vecc::tools
