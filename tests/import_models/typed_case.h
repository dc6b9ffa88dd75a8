// Random typed graphs, grounded, and their files read back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/import/load/typed_graph.h"
#include "tools/import/models/models.h"
#include "vecc/neuron_graph.h"

namespace vecc::test {

struct TypedGraphOptions {
  std::uint32_t nodes = 12;
  std::uint32_t isolated = 2;  ///< nodes without any edge
  std::uint32_t node_types = 3;
  std::uint32_t relations = 4;
  std::uint32_t edges = 30;
  std::vector<std::uint32_t> feature_dims = {};  ///< by node type; empty: no features
  std::uint32_t classes = 0;                     ///< 0: no labels
  bool multi_label = false;
  bool named = true;
};
[[nodiscard]] tools::TypedGraph random_typed_graph(const TypedGraphOptions& options,
                                                   std::uint64_t seed);

/// A model by its name in the table.
[[nodiscard]] const tools::TypedModel& typed_model(std::string_view name);

/// Grounds into a file, with initial values in +-1, and reads it back. Throws on errors.
[[nodiscard]] NeuronGraph ground_typed(std::string_view model, const tools::TypedGraph& data,
                                       const tools::TypedOptions& options, std::int64_t seed = 1);
inline tools::TypedOptions with_dims(std::vector<std::uint32_t> dims) {
  tools::TypedOptions options;
  options.dims = std::move(dims);
  return options;
}

/// The errors' text of grounding, or "no error".
[[nodiscard]] std::string typed_error(std::string_view model, const tools::TypedGraph& data,
                                      const tools::TypedOptions& options,
                                      const ImportLimits& limits = {});

/// Weights by name: a table's rows one after another.
class NamedWeights {
 public:
  explicit NamedWeights(const NeuronGraph& graph);

  [[nodiscard]] bool has(const std::string& name) const { return tables_.contains(name); }
  /// A weight's entries, row-major; throws if there is none.
  [[nodiscard]] std::vector<double> row(const std::string& name, std::size_t row = 0) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Table {
    std::size_t size;
    std::vector<double> values;
  };
  std::map<std::string, Table> tables_;
  std::vector<std::string> names_;  // in the file's order
};

/// Neurons by class and head predicate, which is how NeuraLogic groups them.
using GroupSizes = std::map<std::pair<NeuronClass, std::string>, std::uint64_t>;
[[nodiscard]] GroupSizes count_groups(const NeuronGraph& graph);

}  // namespace vecc::test
