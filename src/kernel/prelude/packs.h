// Kernel prelude: packs of neighbouring entries and reductions over them. On a processor a pack is
// a vector of 32 bytes (the compiler splits it where there are only shorter ones), on CUDA one
// entry. A reduction keeps a fixed number of running packs, joined in a fixed order: its result
// depends on no compiler's choice.
namespace vecc_kernel {

#if VECC_CUDA
template <class T>
struct PackOf {
  using Type = T;
  static constexpr int width = 1;
};
#else
#pragma GCC diagnostic ignored "-Wpsabi"  // packs are passed to inlined functions only
template <class T>
struct PackOf {
  typedef T Type __attribute__((vector_size(32)));
  static constexpr int width = 32 / sizeof(T);
};
#endif
template <class T>
using Pack = typename PackOf<T>::Type;

#if VECC_CUDA
template <class T, class U>
VECC_FN T load_pack(const U* p) {
  return static_cast<T>(*p);
}
template <class T>
VECC_FN void store_pack(T* p, T pack) {
  *p = pack;
}
template <class T>
VECC_FN T pack_of(T x) {
  return x;
}
#else
// width entries of U as a pack of T
template <class T, class U>
VECC_FN Pack<T> load_pack(const U* p) {
  typedef U Raw __attribute__((vector_size(PackOf<T>::width * sizeof(U))));
  Raw raw;
  __builtin_memcpy(&raw, p, sizeof raw);
  return __builtin_convertvector(raw, Pack<T>);
}
template <class T>
VECC_FN void store_pack(T* p, Pack<T> pack) {
  __builtin_memcpy(p, &pack, sizeof pack);
}
template <class T>
VECC_FN Pack<T> pack_of(T x) {
  return x - Pack<T>{};  // keeps -0
}
#if defined(__FMA__) && defined(__clang__) && __has_builtin(__builtin_elementwise_fma)
// clang 22 has no longer what is below.
VECC_FN Pack<float> madd(Pack<float> a, Pack<float> b, Pack<float> c) {
  return __builtin_elementwise_fma(a, b, c);
}
VECC_FN Pack<double> madd(Pack<double> a, Pack<double> b, Pack<double> c) {
  return __builtin_elementwise_fma(a, b, c);
}
#elif defined(__FMA__) && defined(__x86_64__)
VECC_FN Pack<float> madd(Pack<float> a, Pack<float> b, Pack<float> c) {
  return __builtin_ia32_vfmaddps256(a, b, c);
}
VECC_FN Pack<double> madd(Pack<double> a, Pack<double> b, Pack<double> c) {
  return __builtin_ia32_vfmaddpd256(a, b, c);
}
#else
VECC_FN Pack<float> madd(Pack<float> a, Pack<float> b, Pack<float> c) {
  for (int l = 0; l < PackOf<float>::width; ++l) c[l] = madd(a[l], b[l], c[l]);
  return c;
}
VECC_FN Pack<double> madd(Pack<double> a, Pack<double> b, Pack<double> c) {
  for (int l = 0; l < PackOf<double>::width; ++l) c[l] = madd(a[l], b[l], c[l]);
  return c;
}
#endif
#endif

// The widest packs that the processor has, for products: entries are added up one by one in their
// order, so that a result does not depend on how many stand side by side.
#if !VECC_CUDA && defined(__AVX512F__)
template <class T>
struct WideOf {
  typedef T Type __attribute__((vector_size(64)));
  static constexpr int width = 64 / sizeof(T);
};
#if defined(__clang__) && __has_builtin(__builtin_elementwise_fma)
VECC_FN WideOf<float>::Type madd(WideOf<float>::Type a, WideOf<float>::Type b,
                                 WideOf<float>::Type c) {
  return __builtin_elementwise_fma(a, b, c);
}
VECC_FN WideOf<double>::Type madd(WideOf<double>::Type a, WideOf<double>::Type b,
                                  WideOf<double>::Type c) {
  return __builtin_elementwise_fma(a, b, c);
}
#else
// All entries (the mask), rounded as everywhere (4).
VECC_FN WideOf<float>::Type madd(WideOf<float>::Type a, WideOf<float>::Type b,
                                 WideOf<float>::Type c) {
  return __builtin_ia32_vfmaddps512_mask(a, b, c, static_cast<unsigned short>(-1), 4);
}
VECC_FN WideOf<double>::Type madd(WideOf<double>::Type a, WideOf<double>::Type b,
                                  WideOf<double>::Type c) {
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, static_cast<unsigned char>(-1), 4);
}
#endif
#else
template <class T>
using WideOf = PackOf<T>;
#endif

