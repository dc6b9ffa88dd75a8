// Neuron functions: value = T(C([offset, if there is one] ++ [W_i * x_i])).
//
// T is a transformation, C a combination (an aggregation is the same thing); both come from
// functions.def. Exactly one element in the list skips C (functions.def, `single`).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/shape.h"

namespace vecc {

enum class Transformation : std::uint8_t {
#define VECC_TRANSFORMATION(enumerator, ...) enumerator,
#include "vecc/functions.def"
};

enum class Combination : std::uint8_t {
#define VECC_COMBINATION(enumerator, ...) enumerator,
#include "vecc/functions.def"
};

// Columns of functions.def, which says what they mean.
enum class FunctionParameters : std::uint8_t { None, Slope, Target, Index, Bounds };
enum class FunctionDomain : std::uint8_t { Elementwise, Any, Tensor };
enum class FunctionOrigin : std::uint8_t { NeuraLogic, Extension, Program };
enum class FunctionForm : std::uint8_t {
  Same,
  Entries,
  Row,
  Column,
  Transposed,
  Part,
  Entry,
  Shape,
  Broadcast,
};
enum class FunctionDerivative : std::uint8_t { Nothing, Argument, Result, Both, BySlope, Zero };
enum class FunctionCost : std::uint8_t { Fast, Slow };
enum class FunctionDoubt : std::uint8_t { Sure, Doubtful };
enum class FunctionFingerprint : std::uint8_t { Hashed, Shares, Complement, Squared, Moved };
enum class CombinationOrder : std::uint8_t { Free, Ordered, FreeOnScalars };
enum class CombinationShapes : std::uint8_t { Plus, Same, Ignored, Scalars, List };
enum class CombinationSingle : std::uint8_t { Skipped, One, Applied };
enum class CombinationSegment : std::uint8_t { Reduction, Number, Flat, Members, None };

struct TransformationInfo {
  Transformation id;
  std::string_view text;
  FunctionParameters parameters;
  FunctionDomain domain;
  FunctionOrigin origin;
  FunctionForm form;
  FunctionDerivative derivative;
  FunctionCost cost;
  FunctionDoubt doubt;
  FunctionFingerprint fingerprint;
};
struct CombinationInfo {
  Combination id;
  std::string_view text;
  FunctionOrigin origin;
  CombinationOrder order;
  CombinationShapes shapes;
  CombinationSingle single;
  CombinationSegment segment;
  FunctionDerivative derivative;
  FunctionDoubt doubt;
};

/// The table, in enumerator order.
[[nodiscard]] std::span<const TransformationInfo> transformations();
/// Combinations of neurons and of expressions; those of a Program's `segment` too, which are last.
[[nodiscard]] std::span<const CombinationInfo> combinations();
[[nodiscard]] std::span<const CombinationInfo> segment_combinations();
[[nodiscard]] const TransformationInfo& info(Transformation t);
[[nodiscard]] const CombinationInfo& info(Combination c);
[[nodiscard]] std::optional<Transformation> parse_transformation(std::string_view text);
[[nodiscard]] std::optional<Combination> parse_combination(std::string_view text);
[[nodiscard]] std::optional<Combination> parse_segment_combination(std::string_view text);

/// Whether a combination selects among elements: the whole one with the largest (smallest) sum of
/// entries, or in each entry the largest (smallest). The first of equal ones.
[[nodiscard]] constexpr bool selects_elements(Combination c) {
  return c == Combination::Max || c == Combination::Min;
}
[[nodiscard]] constexpr bool selects_entries(Combination c) {
  return c == Combination::ElMax || c == Combination::ElMin;
}
[[nodiscard]] constexpr bool selects(Combination c) {
  return selects_elements(c) || selects_entries(c);
}
/// Of those that select: the largest, not the smallest.
[[nodiscard]] constexpr bool selects_largest(Combination c) {
  return c == Combination::Max || c == Combination::ElMax;
}

/// Per-neuron words of a transformation: AtIndex 1 (the index), Slice 4 (row begin, row end, column
/// begin, column end; an end of kToEnd means the side's length), others 0.
[[nodiscard]] std::uint32_t word_count(Transformation t);
inline constexpr std::uint32_t kToEnd = std::numeric_limits<std::uint32_t>::max();
using Words = std::array<std::uint32_t, 4>;

/// A transformation with what belongs to the function (not to the neuron).
struct TransformationSpec {
  Transformation id = Transformation::Identity;
  double slope = 0.01;  ///< LeakyRelu
  Shape target;         ///< Reshape, Broadcast

