#include "src/kg/train/formula_terms.h"

#include <algorithm>
#include <utility>

#include "src/kg/train/parallel_tasks.h"
#include "src/kg/vector_sums.h"

namespace vecc::kg {
namespace {

constexpr std::size_t kRowsOfACall = 16;
// Sums over rows are cut by the number of rows alone: they have one order.
constexpr std::size_t kMostSums = 16;
constexpr std::size_t kLeastRowsOfASum = 8;

std::size_t cut_count(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit;
}

// Rows of `width` numbers one behind the other become rows of `stride`, filled up with 0.
template <class T>
void spread_rows(T* rows, std::size_t count, std::size_t width, std::size_t stride) {
  if (width == stride) return;
  for (std::size_t i = count; i-- > 0;) {
    std::copy_backward(rows + i * width, rows + (i + 1) * width, rows + i * stride + width);
    std::fill(rows + i * stride + width, rows + (i + 1) * stride, T{0});
  }
}

}  // namespace

template <class T>
FormulaTerms<T>::FormulaTerms(const LearnedModel<T>& model, ThreadTeam& team)
    : model_(model), team_(team), vectors_(*model.score.formula, model.shared.values.data()) {}

template <class T>
std::size_t FormulaTerms<T>::tile_width() const {
  return std::max(vectors_.query_width(Side::Tail), vectors_.query_width(Side::Head));
}

template <class T>
void FormulaTerms<T>::begin(const TrainingBatch& batch, const StepRows<T>& rows) {
  batch_ = &batch;
  find_groups();
  find_rows(rows);
  each_rows([&](const Rows& each, std::size_t begin, int array) {
    std::vector<T>& values = array == 0 ? queries_ : array == 1 ? answers_ : negatives_;
    make(each, values.data() + begin);
  });
}

template <class T>
void FormulaTerms<T>::find_groups() {
  groups_ = {};
  groups_[1].asked = Side::Head;
  for (const Chunk& chunk : batch_->chunks) {
    Group& group = groups_[chunk.asked == Side::Tail ? 0 : 1];
    group.query_count += chunk.count;
    group.negative_count += batch_->negative_count;
  }
  groups_[1].first_query = groups_[0].query_count;
  groups_[1].first_negative = groups_[0].negative_count;
  std::size_t numbers[3] = {0, 0, 0};
  for (Group& group : groups_) {
    group.query_stride = has_tiles() ? tile_width() : vectors_.query_width(group.asked);
    group.answer_stride = has_tiles() ? tile_width() : vectors_.answer_width(group.asked);
    group.query_begin = numbers[0];
    group.answer_begin = numbers[1];
    group.negative_begin = numbers[2];
    numbers[0] += group.query_count * group.query_stride;
    numbers[1] += group.query_count * group.answer_stride;
    numbers[2] += group.negative_count * group.answer_stride;
  }
  queries_.resize(numbers[0]);
  answers_.resize(numbers[1]);
  negatives_.resize(numbers[2]);
}

template <class T>
void FormulaTerms<T>::find_rows(const StepRows<T>& rows) {
  const std::size_t queries = batch_->queries.size();
  entity_rows_ = rows.entity_table();
  entity_at_.resize(2 * queries + batch_->negatives.size());
  for (std::size_t slot = 0; slot < entity_at_.size(); ++slot) {
    entity_at_[slot] = rows.entity_place(slot);
  }
  relation_at_.resize(queries);
  relation_rows_ = model_.relations.values.data();
  for (std::size_t i = 0; i < queries; ++i) relation_at_[i] = batch_->queries[i].relation;
  if (!rows.drops_relations()) return;
  const std::size_t width = model_.relations.width;
  relation_space_.resize(queries * width);
  run_tasks(team_, queries, [&](std::size_t i) {
    std::vector<T> space;
    const T* const row = rows.relation(i, space);
    std::copy_n(row, width, relation_space_.data() + i * width);
    relation_at_[i] = static_cast<std::uint32_t>(i);
  });
  relation_rows_ = relation_space_.data();
}

// body(rows, where they begin in their array, 0: of queries, 1: of answers, 2: of negatives).
template <class T>
template <class Body>
void FormulaTerms<T>::each_rows(const Body& body) const {
  const std::size_t queries = batch_->queries.size();
  for (const Group& group : groups_) {
    if (group.query_count == 0) continue;
    body(Rows{group.asked, true, group.first_query, group.query_count, group.query_stride},
         group.query_begin, 0);
    body(Rows{group.asked, false, queries + group.first_query, group.query_count,
              group.answer_stride},
         group.answer_begin, 1);
    body(Rows{group.asked, false, 2 * queries + group.first_negative, group.negative_count,
              group.answer_stride},
         group.negative_begin, 2);
  }
}

template <class T>
ScoreOperands FormulaTerms<T>::operands_of(const Rows& rows, std::size_t first) const {
  ScoreOperands operands = vectors_.operands();
  operands[ScoreArray::OwnRow] = {entity_rows_, entity_at_.data() + rows.first_slot + first};
  if (rows.of_query) {
    operands[ScoreArray::RelationRow] = {relation_rows_,
                                         relation_at_.data() + rows.first_slot + first};
  }
  return operands;
}

template <class T>
void FormulaTerms<T>::make(const Rows& rows, T* out) {
  const std::size_t width = width_of(rows);
  const ScoreSideCode& code = vectors_.side(rows.asked);
  run_tasks(team_, cut_count(rows.count, kRowsOfACall), [&](std::size_t task) {
    const std::size_t first = task * kRowsOfACall;
    const std::size_t count = std::min(kRowsOfACall, rows.count - first);
    T* const to = out + first * rows.stride;
    if (!rows.of_query && code.split.answer_is_row) {
      for (std::size_t i = 0; i < count; ++i) {
        const T* const row =
            entity_rows_ + std::size_t{entity_at_[rows.first_slot + first + i]} * width;
        std::copy_n(row, width, to + i * width);
      }
    } else {
      ScoreOperands operands = operands_of(rows, first);
      operands[ScoreArray::Made] = {to};
      (rows.of_query ? code.make_query : code.make_answer)
          .run(operands, 0, static_cast<std::uint32_t>(count));
    }
    spread_rows(to, count, width, rows.stride);
  });
}

template <class T>
void FormulaTerms<T>::score_negatives(std::size_t chunk, std::size_t query, T* scores) const {
  vectors_.score(batch_->chunks[chunk].asked, this->query(query),
                 negative(chunk * batch_->negative_count), batch_->negative_count, scores);
}

template <class T>
T FormulaTerms<T>::score_positive(std::size_t query) const {
  T score = 0;
  vectors_.score(batch_->queries[query].asked, this->query(query), answer(query), 1, &score);
  return score;
}

template <class T>
void FormulaTerms<T>::pull_pairs_of_query(std::size_t chunk, std::size_t i, const T* by_scores,
                                          T by_positive, T* by_query, T* by_answer) const {
  const Side asked = batch_->chunks[chunk].asked;
  const ScoreSideCode& code = vectors_.side(asked);
  const std::size_t width = vectors_.query_width(asked);
  std::vector<T> of_positive(width);
  ScoreOperands operands = vectors_.operands();
  operands[ScoreArray::Query] = {query(i)};
  operands[ScoreArray::Answer] = {negative(chunk * batch_->negative_count)};
  operands[ScoreArray::Score] = {by_scores};
  operands[ScoreArray::Made] = {by_query};
  code.pull_pair_query.run(operands, 0, 1, batch_->negative_count);
  operands[ScoreArray::Answer] = {answer(i)};
  operands[ScoreArray::Score] = {&by_positive};
  operands[ScoreArray::Made] = {of_positive.data()};
  code.pull_pair_query.run(operands, 0, 1, 1);
  add_scaled(T{1}, of_positive.data(), width, by_query);
  operands[ScoreArray::Made] = {by_answer};
  code.pull_pair_answer.run(operands, 0, 1, 1);
}

template <class T>
void FormulaTerms<T>::pull_pairs_of_negative(std::size_t negative, const T* by_scores,
                                             T* by_negative) const {
  const Chunk& chunk = batch_->chunks[negative / batch_->negative_count];
  ScoreOperands operands = vectors_.operands();
  operands[ScoreArray::Query] = {query(chunk.first)};
  operands[ScoreArray::Answer] = {this->negative(negative)};
  operands[ScoreArray::Score] = {by_scores};
  operands[ScoreArray::Made] = {by_negative};
  vectors_.side(chunk.asked).pull_pair_answer.run(operands, 0, 1, chunk.count);
}

template <class T>
void FormulaTerms<T>::pull(const T* by_query, const T* by_answer, const T* by_negative) {
  by_entities_.resize(entity_at_.size() * model_.entities.width);
  by_relations_.resize(relation_at_.size() * model_.relations.width);
  by_shared_.assign(model_.shared.values.size(), 0);
  each_rows([&](const Rows& rows, std::size_t begin, int array) {
    const T* gradients = (array == 0 ? by_query : array == 1 ? by_answer : by_negative) + begin;
    const std::size_t width = width_of(rows);
    std::vector<T> dense;
    if (width != rows.stride) {
      dense.resize(rows.count * width);
      for (std::size_t i = 0; i < rows.count; ++i) {
        std::copy_n(gradients + i * rows.stride, width, dense.data() + i * width);
      }
      gradients = dense.data();
    }
    run_tasks(team_, cut_count(rows.count, kRowsOfACall), [&](std::size_t task) {
      const std::size_t first = task * kRowsOfACall;
      pull_block(rows, gradients, first, std::min(kRowsOfACall, rows.count - first));
    });
    pull_shared(rows, gradients);
  });
}

template <class T>
void FormulaTerms<T>::pull_block(const Rows& rows, const T* gradients, std::size_t first,
                                 std::size_t count) {
  const std::size_t slot = rows.first_slot + first;
  const std::size_t entity_width = model_.entities.width;
  const std::size_t relation_width = model_.relations.width;
  const ScoreSideCode& code = vectors_.side(rows.asked);
  const T* const from = gradients + first * width_of(rows);
  T* const by_entity = by_entities_.data() + slot * entity_width;
  if (!rows.of_query && code.split.answer_is_row) {
    std::copy_n(from, count * entity_width, by_entity);
    return;
  }
  const ScoreFunction& pull = rows.of_query ? code.pull_query : code.pull_answer;
  T* const by_relation = rows.of_query ? by_relations_.data() + slot * relation_width : nullptr;
  // What the score does not depend on.
  if (!pull.makes(ScoreArray::Made)) std::fill_n(by_entity, count * entity_width, T{0});
  if (rows.of_query && !pull.makes(ScoreArray::MadeRelation)) {
    std::fill_n(by_relation, count * relation_width, T{0});
  }
  if (pull.empty()) return;
  ScoreOperands operands = operands_of(rows, first);
  operands[ScoreArray::Gradient] = {from};
  operands[ScoreArray::Made] = {by_entity};
  operands[ScoreArray::MadeRelation] = {by_relation};
  pull.run(operands, 0, static_cast<std::uint32_t>(count));
}

template <class T>
void FormulaTerms<T>::pull_shared(const Rows& rows, const T* gradients) {
  const ScoreSideCode& code = vectors_.side(rows.asked);
  const auto& functions = rows.of_query ? code.pull_query_shared : code.pull_answer_shared;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    if (!functions[k].empty()) pull_shared_parameter(rows, gradients, functions[k], k);
  }
}

