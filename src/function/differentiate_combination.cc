#include <algorithm>
#include <cmath>
#include <vector>

#include "src/function/differentiate.h"

namespace vecc {
namespace {

using Elements = std::span<const Element>;
using Gradient = std::span<const double>;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void differentiate_sum(Elements elements, Gradient g, ElementGradients gradients) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    differentiate_add(g, elements[k].shape, gradients[k]);
  }
}

void differentiate_mean(Elements elements, Gradient g, ElementGradients gradients) {
  const double share = 1.0 / static_cast<double>(elements.size());
  std::vector<double> shares(g.begin(), g.end());
  for (double& v : shares) v *= share;
  differentiate_sum(elements, shares, gradients);
}

void differentiate_concat(Elements elements, Gradient g, ElementGradients gradients) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const std::size_t size = elements[k].values.size();
    for (std::size_t i = 0; i < gradients[k].size(); ++i) gradients[k][i] += g[i];
    g = g.subspan(size);
  }
}

// An entry's gradient goes to the element that it was selected from.
void differentiate_entries(Combination combination, Elements elements, Gradient g,
                           ElementGradients gradients) {
  for (std::size_t i = 0; i < g.size(); ++i) {
    const std::size_t k = select_by_entry(elements, i, selects_largest(combination));
    if (!gradients[k].empty()) gradients[k][i] += g[i];
  }
}

// Scalars to a column: `function` is that of the column.
template <class Function>
void differentiate_scalars(std::span<const double> y, Gradient g, ElementGradients gradients,
                           Function function) {
  std::vector<double> column(y.size());
  function(y, g, column);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    if (!gradients[k].empty()) gradients[k][0] += column[k];
  }
}

// Backwards through p_0 = e_0, p_k = p_{k-1} times e_k.
void differentiate_product(Elements elements, Gradient g, ElementGradients gradients) {
  std::vector<Shape> shapes{elements[0].shape};
  std::vector<std::vector<double>> products{{elements[0].values.begin(), elements[0].values.end()}};
  for (std::size_t k = 1; k + 1 < elements.size(); ++k) {
    const auto shape = times_shape(shapes.back(), elements[k].shape);
    VECC_CHECK(shape.has_value(), "product of shapes that do not fit");
    std::vector<double> product(shape->size());
    times({shapes.back(), products.back()}, elements[k], product);
    shapes.push_back(*shape);
    products.push_back(std::move(product));
  }
  std::vector<double> g_product(g.begin(), g.end());
  for (std::size_t k = elements.size(); k-- > 1;) {
    std::vector<double> g_before(products[k - 1].size());
    differentiate_times({shapes[k - 1], products[k - 1]}, elements[k], g_product, g_before,
                        gradients[k]);
    g_product = std::move(g_before);
  }
  differentiate_add(g_product, elements[0].shape, gradients[0]);
}

// An element's gradient is the product of the others: of those before it and those after it, so
// that zeros need no division.
void differentiate_entry_products(Elements elements, Gradient g, ElementGradients gradients) {
  const auto entry = [&](std::size_t k, std::size_t i) {
    return elements[k].values[elements[k].shape.is_scalar() ? 0 : i];
  };
  std::vector<double> after(elements.size() + 1, 1.0);
  for (std::size_t i = 0; i < g.size(); ++i) {
    for (std::size_t k = elements.size(); k-- > 0;) after[k] = entry(k, i) * after[k + 1];
    double before = 1;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (!gradients[k].empty()) {
        gradients[k][elements[k].shape.is_scalar() ? 0 : i] += g[i] * before * after[k + 1];
      }
      before *= entry(k, i);
    }
  }
}

void differentiate_cross_sum(Elements elements, Gradient g, ElementGradients gradients) {
  std::vector<std::size_t> choice(elements.size());
  for (const double share : g) {
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (!gradients[k].empty()) gradients[k][choice[k]] += share;
    }
    for (std::size_t k = elements.size(); k-- > 0;) {
      if (++choice[k] < elements[k].values.size()) break;
      choice[k] = 0;
    }
  }
}

