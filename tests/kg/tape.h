// Reverse mode over single numbers, for oracles: values and partial derivatives are written down as
// they are computed.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace vecc::test {

class Tape {
 public:
  struct Node {
    double value = 0;
    std::size_t parents[2] = {0, 0};
    double partials[2] = {0, 0};
  };
  std::size_t add(Node node) {
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }
  [[nodiscard]] double value(std::size_t i) const { return nodes_[i].value; }
  /// The derivatives of node `of` by all.
  [[nodiscard]] std::vector<double> differentiate(std::size_t of) const {
    std::vector<double> by(nodes_.size());
    by[of] = 1;
    for (std::size_t i = of + 1; i-- > 0;) {
      for (int k = 0; k < 2; ++k) by[nodes_[i].parents[k]] += by[i] * nodes_[i].partials[k];
    }
    return by;
  }

 private:
  std::vector<Node> nodes_{Node{}};  // node 0: no parent
};

/// A number on a tape; one without a tape is a constant.
struct Number {
  Tape* tape = nullptr;
  std::size_t node = 0;
  double constant = 0;

  Number(double value) : constant(value) {}  // NOLINT: as a double converts
  Number(Tape& on, double value) : tape(&on), node(on.add({value, {}, {}})) {}
  [[nodiscard]] double value() const { return tape != nullptr ? tape->value(node) : constant; }

  static Number of(const Number& a, const Number& b, double value, double by_a, double by_b) {
    Number result(value);
    result.tape = a.tape != nullptr ? a.tape : b.tape;
    if (result.tape != nullptr) {
      result.node = result.tape->add(
          {value, {a.tape != nullptr ? a.node : 0, b.tape != nullptr ? b.node : 0}, {by_a, by_b}});
    }
    return result;
  }
};

inline Number operator+(const Number& a, const Number& b) {
  return Number::of(a, b, a.value() + b.value(), 1, 1);
}
inline Number operator-(const Number& a, const Number& b) {
  return Number::of(a, b, a.value() - b.value(), 1, -1);
}
inline Number operator-(const Number& a) {
  return Number(0) - a;
}
inline Number operator*(const Number& a, const Number& b) {
  return Number::of(a, b, a.value() * b.value(), b.value(), a.value());
}
inline Number operator/(const Number& a, const Number& b) {
  return Number::of(a, b, a.value() / b.value(), 1 / b.value(),
                    -a.value() / (b.value() * b.value()));
}
/// Of 0 the derivative is 0, as that of a distance is taken.
inline Number root(const Number& a) {
  const double y = std::sqrt(a.value());
  return Number::of(a, 0.0, y, y > 0 ? 0.5 / y : 0, 0);
}
inline Number absolute(const Number& a) {
  return Number::of(a, 0.0, std::abs(a.value()), a.value() < 0 ? -1 : 1, 0);
}
inline Number exponential(const Number& a) {
  return Number::of(a, 0.0, std::exp(a.value()), std::exp(a.value()), 0);
}
inline Number logarithm(const Number& a) {
  return Number::of(a, 0.0, std::log(a.value()), 1 / a.value(), 0);
}
inline Number above_zero(const Number& a) {
  return a.value() > 0 ? a : Number(0);
}

}  // namespace vecc::test
