#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/function/differentiate.h"
#include "src/function/elementwise.h"

namespace vecc {
namespace {

void add_entries(std::span<const double> g, std::span<double> gx) {
  for (std::size_t i = 0; i < gx.size(); ++i) gx[i] += g[i];
}

void add_transposed(Shape shape, std::span<const double> g, std::span<double> gx) {
  for (std::size_t r = 0; r < shape.rows(); ++r) {
    for (std::size_t c = 0; c < shape.cols(); ++c) {
      gx[r * shape.cols() + c] += g[c * shape.rows() + r];
    }
  }
}

// y = (x - mean) / d with d = sqrt(variance + 1e-10) has the gradient
// (g - mean g - y mean(g y)) / d.
void differentiate_norm(std::span<const double> x, std::span<const double> y,
                        std::span<const double> g, std::span<double> gx) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double squares = 0;
  double g_mean = 0;
  double gy_mean = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += (x[i] - mean) * (x[i] - mean);
    g_mean += g[i] / n;
    gy_mean += g[i] * y[i] / n;
  }
  const double deviation = std::sqrt(squares / n + 1e-10);
  for (std::size_t i = 0; i < x.size(); ++i) {
    gx[i] += (g[i] - g_mean - y[i] * gy_mean) / deviation;
  }
}

// y = x - ln(sum of e^x): g less the softmax's share of all of g.
void differentiate_log_softmax(std::span<const double> y, std::span<const double> g,
                               std::span<double> gx) {
  const double sum = std::accumulate(g.begin(), g.end(), 0.0);
  for (std::size_t i = 0; i < gx.size(); ++i) gx[i] += g[i] - std::exp(y[i]) * sum;
}

void add_sliced(std::span<const std::uint32_t> words, Shape shape, std::span<const double> g,
                std::span<double> gx) {
  const std::size_t row_end = std::min(words[1], shape.rows());
  const std::size_t col_end = std::min(words[3], shape.cols());
  std::size_t i = 0;
  for (std::size_t r = words[0]; r < row_end; ++r) {
    for (std::size_t c = words[2]; c < col_end; ++c) gx[r * shape.cols() + c] += g[i++];
  }
}

}  // namespace

void differentiate_softmax(std::span<const double> y, std::span<const double> g,
                           std::span<double> gx) {
  const double mean = std::inner_product(y.begin(), y.end(), g.begin(), 0.0);
  for (std::size_t i = 0; i < gx.size(); ++i) gx[i] += y[i] * (g[i] - mean);
}

void differentiate_sparsemax(std::span<const double> y, std::span<const double> g,
                             std::span<double> gx) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] <= 0) continue;  // outside the support; NaN is everywhere or nowhere
    sum += g[i] + 0 * y[i];
    ++count;
  }
  for (std::size_t i = 0; i < gx.size(); ++i) {
    if (!(y[i] <= 0)) gx[i] += g[i] - sum / count;
  }
}

void differentiate(const TransformationSpec& spec, std::span<const std::uint32_t> words,
                   Shape shape, std::span<const double> x, std::span<const double> y,
                   std::span<const double> g, std::span<double> gx) {
  switch (spec.id) {
#include "vecc/elementwise_cases.def"
    differentiate_entries(spec, x, y, g, gx);
    return;
    case Transformation::Reshape: add_entries(g, gx); return;
    case Transformation::Transp: add_transposed(shape, g, gx); return;
    case Transformation::Norm: differentiate_norm(x, y, g, gx); return;
    case Transformation::Softmax: differentiate_softmax(y, g, gx); return;
    case Transformation::Sparsemax: differentiate_sparsemax(y, g, gx); return;
    case Transformation::LogSoftmax: differentiate_log_softmax(y, g, gx); return;
    case Transformation::Slice: add_sliced(words, shape, g, gx); return;
    case Transformation::AtIndex: gx[words[0]] += g[0]; return;
    case Transformation::Broadcast: differentiate_add(g, shape, gx); return;
  }
  fail_check("known transformation", __FILE__, __LINE__, std::string(info(spec.id).text));
}

}  // namespace vecc
