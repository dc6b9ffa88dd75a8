#include "tests/support/wide_graphs.h"

#include <string>
#include <vector>

#include "tests/support/graph_builder.h"

namespace vecc::test {
namespace {

// Near 1 for a scalar, near a unit matrix: long products neither vanish nor overflow.
std::vector<double> values_near_one(Shape shape, std::uint32_t number) {
  std::vector<double> values;
  for (std::uint32_t row = 0; row < shape.rows(); ++row) {
    for (std::uint32_t col = 0; col < shape.cols(); ++col) {
      const bool is_one = row == col || shape.is_vector();
      const std::uint32_t place = number + 5 * row + 3 * col;
      values.push_back((is_one ? 1.0 : 0.0) + (place * 37 % 64 - 31.5) / 2048);
    }
  }
  return values;
}

std::string text_of(const WideFunction& function, std::uint32_t width) {
  std::string text = std::string("relu(") + function.name + "(";
  for (std::uint32_t k = 0; k < width; ++k) {
    if (k > 0) text += ", ";
    for (const char* c = function.members; *c != '\0'; ++c) {
      text += *c == '#' ? std::to_string(k) : std::string(1, *c);
    }
  }
  return text + "))";
}

}  // namespace

NeuronGraph wide_function_graph(const WideFunction& function, std::uint32_t width) {
  GraphBuilder b;
  const GroupIndex facts[] = {b.group("even"), b.group("odd")};
  std::vector<std::vector<NeuronId>> inputs(2);
  for (std::uint32_t neuron = 0; neuron < 2; ++neuron) {
    for (std::uint32_t side = 0; side < 2; ++side) {
      const Shape shape = side == 0 ? function.scalar : function.other;
      std::vector<double> values;
      const std::uint32_t count = (width + 1 - side) / 2;
      for (std::uint32_t k = 0; k < count; ++k) {
        for (const double v : values_near_one(shape, 2 * k + side + neuron)) values.push_back(v);
      }
      const WeightId first =
          b.weight_table("w" + std::to_string(2 * neuron + side), count, shape, values);
      if (side == 0) inputs[neuron].resize(width);
      for (std::uint32_t k = 0; k < count; ++k) {
        inputs[neuron][2 * k + side] = b.learnable_fact(facts[side], first + k);
      }
    }
  }
  const GroupIndex wide = b.group("wide");
  const NeuronFunction of = function_graph(text_of(function, width));
  for (const auto& read : inputs) b.sample(b.neuron(wide, of, read));
  return b.build();
}

}  // namespace vecc::test
