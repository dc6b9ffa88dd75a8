// Kernel prelude: what its other parts stand on. The prelude is the text before every generated
// kernel, in C++ and in CUDA C++. It includes nothing (a kernel's compile time counts) and uses
// only what compilers have built in. T is float or double throughout; sizes of rows are static.
//
// Results (not NaN's own bits) do not depend on whether a loop was vectorized: operations stand in
// a fixed order, and a product is added by one rounding only where madd() says so. So kernels are
// compiled with -ffp-contract=off (CUDA: -fmad=false), and without any fast-math. (NVRTC also needs
// --default-device, for lambdas.)
//
// Where a value is chosen, both candidates are computed and then selected: no branch in a loop over
// elements.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define VECC_CUDA 1
#define VECC_FN __device__ __forceinline__
#define VECC_MEMBER __device__ __forceinline__
#else
#define VECC_CUDA 0
#define VECC_FN [[maybe_unused]] static inline __attribute__((always_inline))
#define VECC_MEMBER inline __attribute__((always_inline))
#endif

// Before a loop of static length over entries: clang would unroll it whole before it vectorizes.
#if defined(__clang__) && !VECC_CUDA
#define VECC_LOOP _Pragma("clang loop unroll(disable)")
#else
#define VECC_LOOP
#endif

// Before a loop whose values stay in registers only where it is unrolled.
#if VECC_CUDA
#define VECC_UNROLL _Pragma("unroll")
#elif defined(__clang__)
#define VECC_UNROLL _Pragma("clang loop unroll(full)")
#else
#define VECC_UNROLL _Pragma("GCC unroll 16")
#endif

namespace vecc_kernel {

#if VECC_CUDA
VECC_FN unsigned bits_of(float x) {
  return __float_as_uint(x);
}
VECC_FN unsigned long long bits_of(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(x));
}
VECC_FN float from_bits(unsigned b) {
  return __uint_as_float(b);
}
VECC_FN double from_bits(unsigned long long b) {
  return __longlong_as_double(static_cast<long long>(b));
}
VECC_FN float madd(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
VECC_FN double madd(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
VECC_FN float root(float x) {
  return __fsqrt_rn(x);
}
VECC_FN double root(double x) {
  return __dsqrt_rn(x);
}
VECC_FN double error_function(double x) {
  return erf(x);
}
#else
VECC_FN unsigned bits_of(float x) {
  return __builtin_bit_cast(unsigned, x);
}
VECC_FN unsigned long long bits_of(double x) {
  return __builtin_bit_cast(unsigned long long, x);
}
VECC_FN float from_bits(unsigned b) {
  return __builtin_bit_cast(float, b);
}
VECC_FN double from_bits(unsigned long long b) {
  return __builtin_bit_cast(double, b);
}
// a b + c: rounded once where the processor does that fast, else twice.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
VECC_FN float madd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
VECC_FN double madd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#else
VECC_FN float madd(float a, float b, float c) {
  return a * b + c;
}
VECC_FN double madd(double a, double b, double c) {
  return a * b + c;
}
#endif
// Vectorized where -fno-math-errno is given.
VECC_FN float root(float x) {
  return __builtin_sqrtf(x);
}
VECC_FN double root(double x) {
  return __builtin_sqrt(x);
}
VECC_FN double error_function(double x) {
  return __builtin_erf(x);
}
#endif

// What differs between float and double. `magic` added to a number |v| < 2^(digits - 2) leaves v's
// nearest integer in the lowest bits of the sum.
template <class T>
struct Real;
template <>
struct Real<float> {
  using Bits = unsigned;
  static constexpr int mantissa_bits = 23;
  static constexpr int bias = 127;
  static constexpr float magic = 0x1.8p23f;
  static constexpr float integer_base = 0x1p23f;  // its lowest bits hold an integer that is added
  static constexpr float smallest_normal = 0x1p-126f;
  static constexpr Bits sign = 0x80000000u;
  static constexpr Bits infinity = 0x7f800000u;
  static constexpr Bits nan = 0x7fc00000u;
};
template <>
struct Real<double> {
  using Bits = unsigned long long;
  static constexpr int mantissa_bits = 52;
  static constexpr int bias = 1023;
  static constexpr double magic = 0x1.8p52;
  static constexpr double integer_base = 0x1p52;
  static constexpr double smallest_normal = 0x1p-1022;
  static constexpr Bits sign = 0x8000000000000000ull;
  static constexpr Bits infinity = 0x7ff0000000000000ull;
  static constexpr Bits nan = 0x7ff8000000000000ull;
};

// A parameter of this type takes no part in finding T.
template <class T>
struct Same {
  using Type = T;
};
template <class T>
using Given = typename Same<T>::Type;

template <class T>
VECC_FN T infinity() {
  return from_bits(Real<T>::infinity);
}
template <class T>
VECC_FN T nan() {
  return from_bits(Real<T>::nan);
}

// Both values exist already, so that a compiler that honours floating-point traps selects, too.
template <class T>
VECC_FN T select(bool condition, T yes, T no) {
  return condition ? yes : no;
}

// x, or 0 if `zero`, by its bits. A choice of x would make GCC load what x is made of only where it
// is needed, and GCC 12 takes other entries than it should in such a load of two doubles.
template <class T>
VECC_FN T zero_if(bool zero, T x) {
  using Bits = typename Real<T>::Bits;
  return from_bits(bits_of(x) & (zero ? Bits(0) : ~Bits(0)));
}

// The same of factors: GCC makes g * select(c, T(1), T(0)) a jump, of which a loop over entries is
// not vectorized.
template <class T>
VECC_FN T select_factor(bool condition, T yes, T no) {
#if VECC_CUDA
  return condition ? yes : no;
#else
  using Bits = typename Real<T>::Bits;
  const Bits mask = condition ? ~Bits(0) : Bits(0);
  return from_bits(Bits((bits_of(yes) & mask) | (bits_of(no) & ~mask)));
#endif
}

template <class T>
VECC_FN T magnitude(T x) {
  return from_bits(bits_of(x) & ~Real<T>::sign);
}
// The magnitude's sign bit is 0.
template <class T>
VECC_FN T with_sign_of(T x, T magnitude_of_result) {
  return from_bits(bits_of(magnitude_of_result) | (bits_of(x) & Real<T>::sign));
}
// These keep NaN.
template <class T>
VECC_FN T at_least(T x, T bound) {
  return x < bound ? bound : x;
}
template <class T>
VECC_FN T at_most(T x, T bound) {
  return x > bound ? bound : x;
}

// The nearest integer of |v| < 2^21.
template <class T>
VECC_FN T nearest_integer(T v) {
  return (v + Real<T>::magic) - Real<T>::magic;
}
// 2^n for an integer -bias < n <= bias.
template <class T>
VECC_FN T power_of_two(T n) {
  return from_bits(bits_of(n + (Real<T>::magic + Real<T>::bias)) << Real<T>::mantissa_bits);
}

}  // namespace vecc_kernel
