// A planned layer: neurons that become the rows of one value.
#pragma once

#include <cstdint>
#include <vector>

#include "src/vectorize/placement.h"
#include "vecc/function.h"
#include "vecc/note.h"

namespace vecc::vectorizer {

/// What one element `W * x` of a neuron's list looks like. Elements of one class become the rows of
/// one linear (or one plain read), whatever neurons they belong to.
struct ElementClass {
  enum class Kind : std::uint8_t {
    Linear,  ///< weight times input
    Input,   ///< an input with the unit weight
    Weight,  ///< an offset, or a learnable fact
  };
  Kind kind = Kind::Input;
  Shape weight;
  Shape input;
  /// The input is in the recursive component that is being emitted. Kept apart, since what all
  /// levels read must not be copied into a concat at every level.
  bool inside = false;
  bool fits = true;  ///< false: `weight times input` is undefined
  Shape result;
};

enum class LayerForm : std::uint8_t {
  UnitFact,
  ConstantFact,
  Constant,   ///< known scalars: COUNT, and the ONE of a one-element softmax
  Segment,    ///< a reduction over elements, any number a neuron
  Members,    ///< softmax, sparsemax: one row an element
  Packed,     ///< equally many elements of one class, side by side in a column
  Positions,  ///< element k of every neuron is of class k: an n-ary function
};

/// The elements of one class in a layer (form Positions: at one position).
struct ElementUse {
  std::uint32_t element_class = 0;
  std::uint64_t count = 0;
  std::vector<std::uint32_t> layers;  ///< read, ascending
  std::vector<std::uint32_t> tables;  ///< weight tables read, ascending
};

struct LayerPlan {
  LayerForm form = LayerForm::Segment;
  const NeuronFunction* function = nullptr;
  /// The function's, or Identity where reading a softmax's member is already the result.
  TransformationSpec transformation;
  Shape combined;                        ///< before the transformation
  Shape shape;                           ///< after it
  std::uint32_t members = 0;             ///< Packed: elements a neuron
  std::vector<std::uint32_t> positions;  ///< Positions: the class of each
  std::vector<ElementUse> uses;
  std::vector<NeuronId> neurons;
  std::uint64_t elements = 0;
  Note note;  ///< the groups it comes from
};

/// Whether a neuron of one unweighted element takes one of the element's entries and nothing else.
[[nodiscard]] inline bool takes_one_entry(const NeuronFunction& function) {
  return function.transformation.id == Transformation::AtIndex &&
         info(function.combination).single != CombinationSingle::Applied;
}

/// AtIndex of a softmax that is kept one row a member: the row is the result.
[[nodiscard]] inline bool is_member_read(const LayerPlan& plan) {
  return plan.function != nullptr && plan.form == LayerForm::Segment &&
         plan.function->transformation.id == Transformation::AtIndex &&
         plan.transformation.id == Transformation::Identity;
}

}  // namespace vecc::vectorizer
