// What files are embeddings of a model, and what is said of those that are none.
#include "src/kg/embeddings.h"

#include <gmock/gmock.h>

#include <limits>

namespace vecc::test {
namespace {

using kg::ScoreModel;
using testing::HasSubstr;

WeightTensor tensor(std::string name, std::vector<std::uint64_t> shape,
                    std::vector<double> values) {
  std::string data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return {std::move(name), ElementType::F64, std::move(shape), std::move(data)};
}

std::string refused(WeightFile file, ScoreModel model, std::uint32_t p = 1) {
  const auto read = kg::read_embeddings(file, model, p);
  return read ? "read" : read.error().text();
}

TEST(Embeddings, TablesSideBySideAreOneVector) {
  const WeightFile file{{},
                        {tensor("e_re", {2, 2, 1}, {1, 2, 3, 4}),
                         tensor("e_im", {2, 2}, {5, 6, 7, 8}), tensor("r_re", {1, 2, 1}, {1, 2}),
                         tensor("r_im", {1, 2, 1}, {3, 4}), tensor("minus_one", {1}, {-1})}};
  const auto e = kg::read_embeddings(file, ScoreModel::ComplEx, 1);
  ASSERT_TRUE(e) << e.error().text();
  EXPECT_EQ(e->dim, 4u);
  EXPECT_EQ(e->relations, 1u);
  EXPECT_EQ(e->entity_names.size(), 0u);
  EXPECT_THAT(std::get<1>(e->tables).entities, testing::ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
}

TEST(Embeddings, OneDimensionIsAScalar) {
  const WeightFile file{
      {}, {tensor("e", {3}, {1, 2, 3}), tensor("r", {2}, {1, 2}), tensor("M", {2}, {1, 2})}};
  const auto e = kg::read_embeddings(file, ScoreModel::TransR, 1);
  ASSERT_TRUE(e) << e.error().text();
  EXPECT_EQ(e->dim, 1u);
  EXPECT_EQ(e->relations, 2u);
}

TEST(Embeddings, WhatDoesNotFitIsRefused) {
  const WeightTensor e = tensor("e", {3, 2, 1}, {1, 2, 3, 4, 5, 6});
  const WeightTensor r = tensor("r", {1, 2, 1}, {1, 2});
  EXPECT_THAT(refused({{}, {e}}, ScoreModel::TransE), HasSubstr("no tensor \"r\""));
  EXPECT_THAT(refused({{}, {e, r}}, ScoreModel::TransE, 3), HasSubstr("expected 1 or 2"));
  EXPECT_THAT(refused({{}, {e, r, tensor("w", {1, 2, 1}, {1, 0})}}, ScoreModel::TransE),
              HasSubstr("transe has no such table, but transh has"));
  EXPECT_THAT(refused({{}, {e, tensor("r", {1, 3, 1}, {1, 2, 3})}}, ScoreModel::DistMult),
              HasSubstr("has vectors of 3, the entities of 2"));
  EXPECT_THAT(refused({{}, {tensor("e", {}, {1}), r}}, ScoreModel::TransE),
              HasSubstr("expected rows of vectors"));
  EXPECT_THAT(refused({{}, {tensor("e", {0, 2, 1}, {}), r}}, ScoreModel::TransE),
              HasSubstr("expected rows of vectors"));
  EXPECT_THAT(refused({{}, {e, tensor("M", {1, 2, 3}, {1, 2, 3, 4, 5, 6})}}, ScoreModel::Rescal),
              HasSubstr("expected a matrix of 2x2 for each relation"));
  EXPECT_THAT(refused({{}, {e, r, tensor("w", {2, 2, 1}, {1, 0, 0, 1})}}, ScoreModel::TransH),
              HasSubstr("for each of 1 relations"));
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(
      refused({{}, {tensor("e", {2, 1, 1}, {1, kNaN}), tensor("r", {1}, {1})}}, ScoreModel::TransE),
      HasSubstr("row 1 has a number that is not finite"));
  WeightTensor whole = r;
  whole.type = ElementType::I64;
  EXPECT_THAT(refused({{}, {e, whole}}, ScoreModel::TransE), HasSubstr("expected floats"));
}

TEST(Embeddings, NamesHaveToBeAsManyAsRows) {
  const WeightTensor e = tensor("e", {2, 1, 1}, {1, 2});
  const WeightTensor r = tensor("r", {1}, {1});
  EXPECT_THAT(refused({{{"vocabularies", "{}"}}, {e, r}}, ScoreModel::TransE),
              HasSubstr("is no list of vocabularies"));
  const std::string one =
      R"([{"name": "entity", "uses": [{"weight_table": "e", "axis": "entries", "inner": 1}],
           "names": ["a"]}])";
  EXPECT_THAT(refused({{{"vocabularies", one}}, {e, r}}, ScoreModel::TransE),
              HasSubstr("has 1 names, but \"e\" 2 rows"));
}

}  // namespace
}  // namespace vecc::test
