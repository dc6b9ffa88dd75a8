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

// Entries First .. Last - 1 of the sum, whole packs, eight at once.
template <class T, int First, int Last, template <class> class At, class Row, class Factor>
VECC_FN void sum_packs(unsigned begin, unsigned end, const Row& row, const Factor& factor,
                       T* __restrict__ y) {
  constexpr int width = static_cast<int>(sizeof(decltype(At<T>{0}(y))) / sizeof(T));
  constexpr int packs = (Last - First) / width;
  constexpr int whole = packs / 8 * 8;
  for (int p = 0; p < whole; p += 8) {
    sum_tile<T, 8, At>(begin, end, row, factor, y, First + p * width);
  }
  if constexpr (packs > whole) {
    sum_tile<T, packs - whole, At>(begin, end, row, factor, y, First + whole * width);
  }
}

// y = the sum over members begin .. end - 1. factor(x, sum, e) adds member e's entries to a sum.
// What reads y next may read the widest packs, and waits where these were stored as two.
template <class T, int N, class Row, class Factor>
VECC_FN void sum_members(unsigned begin, unsigned end, const Row& row, const Factor& factor,
                         T* __restrict__ y) {
  if constexpr (N % WideOf<T>::width == 0) {
    sum_packs<T, 0, N, WideAt>(begin, end, row, factor, y);
  } else {
    constexpr int packed = N / PackOf<T>::width * PackOf<T>::width;
    sum_packs<T, 0, packed, PackAt>(begin, end, row, factor, y);
    sum_packs<T, packed, N, EntryAt>(begin, end, row, factor, y);
  }
}

// y += the sum of `count` rows of N entries.
template <class T, int N>
VECC_FN void add_rows(const T* __restrict__ rows, unsigned count, T* __restrict__ y) {
  T sum[N];
  sum_members<T, N>(
      0, count, [=](unsigned e) { return rows + e * unsigned(N); },
      [](auto x, auto all, unsigned) { return all + x; }, sum);
  VECC_LOOP
  for (int i = 0; i < N; ++i) y[i] += sum[i];
}

}  // namespace vecc_kernel
