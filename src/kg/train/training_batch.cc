#include "src/kg/train/training_batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "vecc/error.h"

namespace vecc::kg {
namespace {

// By relation: pairs of a relation and an entity that it has on a side.
std::vector<double> count_entities_on(std::span<const Triple> triples, std::uint32_t relations,
                                      Side side) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(triples.size());
  for (const Triple& triple : triples) pairs.emplace_back(triple.relation, entity_on(triple, side));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<double> counts(relations);
  for (const auto& pair : pairs) ++counts[pair.first];
  return counts;
}

}  // namespace

WeightedDraw draw_by_degree(std::span<const Triple> triples, std::uint32_t entities) {
  std::vector<double> weights(entities);
  for (const Triple& triple : triples) {
    ++weights[triple.head];
    ++weights[triple.tail];
  }
  for (double& weight : weights) weight = std::pow(weight, 0.75);
  return WeightedDraw(weights);
}

// tph / (tph + hpt), where tph is triples / heads and hpt triples / tails.
std::vector<double> head_probabilities(std::span<const Triple> triples, std::uint32_t relations) {
  const std::vector<double> heads = count_entities_on(triples, relations, Side::Head);
  const std::vector<double> tails = count_entities_on(triples, relations, Side::Tail);
  std::vector<double> probabilities(relations);
  for (std::uint32_t r = 0; r < relations; ++r) {
    if (heads[r] > 0) probabilities[r] = tails[r] / (heads[r] + tails[r]);
  }
  return probabilities;
}

std::string_view text_of(Corruption corruption) {
  switch (corruption) {
    case Corruption::Both: return "both";
    case Corruption::Head: return "head";
    case Corruption::Tail: return "tail";
    case Corruption::Bernoulli: return "bernoulli";
  }
  return {};
}

std::string_view text_of(NegativeDraw draw) {
  switch (draw) {
    case NegativeDraw::Uniform: return "uniform";
    case NegativeDraw::Degree: return "degree";
  }
  return {};
}

QueryExamples query_examples(const KnownTriples& known, Corruption corruption) {
  QueryExamples examples;
  const auto add = [&](Side asked) {
    const KnownTriples::Row* last = nullptr;
    for (const KnownTriples::Row& row : known.rows(asked)) {
      const auto& [relation, anchor, answer] = row;
      if (last != nullptr && (*last)[0] == relation && (*last)[1] == anchor) continue;
      examples.triples.push_back(asked == Side::Tail ? Triple{anchor, relation, answer}
                                                     : Triple{answer, relation, anchor});
      last = &row;
    }
  };
  if (corruption != Corruption::Head) add(Side::Tail);
  examples.tails = static_cast<std::uint32_t>(examples.triples.size());
  if (corruption != Corruption::Tail) add(Side::Head);
  return examples;
}

BatchMaker::BatchMaker(std::vector<Triple> triples, std::uint32_t entities, std::uint32_t relations,
                       const NegativeOptions& options, std::uint32_t batch_size, std::uint64_t seed)
    : triples_(std::move(triples)),
      entities_(entities),
      options_(options),
      batch_size_(batch_size),
      seed_(seed) {
  VECC_CHECK(!triples_.empty(), "a training without triples");
  if (options.filtered || options.labels) known_.emplace(triples_);
  if (options.labels) {
    QueryExamples examples = query_examples(*known_, options.corruption);
    triples_ = std::move(examples.triples);
    tail_queries_ = examples.tails;
  }
  const auto count = static_cast<std::uint32_t>(triples_.size());
  if (batch_size_ == 0 || batch_size_ > count) batch_size_ = count;
  if (options.draw == NegativeDraw::Degree) by_degree_ = draw_by_degree(triples_, entities);
  if (options.corruption == Corruption::Bernoulli) {
    head_probability_ = head_probabilities(triples_, relations);
  }
}

std::uint64_t BatchMaker::batch_count() const {
  return (triples_.size() + batch_size_ - 1) / batch_size_;
}

