// Embeddings without a file, and scores by plain loops over them.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/kg/embeddings.h"
#include "src/kg/triple.h"

namespace vecc::test {

/// Small whole numbers: exact in any order of sums, with many ties.
template <class T>
kg::Embeddings whole_embeddings(kg::ScoreModel model, std::uint32_t entities,
                                std::uint32_t relations, std::uint32_t dim, std::uint32_t seed) {
  kg::Embeddings e;
  e.model = model;
  e.entities = entities;
  e.relations = relations;
  e.dim = dim;
  e.relation_dim = dim;
  std::mt19937 random(seed);
  const auto fill = [&](std::vector<T>& values, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) values.push_back(static_cast<T>(random() % 3) - 1);
  };
  kg::EmbeddingTables<T> tables;
  fill(tables.entities, std::size_t{entities} * dim);
  const kg::ScoreModelInfo& info = kg::info_of(model);
  if (!info.relations.empty()) fill(tables.relations, std::size_t{relations} * dim);
  if (!info.matrices.empty()) fill(tables.matrices, std::size_t{relations} * dim * dim);
  if (!info.normals.empty()) {
    // One of them 1: projections stay whole.
    tables.normals.assign(std::size_t{relations} * dim, 0);
    for (std::size_t r = 0; r < relations; ++r) tables.normals[r * dim + random() % dim] = 1;
  }
  for (std::uint32_t i = 0; i < entities; ++i) e.entity_names.push_back("e" + std::to_string(i));
  for (std::uint32_t r = 0; r < relations; ++r) e.relation_names.push_back("r" + std::to_string(r));
  e.tables = std::move(tables);
  return e;
}

/// Distinct ones.
inline std::vector<kg::Triple> random_triples(std::uint32_t entities, std::uint32_t relations,
                                              std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<kg::Triple> triples;
  while (triples.size() < count) {
    const kg::Triple triple{static_cast<std::uint32_t>(random() % entities),
                            static_cast<std::uint32_t>(random() % relations),
                            static_cast<std::uint32_t>(random() % entities)};
    if (std::find(triples.begin(), triples.end(), triple) == triples.end()) {
      triples.push_back(triple);
    }
  }
  return triples;
}

}  // namespace vecc::test
