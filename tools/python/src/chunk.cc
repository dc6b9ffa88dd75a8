#include "chunk.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <numeric>
#include <string_view>

#include "vecc/escape.h"

namespace vecc::python_package {
namespace {

constexpr std::array kClasses{NeuronClass::Fact,        NeuronClass::Rule,
                              NeuronClass::Atom,        NeuronClass::WeightedRule,
                              NeuronClass::Negation,    NeuronClass::WeightedAtom,
                              NeuronClass::Aggregation, NeuronClass::SplittableAggregation};

Result<NeuronClass> class_of(std::string_view text) {
  std::string names;
  for (const NeuronClass each : kClasses) {
    if (text_of(each) == text) return each;
    names += (names.empty() ? "" : ", ") + std::string(text_of(each));
  }
  return Errors(ErrorCode::Usage, "kind",
                fmt::format("\"{}\" is none of {}", escape_terminal(text), names));
}

class ColumnCheck {
 public:
  explicit ColumnCheck(const GroupChunk& chunk)
      : place_(fmt::format("group {} \"{}\"", chunk.group_id,
                           escape_terminal(chunk.head_predicate))) {}

  void expect(const char* column, std::uint64_t found, std::uint64_t expected, const char* why) {
    if (found == expected) return;
    errors_.add(ErrorCode::ColumnLength, place_,
                fmt::format("{} has {} entries, expected {}: {}", column, found, expected, why));
  }
  [[nodiscard]] Result<void> result() const {
    if (!errors_.empty()) return errors_;
    return {};
  }

 private:
  std::string place_;
  Errors errors_;
};

std::uint64_t edges_of(const GroupChunk& chunk) {
  const auto& fan_in = chunk.fan_in;
  if (fan_in.size() == 1) return std::uint64_t{fan_in[0]} * chunk.count;
  return std::accumulate(fan_in.begin(), fan_in.end(), std::uint64_t{0});
}

}  // namespace

Shape shape_of(const Sides& sides) {
  return sides.first == 0 ? Shape::scalar() : Shape(sides.first, sides.second);
}

Result<GroupChunk> chunk_of(const ChunkHead& head) {
  GroupChunk chunk;
  VECC_TRY(chunk.neuron_class, class_of(head.neuron_class));
  chunk.group_id = head.group_id;
  chunk.head_predicate = head.head_predicate;
  chunk.rule_text = head.rule_text;
  chunk.first_id = head.first_id;
  chunk.count = head.count;
  chunk.has_shape = head.shape.has_value();
  if (head.shape) chunk.shape = shape_of(*head.shape);
  chunk.names = head.names;
  return chunk;
}

Result<NeuronFunction> function_of(const FunctionText& text) {
  NeuronFunction function;
  const auto combination = parse_combination(text.combination);
  if (!combination) {
    return Errors(ErrorCode::UnknownFunction, "combination",
                  "\"" + escape_terminal(text.combination) + "\" is no combination");
  }
  function.combination = *combination;
  function.axis = text.axis;
  VECC_TRY(function.transformation,
           parse_transformation_spec(text.transformation, "transformation"));
  if (text.expression) {
    VECC_TRY(Expr expr, parse_expr(*text.expression, "expression"));
    function.expr = std::make_shared<const Expr>(std::move(expr));
  }
  return function;
}

Result<void> check_columns(const GroupChunk& chunk) {
  ColumnCheck check(chunk);
  const bool is_fact = chunk.fact != FactKind::NotAFact;
  if (chunk.count == 0) check.expect("the group", 0, 1, "at least one neuron");
  if (!chunk.names.empty()) check.expect("names", chunk.names.size(), chunk.count, "one a neuron");
  if (is_fact) {
    const bool constant = chunk.fact == FactKind::Constant;
    check.expect("values", chunk.values.size(), constant ? chunk.count * chunk.shape.size() : 0,
                 "the shape's elements a fact");
    const bool learnable = chunk.fact == FactKind::Learnable;
    check.expect("weights", chunk.weights.size(), learnable ? chunk.count : 0, "one a fact");
    return check.result();
  }
  if (chunk.fan_in.size() != 1) {
    check.expect("fan_in", chunk.fan_in.size(), chunk.count, "one a neuron, or one for all");
  }
  const std::uint64_t edges = edges_of(chunk);
  check.expect("inputs", chunk.inputs.size(), edges, "the sum of fan_in");
  if (!chunk.weights.empty()) check.expect("weights", chunk.weights.size(), edges, "one an input");
  if (!chunk.offsets.empty()) {
    check.expect("offsets", chunk.offsets.size(), chunk.count, "one a neuron");
  }
  const std::uint64_t words = word_count(chunk.function.transformation.id);
  check.expect("words", chunk.words.size(), words * chunk.count,
               "the parameters of the transformation, neuron by neuron");
  return check.result();
}

}  // namespace vecc::python_package
