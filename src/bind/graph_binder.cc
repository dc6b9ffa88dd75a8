#include "src/bind/graph_binder.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace vecc::binding {
namespace {

// Parts of a neuron run in the first, what reads them in the second.
constexpr std::uint32_t kStagesOfRank = 2;
constexpr std::uint32_t kUnitRow = 0;  // the number 1, which facts without a value are

template <class T, class From>
void convert(std::span<const From> from, std::byte* to) {
  for (const From number : from) {
    const auto value = static_cast<T>(number);
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
  }
}

}  // namespace

Result<void> GraphBinder::bind(std::span<const NeuronGraph* const> graphs, RowLaunches& to) {
  begin(to);
  for (const NeuronGraph* graph : graphs) VECC_TRY_VOID(bind_graph(*graph));
  if (next_ >= kNone) {
    return Errors(ErrorCode::LimitRows, "bind",
                  "the values are " + std::to_string(next_) + " numbers, the limit is " +
                      std::to_string(kNone - 1));
  }
  for (std::uint32_t l = 0; l < to.used; ++l) {
    if (to.launches[l].members < kNone) continue;
    return Errors(ErrorCode::LimitRows, "bind",
                  "neurons that are alike have " + std::to_string(to.launches[l].members) +
                      " inputs, the limit is " + std::to_string(kNone - 1));
  }
  reserve_values();
  to.elements = next_;
  to.weights = weights_.block();
  to.order.clear();
  to.stage_ends.clear();
  for (std::uint32_t s = 0; s < stage_count_; ++s) {
    if (stages_[s].empty()) continue;
    to.order.insert(to.order.end(), stages_[s].begin(), stages_[s].end());
    to.stage_ends.push_back(static_cast<std::uint32_t>(to.order.size()));
  }
  return {};
}

Result<void> GraphBinder::find_recipes(const NeuronGraph& graph) {
  RowLaunches nothing;
  begin(nothing);
  emits_ = false;
  const Result<void> bound = bind_graph(graph);
  emits_ = true;
  return bound;
}

void GraphBinder::begin(RowLaunches& to) {
  to_ = &to;
  to.used = 0;
  to.outputs.clear();
  for (std::uint32_t s = 0; s < stage_count_; ++s) stages_[s].clear();
  stage_count_ = 0;
  next_ = row_ = size_ = 1;
  constexpr double kOne = 1;
  write(kUnitRow, std::span(&kOne, 1));
  weights_.trim();
}

Result<void> GraphBinder::bind_graph(const NeuronGraph& graph) {
  VECC_TRY_VOID(groups_.match(graph));
  VECC_TRY_VOID(weights_.match(graph));
  graph_ = &graph;
  forget_ranges();
  errors_ = {};
  tables_.clear();
  for (const WeightTable& table : graph.weight_tables) {
    const std::uint32_t first = weights_.first_rows()[tables_.size()];
    tables_.push_back({first - table.first, book_.shape_id(table.shape)});
  }
  placed_.assign(graph.neuron_count(), {});
  Bound bound = bind_in_file_order();
  if (bound == Bound::Waits) bound = bind_by_inputs();
  if (bound == Bound::Fails) return std::exchange(errors_, {});
  if (next_ >= kNone) return {};  // bind() refuses it
  for (const Sample& sample : graph.samples) {
    const Shape shape = value_shape(sample.output);
    const std::uint32_t row = placed_[sample.output].row;
    to_->outputs.push_back({static_cast<std::uint32_t>(row * shape.size()), shape});
  }
  return {};
}

// Recipes stay, launches are others.
void GraphBinder::forget_ranges() {
  if (last_.size() < graph_->ranges.size()) last_.resize(graph_->ranges.size());
  for (std::uint32_t r = 0; r < graph_->ranges.size(); ++r) {
    const GroupEntry* const entry = &groups_.entry(r);
    for (Last& last : last_[r].last) {
      last.launch = nullptr;
      last.is_reusable = last.is_reusable && last_[r].entry == entry;
    }
    last_[r].entry = entry;
  }
}

// What was bound before a neuron that waits stays.
GraphBinder::Bound GraphBinder::bind_in_file_order() {
  for (std::uint32_t r = 0; r < graph_->ranges.size(); ++r) {
    const NeuronRange& range = graph_->ranges[r];
    if (range.fact != FactKind::NotAFact) {
      bind_facts(range, range.first, range.count);
      continue;
    }
    const GroupEntry& entry = groups_.entry(r);
    for (NeuronId n = range.first; n - range.first < range.count; ++n) {
      if (const Bound bound = bind_neuron(range, entry, n); bound != Bound::Placed) return bound;
    }
  }
  return Bound::Placed;
}

