// Neurons as rows of launches.
#include <algorithm>

#include "src/bind/graph_binder.h"

namespace vecc::binding {

void GraphBinder::emit(const Recipe& recipe, Last& last, NeuronId n) {
  if (!emits_) {
    const bool is_softmax = recipe.form == Recipe::Form::Softmax;
    const auto count = static_cast<std::uint32_t>(elements_.size());
    return place(n, 0, is_softmax ? book_.column_id(count) : recipe.shape, 0);
  }
  switch (recipe.form) {
    case Recipe::Form::Zero:
    case Recipe::Form::Count: return emit_constant(recipe, n);
    case Recipe::Form::Alias: return place(n, elements_[0].input, recipe.shape, inputs_stage_);
    case Recipe::Form::Entry: {
      const auto size = static_cast<std::uint32_t>(recipe.entries);
      return place(n, elements_[0].input * size + words_[0], recipe.shape, inputs_stage_);
    }
    case Recipe::Form::Row: return emit_row(recipe, last, n);
    case Recipe::Form::Reduce:
    case Recipe::Form::Softmax: return emit_members(recipe, last, n);
    case Recipe::Form::Adjacent: return emit_adjacent(recipe, n);
  }
}

void GraphBinder::emit_constant(const Recipe& recipe, NeuronId n) {
  const std::uint32_t row = new_row(recipe.combined);
  const std::uint64_t size = book_.size_of(recipe.combined);
  const double number =
      recipe.form == Recipe::Form::Count ? static_cast<double>(elements_.size()) : 0;
  for (std::uint64_t i = 0; i < size; ++i) write(row * size + i, std::span(&number, 1));
  emit_then(recipe, n, row, begin_);
}

void GraphBinder::emit_then(const Recipe& recipe, NeuronId n, std::uint32_t combined,
                            std::uint32_t stage) {
  if (recipe.kernel == kNone) return place(n, combined, recipe.shape, stage);
  RowLaunch& launch = launch_of(stage, recipe.kernel);
  const std::uint32_t row = new_row(recipe.shape);
  launch.lists[0].push_back(combined);
  launch.lists[1].push_back(row);
  add_words(recipe, launch);
  ++launch.rows;
  place(n, row, recipe.shape, stage);
}

void GraphBinder::add_words(const Recipe& recipe, RowLaunch& launch) const {
  if (recipe.words == 0) return;
  launch.words.insert(launch.words.end(), words_.begin(), words_.end());
}

void GraphBinder::emit_row(const Recipe& recipe, Last& last, NeuronId n) {
  RowLaunch& launch = launch_of(begin_, recipe, last);
  std::size_t list = 0;
  for (const Element& element : elements_) add_element(launch, element, list);
  const std::uint32_t row = new_row(recipe.shape);
  launch.lists[list].push_back(row);
  add_words(recipe, launch);
  ++launch.rows;
  place(n, row, recipe.shape, begin_);
}

void GraphBinder::emit_part(std::uint32_t kernel, const Element& element, std::uint32_t row) {
  RowLaunch& launch = launch_of(begin_, kernel);
  std::size_t list = 0;
  add_element(launch, element, list);
  launch.lists[list].push_back(row);
  ++launch.rows;
}

void GraphBinder::emit_members(const Recipe& recipe, Last& last, NeuronId n) {
  std::uint32_t stage = begin_;
  if (!recipe.parts.empty()) {
    for (std::size_t k = 0; k < elements_.size(); ++k) {
      const std::uint32_t kernel = recipe.parts[recipe.any_count ? 0 : k];
      if (kernel == kNone) continue;
      const std::uint32_t row = new_row(recipe.part);
      emit_part(kernel, elements_[k], row);
      elements_[k] = {kNone, row};
    }
    ++stage;
  }
  RowLaunch& launch = launch_of(stage, recipe, last);
  std::size_t list = 0;
  for (const Element& element : elements_) {
    list = 0;
    add_element(launch, element, list);
  }
  launch.members += elements_.size();
  launch.offsets.push_back(static_cast<std::uint32_t>(launch.members));
  ++launch.rows;
  const auto count = static_cast<std::uint32_t>(elements_.size());
  const bool is_softmax = recipe.form == Recipe::Form::Softmax;
  const ShapeId shape = is_softmax ? book_.column_id(count) : recipe.shape;
  const std::uint32_t row = new_row(shape);
  if (is_softmax) {
    for (std::uint32_t k = 0; k < count; ++k) launch.lists[list].push_back(row * count + k);
  } else {
    launch.lists[list].push_back(row);
    add_words(recipe, launch);
  }
  place(n, row, shape, stage);
}

void GraphBinder::emit_adjacent(const Recipe& recipe, NeuronId n) {
  const std::uint32_t row = new_row(recipe.combined);
  const auto count = static_cast<std::uint32_t>(elements_.size());
  for (std::uint32_t k = 0; k < count; ++k) {
    emit_part(recipe.parts[recipe.any_count ? 0 : k], elements_[k], row * count + k);
  }
  emit_then(recipe, n, row, recipe.kernel == kNone ? begin_ : begin_ + 1);
}

RowLaunch& GraphBinder::launch_of(std::uint32_t stage, std::uint32_t kernel) {
  if (stages_.size() <= stage) stages_.resize(stage + std::size_t{1});
  stage_count_ = std::max(stage_count_, stage + 1);
  for (const std::uint32_t l : stages_[stage]) {
    if (to_->launches[l].kernel == kernel) return to_->launches[l];
  }
  if (to_->used == to_->launches.size()) to_->launches.emplace_back();
  stages_[stage].push_back(to_->used);
  RowLaunch& launch = to_->launches[to_->used++];
  const RecipeBook::KernelFacts& facts = book_.kernels()[kernel];
  launch.kernel = kernel;
  launch.rows = 0;
  launch.members = 0;
  // Lists that it does not need keep their memory for another kernel's.
  if (launch.lists.size() <= facts.loads) launch.lists.resize(facts.loads + std::size_t{1});
  for (std::vector<std::uint32_t>& list : launch.lists) list.clear();
  launch.offsets.clear();
  if (facts.has_segments) launch.offsets.push_back(0);
  launch.words.clear();
  return launch;
}

}  // namespace vecc::binding
