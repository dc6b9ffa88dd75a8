// Recipes: what is done for a neuron, found by its function and the shapes of its elements.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/bind/row_kernel.h"
#include "vecc/error.h"
#include "vecc/plan.h"

namespace vecc::binding {

/// Number of a shape; 0: there is no value.
using ShapeId = std::uint32_t;
/// Number of a RowElement.
using ClassId = std::uint32_t;

struct Recipe {
  enum class Form : std::uint8_t {
    Zero,      ///< no elements: zeros
    Count,     ///< how many elements there are
    Alias,     ///< the one input as it is
    Entry,     ///< one entry of the one input
    Row,       ///< a kernel over all elements
    Reduce,    ///< a kernel over any number of elements
    Softmax,   ///< the same, which stores a number an element
    Adjacent,  ///< elements stored side by side, which is the combined value
  };
  Form form = Form::Alias;
  ShapeId shape = 0;     ///< of the value; Softmax: 0, it depends on the number of elements
  ShapeId combined = 0;  ///< Zero, Count, Adjacent: before the transformation
  /// Row, Reduce, Softmax; Zero, Count, Adjacent: the transformation's, or kNone.
  std::uint32_t kernel = kNone;
  /// By element, in front of Reduce, Softmax or Adjacent: the kernel that stores it as a row of
  /// `part`; kNone: its input is such a row. Empty: there are none in front. One for all elements
  /// if `any_count`.
  std::vector<std::uint32_t> parts;
  ShapeId part = 0;
  bool any_count = false;                     ///< of two or more elements of one class
  std::uint32_t words = 0;                    ///< each neuron has so many
  std::uint64_t entries = ~std::uint64_t{0};  ///< of AtIndex: words[0] is less
};

/// What tells recipes apart.
struct Signature {
  std::uint32_t function = 0;
  bool any_count = false;
  std::vector<RowElement> elements;  ///< one if any_count
  Shape declared;                    ///< without elements
  bool has_declared = false;
  Words words{};
};

class RecipeBook {
 public:
  RecipeBook(DType dtype, std::vector<NeuronFunction> functions);

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const std::vector<NeuronFunction>& functions() const { return functions_; }
  [[nodiscard]] ShapeId shape_id(Shape shape);
  [[nodiscard]] Shape shape(ShapeId id) const { return shapes_[id]; }
  [[nodiscard]] std::uint32_t size_of(ShapeId id) const { return sizes_[id]; }
  [[nodiscard]] ShapeId column_id(std::uint32_t count);
  /// kNone: `weight times input` is undefined.
  [[nodiscard]] ClassId class_of(ShapeId weight, ShapeId input) {
    const std::uint32_t at = weight * stride_ + input;
    return class_of_[at] != kUnknown ? class_of_[at] : make_class(weight, input);
  }
  [[nodiscard]] const RowElement& element(ClassId id) const { return classes_[id]; }

  /// A number of recipe(). `words`: the neuron's own; `declared`: its declared shape, or null.
  /// Errors without a place: those of vectorize() for such a neuron.
  [[nodiscard]] Result<std::uint32_t> find(std::uint32_t function, std::span<const ClassId> classes,
                                           std::span<const std::uint32_t> words,
                                           const Shape* declared);
  [[nodiscard]] const Recipe& recipe(std::uint32_t number) const { return recipes_[number]; }
  /// Of all recipes, in order: those that find() makes of them again are the same ones.
  [[nodiscard]] const std::vector<Signature>& signatures() const { return signatures_; }
  /// Adds the recipe of a signature. Errors: those of find().
  [[nodiscard]] Result<void> add(const Signature& signature);

  struct KernelFacts {
    Kernel kernel;
    std::uint32_t loads = 0;  ///< accesses in front of the store
    bool has_segments = false;
    std::uint64_t work = 0;     ///< of a row, or of a member
    std::vector<bool> weights;  ///< by access: a weight's
  };
  [[nodiscard]] const std::vector<KernelFacts>& kernels() const { return kernels_; }

 private:
  static constexpr ClassId kUnknown = 0xFFFFFFFEu;
  using Key = std::vector<std::uint32_t>;

  [[nodiscard]] ClassId make_class(ShapeId weight, ShapeId input);
  [[nodiscard]] bool takes_any_count(const NeuronFunction& function,
                                     std::span<const ClassId> classes) const;
  [[nodiscard]] Result<Recipe> make(const NeuronFunction& function,
                                    std::span<const ClassId> classes,
                                    std::span<const std::uint32_t> words, const Shape* declared);
  [[nodiscard]] Result<Recipe> make_single(const NeuronFunction& function, ClassId element,
                                           std::span<const std::uint32_t> words);
  [[nodiscard]] Result<Recipe> make_reduced(const NeuronFunction& function,
                                            std::span<const ClassId> classes,
                                            std::span<const std::uint32_t> words);
  [[nodiscard]] Result<Recipe> make_softmax(const NeuronFunction& function,
                                            std::span<const ClassId> classes);
  [[nodiscard]] Result<Recipe> make_adjacent(const NeuronFunction& function, Shape combined,
                                             std::span<const ClassId> classes,
                                             std::span<const std::uint32_t> words);
  [[nodiscard]] Result<Recipe> make_row(const NeuronFunction& function, Shape combined,
                                        std::span<const ClassId> classes,
                                        std::span<const std::uint32_t> words);
  /// The transformation of a value that is there.
  [[nodiscard]] Result<void> add_then(const TransformationSpec& then,
                                      std::span<const std::uint32_t> words, Recipe& recipe);
  /// Fills shape, words and entries of the recipe.
  [[nodiscard]] Result<void> transform(const TransformationSpec& then,
                                       std::span<const std::uint32_t> words, Shape combined,
                                       RowKernel& kernel, Recipe& recipe);
  [[nodiscard]] std::uint32_t part_kernel(ClassId element, Shape shape, bool must_store);
  [[nodiscard]] std::uint32_t kernel_number(const RowKernel& row);
  [[nodiscard]] RowElement input_of(Shape shape) const;

  DType dtype_;
  std::vector<NeuronFunction> functions_;
  std::vector<Shape> shapes_{Shape()};
  std::vector<std::uint32_t> sizes_{0};
  boost::unordered_flat_map<std::uint64_t, ShapeId> shape_ids_;
  std::vector<ShapeId> columns_;
  std::uint32_t stride_ = 0;
  std::vector<ClassId> class_of_;  // by weight and input
  std::vector<RowElement> classes_;
  boost::unordered_flat_map<Key, std::uint32_t, boost::hash<Key>> by_key_;
  Key key_;  // room for the next one
  std::vector<Recipe> recipes_;
  std::vector<Signature> signatures_;
  boost::unordered_flat_map<std::string, std::uint32_t> kernel_of_text_;
  std::vector<KernelFacts> kernels_;
};

}  // namespace vecc::binding
