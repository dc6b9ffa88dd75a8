// Ranks on a GPU, or on the emulated one, against those of the CPU.
#include "src/kg/cuda/cuda_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/kg/scorer.h"
#include "tests/kg/cuda_steps.h"
#include "tests/kg/random_embeddings.h"

namespace vecc::test {
namespace {

using kg::Rank;
using kg::RankOptions;
using kg::ScoreModel;
using kg::Side;
using kg::Triple;

class CudaRanks : public CudaTraining {};

std::vector<Rank> on_gpu(const kg::Embeddings& e, const std::vector<Triple>& triples,
                         const std::vector<Triple>& known, const RankOptions& options = {},
                         std::uint64_t block_bytes = kg::kRankBlockBytes) {
  const auto ranker =
      kg::make_cuda_ranker(e, triples, kg::KnownTriples(known), options, 0, block_bytes);
  EXPECT_TRUE(ranker) << ranker.error().text();
  if (!ranker) return {};
  auto ranks = (*ranker)->rank();
  EXPECT_TRUE(ranks) << ranks.error().text();
  return ranks ? std::move(*ranks) : std::vector<Rank>();
}

void expect_equal(const std::vector<Rank>& found, const std::vector<Rank>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].raw, expected[i].raw) << i;
    ASSERT_EQ(found[i].filtered, expected[i].filtered) << i;
  }
}

void expect_ranks_of_the_cpu(const kg::Embeddings& e, const std::vector<Triple>& triples,
                             const std::vector<Triple>& known, const RankOptions& options = {},
                             std::uint64_t block_bytes = kg::kRankBlockBytes) {
  expect_equal(on_gpu(e, triples, known, options, block_bytes),
               kg::rank_triples(e, triples, kg::KnownTriples(known), options));
}

// Few entities, each many times but for the last bits of its numbers: what is rounded otherwise, or
// added in another order, has other ranks.
template <class T>
kg::Embeddings uneven_embeddings(ScoreModel model, std::uint32_t entities, std::uint32_t relations,
                                 std::uint32_t dim, std::uint32_t seed) {
  kg::Embeddings e = whole_embeddings<T>(model, entities, relations, dim, seed);
  auto& tables = std::get<kg::EmbeddingTables<T>>(e.tables);
  std::mt19937 random(seed);
  std::normal_distribution<T> normal;
  for (auto* const table :
       {&tables.entities, &tables.relations, &tables.matrices, &tables.normals}) {
    for (T& value : *table) value = normal(random);
  }
  const std::size_t different = std::size_t{dim} * 3;
  for (std::size_t i = different; i < tables.entities.size(); ++i) {
    const T last_bits = static_cast<T>(random() % 4) * std::numeric_limits<T>::epsilon();
    tables.entities[i] = tables.entities[i % different] * (1 + last_bits);
  }
  return e;
}

// A product is added by one rounding on the CPU, too.
bool cpu_fuses() {
  return kg::tile_kernels<float>().rows > kg::usable_tile_kernels<float>().back()->rows;
}

// Known triples with an anchor that has many answers; one more is asked that is not known.
std::pair<std::vector<Triple>, std::vector<Triple>> asked_and_known(std::uint32_t entities) {
  std::vector<Triple> known = random_triples(entities, 4, 40, 7);
  std::vector<Triple> asked(known.begin(), known.begin() + 20);
  asked.push_back({entities - 1, 3, entities - 1});
  for (std::uint32_t i = 0; i < entities; i += 2) known.push_back({0, 0, i});
  asked.push_back({0, 0, 2});
  asked.push_back({0, 0, 4});
  return {asked, known};
}

