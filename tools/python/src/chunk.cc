#include "chunk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>

#include "tools/common/suggest.h"
#include "vecc/escape.h"

namespace vecc::python_package {
namespace {

constexpr std::array kClasses{NeuronClass::Fact,        NeuronClass::Rule,
                              NeuronClass::Atom,        NeuronClass::WeightedRule,
                              NeuronClass::Negation,    NeuronClass::WeightedAtom,
                              NeuronClass::Aggregation, NeuronClass::SplittableAggregation};

constexpr std::array<std::string_view, 3> kCompressions{"none", "gzip", "zstd"};

// `"smu" is none of sum, avg; did you mean sum?`
Errors unknown_name(ErrorCode code, const char* place, std::string_view text,
                    const std::vector<std::string>& names) {
  const std::optional<std::string> meant = tools::nearest_name(text, names);
  return Errors(code, place,
                fmt::format("\"{}\" is none of {}{}", escape_terminal(text, 40),
                            fmt::join(names, ", "), meant ? "; did you mean " + *meant + "?" : ""));
}

template <class Infos>
std::vector<std::string> names_of(const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& each : infos) names.emplace_back(each.text);
  return names;
}

Result<NeuronClass> class_of(std::string_view text) {
  std::vector<std::string> names;
  for (const NeuronClass each : kClasses) {
    if (text_of(each) == text) return each;
    names.emplace_back(text_of(each));
  }
  return unknown_name(ErrorCode::Usage, "kind", text, names);
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

Result<Encoding> encoding_of(std::string_view compression, std::optional<std::int64_t> level) {
  const auto* const found = std::ranges::find(kCompressions, compression);
  if (found == kCompressions.end()) {
    return unknown_name(ErrorCode::Usage, "compression", compression,
                        {kCompressions.begin(), kCompressions.end()});
  }
  Encoding encoding(static_cast<Compression>(found - kCompressions.begin()));
  encoding.threads = 0;
  if (!level) return encoding;
  // 0 is the library's word for no level; what does not fit is none either.
  constexpr std::uint32_t kNoLevel = std::numeric_limits<std::uint32_t>::max();
  encoding.level = *level > 0 && *level < kNoLevel ? static_cast<std::uint32_t>(*level) : kNoLevel;
  const std::string problem = find_level_problem(encoding);
  if (problem.empty()) return encoding;
  return Errors(ErrorCode::Usage, "level=" + std::to_string(*level), problem);
}

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
    return unknown_name(ErrorCode::UnknownFunction, "combination", text.combination,
                        names_of(combinations()));
  }
  function.combination = *combination;
  function.axis = text.axis;
  const std::string_view name =
      std::string_view(text.transformation).substr(0, text.transformation.find_first_of(" ("));
  if (!parse_transformation(name)) {
    return unknown_name(ErrorCode::UnknownFunction, "transformation", name,
                        names_of(transformations()));
  }
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