TrainingBatch BatchMaker::make(std::uint64_t epoch, std::uint64_t batch) {
  if (order_epoch_ != epoch) {
    order_ = draw_order(seed_, epoch, static_cast<std::uint32_t>(triples_.size()));
    order_epoch_ = epoch;
  }
  const std::uint64_t step = epoch * batch_count() + batch;
  const std::size_t begin = batch * batch_size_;
  const auto chosen =
      std::span(order_).subspan(begin, std::min<std::size_t>(batch_size_, order_.size() - begin));
  std::vector<std::uint32_t> heads;  // triples whose head is asked for
  std::vector<std::uint32_t> tails;
  const Draws sides(seed_, DrawStream::Sides, step);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::uint32_t triple = chosen[i];
    const bool is_head = asks_head(sides, i, triple);
    if (is_head) heads.push_back(triple);
    const bool asks_both = options_.corruption == Corruption::Both && !options_.labels;
    if (!is_head || asks_both) tails.push_back(triple);
  }
  TrainingBatch result;
  result.step = step;
  add_queries(tails, Side::Tail, result);
  add_queries(heads, Side::Head, result);
  draw_negatives(step, result);
  return result;
}

bool BatchMaker::asks_head(const Draws& sides, std::size_t place, std::uint32_t triple) const {
  if (options_.labels) return triple >= tail_queries_;
  if (options_.corruption != Corruption::Bernoulli) return options_.corruption != Corruption::Tail;
  return sides.uniform(place) < head_probability_[triples_[triple].relation];
}

void BatchMaker::add_queries(std::span<const std::uint32_t> triples, Side asked,
                             TrainingBatch& batch) const {
  const Draws draws(seed_, DrawStream::Answers, batch.step);
  const auto draw_answer = [&](const Query& query) {
    const auto answers = known_->answers(query);
    const auto count = static_cast<std::uint32_t>(answers.size());
    return answers[draws.below(batch.answers.size(), count)][2];
  };
  const std::size_t size = options_.count == 0 ? triples.size() : options_.chunk;
  for (std::size_t begin = 0; begin < triples.size(); begin += size) {
    const std::size_t count = std::min(size, triples.size() - begin);
    batch.chunks.push_back({static_cast<std::uint32_t>(batch.queries.size()),
                            static_cast<std::uint32_t>(count), asked});
    for (const std::uint32_t triple : triples.subspan(begin, count)) {
      batch.queries.push_back(query_of(triples_[triple], asked));
      batch.answers.push_back(options_.labels ? draw_answer(batch.queries.back())
                                              : entity_on(triples_[triple], asked));
    }
  }
}

void BatchMaker::draw_negatives(std::uint64_t step, TrainingBatch& batch) const {
  batch.negative_count = options_.count == 0 ? entities_ : options_.count;
  batch.negatives.resize(batch.chunks.size() * batch.negative_count);
  const Draws draws(seed_, DrawStream::Negatives, step);
  for (std::size_t i = 0; i < batch.negatives.size(); ++i) {
    batch.negatives[i] = options_.count == 0 ? static_cast<std::uint32_t>(i % batch.negative_count)
                         : by_degree_        ? by_degree_->draw(draws, i)
                                             : draws.below(i, entities_);
  }
}

void BatchMaker::mark_negatives(const TrainingBatch& batch, std::size_t chunk, std::uint32_t query,
                                std::span<std::uint8_t> counts) const {
  const auto negatives = batch.negatives_of(chunk);
  const std::uint32_t answer = batch.answers[query];
  for (std::size_t j = 0; j < negatives.size(); ++j) counts[j] = negatives[j] != answer ? 1 : 0;
  if (!known_) return;
  const auto answers = known_->answers(batch.queries[query]);
  const auto is_known = [&](std::uint32_t entity) {
    const KnownTriples::Row& first = answers.front();
    return std::binary_search(answers.begin(), answers.end(),
                              KnownTriples::Row{first[0], first[1], entity});
  };
  if (options_.count == 0) {
    for (const KnownTriples::Row& row : answers) counts[row[2]] = 0;
    return;
  }
  if (answers.size() < 2) return;  // the answer itself
  for (std::size_t j = 0; j < negatives.size(); ++j) {
    if (counts[j] != 0 && is_known(negatives[j])) counts[j] = 0;
  }
}

}  // namespace vecc::kg
