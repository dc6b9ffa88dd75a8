#include "src/vectorize/layer_planner.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "src/graph/describe.h"
#include "src/support/list_threads.h"

namespace vecc::vectorizer {
namespace {

constexpr std::size_t kMaxErrors = 20;

/// Whether an AtIndex neuron reads one member of a softmax that is kept one row a member.
bool reads_member(const Placement& placement, const LayerPlan& draft, std::size_t elements,
                  WeightId weight, NeuronId input) {
  return takes_one_entry(*draft.function) && elements == 1 && weight == kNoWeight &&
         input != kNoNeuron && placement.layer_of(input).member_rows;
}

/// Whether equally shaped elements of one class, side by side, are the combination's value up to a
/// reshape or a row-wise softmax.
bool can_pack(Combination combination) {
  return combination == Combination::Concat || combination == Combination::Softmax ||
         combination == Combination::Sparsemax;
}

void sort_set(std::vector<std::uint32_t>& set) {
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

/// A set that sort_set() makes one at the end: a layer may read a million levels in any order.
/// Repeats go whenever the room is used up, so that there are hardly more entries than members.
void insert(std::vector<std::uint32_t>& set, std::uint32_t value) {
  constexpr std::size_t kLeastRoom = 32;
  if (!set.empty() && set.back() == value) return;
  if (set.size() == set.capacity() && set.size() >= kLeastRoom) {
    sort_set(set);
    if (set.size() > set.capacity() / 2) set.reserve(2 * set.capacity());
  }
  set.push_back(value);
}

void append(std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// Neurons and elements of `more`, a plan of the same layer.
void append(LayerPlan& plan, const LayerPlan& more) {
  append(plan.neurons, more.neurons);
  plan.elements += more.elements;
  for (std::size_t k = 0; k < more.uses.size(); ++k) {
    const ElementUse& use = more.uses[k];
    const auto same =
        plan.form == LayerForm::Positions
            ? plan.uses.begin() + static_cast<std::ptrdiff_t>(k)
            : std::ranges::find(plan.uses, use.element_class, &ElementUse::element_class);
    if (same == plan.uses.end()) {
      plan.uses.push_back(use);
      continue;
    }
    same->count += use.count;
    for (const std::uint32_t layer : use.layers) insert(same->layers, layer);
    for (const std::uint32_t table : use.tables) insert(same->tables, table);
  }
}

bool same_layer(const LayerPlan& a, const LayerPlan& b) {
  return a.form == b.form && a.function == b.function && a.shape == b.shape &&
         a.combined == b.combined && a.members == b.members &&
         a.transformation == b.transformation && a.positions == b.positions;
}

}  // namespace

void LayerPlanner::enter_component(std::uint32_t component) {
  if (component == component_) return;
  component_ = component;
  class_of_pair_.clear();
  class_cache_.clear();
}

std::uint64_t LayerPlanner::pair_of(WeightId weight, NeuronId input) const {
  const std::uint32_t table = weight == kNoWeight ? kNone : graph_.table_of_weight[weight];
  const std::uint32_t layer = input == kNoNeuron ? kNone : placement_.layer[input];
  return std::uint64_t{table} << 32 | layer;
}

std::uint32_t LayerPlanner::class_of(WeightId weight, NeuronId input) {
  const std::uint64_t pair = pair_of(weight, input);
  return class_cache_.of(pair, [&] {
    auto [entry, is_new] = class_of_pair_.try_emplace(pair, 0);
    if (is_new) entry->second = number_of(make_class(weight, input));
    return entry->second;
  });
}

std::uint32_t LayerPlanner::known_class_of(WeightId weight, NeuronId input, KeyCache& cache) const {
  return cache.of(pair_of(weight, input), [&] { return find_class(make_class(weight, input)); });
}

ElementClass LayerPlanner::make_class(WeightId weight, NeuronId input) const {
  ElementClass made;
  if (weight != kNoWeight) {
    made.weight = graph_.weight_tables[graph_.table_of_weight[weight]].shape;
    made.result = made.weight;
  }
  if (input != kNoNeuron) {
    const Layer& layer = placement_.layer_of(input);
    made.input = layer.shape;
    made.inside = component_ != kNone && layer.component == component_;
    made.result = layer.shape;
  }
  if (input == kNoNeuron) {
    made.kind = ElementClass::Kind::Weight;
  } else if (weight != kNoWeight) {
    made.kind = ElementClass::Kind::Linear;
    const auto product = times_shape(made.weight, made.input);
    made.fits = product.has_value();
    made.result = product.value_or(Shape{});
  }
  return made;
}

std::uint32_t LayerPlanner::find_class(const ElementClass& element) const {
  const auto same = std::find_if(classes_.begin(), classes_.end(), [&](const ElementClass& c) {
    return c.kind == element.kind && c.weight == element.weight && c.input == element.input &&
           c.inside == element.inside;
  });
  return static_cast<std::uint32_t>(same - classes_.begin());
}

std::uint32_t LayerPlanner::number_of(const ElementClass& element) {
  const std::uint32_t number = find_class(element);
  if (number == classes_.size()) classes_.push_back(element);
  return number;
}

std::vector<LayerPlan> LayerPlanner::plan(const LayerVertex& vertex,
                                          std::span<const NeuronId> neurons) {
  start(vertex);
  if (!classify_in_pieces(vertex, neurons)) classify_all(vertex, neurons);
  for (LayerPlan& plan : plans_) {
    plan.note = note_of(group_);
    for (ElementUse& use : plan.uses) {
      sort_set(use.layers);
      sort_set(use.tables);
    }
    if (plan.elements < kNone) continue;
    fail(ErrorCode::LimitRows, plan.neurons.front(),
         "its layer has " + std::to_string(plan.elements) + " elements, the limit is " +
             std::to_string(kNone - 1));
  }
  return std::move(plans_);
}

void LayerPlanner::start(const LayerVertex& vertex) {
  group_ = graph_.ranges[vertex.ranges.front()].group;
  plans_.clear();
  use_of_class_.clear();
  last_plan_ = 0;
  last_.range = nullptr;
}

void LayerPlanner::classify_all(const LayerVertex& vertex, std::span<const NeuronId> neurons) {
  for (const NeuronId n : neurons) {
    if (errors_.size() >= kMaxErrors) break;
    classify(vertex, n);
  }
}

bool LayerPlanner::classify_in_pieces(const LayerVertex& vertex,
                                      std::span<const NeuronId> neurons) {
  if (neurons.size() <= 2 * kNeuronsOfPiece || !errors_.empty()) return false;
  std::vector<std::unique_ptr<LayerPlanner>> planners((neurons.size() - 1) / kNeuronsOfPiece + 1);
  ListThreads::for_pieces(planners.size(), [&](std::size_t piece) {
    const std::size_t begin = piece * kNeuronsOfPiece;
    planners[piece] = std::make_unique<LayerPlanner>(graph_, placement_);
    planners[piece]->enter_component(component_);
    planners[piece]->start(vertex);
    planners[piece]->classify_all(
        vertex, neurons.subspan(begin, std::min(kNeuronsOfPiece, neurons.size() - begin)));
  });
  const bool has_errors =
      std::ranges::any_of(planners, [](const auto& planner) { return !planner->errors_.empty(); });
  if (has_errors) return false;  // found again in order, the first ones
  for (std::unique_ptr<LayerPlanner>& planner : planners) {
    take_plans(std::move(*planner));
    planner.reset();
  }
  return true;
}

void LayerPlanner::take_plans(LayerPlanner&& other) {
  std::vector<std::uint32_t> number;  // by class of the other
  for (const ElementClass& element : other.classes_) number.push_back(number_of(element));
  for (LayerPlan& plan : other.plans_) {
    for (std::uint32_t& c : plan.positions) c = number[c];
    for (ElementUse& use : plan.uses) use.element_class = number[use.element_class];
    const auto same = std::find_if(plans_.begin(), plans_.end(),
                                   [&](const LayerPlan& own) { return same_layer(own, plan); });
    if (same == plans_.end()) {
      plans_.push_back(std::move(plan));
    } else {
      append(*same, plan);
    }
  }
}

const Note& LayerPlanner::note_of(GroupIndex group) {
  notes_.resize(graph_.groups.size());
  if (notes_[group].empty()) {
    const NeuronGroup& from = graph_.groups[group];
    notes_[group] = from.head_predicate + ": " + std::string(text_of(from.neuron_class));
  }
  return notes_[group];
}

void LayerPlanner::classify(const LayerVertex& vertex, NeuronId n) {
  const NeuronRange& range = cursor_.at(n);
  if (!collect_elements(range, n)) return;
  if (is_like_last(range)) return add_to(plans_[last_plan_], n);
  LayerPlan draft;
  choose_form(vertex, draft);
  const bool fits = combine(range, n, draft) && transform(range, n, draft) &&
                    check_declared_shape(range, n, draft);
  if (!fits) return;
  LayerPlan& plan = find_plan(draft);
  add_to(plan, n);
  remember_last(range, plan);
}

bool LayerPlanner::is_like_last(const NeuronRange& range) const {
  if (last_.range != &range) return false;
  if (last_.any_count && elements_.size() > 1) {
    return std::all_of(elements_.begin(), elements_.end(),
                       [&](const Element& e) { return e.element_class == last_.classes[0]; });
  }
  return std::equal(elements_.begin(), elements_.end(), last_.classes.begin(), last_.classes.end(),
                    [](const Element& e, std::uint32_t c) { return e.element_class == c; });
}

void LayerPlanner::remember_last(const NeuronRange& range, const LayerPlan& plan) {
  const bool has_words = range.word_begin != kNoColumn;  // a neuron's own parameters
  last_.range = has_words ? nullptr : &range;
  last_.classes.clear();
  for (const Element& e : elements_) last_.classes.push_back(e.element_class);
  const bool takes_any_count =
      plan.form == LayerForm::Segment || (plan.form == LayerForm::Members && !range.has_shape);
  last_.any_count =
      takes_any_count && elements_.size() > 1 &&
      std::equal(last_.classes.begin() + 1, last_.classes.end(), last_.classes.begin());
}

bool LayerPlanner::collect_elements(const NeuronRange& range, NeuronId n) {
  elements_.clear();
  bool fits = true;
  for_each_element(graph_, range, n, [&](WeightId weight, NeuronId input) {
    const std::uint32_t id = class_of(weight, input);
    elements_.push_back({weight, input, id});
    if (classes_[id].fits || !fits) return;
    fits = fail(ErrorCode::ShapeMismatch, n,
                "input " + std::to_string(elements_.size() - 1) + ": weight " +
                    classes_[id].weight.text() + " times input " + classes_[id].input.text() +
                    " is undefined: the weight's columns must equal the input's rows");
  });
  return fits;
}

void LayerPlanner::choose_form(const LayerVertex& vertex, LayerPlan& draft) const {
  if (vertex.fact != FactKind::NotAFact) {
    draft.form = vertex.fact == FactKind::Unit       ? LayerForm::UnitFact
                 : vertex.fact == FactKind::Constant ? LayerForm::ConstantFact
                                                     : LayerForm::Segment;
    return;
  }
  draft.function = vertex.function;
  draft.transformation = vertex.function->transformation;
  const Combination combination = vertex.function->combination;
  const CombinationInfo& about = info(combination);
  const bool no_transformation = draft.transformation.id == Transformation::Identity;
  const std::size_t count = elements_.size();
  if (count == 1 &&
      reads_member(placement_, draft, count, elements_[0].weight, elements_[0].input)) {
    draft.transformation = {};
    return;  // one element: a plain read
  }
  if (count == 1 && about.single != CombinationSingle::Applied) {
    const bool is_one = about.single == CombinationSingle::One && no_transformation;
    if (!is_one) return;  // the skip rule: the element itself, as a segment of one
    draft.form = combination == Combination::Count ? LayerForm::Constant : LayerForm::Members;
    return;
  }
  if (combination == Combination::Count) {
    draft.form = LayerForm::Constant;
  } else if (about.shapes == CombinationShapes::Plus || about.shapes == CombinationShapes::Same) {
    draft.form = LayerForm::Segment;
  } else if (about.shapes == CombinationShapes::Scalars && no_transformation) {
    draft.form = LayerForm::Members;
  } else {
    const bool uniform = std::all_of(elements_.begin(), elements_.end(), [&](const Element& e) {
      return e.element_class == elements_[0].element_class;
    });
    draft.form = uniform && can_pack(combination) ? LayerForm::Packed : LayerForm::Positions;
  }
  if (draft.form == LayerForm::Packed) draft.members = static_cast<std::uint32_t>(count);
  if (draft.form == LayerForm::Positions) {
    for (const Element& e : elements_) draft.positions.push_back(e.element_class);
  }
}

bool LayerPlanner::combine(const NeuronRange& range, NeuronId n, LayerPlan& draft) {
  switch (draft.form) {
    case LayerForm::UnitFact:
    case LayerForm::Constant: return true;
    case LayerForm::ConstantFact: draft.combined = range.shape; return true;
    case LayerForm::Segment:
      if (elements_.empty()) {
        draft.combined = range.shape;
        return range.has_shape || fail(ErrorCode::FanIn, n, "has no inputs and no declared shape");
      }
      return combine_by_plus(n, draft);
    case LayerForm::Members:
      for (const Element& e : elements_) {
        if (!classes_[e.element_class].result.is_scalar()) {
          return fail(ErrorCode::FunctionDomain, n,
                      std::string(info(draft.function->combination).text) +
                          " combines scalars, but an element has shape " +
                          classes_[e.element_class].result.text());
        }
      }
      return true;
    case LayerForm::Packed:
    case LayerForm::Positions: break;
  }
  std::vector<Shape> shapes;
  shapes.reserve(elements_.size());
  for (const Element& e : elements_) shapes.push_back(classes_[e.element_class].result);
  const NeuronFunction& function = *draft.function;
  auto combined =
      combined_shape(function.combination, function.axis, function.expr.get(), shapes, "");
  if (!combined)
    return fail(combined.error().list().front().code, n, combined.error().list().front().message);
  draft.combined = *combined;
  return true;
}

bool LayerPlanner::combine_by_plus(NeuronId n, LayerPlan& draft) {
  draft.combined = classes_[elements_[0].element_class].result;
  const bool same_only = elements_.size() > 1 && draft.function != nullptr &&
                         info(draft.function->combination).shapes == CombinationShapes::Same;
  for (const Element& e : elements_) {
    const Shape shape = classes_[e.element_class].result;
    if (shape == draft.combined) continue;
    const auto sum = same_only ? std::nullopt : plus_shape(draft.combined, shape);
    if (!sum) {
      return fail(ErrorCode::ShapeMismatch, n,
                  std::string(info(draft.function->combination).text) + " of shapes " +
                      draft.combined.text() + " and " + shape.text() + " is undefined");
    }
    draft.combined = *sum;
  }
  return true;
}

bool LayerPlanner::transform(const NeuronRange& range, NeuronId n, LayerPlan& draft) {
  draft.shape = draft.combined;
  if (is_member_read(draft)) return check_member(range, n);
  if (draft.form == LayerForm::Members || draft.transformation.id == Transformation::Identity) {
    return true;
  }
  const std::uint32_t width = word_count(draft.transformation.id);
  if (width == 0 && !plans_.empty() && plans_[last_plan_].function == draft.function &&
      plans_[last_plan_].combined == draft.combined &&
      plans_[last_plan_].transformation == draft.transformation) {
    draft.shape = plans_[last_plan_].shape;
    return true;
  }
  std::span<const std::uint32_t> words;
  if (width > 0) {
    words = std::span(graph_.words)
                .subspan(range.word_begin + std::uint64_t{width} * (n - range.first), width);
  }
  auto shape = transformed_shape(draft.transformation, words, draft.combined, "");
  if (!shape)
    return fail(shape.error().list().front().code, n, shape.error().list().front().message);
  draft.shape = *shape;
  return true;
}

bool LayerPlanner::check_member(const NeuronRange& range, NeuronId n) {
  const NeuronId softmax = elements_[0].input;
  const std::uint64_t members =
      element_count(graph_, graph_.ranges[graph_.range_of(softmax)], softmax);
  const std::uint32_t index = graph_.words[range.word_begin + (n - range.first)];
  return index < members || fail(ErrorCode::ParameterRange, n,
                                 "atindex " + std::to_string(index) + " of a value with " +
                                     std::to_string(members) + " elements");
}

bool LayerPlanner::check_declared_shape(const NeuronRange& range, NeuronId n,
                                        const LayerPlan& draft) {
  if (!range.has_shape || draft.form == LayerForm::ConstantFact) return true;
  const bool column = draft.form == LayerForm::Members && elements_.size() > 1;
  const Shape shape =
      column ? Shape::column(static_cast<std::uint32_t>(elements_.size())) : draft.shape;
  return shape == range.shape ||
         fail(ErrorCode::ShapeMismatch, n,
              "has shape " + shape.text() + ", but declares " + range.shape.text());
}

LayerPlan& LayerPlanner::find_plan(const LayerPlan& draft) {
  if (plans_.empty() || !same_layer(plans_[last_plan_], draft)) {
    const auto found = std::find_if(plans_.begin(), plans_.end(),
                                    [&](const LayerPlan& plan) { return same_layer(plan, draft); });
    last_plan_ = static_cast<std::size_t>(found - plans_.begin());
    if (found == plans_.end()) {
      plans_.push_back(draft);
      use_of_class_.emplace_back();
    }
  }
  return plans_[last_plan_];
}

void LayerPlanner::add_to(LayerPlan& plan, NeuronId n) {
  plan.neurons.push_back(n);
  if (plan.form == LayerForm::Constant) return;
  plan.elements += elements_.size();
  std::vector<std::uint32_t>& use_of_class = use_of_class_[last_plan_];
  use_of_class.resize(classes_.size(), kNone);
  if (plan.form == LayerForm::Positions && plan.uses.empty()) {
    for (const std::uint32_t c : plan.positions) plan.uses.push_back({c, 0, {}, {}});
  }
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const Element& e = elements_[k];
    std::size_t at = k;
    if (plan.form != LayerForm::Positions) {
      if (use_of_class[e.element_class] == kNone) {
        use_of_class[e.element_class] = static_cast<std::uint32_t>(plan.uses.size());
        plan.uses.push_back({e.element_class, 0, {}, {}});
      }
      at = use_of_class[e.element_class];
    }
    ElementUse& use = plan.uses[at];
    ++use.count;
    if (e.weight != kNoWeight) insert(use.tables, graph_.table_of_weight[e.weight]);
    if (e.input != kNoNeuron) insert(use.layers, placement_.layer[e.input]);
  }
}

bool LayerPlanner::fail(ErrorCode code, NeuronId n, const std::string& message) {
  const auto group = graph_.ranges[graph_.range_of(n)].group;
  const auto same = std::ranges::find_if(errors_, [&](const GroupError& error) {
    return error.group == group && error.code == code && error.message == message;
  });
  if (same != errors_.end()) {
    ++same->neurons;
  } else {
    errors_.push_back({code, group, graph_.describe(n), message});
  }
  return false;
}

Errors LayerPlanner::errors() const {
  Errors errors;
  for (const GroupError& error : errors_) {
    errors.add(error.code, error.place, error.message + graph::count_of_others(error.neurons - 1));
  }
  return errors;
}

}  // namespace vecc::vectorizer
