#include <algorithm>
#include <cmath>
#include <vector>

#include "src/function/evaluate.h"

namespace vecc {
namespace {

using Elements = std::span<const Element>;

void sum_all(Elements elements, std::span<double> y) {
  std::ranges::fill(y, 0.0);
  for (const Element& element : elements) add_to(y, element);
}

void multiply_entries(Elements elements, std::span<double> y) {
  std::ranges::fill(y, 1.0);
  for (const Element& element : elements) {
    const bool scalar = element.shape.is_scalar();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] *= element.values[scalar ? 0 : i];
  }
}

// Row-major elements one after another are both the flat column and the rows stacked.
void concat_all(Elements elements, std::span<double> y) {
  auto out = y.begin();
  for (const Element& element : elements) out = std::ranges::copy(element.values, out).out;
}

std::vector<double> scalars_of(Elements elements) {
  std::vector<double> scalars;
  for (const Element& element : elements) scalars.push_back(element.values[0]);
  return scalars;
}

void multiply_all(Elements elements, std::span<double> y) {
  Shape shape = elements[0].shape;
  std::vector<double> product(elements[0].values.begin(), elements[0].values.end());
  for (const Element& element : elements.subspan(1)) {
    const auto next_shape = times_shape(shape, element.shape);
    VECC_CHECK(next_shape.has_value(), "product of shapes that do not fit");
    std::vector<double> next(next_shape->size());
    times({shape, product}, element, next);
    shape = *next_shape;
    product = std::move(next);
  }
  std::ranges::copy(product, y.begin());
}

// One entry of each element, all choices, the last element's entry changing fastest.
void cross_all(Elements elements, std::span<double> y) {
  std::vector<std::size_t> choice(elements.size());
  for (double& sum : y) {
    sum = 0;
    for (std::size_t k = 0; k < elements.size(); ++k) sum += elements[k].values[choice[k]];
    for (std::size_t k = elements.size(); k-- > 0;) {
      if (++choice[k] < elements[k].values.size()) break;
      choice[k] = 0;
    }
  }
}

double similarity(std::span<const double> a, std::span<const double> b) {
  double dot = 0;
  double square_a = 0;
  double square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += a[i] * b[i];
    square_a += a[i] * a[i];
    square_b += b[i] * b[i];
  }
  return dot / (std::sqrt(square_a) * std::sqrt(square_b));
}

}  // namespace

void times(Element left, Element right, std::span<double> y) {
  if (left.shape.is_scalar() || right.shape.is_scalar()) {
    const double factor = left.shape.is_scalar() ? left.values[0] : right.values[0];
    const auto scaled = left.shape.is_scalar() ? right.values : left.values;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = factor * scaled[i];
    return;
  }
  VECC_CHECK(left.shape.cols() == right.shape.rows(), "times of shapes that do not fit");
  const std::size_t inner = right.shape.rows();
  const std::size_t cols = right.shape.cols();
  for (std::size_t r = 0; r < left.shape.rows(); ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < inner; ++k) {
        sum += left.values[r * inner + k] * right.values[k * cols + c];
      }
      y[r * cols + c] = sum;
    }
  }
}

void add_to(std::span<double> y, Element x) {
  const bool scalar = x.shape.is_scalar();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += x.values[scalar ? 0 : i];
}

std::size_t select_by_sum(Elements elements, bool largest) {
  std::size_t best = 0;
  double best_sum = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    double sum = 0;
    for (const double v : elements[i].values) sum += v;
    if (i == 0 || (largest ? sum > best_sum : sum < best_sum)) {
      best = i;
      best_sum = sum;
    }
  }
  return best;
}

std::size_t select_by_entry(Elements elements, std::size_t entry, bool largest) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < elements.size(); ++k) {
    const double value = elements[k].values[entry];
    const double best_value = elements[best].values[entry];
    if (largest ? value > best_value : value < best_value) best = k;
  }
  return best;
}

void evaluate_members(Combination combination, Elements members, std::span<double> y) {
  const std::size_t entries = members[0].values.size();
  std::vector<double> x(members.size());
  std::vector<double> shares(members.size());
  for (std::size_t i = 0; i < entries; ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = members[k].values[i];
    if (combination == Combination::Softmax) {
      softmax(x, shares);
    } else {
      sparsemax(x, shares);
    }
    for (std::size_t k = 0; k < x.size(); ++k) y[k * entries + i] = shares[k];
  }
}

void evaluate(Combination combination, const Expr* expr, Elements elements, std::span<double> y) {
  const auto count = static_cast<double>(elements.size());
  switch (combination) {
    case Combination::Sum: sum_all(elements, y); return;
    case Combination::Avg:
      sum_all(elements, y);
      for (double& v : y) v *= 1.0 / count;
      return;
    case Combination::Max:
    case Combination::Min: {
      const std::size_t selected = select_by_sum(elements, selects_largest(combination));
      std::ranges::copy(elements[selected].values, y.begin());
      return;
    }
    case Combination::ElMax:
    case Combination::ElMin:
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = elements[select_by_entry(elements, i, selects_largest(combination))].values[i];
      }
      return;
    case Combination::Count: y[0] = count; return;
    case Combination::Concat: concat_all(elements, y); return;
    case Combination::Softmax: softmax(scalars_of(elements), y); return;
    case Combination::Sparsemax: sparsemax(scalars_of(elements), y); return;
    case Combination::Product: multiply_all(elements, y); return;
    case Combination::ElProduct: multiply_entries(elements, y); return;
    case Combination::CrossSum: cross_all(elements, y); return;
    case Combination::CosSim: y[0] = similarity(elements[0].values, elements[1].values); return;
    case Combination::FunctionGraph:
      VECC_CHECK(expr != nullptr, "functiongraph without its tree");
      evaluate(*expr, elements, y);
      return;
  }
  fail_check("known combination", __FILE__, __LINE__, std::string(info(combination).text));
}

}  // namespace vecc
