#include "src/bind/recipes.h"

#include <algorithm>
#include <utility>

namespace vecc::binding {
namespace {

// Mixed elements of a sum: up to so many are one kernel; more are stored first, as rows of one
// shape, so that their number is data.
constexpr std::size_t kMostMixed = 6;

bool is_uniform(std::span<const ClassId> classes) {
  return std::ranges::all_of(classes, [&](ClassId c) { return c == classes[0]; });
}

bool is_plain(const RowElement& element) {
  return element.has_input && !element.has_weight;
}

bool keeps_members(const NeuronFunction& function) {
  return info(function.combination).shapes == CombinationShapes::Scalars &&
         function.transformation.id == Transformation::Identity;
}

bool reduces(const NeuronFunction& function) {
  const CombinationShapes shapes = info(function.combination).shapes;
  return shapes == CombinationShapes::Plus || shapes == CombinationShapes::Same;
}

std::vector<Shape> results_of(const RecipeBook& book, std::span<const ClassId> classes) {
  std::vector<Shape> shapes;
  shapes.reserve(classes.size());
  for (const ClassId c : classes) shapes.push_back(book.element(c).result);
  return shapes;
}

// A scalar among vectors, or a row among columns.
TransformationSpec fit_to(Shape from, Shape to) {
  TransformationSpec fit;
  if (from == to) return fit;
  fit.id = from.is_scalar() ? Transformation::Broadcast : Transformation::Reshape;
  fit.target = to;
  return fit;
}

}  // namespace

RecipeBook::RecipeBook(DType dtype, std::vector<NeuronFunction> functions)
    : dtype_(dtype), functions_(std::move(functions)) {}

ShapeId RecipeBook::shape_id(Shape shape) {
  const std::uint64_t key =
      shape.is_scalar() ? 0 : std::uint64_t{shape.rows()} << 32 | shape.cols();
  const auto [found, is_new] = shape_ids_.try_emplace(key, static_cast<ShapeId>(shapes_.size()));
  if (!is_new) return found->second;
  shapes_.push_back(shape);
  sizes_.push_back(static_cast<std::uint32_t>(shape.size()));
  if (shapes_.size() > stride_) {
    const auto before = stride_;
    stride_ = std::max(16u, 2 * stride_);
    std::vector<ClassId> wider(std::size_t{stride_} * stride_, kUnknown);
    for (std::uint32_t w = 0; w < before; ++w) {
      std::copy_n(class_of_.begin() + std::ptrdiff_t{w} * before, before,
                  wider.begin() + std::ptrdiff_t{w} * stride_);
    }
    class_of_ = std::move(wider);
  }
  return found->second;
}

ShapeId RecipeBook::column_id(std::uint32_t count) {
  if (columns_.size() <= count) columns_.resize(count + std::size_t{1});
  if (columns_[count] == 0) {
    columns_[count] = shape_id(count == 1 ? Shape::scalar() : Shape::column(count));
  }
  return columns_[count];
}

ClassId RecipeBook::make_class(ShapeId weight, ShapeId input) {
  RowElement made;
  made.has_weight = weight != 0;
  made.has_input = input != 0;
  made.weight = shapes_[weight];
  made.input = shapes_[input];
  made.result = made.has_input ? made.input : made.weight;
  ClassId& known = class_of_[weight * stride_ + input];
  if (made.has_weight && made.has_input) {
    const auto product = times_shape(made.weight, made.input);
    if (!product) return known = kNone;
    made.result = *product;
  }
  known = static_cast<ClassId>(classes_.size());
  classes_.push_back(made);
  return known;
}

bool RecipeBook::takes_any_count(const NeuronFunction& function,
                                 std::span<const ClassId> classes) const {
  return classes.size() > 1 && is_uniform(classes) &&
         (reduces(function) || keeps_members(function));
}

Result<std::uint32_t> RecipeBook::find(std::uint32_t function, std::span<const ClassId> classes,
                                       std::span<const std::uint32_t> words,
                                       const Shape* declared) {
  const NeuronFunction& of = functions_[function];
  const bool any_count = takes_any_count(of, classes);
  const auto elements = any_count ? classes.first(1) : classes;
  const bool by_words = of.transformation.id == Transformation::Slice;
  key_.assign({function, any_count ? kNone : static_cast<std::uint32_t>(classes.size())});
  if (classes.empty()) key_.push_back(declared != nullptr ? shape_id(*declared) : 0);
  if (by_words) key_.insert(key_.end(), words.begin(), words.end());
  key_.insert(key_.end(), elements.begin(), elements.end());
  if (const auto known = by_key_.find(key_); known != by_key_.end()) return known->second;
  const Key key = key_;
  VECC_TRY(Recipe recipe, make(of, classes, words, declared));
  recipe.any_count = any_count;
  if (any_count && !recipe.parts.empty()) recipe.parts.resize(1);
  Signature signature;
  signature.function = function;
  signature.any_count = any_count;
  for (const ClassId c : elements) signature.elements.push_back(classes_[c]);
  signature.has_declared = classes.empty() && declared != nullptr;
  if (signature.has_declared) signature.declared = *declared;
  std::ranges::copy(words, signature.words.begin());
  const auto number = static_cast<std::uint32_t>(recipes_.size());
  recipes_.push_back(std::move(recipe));
  signatures_.push_back(std::move(signature));
  by_key_.emplace(key, number);
  return number;
}

Result<void> RecipeBook::add(const Signature& signature) {
  std::vector<ClassId> classes;
  for (const RowElement& element : signature.elements) {
    const ShapeId weight = element.has_weight ? shape_id(element.weight) : 0;
    const ShapeId input = element.has_input ? shape_id(element.input) : 0;
    classes.push_back(class_of(weight, input));
    if (classes.back() == kNone) {
      return Errors(ErrorCode::ShapeMismatch, "",
                    "weight " + element.weight.text() + " times input " + element.input.text() +
                        " is undefined");
    }
  }
  if (signature.any_count) classes.push_back(classes.front());
  const std::uint32_t width = word_count(functions_[signature.function].transformation.id);
  VECC_TRY([[maybe_unused]] const std::uint32_t number,
           find(signature.function, classes, std::span(signature.words).first(width),
                signature.has_declared ? &signature.declared : nullptr));
  return {};
}

Result<Recipe> RecipeBook::make(const NeuronFunction& function, std::span<const ClassId> classes,
                                std::span<const std::uint32_t> words, const Shape* declared) {
  const CombinationInfo& about = info(function.combination);
  const bool is_count = function.combination == Combination::Count;
  const bool is_identity = function.transformation.id == Transformation::Identity;
  const bool is_one = about.single == CombinationSingle::One && is_identity;
  Recipe recipe;
  if (classes.empty()) {
    const bool has_zero = is_count || function.combination == Combination::Sum ||
                          function.combination == Combination::Avg;
    if (!has_zero) {
      return Errors(ErrorCode::FanIn, "", std::string(about.text) + " has no inputs");
    }
    if (!is_count && declared == nullptr) {
      return Errors(ErrorCode::FanIn, "", "has no inputs and no declared shape");
    }
    recipe.form = Recipe::Form::Zero;
    recipe.combined = shape_id(is_count ? Shape::scalar() : *declared);
    VECC_TRY_VOID(add_then(function.transformation, words, recipe));
    return recipe;
  }
  const bool skips = classes.size() == 1 && about.single != CombinationSingle::Applied && !is_one;
  if (skips) return make_single(function, classes[0], words);
  if (is_count) {
    recipe.form = Recipe::Form::Count;
    recipe.combined = shape_id(Shape::scalar());
    VECC_TRY_VOID(add_then(function.transformation, words, recipe));
    return recipe;
  }
  const std::vector<Shape> shapes = results_of(*this, classes);
  if (keeps_members(function) && classes.size() == 1) {
    if (!shapes[0].is_scalar()) {
      return Errors(ErrorCode::FunctionDomain, "",
                    std::string(about.text) + " of " + shapes[0].text() + ", expected scalars");
    }
    return make_softmax(function, classes);
  }
  VECC_TRY(const Shape combined,
           combined_shape(function.combination, function.axis, function.expr.get(), shapes, ""));
  if (keeps_members(function)) return make_softmax(function, classes);
  if (reduces(function) && (is_uniform(classes) || classes.size() > kMostMixed)) {
    return make_reduced(function, classes, words);
  }
  const bool is_adjacent = about.shapes == CombinationShapes::Scalars ||
                           (function.combination == Combination::Concat && is_uniform(classes));
  return is_adjacent ? make_adjacent(function, combined, classes, words)
                     : make_row(function, combined, classes, words);
}

Result<Recipe> RecipeBook::make_single(const NeuronFunction& function, ClassId id,
                                       std::span<const std::uint32_t> words) {
  const RowElement element = classes_[id];
  Recipe recipe;
  if (is_plain(element)) {
    if (function.transformation.id == Transformation::Identity) {
      recipe.form = Recipe::Form::Alias;
      recipe.shape = shape_id(element.result);
      return recipe;
    }
    if (function.transformation.id == Transformation::AtIndex) {
      VECC_TRY(const Shape entry,
               transformed_shape(function.transformation, words, element.result, ""));
      recipe.form = Recipe::Form::Entry;
      recipe.shape = shape_id(entry);
      recipe.words = 1;
      recipe.entries = element.result.size();
      return recipe;
    }
  }
  RowKernel kernel;
  kernel.elements = {element};
  recipe.form = Recipe::Form::Row;
  VECC_TRY_VOID(transform(function.transformation, words, element.result, kernel, recipe));
  recipe.kernel = kernel_number(kernel);
  return recipe;
}

Result<Recipe> RecipeBook::make_reduced(const NeuronFunction& function,
                                        std::span<const ClassId> classes,
                                        std::span<const std::uint32_t> words) {
  VECC_TRY(const Shape combined, combined_shape(function.combination, function.axis, nullptr,
                                                results_of(*this, classes), ""));
  Recipe recipe;
  recipe.form = Recipe::Form::Reduce;
  RowKernel kernel;
  kernel.form = RowKernel::Form::Reduce;
  kernel.function = &function;
  kernel.elements = {classes_[classes[0]]};
  if (!is_uniform(classes)) {
    kernel.elements = {input_of(combined)};
    recipe.part = shape_id(combined);
    for (const ClassId c : classes) recipe.parts.push_back(part_kernel(c, combined, false));
  }
  VECC_TRY_VOID(transform(function.transformation, words, combined, kernel, recipe));
  recipe.kernel = kernel_number(kernel);
  return recipe;
}

Result<Recipe> RecipeBook::make_softmax(const NeuronFunction& function,
                                        std::span<const ClassId> classes) {
  Recipe recipe;
  recipe.form = Recipe::Form::Softmax;
  RowKernel kernel;
  kernel.form = RowKernel::Form::Softmax;
  kernel.function = &function;
  kernel.elements = {classes_[classes[0]]};
  if (!is_uniform(classes)) {
    kernel.elements = {input_of(Shape::scalar())};
    recipe.part = shape_id(Shape::scalar());
    for (const ClassId c : classes) {
      recipe.parts.push_back(part_kernel(c, Shape::scalar(), false));
    }
  }
  recipe.kernel = kernel_number(kernel);
  return recipe;
}

Result<Recipe> RecipeBook::make_adjacent(const NeuronFunction& function, Shape combined,
                                         std::span<const ClassId> classes,
                                         std::span<const std::uint32_t> words) {
  const Shape part = classes_[classes[0]].result;
  Recipe recipe;
  recipe.form = Recipe::Form::Adjacent;
  recipe.combined = shape_id(combined);
  recipe.part = shape_id(part);
  for (const ClassId c : classes) recipe.parts.push_back(part_kernel(c, part, true));
  if (function.combination == Combination::Concat) {
    VECC_TRY_VOID(add_then(function.transformation, words, recipe));
    return recipe;
  }
  // Softmax or sparsemax, then another transformation: two of them, one after the other.
  RowKernel kernel;
  NeuronFunction share;
  auto expr = std::make_shared<Expr>();
  ExprNode node;
  expr->nodes.push_back(node);
  node.kind = ExprNode::Kind::Transform;
  node.transformation.id = function.combination == Combination::Softmax ? Transformation::Softmax
                                                                        : Transformation::Sparsemax;
  expr->nodes.push_back(node);
  share.combination = Combination::FunctionGraph;
  share.expr = expr;
  kernel.function = &share;
  kernel.elements = {input_of(combined)};
  VECC_TRY_VOID(transform(function.transformation, words, combined, kernel, recipe));
  recipe.kernel = kernel_number(kernel);
  return recipe;
}

Result<Recipe> RecipeBook::make_row(const NeuronFunction& function, Shape combined,
                                    std::span<const ClassId> classes,
                                    std::span<const std::uint32_t> words) {
  Recipe recipe;
  recipe.form = Recipe::Form::Row;
  RowKernel kernel;
  kernel.function = &function;
  for (const ClassId c : classes) kernel.elements.push_back(classes_[c]);
  VECC_TRY_VOID(transform(function.transformation, words, combined, kernel, recipe));
  recipe.kernel = kernel_number(kernel);
  return recipe;
}

Result<void> RecipeBook::add_then(const TransformationSpec& then,
                                  std::span<const std::uint32_t> words, Recipe& recipe) {
  const Shape combined = shapes_[recipe.combined];
  RowKernel kernel;
  kernel.elements = {input_of(combined)};
  VECC_TRY_VOID(transform(then, words, combined, kernel, recipe));
  if (then.id != Transformation::Identity) recipe.kernel = kernel_number(kernel);
  return {};
}

Result<void> RecipeBook::transform(const TransformationSpec& then,
                                   std::span<const std::uint32_t> words, Shape combined,
                                   RowKernel& kernel, Recipe& recipe) {
  VECC_TRY(const Shape shape, transformed_shape(then, words, combined, ""));
  recipe.shape = shape_id(shape);
  kernel.then = then;
  std::ranges::copy(words, kernel.words.begin());
  if (then.id != Transformation::AtIndex) return {};
  kernel.words = {};
  kernel.words_by_row = true;
  recipe.words = 1;
  recipe.entries = combined.size();
  return {};
}

std::uint32_t RecipeBook::part_kernel(ClassId id, Shape shape, bool must_store) {
  const RowElement element = classes_[id];
  if (!must_store && is_plain(element) && element.result == shape) return kNone;
  RowKernel kernel;
  kernel.elements = {element};
  kernel.then = fit_to(element.result, shape);
  return kernel_number(kernel);
}

std::uint32_t RecipeBook::kernel_number(const RowKernel& row) {
  KernelFacts facts;
  facts.kernel = make_kernel(row, dtype_);
  const auto number = static_cast<std::uint32_t>(kernels_.size());
  facts.has_segments = row.form != RowKernel::Form::Row;
  facts.work = 1;
  for (const RowElement& element : row.elements) {
    facts.work += element.result.size();
    if (element.has_weight && element.has_input) {
      facts.work += element.weight.size() * element.input.cols();
    }
    if (element.has_weight) facts.weights.push_back(true);
    if (element.has_input) facts.weights.push_back(false);
  }
  facts.loads = static_cast<std::uint32_t>(facts.weights.size());
  std::string text = text_of(facts.kernel);
  for (const bool is_weight : facts.weights) text += is_weight ? 'w' : 'x';
  const auto [found, is_new] = kernel_of_text_.try_emplace(std::move(text), number);
  if (!is_new) return found->second;
  facts.weights.resize(facts.kernel.accesses.size());
  kernels_.push_back(std::move(facts));
  return number;
}

RowElement RecipeBook::input_of(Shape shape) const {
  RowElement element;
  element.has_input = true;
  element.input = shape;
  element.result = shape;
  return element;
}

}  // namespace vecc::binding
