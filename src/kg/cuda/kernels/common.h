// What all kernels of knowledge graphs name.
namespace vecc_kernel {

using namespace vecc::kg;
using namespace vecc::kg::formulas;
using namespace vecc::kg::device;

// -infinity: the score of what is none.
VECC_KG_FN float lowest(float) {
  return __uint_as_float(0xFF800000u);
}
VECC_KG_FN double lowest(double) {
  return __longlong_as_double(static_cast<long long>(0xFFF0000000000000ull));
}

// a b + c, rounded once.
VECC_KG_FN float multiply_add(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
VECC_KG_FN double multiply_add(double a, double b, double c) {
  return __fma_rn(a, b, c);
}

VECC_KG_FN unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}
VECC_KG_FN unsigned whole_units(unsigned n, unsigned unit) {
  return (n + unit - 1) / unit;
}
VECC_KG_FN const Number* row_of(const Number* rows, unsigned row, unsigned width) {
  return rows + static_cast<unsigned long long>(row) * width;
}
VECC_KG_FN Number* row_of(Number* rows, unsigned row, unsigned width) {
  return rows + static_cast<unsigned long long>(row) * width;
}

}  // namespace vecc_kernel