template <class T>
void expect_every_model(bool whole) {
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    SCOPED_TRACE(info.name);
    for (const auto& [entities, dim] : {std::pair{7u, 6u}, {130u, 2u}, {300u, 34u}}) {
      SCOPED_TRACE(entities);
      const kg::Embeddings e = whole ? whole_embeddings<T>(info.model, entities, 4, dim, 3)
                                     : uneven_embeddings<T>(info.model, entities, 4, dim, 3);
      const auto [asked, known] = asked_and_known(entities);
      expect_ranks_of_the_cpu(e, asked, known);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaRanks, OfWholeNumbersWithTiesAreThoseOfTheCpu) {
  expect_every_model<float>(/*whole=*/true);
  expect_every_model<double>(/*whole=*/true);
}

TEST_F(CudaRanks, ScoresHaveTheBitsOfTheCpu) {
  if (!cpu_fuses()) GTEST_SKIP() << "this processor rounds products before it adds them";
  expect_every_model<float>(/*whole=*/false);
  expect_every_model<double>(/*whole=*/false);
  kg::Embeddings e = uneven_embeddings<float>(ScoreModel::TransE, 300, 4, 17, 3);
  e.p = 2;
  const auto [asked, known] = asked_and_known(300);
  expect_ranks_of_the_cpu(e, asked, known);
}

// Blocks of one tile: own scores are of other blocks than what they are compared with.
TEST_F(CudaRanks, DoNotDependOnBlocks) {
  for (const ScoreModel model : {ScoreModel::RotatE, ScoreModel::TransF, ScoreModel::TransR,
                                 ScoreModel::TransH, ScoreModel::Rescal}) {
    SCOPED_TRACE(kg::info_of(model).name);
    const kg::Embeddings e = whole_embeddings<double>(model, 150, 4, 6, 3);
    const auto [asked, known] = asked_and_known(150);
    expect_ranks_of_the_cpu(e, asked, known, {}, /*block_bytes=*/1);
  }
  const kg::Embeddings e = whole_embeddings<float>(ScoreModel::DistMult, 300, 4, 6, 3);
  std::vector<Triple> many = random_triples(300, 4, 150, 2);
  expect_ranks_of_the_cpu(e, many, many, {}, /*block_bytes=*/1);
}

TEST_F(CudaRanks, AnInverseRelationAnswersForHeads) {
  for (const ScoreModel model : {ScoreModel::ComplEx, ScoreModel::TransH, ScoreModel::Rescal}) {
    const kg::Embeddings e = whole_embeddings<float>(model, 40, 4, 6, 9);
    const std::vector<Triple> triples = random_triples(40, 2, 30, 5);
    RankOptions options;
    options.inverse = {2, 3, kg::kNoInverse, kg::kNoInverse};
    expect_ranks_of_the_cpu(e, triples, triples, options);
  }
}

TEST_F(CudaRanks, OneEntityAndOneTriple) {
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    const kg::Embeddings e = whole_embeddings<float>(info.model, 1, 1, 2, 9);
    expect_ranks_of_the_cpu(e, {{0, 0, 0}}, {{0, 0, 0}});
    expect_ranks_of_the_cpu(e, {{0, 0, 0}}, {});
  }
  EXPECT_TRUE(on_gpu(whole_embeddings<float>(ScoreModel::TransE, 5, 1, 2, 1), {}, {}).empty());
}

// A query with thousands of known answers, asked by many triples.
TEST_F(CudaRanks, OfAHub) {
  const std::uint32_t entities = 3000;
  const kg::Embeddings e = whole_embeddings<float>(ScoreModel::TransE, entities, 1, 3, 4);
  std::vector<Triple> known;
  for (std::uint32_t i = 0; i < entities; ++i) {
    if (i % 7 != 3) known.push_back({1, 0, i});
  }
  std::vector<Triple> asked(known.begin() + 900, known.begin() + 960);
  asked.push_back({1, 0, 3});  // not known
  expect_ranks_of_the_cpu(e, asked, known);
}

TEST_F(CudaRanks, NaNIsTheLowestScore) {
  for (const ScoreModel model : {ScoreModel::TransE, ScoreModel::DistMult, ScoreModel::RotatE}) {
    kg::Embeddings e = whole_embeddings<float>(model, 140, 2, 4, 6);
    auto& tables = std::get<kg::EmbeddingTables<float>>(e.tables);
    for (std::size_t i = 0; i < 3; ++i) {
      tables.entities[i * 4] = std::numeric_limits<float>::quiet_NaN();
      tables.entities[(i + 130) * 4] = std::numeric_limits<float>::infinity();
    }
    const std::vector<Triple> triples{{0, 0, 5}, {5, 1, 1}, {131, 0, 5}, {7, 1, 132}, {5, 0, 6}};
    expect_ranks_of_the_cpu(e, triples, triples);
  }
  kg::Embeddings e = whole_embeddings<float>(ScoreModel::TransH, 5, 1, 2, 1);
  std::get<kg::EmbeddingTables<float>>(e.tables).normals = {0, 0};  // 0 / 0
  const std::vector<Rank> ranks = on_gpu(e, {{0, 0, 1}}, {{0, 0, 1}});
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0].raw, 3);  // all five are equal
}

