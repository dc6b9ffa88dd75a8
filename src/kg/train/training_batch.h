// What a step of a training reads: positive triples as queries, and the entities that are drawn to
// answer them wrongly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/kg/known_triples.h"
#include "src/kg/train/draws.h"
#include "src/kg/triple.h"

namespace vecc::kg {

/// Which side of a positive triple negatives replace.
enum class Corruption : std::uint8_t {
  Both,       ///< each triple is asked for its head and for its tail
  Head,       ///
  Tail,       ///
  Bernoulli,  ///< the head with the probability tph / (tph + hpt) of its relation, tails a head
              ///< and heads a tail on average, else the tail (Wang et al. 2014)
};
/// both, head, tail, bernoulli; empty after the last.
[[nodiscard]] std::string_view text_of(Corruption corruption);

/// With which probability an entity is a negative.
enum class NegativeDraw : std::uint8_t {
  Uniform,
  Degree,  ///< as (triples that it is in)^0.75
};
/// uniform, degree; empty after the last.
[[nodiscard]] std::string_view text_of(NegativeDraw draw);

/// NegativeDraw::Degree's.
[[nodiscard]] WeightedDraw draw_by_degree(std::span<const Triple> triples, std::uint32_t entities);
/// Corruption::Bernoulli's, by relation.
[[nodiscard]] std::vector<double> head_probabilities(std::span<const Triple> triples,
                                                     std::uint32_t relations);

struct NegativeOptions {
  std::uint32_t count = 256;  ///< of a chunk; 0: all entities, none drawn (1-vs-all)
  std::uint32_t chunk = 256;  ///< queries that share their negatives; of all entities: all do
  Corruption corruption = Corruption::Both;
  NegativeDraw draw = NegativeDraw::Uniform;
  bool filtered = false;  ///< negatives that are triples of the training set do not count
  /// k-vs-all: examples are distinct queries, each with all its answers among all entities
  /// (`count` is 0).
  bool labels = false;
};

/// The distinct queries of k-vs-all as triples, each with the first of its answers: queries for
/// tails, then for heads; of one side in ascending order.
struct QueryExamples {
  std::vector<Triple> triples;
  std::uint32_t tails = 0;  ///< queries for tails
};
/// `corruption`: of both or one side.
[[nodiscard]] QueryExamples query_examples(const KnownTriples& known, Corruption corruption);

/// Queries of one side that have the same negatives.
struct Chunk {
  std::uint32_t first = 0;  ///< query
  std::uint32_t count = 0;  ///< queries
  Side asked = Side::Tail;
};

struct TrainingBatch {
  std::uint64_t step = 0;  ///< of the training
  std::vector<Query> queries;
  /// By query: the positive's. k-vs-all: one of the query's, drawn at each step, which stands for
  /// all of them where regularizers read one; the loss does not read it.
  std::vector<std::uint32_t> answers;
  std::vector<Chunk> chunks;             ///< one after another, of all queries
  std::uint32_t negative_count = 0;      ///< of a chunk
  std::vector<std::uint32_t> negatives;  ///< [chunks][negative_count]

  [[nodiscard]] std::span<const std::uint32_t> negatives_of(std::size_t chunk) const {
    return std::span(negatives).subspan(chunk * negative_count, negative_count);
  }
};

class BatchMaker {
 public:
  /// At least one triple; all numbers are below `entities` and `relations`. A batch has
  /// `batch_size` triples, k-vs-all: queries (0: all of them), the last of an epoch what is left.
  BatchMaker(std::vector<Triple> triples, std::uint32_t entities, std::uint32_t relations,
             const NegativeOptions& options, std::uint32_t batch_size, std::uint64_t seed);

  [[nodiscard]] std::uint64_t batch_count() const;
  [[nodiscard]] std::uint32_t batch_size() const { return batch_size_; }
  /// Batch `batch` of epoch `epoch`, both counted from 0: the same whenever it is asked for.
  [[nodiscard]] TrainingBatch make(std::uint64_t epoch, std::uint64_t batch);
  /// Of a batch's query: by its chunk's negatives, whether it is a negative. Never the answer
  /// itself; filtered: no other one that is known.
  void mark_negatives(const TrainingBatch& batch, std::size_t chunk, std::uint32_t query,
                      std::span<std::uint8_t> counts) const;

  [[nodiscard]] bool has_labels() const { return options_.labels; }
  /// Filtered, k-vs-all: what answers a query in the training set.
  [[nodiscard]] const KnownTriples& known() const { return *known_; }

 private:
  [[nodiscard]] bool asks_head(const Draws& sides, std::size_t place, std::uint32_t triple) const;
  void add_queries(std::span<const std::uint32_t> triples, Side asked, TrainingBatch& batch) const;
  void draw_negatives(std::uint64_t step, TrainingBatch& batch) const;

  std::vector<Triple> triples_;     ///< k-vs-all: QueryExamples
  std::uint32_t tail_queries_ = 0;  ///< k-vs-all
  std::uint32_t entities_;
  NegativeOptions options_;
  std::uint32_t batch_size_;
  std::uint64_t seed_;
  std::optional<KnownTriples> known_;         ///< filtered, k-vs-all
  std::optional<WeightedDraw> by_degree_;     ///< NegativeDraw::Degree
  std::vector<double> head_probability_;      ///< Bernoulli: by relation
  std::optional<std::uint64_t> order_epoch_;  ///< of order_
  std::vector<std::uint32_t> order_;
};

}  // namespace vecc::kg