template <class T>
void FormulaTerms<T>::pull_shared_parameter(const Rows& rows, const T* gradients,
                                            const ScoreFunction& function, std::size_t k) {
  const ScoreParameter& parameter = vectors_.code().shared()[k];
  const std::size_t size = parameter.shape.size();
  const std::size_t members = std::max(kLeastRowsOfASum, cut_count(rows.count, kMostSums));
  const std::size_t sums = cut_count(rows.count, members);
  partial_.resize(sums * size);
  run_tasks(team_, sums, [&](std::size_t sum) {
    const std::size_t first = sum * members;
    ScoreOperands operands = operands_of(rows, first);
    operands[ScoreArray::Gradient] = {gradients + first * width_of(rows)};
    operands[ScoreArray::Made] = {partial_.data() + sum * size};
    function.run(operands, 0, 1, static_cast<std::uint32_t>(std::min(members, rows.count - first)));
  });
  T* const to = by_shared_.data() + parameter.begin;
  for (std::size_t sum = 0; sum < sums; ++sum) {
    add_scaled(T{1}, partial_.data() + sum * size, size, to);
  }
}

template <class T>
std::uint64_t FormulaTerms<T>::bytes() const {
  std::uint64_t numbers = 0;
  for (const std::vector<T>* values : {&relation_space_, &queries_, &answers_, &negatives_,
                                       &by_entities_, &by_relations_, &by_shared_, &partial_}) {
    numbers += values->size();
  }
  return numbers * sizeof(T) + (entity_at_.size() + relation_at_.size()) * sizeof(std::uint32_t);
}

template class FormulaTerms<float>;
template class FormulaTerms<double>;

}  // namespace vecc::kg