// Inputs before their readers, by a stack of our own: chains may be as long as the graph.
GraphBinder::Bound GraphBinder::bind_by_inputs() {
  is_open_.assign(graph_->neuron_count(), false);
  range_ = 0;
  for (std::uint64_t root = 0; root < graph_->neuron_count(); ++root) {
    open(static_cast<NeuronId>(root));
    while (!opened_.empty()) {
      auto& [n, next] = opened_.back();
      if (next < graph_->input_begin[n + std::uint64_t{1}]) {
        open(graph_->inputs[next++]);
        continue;
      }
      const NeuronId whole = n;
      opened_.pop_back();
      if (const Bound bound = bind_alone(whole); bound == Bound::Fails) return bound;
    }
  }
  return Bound::Placed;
}

void GraphBinder::open(NeuronId n) {
  if (placed_[n].row != kNone || is_open_[n]) return;
  is_open_[n] = true;
  opened_.emplace_back(n, graph_->input_begin[n]);
}

GraphBinder::Bound GraphBinder::bind_alone(NeuronId n) {
  const NeuronRange* range = &graph_->ranges[range_];
  if (n < range->first || n - range->first >= range->count) {
    range_ = graph_->range_of(n);
    range = &graph_->ranges[range_];
  }
  if (range->fact != FactKind::NotAFact) {
    bind_facts(*range, n, 1);
    return Bound::Placed;
  }
  const Bound bound = bind_neuron(*range, groups_.entry(range_), n);
  VECC_CHECK(bound != Bound::Waits, "a neuron that waits for its inputs");
  return bound;
}

void GraphBinder::bind_facts(const NeuronRange& range, NeuronId first, std::uint32_t count) {
  if (range.fact == FactKind::Unit) {
    const ShapeId scalar = book_.shape_id(Shape::scalar());
    for (NeuronId n = first; n - first < count; ++n) place(n, kUnitRow, scalar, 0);
    return;
  }
  const std::uint64_t at = first - range.first;
  if (range.fact == FactKind::Constant) {
    const ShapeId shape = book_.shape_id(range.shape);
    const std::uint64_t size = range.shape.size();
    const std::uint32_t row = new_rows(shape, count);
    graph_->values.row(range.value_begin + at * size).visit(count * size, [&](auto numbers) {
      write(row * size, numbers);
    });
    for (std::uint32_t i = 0; i < count; ++i) place(first + i, row + i, shape, 0);
    return;
  }
  const std::uint64_t bytes = byte_size(book_.dtype());
  for (std::uint32_t i = 0; i < count; ++i) {
    const WeightPlace weight = place_of(graph_->weights[range.weight_begin + at + i]);
    const std::uint64_t row_bytes = book_.size_of(weight.shape) * bytes;
    const std::uint32_t row = new_row(weight.shape);
    if (next_ >= kNone) return;  // bind() refuses it
    reserve_values();
    std::memcpy(to_->values.data() + row * row_bytes,
                weights_.block()->data() + weight.row * row_bytes, row_bytes);
    place(first + i, row, weight.shape, 0);
  }
}

GraphBinder::Bound GraphBinder::bind_neuron(const NeuronRange& range, const GroupEntry& entry,
                                            NeuronId n) {
  if (!collect(range, n)) return Bound::Waits;
  begin_ = std::max(kStagesOfRank * entry.rank, inputs_stage_ + 1);
  words_ = {};
  if (range.word_begin != kNoColumn) {
    const std::uint64_t width = word_count(graph_->functions[range.function].transformation.id);
    words_ = std::span(graph_->words).subspan(range.word_begin + width * (n - range.first), width);
  }
  LastOfRange& of_range = last_[static_cast<std::size_t>(&range - graph_->ranges.data())];
  Last& last = of_range.last[elements_.size() > 1 ? 1 : 0];
  if (!is_like(last) && !find_recipe(range, entry, n, last)) return Bound::Fails;
  const Recipe& recipe = book_.recipe(last.recipe);
  if (recipe.words > 0 && words_[0] >= recipe.entries) {
    return fail(ErrorCode::ParameterRange, n,
                "atindex " + std::to_string(words_[0]) + " of a value with " +
                    std::to_string(recipe.entries) + " elements");
  }
  emit(recipe, last, n);
  if (range.has_shape && value_shape(n) != range.shape) {
    return fail(ErrorCode::ShapeMismatch, n,
                "has shape " + value_shape(n).text() + ", but declares " + range.shape.text());
  }
  return Bound::Placed;
}

