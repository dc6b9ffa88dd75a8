// Numbers, shapes and parameter lists inside function texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vecc/function.h"

namespace vecc {

/// The shortest text that reads back as the same double.
[[nodiscard]] std::string number_text(double value);
/// The whole text as a decimal number; none if it is not one or does not fit a double.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// The whole text as an unsigned number; none if it is not one or does not fit 32 bits.
[[nodiscard]] std::optional<std::uint32_t> parse_unsigned(std::string_view text);
/// `1` or `3x1`; none if it is neither, has a zero side or more than kMaxFunctionSize elements.
[[nodiscard]] std::optional<Shape> parse_shape(std::string_view text);
/// Without spaces at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// Parameters of a transformation as they stand between brackets: `0.2`, `2x3`, and with words
/// `1:3, 0:` (slice; an end of kToEnd is left out) or `2` (atindex). Empty if there are none, or
/// only default ones.
[[nodiscard]] std::string parameters_text(const TransformationSpec& spec);
[[nodiscard]] std::string words_text(Transformation t, const Words& words);

/// A message if a spec's own parameters are out of range (a slope or target), else empty.
[[nodiscard]] std::string spec_problem(const TransformationSpec& spec);
/// A message if words can fit no value at all (an empty or reversed slice), else empty.
[[nodiscard]] std::string words_problem(Transformation t, const Words& words);

/// Reads parameters_text() into `spec`; a message about what was expected, or empty if it is fine.
[[nodiscard]] std::string parse_parameters(std::string_view text, TransformationSpec& spec);
/// Reads words_text(); the same.
[[nodiscard]] std::string parse_words(std::string_view text, Transformation t, Words& words);

/// How many operands an expression's node takes: 0 for the leaves.
[[nodiscard]] std::uint32_t operand_count(const ExprNode& node);

}  // namespace vecc
