// The prelude's elementwise functions over arrays.
#include "tests/kernel/prelude_maps.h"
#include "tests/kernel/prelude_parts.h"

namespace vecc::test {

using namespace vecc_kernel;

// A name that the switches below lack does not compile.
template <class T>
PreludeForm map_entries(Transformation t, T slope, std::span<const T> x, std::span<T> y) {
  const auto map = [&](auto function) {
    const T* __restrict__ from = x.data();
    T* __restrict__ to = y.data();
    for (std::size_t i = 0; i < y.size(); ++i) to[i] = function(from[i]);
    return PreludeForm::Entry;
  };
  switch (t) {
    case Transformation::Identity: return map([](T v) { return f_identity(v); });
    case Transformation::Sigmoid: return map([](T v) { return f_sigmoid(v); });
    case Transformation::Tanh: return map([](T v) { return f_tanh(v); });
    case Transformation::Signum: return map([](T v) { return f_signum(v); });
    case Transformation::Relu: return map([](T v) { return f_relu(v); });
    case Transformation::LeakyRelu: return map([=](T v) { return f_leakyrelu(v, slope); });
    case Transformation::Lukasiewicz: return map([](T v) { return f_lukasiewicz(v); });
    case Transformation::Exp: return map([](T v) { return f_exp(v); });
    case Transformation::Log: return map([](T v) { return f_log(v); });
    case Transformation::Sqrt: return map([](T v) { return f_sqrt(v); });
    case Transformation::Inverse: return map([](T v) { return f_inverse(v); });
    case Transformation::Reverse: return map([](T v) { return f_reverse(v); });
    case Transformation::Gelu: return map([](T v) { return f_gelu(v); });
    case Transformation::Abs: return map([](T v) { return f_abs(v); });
    case Transformation::Square: return map([](T v) { return f_square(v); });
    case Transformation::Norm:
    case Transformation::Softmax:
    case Transformation::Sparsemax:
    case Transformation::LogSoftmax: return PreludeForm::Row;
    case Transformation::Transp:
    case Transformation::Slice:
    case Transformation::Reshape:
    case Transformation::AtIndex:
    case Transformation::Broadcast: return PreludeForm::Index;
  }
  return PreludeForm::Index;
}

template <class T>
void pull_entries(Transformation t, T slope, std::span<const T> x, std::span<const T> y,
                  std::span<const T> g, std::span<T> out) {
  const auto pull_all = [&](auto derivative) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = pull(g[i], derivative(x[i], y[i]));
  };
  switch (t) {
    case Transformation::Identity: return pull_all([](T a, T b) { return d_identity(a, b); });
    case Transformation::Sigmoid: return pull_all([](T a, T b) { return d_sigmoid(a, b); });
    case Transformation::Tanh: return pull_all([](T a, T b) { return d_tanh(a, b); });
    case Transformation::Signum: return pull_all([](T a, T b) { return d_signum(a, b); });
    case Transformation::Relu: return pull_all([](T a, T b) { return d_relu(a, b); });
    case Transformation::LeakyRelu:
      return pull_all([=](T a, T b) { return d_leakyrelu(a, b, slope); });
    case Transformation::Lukasiewicz: return pull_all([](T a, T b) { return d_lukasiewicz(a, b); });
    case Transformation::Exp: return pull_all([](T a, T b) { return d_exp(a, b); });
    case Transformation::Log: return pull_all([](T a, T b) { return d_log(a, b); });
    case Transformation::Sqrt: return pull_all([](T a, T b) { return d_sqrt(a, b); });
    case Transformation::Inverse: return pull_all([](T a, T b) { return d_inverse(a, b); });
    case Transformation::Reverse: return pull_all([](T a, T b) { return d_reverse(a, b); });
    case Transformation::Gelu: return pull_all([](T a, T b) { return d_gelu(a, b); });
    case Transformation::Abs: return pull_all([](T a, T b) { return d_abs(a, b); });
    case Transformation::Square: return pull_all([](T a, T b) { return d_square(a, b); });
    case Transformation::Norm:
    case Transformation::Softmax:
    case Transformation::Sparsemax:
    case Transformation::LogSoftmax:
    case Transformation::Transp:
    case Transformation::Slice:
    case Transformation::Reshape:
    case Transformation::AtIndex:
    case Transformation::Broadcast: return;
  }
}

template PreludeForm map_entries(Transformation, float, std::span<const float>, std::span<float>);
template PreludeForm map_entries(Transformation, double, std::span<const double>,
                                 std::span<double>);
template void pull_entries(Transformation, float, std::span<const float>, std::span<const float>,
                           std::span<const float>, std::span<float>);
template void pull_entries(Transformation, double, std::span<const double>, std::span<const double>,
                           std::span<const double>, std::span<double>);

}  // namespace vecc::test