// False: an input is not placed yet.
bool GraphBinder::collect(const NeuronRange& range, NeuronId n) {
  const std::uint64_t count = vectorizer::element_count(*graph_, range, n);
  elements_.resize(count);
  classes_.resize(count);
  std::uint64_t edge = graph_->input_begin[n];
  const std::uint64_t end = graph_->input_begin[n + std::uint64_t{1}];
  std::size_t at = 0;
  if (count > end - edge) {
    const WeightPlace offset = place_of(graph_->offsets[range.offset_begin + (n - range.first)]);
    elements_[0] = {offset.row, kNone};
    classes_[0] = book_.class_of(offset.shape, 0);
    at = 1;
  }
  const bool is_weighted = range.weight_begin != kNoColumn;
  const std::uint64_t weight_of_edge =  // edge + it: no difference is below 0
      is_weighted ? range.weight_begin - graph_->input_begin[range.first] : 0;
  const WeightId* const weights = graph_->weights.data();
  const Placed* const placed = placed_.data();
  const NeuronId* const inputs = graph_->inputs.data();
  Element* const elements = elements_.data();
  ClassId* const classes = classes_.data();
  std::uint32_t stage = 0;
  for (; edge < end; ++edge, ++at) {
    const Placed input = placed[inputs[edge]];
    if (input.row == kNone) return false;
    stage = std::max(stage, input.stage);
    const WeightPlace weight =
        is_weighted ? place_of(weights[edge + weight_of_edge]) : WeightPlace();
    elements[at] = {weight.row, input.row};
    classes[at] = book_.class_of(weight.shape, input.shape);
  }
  inputs_stage_ = stage;
  return true;
}

bool GraphBinder::is_like(const Last& last) const {
  if (!last.is_reusable) return false;
  if (book_.recipe(last.recipe).any_count && classes_.size() > 1) {
    return std::ranges::all_of(classes_, [&](ClassId c) { return c == last.classes[0]; });
  }
  if (classes_.size() != last.classes.size()) return false;
  for (std::size_t c = 0; c < classes_.size(); ++c) {  // few: no call is worth it
    if (classes_[c] != last.classes[c]) return false;
  }
  return true;
}

bool GraphBinder::find_recipe(const NeuronRange& range, const GroupEntry& entry, NeuronId n,
                              Last& last) {
  if (std::ranges::find(classes_, kNone) != classes_.end()) {
    (void)fail(ErrorCode::ShapeMismatch, n,
               "a weight times its input is undefined: the weight's columns must equal the "
               "input's rows");
    return false;
  }
  const Result<std::uint32_t> found =
      book_.find(entry.function, classes_, words_, range.has_shape ? &range.shape : nullptr);
  if (!found) {
    const Diagnostic& first = found.error().list().front();
    (void)fail(first.code, n, first.message);
    return false;
  }
  last.is_reusable = false;  // until all of it is there
  last.recipe = *found;
  last.launch = nullptr;
  last.classes = classes_;
  last.is_reusable = !classes_.empty() &&
                     graph_->functions[range.function].transformation.id != Transformation::Slice;
  return true;
}

GraphBinder::Bound GraphBinder::fail(ErrorCode code, NeuronId n, std::string message) {
  errors_.add(code, graph_->describe(n), std::move(message));
  return Bound::Fails;
}

std::uint32_t GraphBinder::new_rows(ShapeId shape, std::uint32_t count) {
  const std::uint32_t size = book_.size_of(shape);
  if (size != size_) {
    size_ = size;
    row_ = (next_ + size - 1) / size;
  }
  const std::uint64_t row = row_;
  row_ += count;
  next_ = row_ * size;
  return static_cast<std::uint32_t>(row);
}

void GraphBinder::reserve_values() {
  std::vector<std::byte>& values = to_->values;
  const std::uint64_t bytes = next_ * byte_size(book_.dtype());
  if (values.size() >= bytes || next_ >= kNone) return;
  values.resize(std::max<std::uint64_t>(bytes, values.size() * 3 / 2));
}

template <class T>
void GraphBinder::write(std::uint64_t element, std::span<const T> numbers) {
  if (next_ >= kNone) return;  // bind() refuses it
  reserve_values();
  std::byte* to = to_->values.data() + element * byte_size(book_.dtype());
  if (book_.dtype() == DType::F64) {
    convert<double>(numbers, to);
  } else {
    convert<float>(numbers, to);
  }
}

}  // namespace vecc::binding
