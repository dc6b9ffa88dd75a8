// Kernel prelude: sums over the members of a segment, with the running sums in registers.
namespace vecc_kernel {

// Entries first .. of the sum: Packs packs (entries) at once. row(e) is member e's row, factor(e)
// what it is multiplied with.
template <class T, int Packs, template <class> class At, class Row, class Factor>
VECC_FN void sum_tile(unsigned begin, unsigned end, const Row& row, const Factor& factor,
                      T* __restrict__ y, int first) {
  using Value = decltype(At<T>{0}(y));
  constexpr int width = static_cast<int>(sizeof(Value) / sizeof(T));
  Value sum[Packs];
  for (int j = 0; j < Packs; ++j) sum[j] = Value{};
  for (unsigned e = begin; e < end; ++e) {
    const T* x = row(e);
    for (int j = 0; j < Packs; ++j) {
      sum[j] = factor(At<T>{first + j * width}(x), sum[j], e);
    }
  }
  for (int j = 0; j < Packs; ++j) At<T>{first + j * width}.store(y, sum[j]);
}

// y = the sum over members begin .. end - 1. factor(x, sum, e) adds member e's entries to a sum.
template <class T, int N, class Row, class Factor>
VECC_FN void sum_members(unsigned begin, unsigned end, const Row& row, const Factor& factor,
                         T* __restrict__ y) {
  constexpr int width = PackOf<T>::width;
  constexpr int packs = N / width;
  constexpr int whole = packs / 8 * 8;
  for (int p = 0; p < whole; p += 8) {
    sum_tile<T, 8, PackAt>(begin, end, row, factor, y, p * width);
  }
  if constexpr (packs > whole) {
    sum_tile<T, packs - whole, PackAt>(begin, end, row, factor, y, whole * width);
  }
  if constexpr (N > packs * width) {
    sum_tile<T, N - packs * width, EntryAt>(begin, end, row, factor, y, packs * width);
  }
}

}  // namespace vecc_kernel
