#include "src/kg/answers.h"

#include <algorithm>
#include <numeric>

#include "src/kg/query_plan.h"
#include "src/kg/scorer.h"
#include "src/support/split_work.h"

namespace vecc::kg {
namespace {

constexpr std::size_t kAnswerBatch = 64;
constexpr std::uint32_t kAnswerBlock = 4096;  // entities whose scores are held at once

bool is_better(const Answer& a, const Answer& b) {
  return a.score != b.score ? a.score > b.score : a.entity < b.entity;
}

// The best answers so far, the worst of them first: a heap.
class BestAnswers {
 public:
  explicit BestAnswers(std::uint32_t top) : top_(top) {}

  [[nodiscard]] bool takes(const Answer& answer) const {
    return answers_.size() < top_ || (top_ > 0 && is_better(answer, answers_.front()));
  }
  void add(const Answer& answer) {
    if (answers_.size() == top_) {
      std::pop_heap(answers_.begin(), answers_.end(), is_better);
      answers_.pop_back();
    }
    answers_.push_back(answer);
    std::push_heap(answers_.begin(), answers_.end(), is_better);
  }
  [[nodiscard]] std::vector<Answer> take() {
    std::sort_heap(answers_.begin(), answers_.end(), is_better);
    return std::move(answers_);
  }

 private:
  std::uint32_t top_;
  std::vector<Answer> answers_;
};

// Batches of query numbers; `queries` as they are scored.
std::vector<std::vector<std::uint32_t>> make_batches(std::span<const Query> queries,
                                                     BatchKind kind) {
  std::vector<std::uint32_t> order(queries.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (kind == BatchKind::OneSide && queries[a].asked != queries[b].asked) {
      return queries[a].asked < queries[b].asked;
    }
    return queries[a].relation < queries[b].relation;
  });
  std::vector<std::vector<std::uint32_t>> batches;
  for (const std::uint32_t q : order) {
    const bool begins = batches.empty() || batches.back().size() == kAnswerBatch ||
                        !fit_together(queries[batches.back().front()], queries[q], kind);
    if (begins) batches.emplace_back();
    batches.back().push_back(q);
  }
  return batches;
}

// `scored`: the queries as they are scored.
template <class T>
void answer_batch(QueryBatch<T>& batch, std::uint32_t entities, std::span<const Query> queries,
                  std::span<const Query> scored, std::span<const std::uint32_t> numbers,
                  const KnownTriples& known, const AnswerOptions& options,
                  std::vector<std::vector<Answer>>& answers) {
  std::vector<Query> asked;
  for (const std::uint32_t q : numbers) asked.push_back(scored[q]);
  batch.set(asked);
  AlignedVector<T> scores(batch.rows() * kAnswerBlock);
  std::vector<BestAnswers> best(asked.size(), BestAnswers(std::min(options.top, entities)));
  for (std::uint32_t first = 0; first < entities; first += kAnswerBlock) {
    const std::uint32_t count = std::min(kAnswerBlock, entities - first);
    batch.score(first, count, scores.data(), kAnswerBlock);
    for (std::size_t q = 0; q < asked.size(); ++q) {
      for (std::uint32_t i = 0; i < count; ++i) {
        Answer answer{first + i, static_cast<double>(scores[q * kAnswerBlock + i])};
        if (!best[q].takes(answer)) continue;
        answer.known = known.contains(queries[numbers[q]], answer.entity);
        if (!answer.known || !options.drop_known) best[q].add(answer);
      }
    }
    if (entities - first <= kAnswerBlock) break;  // first + kAnswerBlock may be beyond 32 bits
  }
  for (std::size_t q = 0; q < asked.size(); ++q) answers[numbers[q]] = best[q].take();
}

template <class T>
std::vector<std::vector<Answer>> answer_all(const Embeddings& embeddings,
                                            const EmbeddingTables<T>& tables,
                                            std::span<const Query> queries,
                                            const KnownTriples& known,
                                            const AnswerOptions& options) {
  const Scorer<T> scorer(embeddings, tables);
  std::vector<Query> scored;
  for (const Query& query : queries) scored.push_back(scored_as(query, options.inverse));
  const auto batches = make_batches(scored, scorer.batch_kind());
  std::vector<std::vector<Answer>> answers(queries.size());
  split_work(options.threads, batches.size(), [&](auto&& next) {
    QueryBatch<T> batch(scorer);
    while (const auto b = next()) {
      answer_batch(batch, embeddings.entities, queries, scored, batches[*b], known, options,
                   answers);
    }
  });
  return answers;
}

}  // namespace

std::vector<std::vector<Answer>> answer_queries(const Embeddings& embeddings,
                                                std::span<const Query> queries,
                                                const KnownTriples& known,
                                                const AnswerOptions& options) {
  return std::visit(
      [&](const auto& tables) { return answer_all(embeddings, tables, queries, known, options); },
      embeddings.tables);
}

}  // namespace vecc::kg
