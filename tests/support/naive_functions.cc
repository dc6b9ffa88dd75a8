#include "tests/support/naive_functions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "tests/support/elementwise_cases.h"

namespace vecc::test {
namespace {

std::vector<double> softmax(const std::vector<double>& x) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  std::vector<double> y;
  for (const double v : x) {
    y.push_back(std::exp(v - largest));
    sum += y.back();
  }
  for (double& v : y) v /= sum;
  return y;
}

// The point of the probability simplex next to x: max(x - threshold, 0).
std::vector<double> sparsemax(const std::vector<double>& x) {
  std::vector<double> sorted = x;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, threshold = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const auto members = static_cast<double>(k + 1);
    if (1 + members * sorted[k] > sum) threshold = (sum - 1) / members;
  }
  std::vector<double> y;
  for (const double v : x) y.push_back(std::max(v - threshold, 0.0));
  return y;
}

std::vector<double> norm(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double variance = 0;
  for (const double v : x) variance += (v - mean) * (v - mean) / n;
  std::vector<double> y;
  for (const double v : x) y.push_back((v - mean) / std::sqrt(variance + 1e-10));
  return y;
}

std::vector<double> fold(std::span<const Value> elements, std::uint64_t size, double initial,
                         const std::function<double(double, double)>& operation) {
  std::vector<double> result(size, initial);
  for (const Value& element : elements) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t from = element.shape.is_scalar() ? 0 : i;
      result[i] = operation(result[i], element.elements[from]);
    }
  }
  return result;
}

std::vector<double> flatten(std::span<const Value> elements) {
  std::vector<double> result;
  for (const Value& e : elements) {
    result.insert(result.end(), e.elements.begin(), e.elements.end());
  }
  return result;
}

std::vector<double> cross_sum(std::span<const Value> elements) {
  std::vector<double> result = {0};
  for (const Value& element : elements) {
    std::vector<double> next;
    for (const double before : result) {
      for (const double v : element.elements) next.push_back(before + v);
    }
    result = std::move(next);
  }
  return result;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  const auto dot = [](const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  };
  return dot(a, b) / (std::sqrt(dot(a, a)) * std::sqrt(dot(b, b)));
}

// The first with the largest sign * sum.
Value select(std::span<const Value> elements, double sign) {
  const Value* best = &elements[0];
  for (const Value& e : elements) {
    if (sign * element_sum(e) > sign * element_sum(*best)) best = &e;
  }
  return *best;
}

std::vector<double> transpose(const Value& input) {
  std::vector<double> result;
  for (std::uint32_t c = 0; c < input.shape.cols(); ++c) {
    for (std::uint32_t r = 0; r < input.shape.rows(); ++r) {
      result.push_back(input.elements[std::size_t{r} * input.shape.cols() + c]);
    }
  }
  return result;
}

std::vector<double> slice(const Value& input, std::span<const std::uint32_t> words) {
  std::vector<double> result;
  for (std::uint32_t r = words[0]; r < std::min(words[1], input.shape.rows()); ++r) {
    for (std::uint32_t c = words[2]; c < std::min(words[3], input.shape.cols()); ++c) {
      result.push_back(input.elements[std::size_t{r} * input.shape.cols() + c]);
    }
  }
  return result;
}

}  // namespace

double element_sum(const Value& value) {
  return std::accumulate(value.elements.begin(), value.elements.end(), 0.0);
}

std::optional<Value> naive_times(const Value& left, const Value& right) {
  const auto shape = times_shape(left.shape, right.shape);
  if (!shape) return std::nullopt;
  Value result{*shape, {}};
  if (left.shape.is_scalar() || right.shape.is_scalar()) {
    const Value& scaled = left.shape.is_scalar() ? right : left;
    const double scale = left.shape.is_scalar() ? left.elements[0] : right.elements[0];
    for (const double v : scaled.elements) result.elements.push_back(scale * v);
    return result;
  }
  for (std::uint32_t r = 0; r < left.shape.rows(); ++r) {
    for (std::uint32_t c = 0; c < right.shape.cols(); ++c) {
      double sum = 0;
      for (std::uint32_t k = 0; k < left.shape.cols(); ++k) {
        sum += left.elements[std::size_t{r} * left.shape.cols() + k] *
               right.elements[std::size_t{k} * right.shape.cols() + c];
      }
      result.elements.push_back(sum);
    }
  }
  return result;
}

std::optional<Value> naive_combine(Combination combination, int axis,
                                   std::span<const Value> elements) {
  std::vector<Shape> shapes;
  for (const Value& e : elements) shapes.push_back(e.shape);
  const auto shape = combined_shape(combination, axis, nullptr, shapes, "naive");
  if (!shape) return std::nullopt;
  const auto n = static_cast<double>(elements.size());
  Value result{*shape, {}};
  switch (combination) {
    case Combination::Sum:
    case Combination::Avg:
      result.elements = fold(elements, shape->size(), 0, std::plus<>());
      if (combination == Combination::Avg) {
        for (double& v : result.elements) v *= 1.0 / n;
      }
      break;
    case Combination::ElProduct:
      result.elements = fold(elements, shape->size(), 1, std::multiplies<>());
      break;
    case Combination::Max: return select(elements, 1);
    case Combination::Min: return select(elements, -1);
    case Combination::Count: result.elements = {n}; break;
    case Combination::Concat: result.elements = flatten(elements); break;
    case Combination::Softmax: result.elements = softmax(flatten(elements)); break;
    case Combination::Sparsemax: result.elements = sparsemax(flatten(elements)); break;
    case Combination::Product: {
      std::optional<Value> product = elements[0];
      for (const Value& e : elements.subspan(1)) {
        if (product) product = naive_times(*product, e);
      }
      return product;
    }
    case Combination::CrossSum: result.elements = cross_sum(elements); break;
    case Combination::CosSim:
      result.elements = {cosine(elements[0].elements, elements[1].elements)};
      break;
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::FunctionGraph: return std::nullopt;
  }
  return result;
}

std::optional<Value> naive_transform(const TransformationSpec& spec,
                                     std::span<const std::uint32_t> words, const Value& input) {
  const auto shape = transformed_shape(spec, words, input.shape, "naive");
  if (!shape) return std::nullopt;
  Value result{*shape, input.elements};
  if (info(spec.id).domain == FunctionDomain::Elementwise) {
    for (double& v : result.elements) v = naive_entry(spec, v);
  } else if (spec.id == Transformation::Transp) {
    result.elements = transpose(input);
  } else if (spec.id == Transformation::Norm) {
    result.elements = norm(input.elements);
  } else if (spec.id == Transformation::Softmax) {
    result.elements = softmax(input.elements);
  } else if (spec.id == Transformation::Sparsemax) {
    result.elements = sparsemax(input.elements);
  } else if (spec.id == Transformation::Slice) {
    result.elements = slice(input, words);
  } else if (spec.id == Transformation::AtIndex) {
    result.elements = {input.elements[words[0]]};
  } else if (spec.id == Transformation::LogSoftmax) {
    result.elements = softmax(input.elements);
    for (double& v : result.elements) v = std::log(v);
  }  // Reshape keeps the elements
  return result;
}

}  // namespace vecc::test
