#include "src/kg/train/step_rows.h"

#include <algorithm>

#include "src/kg/train/parallel_tasks.h"
#include "src/kg/train/row_kernels.h"

namespace vecc::kg {

template <class T>
StepRows<T>::StepRows(const LearnedModel<T>& model, const TripleDropout& dropout,
                      std::uint64_t seed)
    : model_(model),
      dropout_(dropout),
      seed_(seed),
      entities_(0, DrawStream::EntityDropout, seed, 0),
      relations_(0, DrawStream::RelationDropout, seed, 0) {}

template <class T>
void StepRows<T>::begin(const TrainingBatch& batch, ThreadTeam& team) {
  constexpr std::size_t kSlotsOfATask = 16;
  batch_ = &batch;
  queries_ = batch.queries.size();
  entities_ = {dropout_.entities, DrawStream::EntityDropout, seed_, batch.step};
  relations_ = {dropout_.relations, DrawStream::RelationDropout, seed_, batch.step};
  if (!entities_.drops()) return;
  const std::size_t slots = 2 * queries_ + batch.negatives.size();
  const std::size_t width = model_.entities.width;
  dropped_.resize(slots * width);
  run_tasks(team, (slots + kSlotsOfATask - 1) / kSlotsOfATask, [&](std::size_t task) {
    const std::size_t end = std::min(slots, (task + 1) * kSlotsOfATask);
    for (std::size_t slot = task * kSlotsOfATask; slot < end; ++slot) {
      entities_.apply(slot, model_.entities.row(row_of(slot)), width,
                      dropped_.data() + slot * width);
    }
  });
}

template <class T>
std::uint32_t StepRows<T>::row_of(std::size_t slot) const {
  if (slot < queries_) return batch_->queries[slot].anchor;
  if (slot < 2 * queries_) return batch_->answers[slot - queries_];
  return batch_->negatives[slot - 2 * queries_];
}

template <class T>
const T* StepRows<T>::relation(std::size_t query, std::vector<T>& space) const {
  const T* const row = model_.relations.row(batch_->queries[query].relation);
  if (!relations_.drops()) return row;
  space.resize(model_.relations.width);
  relations_.apply(query, row, space.size(), space.data());
  return space.data();
}

template <class T>
void StepRows<T>::add_entity_gradient(std::size_t slot, const T* gradient, T* sum) const {
  const std::size_t width = model_.entities.width;
  if (entities_.drops()) return entities_.add_gradient(slot, gradient, width, sum);
  row_kernels<T>().add(gradient, width, sum);
}

template class StepRows<float>;
template class StepRows<double>;

}  // namespace vecc::kg
