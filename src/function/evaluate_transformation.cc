#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "src/function/elementwise.h"
#include "src/function/evaluate.h"

namespace vecc {
namespace {

template <class Function>
void map_entries(std::span<const double> x, std::span<double> y, Function function) {
  std::ranges::transform(x, y.begin(), function);
}

void transpose(Shape shape, std::span<const double> x, std::span<double> y) {
  for (std::size_t r = 0; r < shape.rows(); ++r) {
    for (std::size_t c = 0; c < shape.cols(); ++c)
      y[c * shape.rows() + r] = x[r * shape.cols() + c];
  }
}

// (x - mean) / sqrt(variance + 1e-10) over all entries, population variance.
void normalize(std::span<const double> x, std::span<double> y) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double squares = 0;
  for (const double v : x) squares += (v - mean) * (v - mean);
  const double deviation = std::sqrt(squares / n + 1e-10);
  map_entries(x, y, [&](double v) { return (v - mean) / deviation; });
}

// x - ln(sum of e^x). Relative to the largest entry no exponential overflows, and the sum is at
// least 1.
void log_softmax(std::span<const double> x, std::span<double> y) {
  const double largest = *std::ranges::max_element(x);
  double sum = 0;
  for (const double v : x) sum += std::exp(v - largest);
  const double log_sum = std::log(sum);
  map_entries(x, y, [&](double v) { return v - largest - log_sum; });
}

void slice(std::span<const std::uint32_t> words, Shape shape, std::span<const double> x,
           std::span<double> y) {
  const std::size_t row_end = std::min(words[1], shape.rows());
  const std::size_t col_end = std::min(words[3], shape.cols());
  std::size_t i = 0;
  for (std::size_t r = words[0]; r < row_end; ++r) {
    for (std::size_t c = words[2]; c < col_end; ++c) y[i++] = x[r * shape.cols() + c];
  }
}

}  // namespace

void softmax(std::span<const double> x, std::span<double> y) {
  const double largest = *std::ranges::max_element(x);
  map_entries(x, y, [&](double v) { return std::exp(v - largest); });
  const double sum = std::accumulate(y.begin(), y.end(), 0.0);
  for (double& v : y) v /= sum;
}

void sparsemax(std::span<const double> x, std::span<double> y) {
  const double largest = *std::ranges::max_element(x);
  const bool has_nan = std::ranges::any_of(x, [](double v) { return std::isnan(v); });
  if (has_nan || std::isinf(largest)) {  // no order to sort by, or no finite projection
    std::ranges::fill(y, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  // Shifting all entries changes nothing; without it, 1 would be lost beside a huge entry.
  map_entries(x, y, [&](double v) { return v - largest; });
  // The support is the largest k entries with 1 + k * (k-th largest) > their sum; what the sum
  // exceeds 1 by is taken from each of them.
  std::vector<double> sorted(y.begin(), y.end());
  std::ranges::sort(sorted, std::greater<>());
  double sum = 0;
  double threshold = 0;
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    sum += sorted[k - 1];
    if (1 + static_cast<double>(k) * sorted[k - 1] <= sum) break;
    threshold = (sum - 1) / static_cast<double>(k);
  }
  for (double& v : y) v = std::max(v - threshold, 0.0);
}

void evaluate(const TransformationSpec& spec, std::span<const std::uint32_t> words, Shape shape,
              std::span<const double> x, std::span<double> y) {
  switch (spec.id) {
#include "vecc/elementwise_cases.def"
    evaluate_entries(spec, x, y);
    return;
    case Transformation::Reshape: std::ranges::copy(x, y.begin()); return;
    case Transformation::Transp: transpose(shape, x, y); return;
    case Transformation::Norm: normalize(x, y); return;
    case Transformation::Softmax: softmax(x, y); return;
    case Transformation::Sparsemax: sparsemax(x, y); return;
    case Transformation::LogSoftmax: log_softmax(x, y); return;
    case Transformation::Slice: slice(words, shape, x, y); return;
    case Transformation::AtIndex: y[0] = x[words[0]]; return;
    case Transformation::Broadcast:
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[shape.is_scalar() ? 0 : i];
      return;
  }
  fail_check("known transformation", __FILE__, __LINE__, std::string(info(spec.id).text));
}

}  // namespace vecc