// What a reduction's step reads: the entries of rows from `first` on, as T's or as packs of them.
template <class T>
struct EntryAt {
  int first;
  template <class U>
  VECC_MEMBER T operator()(const U* row) const {
    return static_cast<T>(row[first]);
  }
  VECC_MEMBER void store(T* row, T value) const { row[first] = value; }
};
template <class T>
struct PackAt {
  int first;
  template <class U>
  VECC_MEMBER Pack<T> operator()(const U* row) const {
    return load_pack<T>(row + first);
  }
  VECC_MEMBER void store(T* row, Pack<T> value) const { store_pack<T>(row + first, value); }
};
template <class T>
struct WideAt {
  int first;
  using Wide = typename WideOf<T>::Type;
  VECC_MEMBER Wide operator()(const T* row) const {
    Wide wide;
    __builtin_memcpy(&wide, row + first, sizeof wide);
    return wide;
  }
  VECC_MEMBER void store(T* row, Wide value) const {
    __builtin_memcpy(row + first, &value, sizeof value);
  }
};

// Running packs of a reduction over n packs.
VECC_FN constexpr int running_packs(int n) {
  return n >= 8 ? 4 : n >= 2 ? 2 : 1;
}

// The reduction of N entries: running = step(running, at), where at(row) gives the next entries of
// a row. Step and join are for T's and for packs alike. The entries that fill no pack come last.
template <class T, int N, class Step, class Join>
VECC_FN T fold(T start, const Step& step, const Join& join) {
  constexpr int width = PackOf<T>::width;
  constexpr int packs = N / width;
  if constexpr (packs == 0) {
    T result = start;
    for (int i = 0; i < N; ++i) result = step(result, EntryAt<T>{i});
    return result;
  } else {
    constexpr int running = running_packs(packs);
    constexpr int whole = packs / running * running;
    Pack<T> pack[running];
    for (int p = 0; p < running; ++p) pack[p] = pack_of(start);
    for (int i = 0; i < whole; i += running) {
      for (int p = 0; p < running; ++p) pack[p] = step(pack[p], PackAt<T>{(i + p) * width});
    }
    for (int p = 0; p < packs - whole; ++p) {
      pack[p] = step(pack[p], PackAt<T>{(whole + p) * width});
    }
    if constexpr (running == 4) {
      pack[0] = join(pack[0], pack[2]);
      pack[1] = join(pack[1], pack[3]);
    }
    if constexpr (running >= 2) pack[0] = join(pack[0], pack[1]);
    T lane[width];
    store_pack<T>(lane, pack[0]);
    for (int l = 0; l < N - packs * width; ++l) {
      lane[l] = step(lane[l], EntryAt<T>{packs * width + l});
    }
    if constexpr (width == 8) {
      for (int l = 0; l < 4; ++l) lane[l] = join(lane[l], lane[l + 4]);
    }
    if constexpr (width >= 4) {
      for (int l = 0; l < 2; ++l) lane[l] = join(lane[l], lane[l + 2]);
    }
    if constexpr (width >= 2) lane[0] = join(lane[0], lane[1]);
    return lane[0];
  }
}
template <class T, int N, class Step>
VECC_FN T fold_sum(const Step& step) {
  return fold<T, N>(T(0), step, [](auto a, auto b) { return a + b; });
}

}  // namespace vecc_kernel
