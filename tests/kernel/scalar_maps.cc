// The prelude's elementwise functions over arrays.
#include "tests/kernel/prelude_maps.h"
#include "tests/kernel/prelude_parts.h"

namespace vecc::test {

using namespace vecc_kernel;

// A function of the table that the prelude lacks does not compile.
template <class T>
PreludeForm map_entries(Transformation t, T slope, std::span<const T> x, std::span<T> y) {
  const auto map = [&](auto function) {
    const T* __restrict__ from = x.data();
    T* __restrict__ to = y.data();
    for (std::size_t i = 0; i < y.size(); ++i) to[i] = function(from[i]);
    return PreludeForm::Entry;
  };
  switch (t) {
#define VECC_MAP_None(name) map([](T v) { return f_##name(v); })
#define VECC_MAP_Slope(name) map([=](T v) { return f_##name(v, slope); })
#define VECC_CASE_Entries(name, parameters) VECC_MAP_##parameters(name)
#define VECC_CASE_Same(name, parameters) VECC_MAP_##parameters(name)
#define VECC_CASE_Row(...) PreludeForm::Row
#define VECC_CASE_Column(...) PreludeForm::Row
#define VECC_CASE_Transposed(...) PreludeForm::Index
#define VECC_CASE_Part(...) PreludeForm::Index
#define VECC_CASE_Entry(...) PreludeForm::Index
#define VECC_CASE_Shape(...) PreludeForm::Index
#define VECC_CASE_Broadcast(...) PreludeForm::Index
#define VECC_TRANSFORMATION(enumerator, text, parameters, domain, origin, form, ...) \
  case Transformation::enumerator:                                                   \
    return VECC_CASE_##form(text, parameters);
#include "vecc/functions.def"
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
#undef VECC_MAP_None
#undef VECC_MAP_Slope
#define VECC_MAP_None(name) pull_all([](T a, T b) { return d_##name(a, b); })
#define VECC_MAP_Slope(name) pull_all([=](T a, T b) { return d_##name(a, b, slope); })
#define VECC_PULL_Elementwise(name, parameters) return VECC_MAP_##parameters(name)
#define VECC_PULL_Any(...) return
#define VECC_PULL_Tensor(...) return
#define VECC_TRANSFORMATION(enumerator, text, parameters, domain, ...) \
  case Transformation::enumerator:                                     \
    VECC_PULL_##domain(text, parameters);
#include "vecc/functions.def"
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
