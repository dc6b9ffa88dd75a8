#include "vecc/initialize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "src/support/enum_names.h"

namespace vecc {
namespace {

double glorot_bound(Shape shape) {
  if (shape.is_scalar()) return std::sqrt(3.0);
  return std::sqrt(6.0) / std::sqrt(static_cast<double>(shape.rows()) + shape.cols());
}

void draw_uniform(double bound, JavaRandom& random, std::span<double> values) {
  for (double& value : values) value = (random.next_double() - 0.5) * 2 * bound;
}

}  // namespace

std::string_view text_of(Initializer initializer) {
  switch (initializer) {
    case Initializer::Uniform: return "uniform";
    case Initializer::Normal: return "normal";
    case Initializer::Constant: return "constant";
    case Initializer::Glorot: return "glorot";
    case Initializer::He: return "he";
  }
  return "";
}

std::optional<Initializer> parse_initializer(std::string_view text) {
  return parse_name<Initializer>(text);
}

void draw_weight(Initializer initializer, Shape shape, JavaRandom& random,
                 std::span<double> values) {
  VECC_CHECK(values.size() == shape.size(), "values of one weight");
  switch (initializer) {
    case Initializer::Uniform: draw_uniform(1, random, values); return;
    case Initializer::Normal:
      for (double& value : values) value = random.next_gaussian() * 2;
      return;
    case Initializer::Constant: std::fill(values.begin(), values.end(), 0.1); return;
    case Initializer::Glorot: draw_uniform(glorot_bound(shape), random, values); return;
    case Initializer::He:
      draw_uniform(std::sqrt(6.0) / std::sqrt(static_cast<double>(shape.cols())), random, values);
      return;
  }
}

std::uint64_t initialize_weights(NeuronGraph& graph, Initializer initializer, std::int64_t seed) {
  JavaRandom random(seed);
  std::uint64_t count = 0;
  for (WeightTable& table : graph.weight_tables) {
    if (table.has_values) continue;
    const std::size_t size = table.shape.size();
    std::vector<double> values(table.count * size);
    for (std::size_t row = 0; row < table.count; ++row) {
      draw_weight(initializer, table.shape, random, std::span(values).subspan(row * size, size));
    }
    table.values = SharedNumbers::of(std::move(values));
    table.has_values = true;
    count += table.count;
  }
  return count;
}

}  // namespace vecc
