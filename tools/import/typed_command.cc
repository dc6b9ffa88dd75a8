#include "tools/import/typed_command.h"

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

constexpr std::uint32_t kMaxDim = 65536;

/// An option that only some models know.
struct ModelOption {
  const char* name;
  bool (*applies)(std::string_view model);
};

bool is_typed(std::string_view model) {
  return find_by_name(typed_models(), model) != nullptr;
}
bool is_score(std::string_view model) {
  return find_by_name(score_models(), model) != nullptr;
}
bool is_reach(std::string_view model) {
  return model == "reach";
}

constexpr ModelOption kModelOptions[] = {
    {"--dims", is_typed},
    {"--dim", [](std::string_view m) { return !is_reach(m); }},
    {"--layers", is_typed},
    {"--heads", [](std::string_view m) { return m == "rgat" || m == "hgt"; }},
    {"--slope", [](std::string_view m) { return m == "rgat"; }},
    {"--attention", [](std::string_view m) { return m == "rgat"; }},
    {"--aggregation", [](std::string_view m) { return m == "rgcn"; }},
    {"--skip", [](std::string_view m) { return m == "hgt"; }},
    {"--bias", is_typed},
    {"--norm", is_typed},
    {"--features", is_typed},
    {"--output-function", is_typed},
    {"--message-edges", [](std::string_view m) { return !is_score(m); }},
    {"--relation-dim", [](std::string_view m) { return m == "transr" || m == "tucker"; }},
    {"--p", [](std::string_view m) { return m == "transe"; }},
    {"--negatives", is_score},
    {"--loss", is_score},
    {"--triples", is_score},
    {"--first", is_score},
    {"--source", is_reach},
    {"--depth", is_reach},
};

/// An option of two words; `value` is true for the second.
CLI::Option* add_choice(CLI::App& command, const char* name, bool& value, const std::string& no,
                        const std::string& yes, const char* text) {
  return command
      .add_option_function<std::string>(
          name, [&value, yes](const std::string& choice) { value = choice == yes; }, text)
      ->check(CLI::IsMember({no, yes}).description(""))
      ->type_name(no + "|" + yes)
      ->default_str(value ? yes : no);
}

void add_layer_options(CLI::App& command, TypedCommandOptions& o) {
  add_wholes(command, "--dims", o.dims, {1, kMaxDim},
             "Dimensions of the embeddings and of each layer: 64,64,16");
  add_whole(command, "--dim", o.dim, {1, kMaxDim},
            "Dimensions of the embeddings and of every layer, without --dims");
  add_whole(command, "--layers", o.layers, {1, 1000}, "Number of layers, without --dims");
  add_whole(command, "--heads", o.typed.heads, {1, 1024}, "rgat, hgt: attention heads");
  add_real(command, "--slope", o.typed.slope, RealRange::Finite,
           "rgat: slope of the leaky relu below 0");
  add_choice(command, "--attention", o.typed.shared_attention, "relation", "shared",
             "rgat: attention vectors by relation, or one for all (PyG's RGATConv)");
  command
      .add_option_function<std::string>(
          "--aggregation", [&o](const std::string& word) { o.typed.mean = word == "mean"; },
          "rgcn: how the messages of one relation are aggregated")
      ->check(CLI::IsMember({"mean", "sum"}).description(""))
      ->type_name("mean|sum")
      ->default_str("mean");
  command
      .add_option_function<std::string>(
          "--skip", [&o](const std::string& word) { o.typed.skip = word == "on"; },
          "hgt: the gated skip connection")
      ->check(CLI::IsMember({"on", "off"}).description(""))
      ->type_name("on|off")
      ->default_str("on");
  command.add_option("--bias", o.bias, "Biases (default: on for hgt, else off)")
      ->check(CLI::IsMember({"on", "off"}).description(""))
      ->type_name("on|off");
  add_choice(command, "--norm", o.typed.layer_norm, "none", "layer",
             "Normalization after each layer");
  static const std::map<std::string, ModelOutput> kOutputs{{"sigmoid", ModelOutput::Sigmoid},
                                                           {"softmax", ModelOutput::Softmax},
                                                           {"identity", ModelOutput::Identity}};
  o.typed.output = ModelOutput::Auto;
  command
      .add_option_function<std::string>(
          "--output-function",
          [&o](const std::string& word) { o.typed.output = kOutputs.at(word); },
          "Function of each sample's output")
      ->check(CLI::IsMember(kOutputs).description(""))
      ->type_name("sigmoid|softmax|identity")
      ->default_str(
          "softmax of classes, sigmoid where a node has several, identity without labels");
  add_choice(command, "--features", o.typed.given_features, "embedding", "given",
             "Features of the nodes: learned, or the data's");
}

void add_graph_options(CLI::App& command, TypedCommandOptions& o, bool inverse) {
  command
      .add_option("--inverse", o.inverse,
                  "Every edge reversed as well, under a type of its own; scores: every triple")
      ->check(CLI::IsMember({"on", "off"}).description(""))
      ->type_name("on|off")
      ->default_str(inverse ? "on, of scores off" : "off");
  add_choice(command, "--message-edges", o.train_edges_only, "all", "train",
             "Edges that messages pass along: of all splits, or of train");
}