  bool operator==(const TransformationSpec&) const = default;
};

/// An expression tree in postfix order: FunctionGraph's tree, and the body of a Program's `map`.
/// Input leaves number the operands; a Combine node takes its last `arity` operands, left to right.
/// A Draw node takes kDrawWords: a random number of each entry (docs/functions.md), whose
/// derivative is 0.
struct ExprNode {
  enum class Kind : std::uint8_t { Input, Constant, Transform, Combine, Draw };
  Kind kind = Kind::Input;
  std::uint32_t input = 0;                     ///< Input
  double constant = 0;                         ///< Constant: a scalar
  TransformationSpec transformation;           ///< Transform
  Words words{};                               ///< Transform: Slice's bounds, AtIndex's index
  Combination combination = Combination::Sum;  ///< Combine
  int axis = -1;                               ///< Combine: Concat's axis
  std::uint32_t arity = 0;                     ///< Combine; Draw: kDrawWords

  bool operator==(const ExprNode&) const = default;
};
struct Expr {
  std::vector<ExprNode> nodes;

  bool operator==(const Expr&) const = default;
  /// Number of operands: largest input + 1.
  [[nodiscard]] std::uint32_t input_count() const;
  /// `elproduct(sum($0, $1), tanh($2))`
  [[nodiscard]] std::string text() const;
};
/// Operands of `draw`: two words of a key, four of a counter.
inline constexpr std::uint32_t kDrawWords = 6;
/// Limits of an expression (of its text and in check_expr): nodes, the longest path from the root,
/// operand numbers.
inline constexpr std::size_t kMaxExprNodes = 1 << 16;
inline constexpr std::size_t kMaxExprDepth = 256;
inline constexpr std::uint32_t kMaxExprInputs = 1 << 16;
/// Elements of a value that a function may make (CROSSSUM's and outer products grow fast).
inline constexpr std::uint64_t kMaxFunctionSize = 1ull << 24;
/// Parses text(); errors ProgramSyntax, UnknownFunction, ParameterRange and FanIn with the column.
/// `place` names the text.
///
///     expr := $NUMBER | CONSTANT | NAME [ "[" PARAMETERS "]" ] "(" expr { "," expr } ")"
///
/// One operand makes a transformation, several a combination. Parameters: `leakyrelu[0.2]($0)`,
/// `reshape[2x3]($0)`, `atindex[2]($0)`, `slice[1:3, 0:]($0)`, `concat[axis=0]($0, $1)`.
[[nodiscard]] Result<Expr> parse_expr(std::string_view text, std::string_view place);
/// Checks that the nodes form exactly one tree within the limits, that combine nodes have at least
/// two operands and are no FunctionGraph themselves, and that every parameter is in its range.
/// Errors: ParameterRange, FanIn.
[[nodiscard]] Result<void> check_expr(const Expr& expr, std::string_view place);

/// The function of a group's neurons. Slice's and AtIndex's words are columns of the neurons.
struct NeuronFunction {
  Combination combination = Combination::Sum;
  int axis = -1;                     ///< Concat: -1 flattens to a column, 0 stacks rows
  std::shared_ptr<const Expr> expr;  ///< FunctionGraph: its tree; else null
  TransformationSpec transformation;

  /// Compares trees by value.
  bool operator==(const NeuronFunction& other) const;
  /// `avg`, `sum tanh`, `concat(axis=0) leakyrelu(0.2)`
  [[nodiscard]] std::string text() const;
};

/// Text of a transformation with its parameters: `leakyrelu(0.2)`, `reshape(2x3)`.
[[nodiscard]] std::string text_of(const TransformationSpec& spec);
/// Parses text_of(). Errors: UnknownFunction, ParameterRange.
[[nodiscard]] Result<TransformationSpec> parse_transformation_spec(std::string_view text,
                                                                   std::string_view place);

/// Shape of T(x). Errors: FunctionDomain (NORM, SOFTMAX, SPARSEMAX, SLICE of a scalar),
/// ParameterRange (Slice, AtIndex, Reshape, Broadcast that do not fit). `words` as word_count says.
[[nodiscard]] Result<Shape> transformed_shape(const TransformationSpec& spec,
                                              std::span<const std::uint32_t> words, Shape input,
                                              std::string_view place);

/// Shape of C over a list of at least one element (of at least two where C is skipped on one).
/// `expr` is FunctionGraph's tree, null otherwise. Errors: ShapeMismatch, FunctionDomain, FanIn,
/// ParameterRange (CONCAT's axis), LimitShape (more than kMaxFunctionSize elements).
[[nodiscard]] Result<Shape> combined_shape(Combination combination, int axis, const Expr* expr,
                                           std::span<const Shape> elements, std::string_view place);

/// Shape of a `draw`: shapes fit as those of a sum. Error: ShapeMismatch.
[[nodiscard]] Result<Shape> drawn_shape(std::span<const Shape> words, std::string_view place);

}  // namespace vecc
