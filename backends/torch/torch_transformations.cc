// Transformations of rows, with their derivatives.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "backends/torch/autograd.h"
#include "backends/torch/torch_functions.h"

namespace vecc::libtorch {
namespace {

at::Tensor clamped_sigmoid(const at::Tensor& x) {
  // Exactly 0 below -100 (a logarithm may follow); above 100 it is exactly 1 anyway. The threshold
  // itself is kept out of `threshold`'s <=.
  const double below = x.scalar_type() == at::kFloat ? double{std::nextafter(-100.0F, -200.0F)}
                                                     : std::nextafter(-100.0, -200.0);
  return at::threshold(x, below, -kInfinity).sigmoid_();
}

// Of `norm`, in double also for fp32 rows: of nearly equal entries, only a rounding error would be
// left.
struct Normalized {
  at::Tensor value;      // in double
  at::Tensor deviation;  // [rows, 1]
};
Normalized normalize(const at::Tensor& x) {
  const at::Tensor wide = x.to(at::kDouble);
  const at::Tensor centred = wide - wide.mean(1, /*keepdim=*/true);
  const at::Tensor variance = centred.square().mean(1, /*keepdim=*/true);
  const at::Tensor deviation = (variance + 1e-10).sqrt();
  return {centred / deviation, deviation};
}

at::Tensor differentiate_norm(const Normalized& y, const at::Tensor& g) {
  const at::Tensor wide = g.to(at::kDouble);
  const at::Tensor along = (wide * y.value).mean(1, /*keepdim=*/true);
  const at::Tensor change = wide - wide.mean(1, /*keepdim=*/true) - y.value * along;
  return (change / y.deviation).to(g.scalar_type());
}

at::Tensor norm_rows(const at::Tensor& x) {
  const bool recorded = is_recorded(x);
  const c10::NoGradGuard unrecorded;
  const Normalized y = normalize(x);
  const at::Tensor value = y.value.to(x.scalar_type());
  if (!recorded) return value;
  return record(x, value, [y](const at::Tensor& g) { return differentiate_norm(y, g); });
}

// x's entries at `positions`, which occur once in a row.
at::Tensor read_positions(const at::Tensor& x, const at::Tensor& positions) {
  const bool recorded = is_recorded(x);
  const c10::NoGradGuard unrecorded;
  const at::Tensor y = x.gather(1, positions);
  if (!recorded) return y;
  return record(x, y, [positions, rows = x.size(0), size = x.size(1)](const at::Tensor& g) {
    return at::zeros({rows, size}, g.options()).scatter_(1, positions, g);
  });
}

// `product` is g times a derivative that may be infinite: zero where g is.
at::Tensor pass_zeros(const at::Tensor& g, const at::Tensor& product) {
  return at::where(g == 0, g, product);
}

at::Tensor differentiate_gelu(const at::Tensor& g, const at::Tensor& x) {
  // From here on the derivative is exactly 0 or 1; at infinity libtorch's is infinity times 0.
  constexpr double kFlat = 100;
  return at::gelu_backward(g, x.clamp(-kFlat, kFlat));
}

at::Tensor differentiate_silu(const at::Tensor& g, const at::Tensor& x) {
  constexpr double kFlat = 100;  // as above
  return at::silu_backward(g, x.clamp(-kFlat, kFlat));
}

// From here on softplus is its argument, to all digits of a double.
constexpr double kLinearSoftplus = 40;

// The derivative of an elementwise y = T(x); it holds x or y, not both. Empty: it is zero.
Backward elementwise_derivative(const TransformationSpec& spec, const at::Tensor& x,
                                const at::Tensor& y) {
  using G = const at::Tensor&;
  switch (spec.id) {
    // Beyond +-100 these two are exactly 0 or +-1, which makes their derivatives 0.
    case Transformation::Sigmoid: return [y](G g) { return at::sigmoid_backward(g, y); };
    case Transformation::Tanh: return [y](G g) { return at::tanh_backward(g, y); };
    case Transformation::Signum: return {};
    case Transformation::Relu:  // with slope 0; threshold_backward would pass g on at NaN
      return [y](G g) { return at::leaky_relu_backward(g, y, 0, /*self_is_result=*/false); };
    case Transformation::LeakyRelu:
      return [x, slope = spec.slope](G g) {
        return at::leaky_relu_backward(g, x, slope, /*self_is_result=*/false);
      };
    case Transformation::Lukasiewicz:
      return [y](G g) { return at::sigmoid_backward(g, y).mul_(6); };
    case Transformation::Exp: return [y](G g) { return pass_zeros(g, g * y); };
    case Transformation::Log: return [x](G g) { return pass_zeros(g, g / x); };
    case Transformation::Sqrt: return [y](G g) { return pass_zeros(g, g * 0.5 / y); };
    case Transformation::Inverse: return [y](G g) { return pass_zeros(g, -(g * y * y)); };
    case Transformation::Reverse: return [](G g) { return -g; };
    case Transformation::Gelu: return [x](G g) { return differentiate_gelu(g, x); };
    case Transformation::Abs: return [x](G g) { return g * x.sgn(); };
    case Transformation::Square: return [x](G g) { return pass_zeros(g, g * x * 2); };
    case Transformation::Silu: return [x](G g) { return differentiate_silu(g, x); };
    case Transformation::Softplus:
      return [x](G g) { return at::softplus_backward(g, x, 1, kLinearSoftplus); };
    case Transformation::Identity:
#include "vecc/other_cases.def"
      break;
  }
  fail_check("an elementwise transformation", __FILE__, __LINE__, std::string(info(spec.id).text));
}

}  // namespace

at::Tensor transpose_rows(const at::Tensor& x, Shape shape) {
  if (shape.is_vector()) return x;
  return x.reshape({x.size(0), shape.rows(), shape.cols()})
      .transpose(1, 2)
      .reshape({x.size(0), size_of(shape)});
}

RowTransformation::RowTransformation(const TransformationSpec& spec,
                                     std::span<const std::uint32_t> words, Shape input,
                                     DeviceArrays& arrays)
    : spec_(spec), input_(input) {
  const std::uint32_t width = word_count(spec.id);
  const auto first = words.first(width);
  const auto shape = transformed_shape(spec, first, input, "transform");
  VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
  result_ = *shape;
  std::ranges::copy(first, words_.begin());
  bool same = true;
  for (std::size_t at = width; at < words.size(); at += width) {
    same = same && std::ranges::equal(words.subspan(at, width), first);
  }
  if (same) return;
  std::vector<std::uint64_t> positions;
  for (std::size_t at = 0; at < words.size(); at += width) {
    if (spec.id == Transformation::AtIndex) {
      positions.push_back(words[at]);
      continue;
    }
    for (std::uint64_t r = 0; r < result_.rows(); ++r) {
      for (std::uint64_t c = 0; c < result_.cols(); ++c) {
        positions.push_back((words[at] + r) * input.cols() + words[at + 2] + c);
      }
    }
  }
  positions_ = arrays.long_index(positions).reshape({-1, size_of(result_)});
}

at::Tensor RowTransformation::slice(const at::Tensor& x) const {
  return x.reshape({x.size(0), input_.rows(), input_.cols()})
      .narrow(1, words_[0], result_.rows())
      .narrow(2, words_[2], result_.cols())
      .reshape({x.size(0), size_of(result_)});
}

at::Tensor RowTransformation::operator()(const at::Tensor& x) const {
  // The others are made of functions whose derivatives libtorch has right, or have one in apply().
  const bool elementwise = info(spec_.id).domain == FunctionDomain::Elementwise;
  if (!elementwise || spec_.id == Transformation::Identity || !is_recorded(x)) return apply(x);
  const c10::NoGradGuard unrecorded;
  const at::Tensor y = apply(x);
  Backward derivative = elementwise_derivative(spec_, x, y);
  return derivative ? record(x, y, std::move(derivative)) : y;
}

at::Tensor RowTransformation::apply(const at::Tensor& x) const {
  switch (spec_.id) {
    case Transformation::Identity:
    case Transformation::Reshape: return x;
    case Transformation::Sigmoid: return clamped_sigmoid(x);
    case Transformation::Tanh: return x.tanh();
    case Transformation::Signum: return (x > 0).to(x.scalar_type());
    case Transformation::Relu: return x.relu();
    case Transformation::LeakyRelu: return at::leaky_relu(x, spec_.slope);
    case Transformation::Lukasiewicz: return (x * 6 + 0.5).sigmoid_();
    case Transformation::Exp: return x.exp();
    case Transformation::Log: return x.log();
    case Transformation::Sqrt: return x.sqrt();
    case Transformation::Inverse: return x.reciprocal();
    case Transformation::Reverse: return 1 - x;
    case Transformation::Gelu: return at::gelu(x);
    case Transformation::Abs: return x.abs();
    case Transformation::Square: return x.square();
    case Transformation::Silu: return at::silu(x);
    case Transformation::Softplus: return at::softplus(x, 1, kLinearSoftplus);
    case Transformation::Transp: return transpose_rows(x, input_);
    case Transformation::Norm: return norm_rows(x);
    case Transformation::Softmax: return x.softmax(1);
    case Transformation::Sparsemax: return sparsemax_rows(x);
    case Transformation::LogSoftmax: return x.log_softmax(1);
    case Transformation::Slice:
      return positions_.defined() ? read_positions(x, positions_) : slice(x);
    case Transformation::AtIndex:
      return positions_.defined() ? read_positions(x, positions_) : x.narrow(1, words_[0], 1);
    case Transformation::Broadcast: return x.expand({x.size(0), size_of(result_)});
  }
  fail_check("known transformation", __FILE__, __LINE__, std::string(info(spec_.id).text));
}

at::Tensor RowTransformation::differentiate_entries(const at::Tensor& x, const at::Tensor& y,
                                                    const at::Tensor& g) const {
  if (spec_.id == Transformation::Identity) return g;
  // LeakyRelu's y has the sign of x where y is what is read; Lukasiewicz keeps x, not y.
  const bool by_value = spec_.id == Transformation::Lukasiewicz;
  const Backward derivative =
      elementwise_derivative(spec_, x.defined() ? x : y, by_value ? apply(x) : y);
  return derivative ? derivative(g) : at::zeros_like(g);
}

at::Tensor RowTransformation::differentiate(const at::Tensor& x, const at::Tensor& y,
                                            const at::Tensor& g) const {
  switch (spec_.id) {
#include "vecc/elementwise_cases.def"
    return differentiate_entries(x, y, g);
    case Transformation::Reshape: return g;
    case Transformation::Transp: return transpose_rows(g, result_);
    case Transformation::Norm: return differentiate_norm(normalize(x), g);
    case Transformation::Softmax: return y * (g - (y * g).sum(1, /*keepdim=*/true));
    case Transformation::LogSoftmax: return g - y.exp() * g.sum(1, /*keepdim=*/true);
    case Transformation::Sparsemax:
      return differentiate_sparsemax(
          y, g, [](const at::Tensor& rows) { return rows.sum(1, /*keepdim=*/true); });
    case Transformation::Slice:
    case Transformation::AtIndex: {  // to the entries that are read, which any x tells
      const std::vector<at::Tensor> any{at::zeros({g.size(0), size_of(input_)}, g.options())};
      return gradient_by_input(
          any, 0, [&](std::span<const at::Tensor> read) { return apply(read[0]); }, g);
    }
    case Transformation::Broadcast: return g.sum(1, /*keepdim=*/true);
  }
  fail_check("known transformation", __FILE__, __LINE__, std::string(info(spec_.id).text));
}

at::Tensor sparsemax_rows(const at::Tensor& x) {
  if (x.numel() == 0) return x;
  const bool recorded = is_recorded(x);
  const c10::NoGradGuard unrecorded;
  const at::Tensor z = x - x.amax(1, /*keepdim=*/true);
  at::Tensor sorted = std::get<0>(z.sort(/*dim=*/1, /*descending=*/true));
  // Over a single row, CUDA would scan in an order that changes from run to run.
  if (x.size(0) == 1) sorted = sorted.expand({2, x.size(1)});
  const at::Tensor sums = sorted.cumsum(1);
  const at::Tensor k = at::arange(1, x.size(1) + 1, x.options());
  // The support is the longest prefix with 1 + k * (k-th largest) > their sum; NaN leaves it empty.
  const at::Tensor support = (1 + k * sorted > sums).sum(1, /*keepdim=*/true);
  const at::Tensor last = (support - 1).clamp_min(0);
  const at::Tensor threshold = (sums.gather(1, last) - 1) / support.clamp_min(1);
  const at::Tensor y = (z - threshold.narrow(0, 0, x.size(0))).clamp_min(0);
  if (!recorded) return y;
  return record(x, y, [y](const at::Tensor& g) {
    return differentiate_sparsemax(
        y, g, [](const at::Tensor& rows) { return rows.sum(1, /*keepdim=*/true); });
  });
}

at::Tensor differentiate_sparsemax(const at::Tensor& y, const at::Tensor& g,
                                   const std::function<at::Tensor(const at::Tensor&)>& sums) {
  const at::Tensor outside = y <= 0;  // NaN is nowhere or everywhere, and spreads
  const at::Tensor inside = (g + y * 0).masked_fill_(outside, 0);
  const at::Tensor count = sums(outside.logical_not().to(g.scalar_type()));
  return (g - sums(inside) / count).masked_fill_(outside, 0);
}

}  // namespace vecc::libtorch