void add_score_options(CLI::App& command, TypedCommandOptions& o) {
  add_unset_whole(command, "--relation-dim", o.score.relation_dim, {1, kMaxDim},
                  "transr, tucker: dimensions of the relations (default: --dim)");
  add_whole(command, "--p", o.score.p, {1, 2}, "transe: 1 or 2, the norm's p");
  add_whole(command, "--negatives", o.score.negatives, {0, 100000},
            "Scores: corrupted triples a positive one");
  add_choice(command, "--loss", o.score.logistic, "margin", "logistic",
             "Scores: logistic gives the samples targets 1 and 0");
  command
      .add_option("--triples", o.triples,
                  "Scores: split of the triples (default: train, or all where there are no splits)")
      ->check(CLI::IsMember({"train", "valid", "test", "all"}).description(""))
      ->type_name("train|valid|test|all");
  add_unset_whole(command, "--first", o.score.first, {1, UINT32_MAX},
                  "Scores: only the first N of those triples");
  command.add_option("--source", o.reach.sources, "reach: a node to start from; may be repeated")
      ->type_name("NAME");
  add_whole(command, "--depth", o.reach.depth, {1, 100000}, "reach: hops at most");
}

/// Options that the chosen model does not know, or that say nothing beside the others; empty if
/// there are none.
std::string find_misplaced_option(const CLI::App& command, const TypedCommandOptions& o) {
  const std::string& model = o.common.model;
  for (const ModelOption& option : kModelOptions) {
    if (command.get_option(option.name)->count() > 0 && !option.applies(model)) {
      return fmt::format("{} says nothing to --model={}", option.name, model);
    }
  }
  const bool draws = o.draws_graph || (is_score(model) && o.score.negatives > 0);
  return draws ? "" : find_idle_seed(command, "--seed", o.common.init);
}

void keep_train_edges(TypedGraph& data) {
  std::size_t kept = 0;
  for (std::size_t e = 0; e < data.edge_split.size(); ++e) {
    if (data.edge_split[e] != Split::Train) continue;
    data.source[kept] = data.source[e];
    data.target[kept] = data.target[e];
    data.relation[kept] = data.relation[e];
    data.edge_split[kept] = Split::Train;
    ++kept;
  }
  if (data.edge_split.empty()) return;
  data.source.resize(kept);
  data.target.resize(kept);
  data.relation.resize(kept);
  data.edge_split.resize(kept);
}

std::string describe_typed_graph(const TypedGraph& data) {
  std::string words = fmt::format(
      "{}: {}, {}, {}", escape_terminal(data.name), text_of_count(data.node_count, "node"),
      text_of_count(data.edge_count(), "edge"), text_of_count(data.relation_count(), "relation"));
  if (data.node_type_names.size() > 1) {
    words += ", " + text_of_count(data.node_type_names.size(), "node type");
  }
  if (!data.labels.empty()) {
    words += fmt::format(", {}, {} classes", text_of_count(data.labels.size(), "label"),
                         data.label_names.size());
  }
  if (data.dropped_edges > 0) {
    words += fmt::format("; {} left out", text_of_count(data.dropped_edges, "repeated edge"));
  }
  return words;
}

ExitCode import_typed(const TypedCommandOptions& options,
                      const std::function<Result<TypedGraph>()>& load) {
  return import_data(
      options.common,
      [&]() -> Result<TypedGraph> {
        VECC_TRY(TypedGraph data, load());
        if (!options.common.like.empty()) {
          VECC_TRY(const EarlierGraph earlier, read_earlier(options.common.like));
          VECC_TRY_VOID(number_like(earlier, data));
        }
        if (options.train_edges_only) keep_train_edges(data);
        return data;
      },
      describe_typed_graph,
      [&](const TypedGraph& data, Grounder& out) { return ground_typed(data, options, out); });
}

}  // namespace

void add_typed_command(CLI::App& command, const std::shared_ptr<TypedCommandOptions>& options,
                       bool inverse, std::function<Result<TypedGraph>()> load,
                       ExitCode& exit_code) {
  std::vector<std::string> models = names_of(typed_models());
  for (const std::string& name : names_of(score_models())) models.push_back(name);
  models.emplace_back("reach");
  add_model_option(command, options->common.model, models);
  add_layer_options(command, *options);
  add_graph_options(command, *options, inverse);
  add_score_options(command, *options);
  add_like_option(command, options->common);
  add_import_options(command, options->common, kPartThreads);
  add_parts_option(command, options->common);
  command.callback([&command, options, inverse, load = std::move(load), &exit_code] {
    const std::string misplaced = find_misplaced_option(command, *options);
    if (!misplaced.empty()) {
      exit_code =
          static_cast<ExitCode>(report_usage("vecc-import " + command.get_name(), misplaced));
      return;
    }
    options->typed.inverse = options->inverse.empty() ? inverse : options->inverse == "on";
    exit_code = import_typed(*options, load);
  });
}

}  // namespace vecc::tools
