// Small knowledge graphs, and looking at grounded ones by names.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/import_models/grounded_graph.h"
#include "tools/import/models/models.h"
#include "vecc/graph_io.h"

namespace vecc::test {

using tools::TypedGraph;

/// Edge by edge: entities and relations are named as they come.
class KnowledgeGraphBuilder {
 public:
  explicit KnowledgeGraphBuilder(std::uint32_t entities, std::uint32_t relations) {
    data_.name = "small";
    data_.node_count = entities;
    for (std::uint32_t n = 0; n < entities; ++n)
      data_.node_names.push_back("e" + std::to_string(n));
    for (std::uint32_t r = 0; r < relations; ++r) {
      data_.relation_names.push_back("r" + std::to_string(r));
    }
    data_.node_type_names.push_back("entity");
  }
  KnowledgeGraphBuilder& edge(std::uint32_t source, std::uint32_t relation, std::uint32_t target,
                              Split split = Split::Train) {
    data_.source.push_back(source);
    data_.relation.push_back(relation);
    data_.target.push_back(target);
    data_.edge_split.push_back(split);
    return *this;
  }
  [[nodiscard]] TypedGraph build() const { return data_; }

 private:
  TypedGraph data_;
};

/// Distinct random triples; every fifth is of the validation split, every seventh of the test's.
inline TypedGraph random_knowledge_graph(std::uint32_t entities, std::uint32_t relations,
                                         std::uint32_t edges, std::uint32_t seed) {
  KnowledgeGraphBuilder builder(entities, relations);
  std::mt19937 random(seed);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  while (seen.size() < edges) {
    const auto head = static_cast<std::uint32_t>(random() % entities);
    const auto relation = static_cast<std::uint32_t>(random() % relations);
    const auto tail = static_cast<std::uint32_t>(random() % entities);
    if (!seen.emplace(head, relation, tail).second) continue;
    const std::size_t i = seen.size();
    builder.edge(head, relation, tail,
                 i % 5 == 0   ? Split::Validation
                 : i % 7 == 0 ? Split::Test
                              : Split::Train);
  }
  return builder.build();
}

/// The rows of a weight table.
inline std::vector<std::vector<double>> rows_of(const NeuronGraph& graph, std::string_view name) {
  std::vector<std::vector<double>> rows;
  for (const WeightTable& table : graph.weight_tables) {
    if (table.name != name) continue;
    const std::size_t size = table.shape.size();
    for (std::size_t row = 0; row < table.count; ++row) {
      table.values.copy_to(row * size, rows.emplace_back(size));
    }
  }
  return rows;
}

/// `names[i]` with its i.
inline std::map<std::string, std::uint32_t> index_of(const StringColumn& names) {
  std::map<std::string, std::uint32_t> index;
  for (std::uint32_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
  return index;
}

}  // namespace vecc::test