// The emulated GPU's.
class LittleMemory {
 public:
  explicit LittleMemory(const char* bytes) { ::setenv(kName, bytes, 1); }
  ~LittleMemory() { ::unsetenv(kName); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  static constexpr const char* kName = "VECC_EMULATED_BYTES";
};

TEST_F(CudaRanks, HaveSmallerBlocksInLittleMemoryAndNeedSome) {
  const char* const driver = std::getenv("VECC_CUDA_DRIVER");
  if (driver == nullptr || std::string(driver).find("emulator") == std::string::npos) {
    GTEST_SKIP() << "a GPU's memory is as large as it is";
  }
  const kg::Embeddings e = whole_embeddings<float>(ScoreModel::DistMult, 300, 4, 400, 3);
  const std::vector<Triple> triples = random_triples(300, 4, 100, 2);
  {
    const LittleMemory enough_for_tiles("1000000");
    expect_ranks_of_the_cpu(e, triples, triples);
  }
  for (const auto& [bytes, what] :
       {std::pair{"500000", "ranks need "}, {"400000", "weights need "}}) {
    const LittleMemory too_little(bytes);
    const auto refused = kg::make_cuda_ranker(e, triples, kg::KnownTriples(triples), {}, 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().list().front().code, ErrorCode::OutOfMemory);
    EXPECT_NE(refused.error().text().find(what), std::string::npos) << refused.error().text();
    EXPECT_NE(refused.error().text().find("--backend=cpu"), std::string::npos);
  }
}

TEST_F(CudaRanks, TellHowFarTheyAre) {
  const kg::Embeddings e = whole_embeddings<float>(ScoreModel::TransE, 50, 2, 4, 6);
  const std::vector<Triple> triples = random_triples(50, 2, 150, 2);
  std::vector<double> shares;
  RankOptions options;
  options.progress = [&](double share) { shares.push_back(share); };
  EXPECT_EQ(on_gpu(e, triples, triples, options, 1).size(), 300u);
  ASSERT_GT(shares.size(), 1u);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
}

// Of a user's score: distances and products with e a row or computed, parameters of each owner;
// pairs; values that lie in memory between kernels.
const char* const kRankTexts[] = {
    "-norm1(h + r - t)",
    "e.b: 1; r.b: 1; s: 1\nsigmoid(r.b) * dot(h, t) * s + h.b - t.b",
    "W: dim*dim x relation_dim; M = reshape[dim x dim](W @ r); dot(h, M @ t)",
    "w: dim; -norm1(tanh(h + r - t * w))",
    "cossim(h + r, max(t, r))",
    "W: dim x dim\ndot(tanh(W @ h) * r, tanh(W @ t))",
};

kg::TripleTrainOptions formula_options(const std::string& text, std::uint32_t dim) {
  kg::TripleTrainOptions options = some_options();
  options.model = ScoreModel::Formula;
  options.formula = text;
  options.dim = dim;
  options.relation_dim = text.find("relation_dim") != std::string::npos ? 3 : 0;
  options.interpret = true;
  return options;
}

// Scores agree to rounding; these are no near ties.
void expect_ranks_of_a_formula(const std::string& text, std::uint32_t dim,
                               std::uint64_t block_bytes) {
  SCOPED_TRACE(text);
  const Trainer trainer = on_cpu(formula_options(text, dim));
  const Result<kg::Embeddings> e = trainer->embeddings();
  ASSERT_TRUE(e) << e.error().text();
  expect_ranks_of_the_cpu(*e, some_triples(), some_triples(), {}, block_bytes);
}

TEST_F(CudaRanks, OfFormulasAreThoseOfTheCpu) {
  for (const char* const text : kRankTexts) {
    expect_ranks_of_a_formula(text, 4, kg::kRankBlockBytes);
    if (HasFatalFailure()) return;
  }
  expect_ranks_of_a_formula(kRankTexts[2], 19, kg::kRankBlockBytes);
  expect_ranks_of_a_formula(kRankTexts[5], 19, kg::kRankBlockBytes);
}

TEST_F(CudaRanks, OfFormulasDoNotDependOnBlocks) {
  for (const char* const text : {kRankTexts[1], kRankTexts[3]}) {
    expect_ranks_of_a_formula(text, 4, 1);
    if (HasFatalFailure()) return;
  }
}

// By the weights where they are trained, after any step.
TEST_F(CudaRanks, OfATrainingAreThoseOfItsWeights) {
  std::vector<kg::TripleTrainOptions> trainings;
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    trainings.push_back(some_options());
    trainings.back().model = info.model;
    trainings.back().dim = 4;
  }
  trainings.push_back(formula_options(kRankTexts[1], 4));
  const std::vector<Triple> triples = some_triples();
  const kg::KnownTriples known(triples);
  for (const kg::TripleTrainOptions& options : trainings) {
    SCOPED_TRACE(kg::info_of(options.model).name);
    const Trainer trainer = on_cuda(options);
    ASSERT_NE(trainer, nullptr);
    const auto ranker = trainer->make_ranker(triples, known, {});
    ASSERT_TRUE(ranker) << ranker.error().text();
    for (int step = 0; step < 2; ++step) {
      const auto found = (*ranker)->rank();
      ASSERT_TRUE(found) << found.error().text();
      expect_equal(*found, kg::rank_triples(*trainer->embeddings(), triples, known, {}));
      if (HasFatalFailure()) return;
      ASSERT_TRUE(trainer->step());
    }
  }
}

}  // namespace
}  // namespace vecc::test
