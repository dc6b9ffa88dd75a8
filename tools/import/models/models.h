// The architectures: small functions that ground one template each over a data set, and the tables
// that --model, --list and the documents go by. Formulas, rules, weight names and their order:
// docs/architectures.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/ground/grounder.h"
#include "tools/import/load/graph_set.h"
#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"

namespace vecc::tools {

/// What a model's outputs go through in the end.
enum class ModelOutput : std::uint8_t {
  Auto,  ///< by the classes of the data, as the model states it
  Sigmoid,
  Softmax,
  Identity,
};
/// None: not at all.
[[nodiscard]] TransformationSpec transformation_of(ModelOutput output);

// Sets of small graphs --------------------------------------------------------------------------

struct GraphSetOptions {
  enum class Features : std::uint8_t { OneHot, One, Degree, Attributes };
  using Output = ModelOutput;
  std::uint32_t dim = 10;
  std::uint32_t layers = 0;  ///< 0: the model's own number
  /// Side by side; none: one-hot labels, or one where there are no labels.
  std::vector<Features> features = {};
  Output output = Output::Auto;  ///< sigmoid of two classes, softmax of more
  std::uint32_t classes = 0;     ///< where the data has no labels; 0: two
  bool regression = false;       ///< of the graphs' numbers, not their classes
  bool mean_pool = true;         ///< else the sum
  bool keep_isolated = true;     ///< else as NeuraLogic grounds
  double slope = 0.2;            ///< gat
};
struct GraphSetModel {
  std::string_view name;
  std::string_view formula;  ///< one line
  std::uint32_t layers;      ///< by default
  Result<void> (*ground)(const GraphSet&, const GraphSetOptions&, Grounder&);
};
[[nodiscard]] std::span<const GraphSetModel> graph_set_models();

// Typed graphs ----------------------------------------------------------------------------------

/// rgcn, rgat, hgt. `on_off` options: as the model has it by default if not given.
struct TypedOptions {
  std::vector<std::uint32_t> dims;  ///< d0 .. dL; at least two, never 0
  std::uint32_t heads = 1;
  double slope = 0.2;
  std::optional<bool> bias;
  bool skip = true;  ///< hgt
  bool layer_norm = false;
  bool mean = true;               ///< rgcn: else the sum
  bool shared_attention = false;  ///< rgat
  bool inverse = true;
  bool given_features = false;  ///< else embeddings
  /// Auto: softmax of the classes, sigmoid where a node has several, identity without labels.
  ModelOutput output = ModelOutput::Identity;
};
struct TypedModel {
  std::string_view name;
  std::string_view formula;
  Result<void> (*ground)(const TypedGraph&, const TypedOptions&, Grounder&);
};
[[nodiscard]] std::span<const TypedModel> typed_models();

// Scores of triples -----------------------------------------------------------------------------

struct ScoreOptions {
  std::uint32_t dim = 64;
  std::uint32_t relation_dim = 0;               ///< transr, tucker; 0: dim
  std::uint32_t p = 1;                          ///< transe: 1 or 2
  std::uint32_t negatives = 1;                  ///< corrupted triples a positive
  bool logistic = false;                        ///< targets 1 and 0; else none (margin)
  std::optional<Split> triples = Split::Train;  ///< none: all
  std::uint32_t first = 0;                      ///< only so many of them; 0: all
  std::int64_t seed = 0;
};
struct ScoreModel {
  std::string_view name;
  std::string_view formula;
  Result<void> (*ground)(const TypedGraph&, const ScoreOptions&, Grounder&);
};
[[nodiscard]] std::span<const ScoreModel> score_models();

// Recursion -------------------------------------------------------------------------------------

struct ReachOptions {
  std::vector<std::string> sources;  ///< names of nodes
  std::uint32_t depth = 3;
  bool inverse = true;
};
struct ReachSize {
  std::uint64_t neurons = 0;
  std::uint64_t edges = 0;
  std::uint64_t reached = 0;
};
inline constexpr std::string_view kReachFormula =
    "reach(n+1, i) = tanh( sum over edges j -r-> i of w_r reach(n, j) ), n < depth; max over n";
/// What ground_reach would write. Errors: Usage (a source that the graph lacks).
[[nodiscard]] Result<ReachSize> measure_reach(const TypedGraph&, const ReachOptions&);
[[nodiscard]] Result<void> ground_reach(const TypedGraph&, const ReachOptions&, Grounder&);

}  // namespace vecc::tools
