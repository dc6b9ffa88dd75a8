#include "src/kg/ranks.h"

#include <algorithm>
#include <thread>

#include "src/kg/query_plan.h"
#include "src/kg/scorer.h"
#include "src/support/split_work.h"
#include "vecc/error.h"
#include "vecc/target.h"

namespace vecc::kg {
namespace {

// Queries in a batch: a panel is read from memory once a batch. Projecting a panel costs as much as
// scoring it for `dim` queries, so batches that project are longer.
constexpr std::size_t kBatch = 64;
constexpr std::size_t kProjectingBatch = 1024;

// How many entities score above one, and how many others as high.
struct Place {
  std::uint64_t above = 0;
  std::uint64_t equal = 0;

  [[nodiscard]] double rank() const {
    return 1 + static_cast<double>(above) + static_cast<double>(equal) / 2;
  }
};

// One thread's work.
template <class T>
class BatchRanker {
 public:
  BatchRanker(const Scorer<T>& scorer, const QueryPlan& plan, std::span<const Triple> triples,
              const KnownTriples& known, std::vector<Rank>& ranks)
      : plan_(plan),
        triples_(triples),
        known_(known),
        ranks_(ranks),
        entities_(scorer.embeddings().entities),
        batch_(scorer) {}

  void rank(std::uint64_t begin, std::uint64_t end) {
    batch_.set(std::span(plan_.scored).subspan(begin, end - begin));
    score_items(begin, end);
    constexpr std::size_t kLanes = kPanelLanes<T>;
    const std::size_t block =
        std::max(most_scores_ / batch_.rows() / kLanes, std::size_t{1}) * kLanes;
    scores_.resize(batch_.rows() * block);
    for (std::size_t first = 0; first < entities_; first += block) {
      const std::size_t count = std::min<std::size_t>(block, entities_ - first);
      batch_.score(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count),
                   scores_.data(), block);
      for (std::uint64_t q = begin; q < end; ++q) {
        count_block(q, {scores_.data() + (q - begin) * block, count}, first);
      }
    }
    store(begin);
  }

 private:
  [[nodiscard]] std::uint32_t entity_of(std::uint64_t item) const {
    return entity_on(triples_[item / 2], static_cast<Side>(item % 2));
  }

  // The scores of the triples' own entities.
  void score_items(std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint32_t> queries;
    std::vector<std::uint32_t> entities;
    for (std::uint64_t q = begin; q < end; ++q) {
      for (std::uint64_t i = plan_.first_item[q]; i < plan_.first_item[q + 1]; ++i) {
        queries.push_back(static_cast<std::uint32_t>(q - begin));
        entities.push_back(entity_of(plan_.item[i]));
      }
    }
    own_.resize(queries.size());
    batch_.score_pairs(queries, entities, own_.data());
    all_.assign(queries.size(), {});
    known_places_.assign(queries.size(), {});
    next_known_.assign(end - begin, 0);
    first_own_ = plan_.first_item[begin];
    first_query_ = begin;
  }

  // One query's scores of entities first, first + 1, ...
  void count_block(std::uint64_t q, std::span<const T> scores, std::size_t first) {
    const auto answers = known_.answers(plan_.asked[q]);
    std::size_t& next = next_known_[q - first_query_];
    known_scores_.clear();
    for (; next < answers.size() && answers[next][2] < first + scores.size(); ++next) {
      known_scores_.push_back(scores[answers[next][2] - first]);
    }
    const auto count = tile_kernels<T>().count;
    for (std::uint64_t i = plan_.first_item[q]; i < plan_.first_item[q + 1]; ++i) {
      const std::size_t at = i - first_own_;
      count(scores.data(), scores.size(), own_[at], all_[at].above, all_[at].equal);
      count(known_scores_.data(), known_scores_.size(), own_[at], known_places_[at].above,
            known_places_[at].equal);
    }
  }

  void store(std::uint64_t begin) {
    for (std::size_t at = 0; at < own_.size(); ++at) {
      const std::uint64_t item = plan_.item[plan_.first_item[begin] + at];
      Place raw = all_[at];
      VECC_CHECK(raw.equal > 0, "an entity's score differs from its own");
      --raw.equal;
      Place filtered{raw.above - known_places_[at].above, raw.equal - known_places_[at].equal};
      const Triple& triple = triples_[item / 2];
      const auto side = static_cast<Side>(item % 2);
      // It is among the known ones that were taken away, and was not to be.
      if (known_.contains(query_of(triple, side), entity_of(item))) ++filtered.equal;
      ranks_[item] = {raw.rank(), filtered.rank()};
    }
  }

  const QueryPlan& plan_;
  std::span<const Triple> triples_;
  const KnownTriples& known_;
  std::vector<Rank>& ranks_;
  std::size_t entities_;
  QueryBatch<T> batch_;
  std::uint64_t first_query_ = 0;
  std::uint64_t first_own_ = 0;
  std::vector<T> own_;                   // scores, by item of the batch
  std::vector<Place> all_;               // among all entities, itself too
  std::vector<Place> known_places_;      // among the known answers
  std::vector<std::size_t> next_known_;  // by query: the first known answer of later blocks
  std::vector<T> known_scores_;
  AlignedVector<T> scores_;
  // That stay in a core's cache until they are counted.
  std::size_t most_scores_ = host_processor().tiles.score_bytes / sizeof(T);
};

template <class T>
std::vector<Rank> rank_all(const Embeddings& embeddings, const EmbeddingTables<T>& tables,
                           std::span<const Triple> triples, const KnownTriples& known,
                           const RankOptions& options) {
  const Scorer<T> scorer(embeddings, tables);
  const BatchKind kind = scorer.batch_kind();
  const QueryPlan plan = plan_queries(triples, options.inverse, kind,
                                      kind == BatchKind::OneRelation ? kProjectingBatch : kBatch);
  std::vector<Rank> ranks(triples.size() * 2);
  const std::size_t batches = plan.batch.size() - 1;
  const std::thread::id caller = std::this_thread::get_id();
  split_work(options.threads, batches, [&](auto&& next) {
    const bool tells = options.progress && std::this_thread::get_id() == caller;
    BatchRanker<T> ranker(scorer, plan, triples, known, ranks);
    while (const auto b = next()) {
      ranker.rank(plan.batch[*b], plan.batch[*b + 1]);
      if (tells) options.progress(static_cast<double>(*b + 1) / static_cast<double>(batches));
    }
  });
  return ranks;
}

}  // namespace

std::vector<Rank> rank_triples(const Embeddings& embeddings, std::span<const Triple> triples,
                               const KnownTriples& known, const RankOptions& options) {
  return std::visit(
      [&](const auto& tables) { return rank_all(embeddings, tables, triples, known, options); },
      embeddings.tables);
}

}  // namespace vecc::kg