// d cos / dx = (y/|y| - cos x/|x|) / |x|, and the same for y.
void differentiate_similarity(Elements elements, double cosine, double g,
                              ElementGradients gradients) {
  const double lengths[2] = {std::sqrt(dot(elements[0].values, elements[0].values)),
                             std::sqrt(dot(elements[1].values, elements[1].values))};
  for (const std::size_t k : {0, 1}) {
    const std::span<const double> x = elements[k].values;
    const std::span<const double> y = elements[1 - k].values;
    for (std::size_t i = 0; i < gradients[k].size(); ++i) {
      gradients[k][i] += g * (y[i] / lengths[1 - k] - cosine * x[i] / lengths[k]) / lengths[k];
    }
  }
}

}  // namespace

void differentiate_times(Element left, Element right, Gradient g, std::span<double> g_left,
                         std::span<double> g_right) {
  if (left.shape.is_scalar() || right.shape.is_scalar()) {
    const bool left_scales = left.shape.is_scalar();
    const Element factor = left_scales ? left : right;
    const Element scaled = left_scales ? right : left;
    const std::span<double> g_factor = left_scales ? g_left : g_right;
    const std::span<double> g_scaled = left_scales ? g_right : g_left;
    if (!g_factor.empty()) g_factor[0] += dot(g, scaled.values);
    for (std::size_t i = 0; i < g_scaled.size(); ++i) g_scaled[i] += factor.values[0] * g[i];
    return;
  }
  VECC_CHECK(left.shape.cols() == right.shape.rows(), "times of shapes that do not fit");
  const std::size_t inner = right.shape.rows();
  const std::size_t cols = right.shape.cols();
  for (std::size_t r = 0; r < left.shape.rows(); ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      const double share = g[r * cols + c];
      if (!g_left.empty()) {
        for (std::size_t k = 0; k < inner; ++k) {
          g_left[r * inner + k] += share * right.values[k * cols + c];
        }
      }
      if (!g_right.empty()) {
        for (std::size_t k = 0; k < inner; ++k) {
          g_right[k * cols + c] += share * left.values[r * inner + k];
        }
      }
    }
  }
}

void differentiate_add(Gradient g, Shape shape, std::span<double> gx) {
  if (gx.empty()) return;
  for (std::size_t i = 0; i < g.size(); ++i) gx[shape.is_scalar() ? 0 : i] += g[i];
}

void differentiate(Combination combination, const Expr* expr, Elements elements,
                   std::span<const double> y, Gradient g, ElementGradients gradients) {
  switch (combination) {
    case Combination::Sum: differentiate_sum(elements, g, gradients); return;
    case Combination::Avg: differentiate_mean(elements, g, gradients); return;
    case Combination::Max:
    case Combination::Min: {
      const std::size_t winner = select_by_sum(elements, selects_largest(combination));
      differentiate_add(g, elements[winner].shape, gradients[winner]);
      return;
    }
    case Combination::ElMax:
    case Combination::ElMin: differentiate_entries(combination, elements, g, gradients); return;
    case Combination::Count: return;
    case Combination::Concat: differentiate_concat(elements, g, gradients); return;
    case Combination::Softmax:
      differentiate_scalars(y, g, gradients, differentiate_softmax);
      return;
    case Combination::Sparsemax:
      differentiate_scalars(y, g, gradients, differentiate_sparsemax);
      return;
    case Combination::Product: differentiate_product(elements, g, gradients); return;
    case Combination::ElProduct: differentiate_entry_products(elements, g, gradients); return;
    case Combination::CrossSum: differentiate_cross_sum(elements, g, gradients); return;
    case Combination::CosSim: differentiate_similarity(elements, y[0], g[0], gradients); return;
    case Combination::FunctionGraph:
      VECC_CHECK(expr != nullptr, "functiongraph without its tree");
      differentiate(*expr, elements, g, gradients);
      return;
  }
  fail_check("known combination", __FILE__, __LINE__, std::string(info(combination).text));
}

}  // namespace vecc
