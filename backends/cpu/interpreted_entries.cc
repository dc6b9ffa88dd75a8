// Functions of one entry: in single precision by the kernels' own, as loops that the compiler makes
// vector instructions of; in double by the reference's.
#include <algorithm>
#include <array>

#include "backends/cpu/interpreted_rows.h"
#include "src/function/differentiate.h"
// Each stands on those before it.
// clang-format off
#include "src/kernel/prelude/base.h"
#include "src/kernel/prelude/exponential.h"
#include "src/kernel/prelude/scalars.h"
// clang-format on

namespace vecc::cpu {
namespace {

[[noreturn]] void fail_entries(const TransformationSpec& spec) {
  fail_check("a function of one entry", __FILE__, __LINE__, std::string(info(spec.id).text));
}

Shape column(std::size_t count) {
  return Shape::column(static_cast<std::uint32_t>(count));
}

// y[i] = function(x[i])
template <class Function>
void map_entries(std::size_t count, const float* __restrict__ x, float* __restrict__ y,
                 const Function& function) {
  for (std::size_t i = 0; i < count; ++i) y[i] = function(x[i]);
}

// out[i] = g[i] times derivative(x[i], y[i])
template <class Derivative>
void pull_through(std::size_t count, const float* __restrict__ x, const float* __restrict__ y,
                  const float* __restrict__ g, float* __restrict__ out,
                  const Derivative& derivative) {
  for (std::size_t i = 0; i < count; ++i) out[i] = vecc_kernel::pull(g[i], derivative(x[i], y[i]));
}

}  // namespace

template <>
void transform_entries(const TransformationSpec& spec, std::size_t count, const double* x,
                       double* y) {
  const bool only_moves = info(spec.id).domain != FunctionDomain::Elementwise;
  evaluate(only_moves ? TransformationSpec{} : spec, {}, column(count), {x, count}, {y, count});
}

template <>
void transform_entries(const TransformationSpec& spec, std::size_t count, const float* x,
                       float* y) {
  namespace k = vecc_kernel;
  const auto slope = static_cast<float>(spec.slope);
  const auto map = [&](const auto& function) { map_entries(count, x, y, function); };
  switch (spec.id) {
    case Transformation::Identity:
    case Transformation::Reshape:
    case Transformation::Broadcast:
    case Transformation::Transp: std::copy_n(x, count, y); return;
#define VECC_ENTRIES_None(enumerator, text) \
  case Transformation::enumerator:          \
    return map([](float v) { return k::f_##text(v); });
#define VECC_ENTRIES_Slope(enumerator, text) \
  case Transformation::enumerator:           \
    return map([slope](float v) { return k::f_##text(v, slope); });
#include "backends/cpu/entries_cases.def"
  }
  fail_entries(spec);
}

template <>
void pull_entries(const TransformationSpec& spec, std::size_t count, const double* x,
                  const double* y, const double* g, double* out) {
  std::fill_n(out, count, 0.0);
  const bool only_moves = info(spec.id).domain != FunctionDomain::Elementwise;
  const auto given = [&](const double* values) {
    return std::span<const double>(values, values == nullptr ? 0 : count);
  };
  differentiate(only_moves ? TransformationSpec{} : spec, {}, column(count), given(x), given(y),
                {g, count}, {out, count});
}

template <>
void pull_entries(const TransformationSpec& spec, std::size_t count, const float* x, const float* y,
                  const float* g, float* out) {
  namespace k = vecc_kernel;
  const auto slope = static_cast<float>(spec.slope);
  // What is not read may be any number.
  const auto pull = [&](const auto& derivative) {
    pull_through(count, x == nullptr ? g : x, y == nullptr ? g : y, g, out, derivative);
  };
  switch (spec.id) {
    case Transformation::Identity:
    case Transformation::Reshape:
    case Transformation::Broadcast:
    case Transformation::Transp: std::copy_n(g, count, out); return;
#define VECC_ENTRIES_None(enumerator, text) \
  case Transformation::enumerator:          \
    return pull([](float a, float b) { return k::d_##text(a, b); });
#define VECC_ENTRIES_Slope(enumerator, text) \
  case Transformation::enumerator:           \
    return pull([slope](float a, float b) { return k::d_##text(a, b, slope); });
#include "backends/cpu/entries_cases.def"
  }
  fail_entries(spec);
}

}  // namespace vecc::cpu
