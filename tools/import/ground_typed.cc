// From the options of the command line to a model's own, and the model.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <optional>

#include "src/support/quantity_text.h"
#include "tools/import/load/inverse_triples.h"
#include "tools/import/typed_command.h"

namespace vecc::tools {
namespace {

Errors typed_usage(const std::string& message) {
  return {ErrorCode::Usage, "vecc-import", message};
}

/// d0 .. dL: as given, else from --dim and --layers, with the number of classes at the end.
Result<std::vector<std::uint32_t>> find_dims(const TypedGraph& data,
                                             const TypedCommandOptions& options) {
  const auto classes = static_cast<std::uint32_t>(data.label_names.size());
  std::vector<std::uint32_t> dims = options.dims;
  if (dims.empty()) {
    dims.assign(options.layers + std::size_t{1}, options.dim);
    if (classes > 0) dims.back() = classes;
  }
  if (dims.size() < 2) return typed_usage("--dims: at least two, such as 64,64");
  if (classes > 0 && dims.back() != classes) {
    return typed_usage(
        fmt::format("--dims: the last is {}, but the data has {} classes", dims.back(), classes));
  }
  const std::uint32_t heads = options.typed.heads;
  for (std::size_t layer = 1; heads > 1 && layer < dims.size(); ++layer) {
    if (dims[layer] % heads != 0) {
      return typed_usage(
          fmt::format("--heads={}: layer {} has dimension {}, which is no multiple of it", heads,
                      layer, dims[layer]));
    }
  }
  return dims;
}

Result<void> ground_layers(const TypedModel& model, const TypedGraph& data,
                           const TypedCommandOptions& options, Grounder& out) {
  TypedOptions typed = options.typed;
  VECC_TRY(typed.dims, find_dims(data, options));
  if (!options.bias.empty()) typed.bias = options.bias == "on";
  if (typed.given_features && data.features.empty()) {
    return typed_usage("--features=given: the data has no features; leave the option away");
  }
  return model.ground(data, typed, out);
}

/// The split of the triples to score; none: all.
Result<std::optional<Split>> find_split(const TypedGraph& data, const std::string& name) {
  static const std::map<std::string, std::optional<Split>> kSplits{{"train", Split::Train},
                                                                   {"valid", Split::Validation},
                                                                   {"test", Split::Test},
                                                                   {"all", std::nullopt}};
  const bool has_splits = !data.edge_split.empty();
  if (name.empty()) return kSplits.at(has_splits ? "train" : "all");
  if (!has_splits && name != "all") {
    return typed_usage("--triples=" + name + ": the data has no splits; leave the option away");
  }
  return kSplits.at(name);
}

Result<void> ground_scores(const ScoreModel& model, const TypedGraph& data,
                           const TypedCommandOptions& options, Grounder& out) {
  ScoreOptions score = options.score;
  score.dim = options.dim;
  score.seed = options.common.seed;
  VECC_TRY(score.triples, find_split(data, options.triples));
  if (options.inverse != "on") return model.ground(data, score, out);
  TypedGraph both = data;
  VECC_TRY_VOID(add_inverse_triples(both));
  return model.ground(both, score, out);
}

Result<void> ground_recursion(const TypedGraph& data, const TypedCommandOptions& options,
                              Grounder& out) {
  if (options.reach.sources.empty()) return typed_usage("--model=reach needs --source=NAME");
  ReachOptions reach = options.reach;
  reach.inverse = options.typed.inverse;
  VECC_TRY(const ReachSize size, measure_reach(data, reach));
  if (!options.common.quiet && !out.is_repeated()) {
    std::fprintf(stderr, "reach: %s reached within %u hops; %s, %s\n",
                 text_of_count(size.reached, "node").c_str(), reach.depth,
                 text_of_count(size.neurons, "neuron").c_str(),
                 text_of_count(size.edges, "edge").c_str());
  }
  return ground_reach(data, reach, out);
}

}  // namespace

Result<void> ground_typed(const TypedGraph& data, const TypedCommandOptions& options,
                          Grounder& out) {
  const std::string& name = options.common.model;
  if (const TypedModel* model = find_by_name(typed_models(), name)) {
    return ground_layers(*model, data, options, out);
  }
  if (const ScoreModel* model = find_by_name(score_models(), name)) {
    return ground_scores(*model, data, options, out);
  }
  return ground_recursion(data, options, out);
}

}  // namespace vecc::tools
