// Kernel prelude, CUDA only: rows that are shared by neighbouring threads. G lanes (a power of two,
// at most a warp) hold a row: lane l has packs of entries l, l + G, l + 2 G, ... A pack is one to
// four numbers side by side, which one instruction loads or stores where they are aligned. A row's
// members may be shared by several such groups, its `Slots`, so that G * Slots threads work on a
// row; all of them are in one warp, or they are the whole block, which then has one row at a time.
//
// Sums run in an order that depends on these numbers alone: results repeat bit by bit.
//
// VECC_THREADS: of a block.
// VECC_WAITS_LAST, VECC_RELEASES_LAST: see wait_for_launches().
#ifndef VECC_THREADS
#define VECC_THREADS 256
#endif
#ifndef VECC_WAITS_LAST
#define VECC_WAITS_LAST 0
#endif
#ifndef VECC_RELEASES_LAST
#define VECC_RELEASES_LAST 0
#endif

namespace vecc_kernel {

constexpr int kThreads = VECC_THREADS;  // of a block

// Numbers of a pack of rows of S: as many as leave work for more than half of the lanes.
template <int S, int G>
constexpr int kPack = G > 32                    ? 1
                      : S % 4 == 0 && S > 2 * G ? 4
                      : S % 2 == 0 && S > G     ? 2
                                                : 1;
// Entries that a lane has, the last ones perhaps behind the row.
template <int S, int G>
constexpr int kOwn = (S + G * kPack<S, G> - 1) / (G * kPack<S, G>)*kPack<S, G>;
// Entry number j of a lane.
template <int S, int G>
VECC_FN constexpr int entry_of(int lane, int j) {
  constexpr int pack = kPack<S, G>;
  return j / pack * (G * pack) + lane * pack + j % pack;
}

// Whether that is one of the row's: always, where lanes have all of it in equal shares.
template <int S, int G>
VECC_FN constexpr bool is_entry(int i) {
  return S % (G * kPack<S, G>) == 0 || i < S;
}

// Entry i of this lane's, number j of those that it has.
#define VECC_ENTRIES(S)                                 \
  _Pragma("unroll") for (int j = 0; j < (kOwn<(S), G>); \
                         ++j) if (const int i = entry_of<(S), G>(lane, j); is_entry<(S), G>(i))
// The same of rows that fill more registers than there are.
#define VECC_MANY_ENTRIES(S)                              \
  _Pragma("unroll 1") for (int j = 0; j < (kOwn<(S), G>); \
                           ++j) if (const int i = entry_of<(S), G>(lane, j); is_entry<(S), G>(i))

// The lanes of this thread's group, for what warps do together.
template <int G>
VECC_FN unsigned lane_mask() {
  if constexpr (G >= 32) {
    return ~0u;
  } else {
    return ((1u << G) - 1u) << (threadIdx.x % 32u / G * G);
  }
}

// After all lanes have read or written what others write or read next.
template <int G>
VECC_FN void sync_lanes() {
  __syncwarp(lane_mask<G>());
}
// The same of all threads that work on a row.
template <int G, int Slots>
VECC_FN void sync_row() {
  if constexpr (G * Slots > 32) {
    __syncthreads();
  } else {
    __syncwarp(lane_mask<G * Slots>());
  }
}

template <class T, int G>
VECC_FN T lanes_sum(T x) {
  _Pragma("unroll") for (int step = G / 2; step > 0; step /= 2) {
    x += __shfl_xor_sync(lane_mask<G>(), x, step, G);
  }
  return x;
}

// N numbers, for loads and stores of all at once where they lie so.
template <class T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Packed {
  T x[N];
};
template <class T>
using Four = Packed<T, 4>;
template <class T, int N>
VECC_FN bool begins_packed(const T* x) {
  return reinterpret_cast<size_t>(x) % alignof(Packed<T, N>) == 0;
}

// The product of two rows of N entries in memory, of which lanes take pack after pack.
template <class T, int N, int G>
VECC_FN T times_rows(const T* x, const T* y, int lane) {
  constexpr int pack = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;
  T sum = T(0);
  if (begins_packed<T, pack>(x) && begins_packed<T, pack>(y)) {
    _Pragma("unroll 4") for (int i = lane * pack; i < N; i += G * pack) {
      const auto a = *reinterpret_cast<const Packed<T, pack>*>(x + i);
      const auto b = *reinterpret_cast<const Packed<T, pack>*>(y + i);
      _Pragma("unroll") for (int k = 0; k < pack; ++k) sum += a.x[k] * b.x[k];
    }
  } else {
    _Pragma("unroll 4") for (int i = lane * pack; i < N; i += G * pack) {
      _Pragma("unroll") for (int k = 0; k < pack; ++k) sum += x[i + k] * y[i + k];
    }
  }
  return lanes_sum<T, G>(sum);
}

template <int G>
VECC_FN bool all_lanes(bool x) {
  return G == 1 ? x : (__ballot_sync(lane_mask<G>(), x) & lane_mask<G>()) == lane_mask<G>();
}

// Every entry of a row for every lane.
template <class T, int S, int G>
VECC_FN void all_entries(const T* own, T* all) {
  constexpr int pack = kPack<S, G>;
  _Pragma("unroll") for (int i = 0; i < S; ++i) {
    const int number = i / (G * pack) * pack + i % pack;
    all[i] = __shfl_sync(lane_mask<G>(), own[number], i / pack % G, G);
  }
}

// This lane's entries of an aligned row of S in memory. Without branches, so that loads of several
// rows are in flight at once: lanes behind the row have its last entries.
template <class T, int S, int G>
VECC_FN void load_own(const T* row, T* own, int lane) {
  constexpr int pack = kPack<S, G>;
  _Pragma("unroll") for (int j = 0; j < kOwn<S, G>; j += pack) {
    const int i = entry_of<S, G>(lane, j);
    const auto x =
        *reinterpret_cast<const Packed<T, pack>*>(row + (is_entry<S, G>(i) ? i : S - pack));
    _Pragma("unroll") for (int k = 0; k < pack; ++k) own[j + k] = x.x[k];
  }
}
template <class T, int S, int G>
VECC_FN void store_own(const T* own, T* row, int lane) {
  constexpr int pack = kPack<S, G>;
  _Pragma("unroll") for (int j = 0; j < kOwn<S, G>; j += pack) {
    const int i = entry_of<S, G>(lane, j);
    if (is_entry<S, G>(i)) {
      Packed<T, pack> x;
      _Pragma("unroll") for (int k = 0; k < pack; ++k) x.x[k] = own[j + k];
      *reinterpret_cast<Packed<T, pack>*>(row + i) = x;
    }
  }
}
template <class T, int S, int G>
VECC_FN void own_entries(const T* all, T* own, int lane) {
  VECC_ENTRIES(S) own[j] = all[i];
}

// Steps at once of a loop over `Steps` terms of a lane's `Own` entries: all of them, unless that
// would be more than a compiler is done with in a second or two.
template <int Steps, int Own>
constexpr int kUnrolledSteps = Steps* Own <= 2048 ? Steps
                               : Own <= 64        ? 4
                                                  : 1;

// This lane's entries of op(l) op(r), M x N, as times<> in C++.
template <class T, int M, int K, int N, bool TL, bool TR, int G>
VECC_FN void times_entries(const T* l, const T* r, T* y, int lane) {
  constexpr int own = kOwn<M * N, G>;
  T sum[own];
  _Pragma("unroll") for (int j = 0; j < own; ++j) sum[j] = T(0);
  // Of one entry 64 steps are enough loads in flight, and more are only code.
  constexpr int at_once = own == 1 && K > 64 ? 64 : kUnrolledSteps<K, own>;
  // Lanes behind the row compute, too, and are not read: no branch stands between the loads.
  _Pragma("unroll at_once") for (int k = 0; k < K; ++k) {
    _Pragma("unroll") for (int j = 0; j < own; ++j) {
      const int entry = entry_of<M * N, G>(lane, j);
      const int i = is_entry<M * N, G>(entry) ? entry : M * N - 1;
      const int row = i / N;
      const int col = i % N;
      sum[j] = madd(l[TL ? k * M + row : row * K + k], r[TR ? col * K + k : k * N + col], sum[j]);
    }
  }
  _Pragma("unroll") for (int j = 0; j < own; ++j) y[j] = sum[j];
}

// Rows of such a matrix that lie side by side, as many as a pack of a lane's has: four numbers at
// once.
template <class T, int M, int K, int G>
VECC_FN void times_row_packs(const T* l, const T* x, T* sum, int lane) {
  constexpr int pack = kPack<M, G>;
  _Pragma("unroll") for (int j = 0; j < kOwn<M, G>; j += pack) {
    const int entry = entry_of<M, G>(lane, j);
    const int i = is_entry<M, G>(entry) ? entry : M - pack;
    T w[pack * K];
    _Pragma("unroll") for (int k = 0; k < pack * K; k += 4) {
      const auto four = *reinterpret_cast<const Four<T>*>(l + i * K + k);
      _Pragma("unroll") for (int p = 0; p < 4; ++p) w[k + p] = four.x[p];
    }
    _Pragma("unroll") for (int k = 0; k < K; ++k) {
      _Pragma("unroll") for (int p = 0; p < pack; ++p) {
        sum[j + p] = madd(w[p * K + k], x[k], sum[j + p]);
      }
    }
  }
}

// The same of an M x K matrix in memory (TL: of its transpose, K x M), which is aligned, times a
// column.
template <class T, int M, int K, bool TL, int G>
VECC_FN void times_column(const T* l, const T* x, T* y, int lane) {
  constexpr int pack = TL ? kPack<M, G> : K % 4 == 0 ? 4 : K % 2 == 0 ? 2 : 1;
  constexpr int own = kOwn<M, G>;
  T sum[own];
  _Pragma("unroll") for (int j = 0; j < own; ++j) sum[j] = T(0);
  constexpr bool row_packs = !TL && pack < 4 && kPack<M, G> * K % 4 == 0 && K <= 16;
  if constexpr (row_packs) times_row_packs<T, M, K, G>(l, x, sum, lane);
  constexpr int at_once = kUnrolledSteps<K, own>;
  _Pragma("unroll at_once") for (int k = row_packs ? K : 0; k < K; k += TL ? 1 : pack) {
    _Pragma("unroll") for (int j = 0; j < own; j += TL ? pack : 1) {
      // Lanes behind the column compute, too, and are not read.
      const int entry = entry_of<M, G>(lane, j);
      const int i = is_entry<M, G>(entry) ? entry : M - (TL ? pack : 1);
      const auto w = *reinterpret_cast<const Packed<T, pack>*>(TL ? l + k * M + i : l + i * K + k);
      _Pragma("unroll") for (int p = 0; p < pack; ++p) {
        T& to = sum[TL ? j + p : j];
        to = madd(w.x[p], x[TL ? k : k + p], to);
      }
    }
  }
  _Pragma("unroll") for (int j = 0; j < own; ++j) y[j] = sum[j];
}

// Memory that the threads of a block share, until the next call that may use it.
template <class T, int N>
VECC_FN T* block_memory() {
  __shared__ __align__(16) unsigned char memory[N * sizeof(T)];
  return reinterpret_cast<T*>(memory);
}

// Entry by entry what all slots of a row have, joined in a fixed order; all threads get it.
template <class T, int S, int G, int Slots, class Join>
VECC_FN void join_slots(T* own, const Join& join) {
  if constexpr (Slots > 1 && G > 32) {
    constexpr int count = kOwn<S, G>;
    constexpr int lanes = kThreads / Slots;  // of the row's that this block has
    T(*shared)[lanes] = block_memory<T[lanes], Slots>();
    const int lane = threadIdx.x % lanes;
    _Pragma("unroll 1") for (int j = 0; j < count; ++j) {
      shared[threadIdx.x / lanes][lane] = own[j];
      __syncthreads();
      T all = shared[0][lane];
      _Pragma("unroll") for (int s = 1; s < Slots; ++s) all = join(all, shared[s][lane]);
      own[j] = all;
      __syncthreads();
    }
  } else if constexpr (Slots > 1) {
    constexpr int count = kOwn<S, G>;
    constexpr int warp_slots = G * Slots > 32 ? 32 / G : Slots;
    _Pragma("unroll") for (int j = 0; j < count; ++j) {
      _Pragma("unroll") for (int step = warp_slots / 2; step > 0; step /= 2) {
        own[j] = join(own[j], __shfl_xor_sync(lane_mask<G * warp_slots>(), own[j], step * G));
      }
    }
    if constexpr (G * Slots > 32) {
      constexpr int warps = G * Slots / 32;
      T(*shared)[G] = block_memory<T[G], warps>();
      const int lane = threadIdx.x % G;
      const int warp = threadIdx.x / 32;
      _Pragma("unroll 1") for (int j = 0; j < count; ++j) {
        if (threadIdx.x % 32 < G) shared[warp][lane] = own[j];
        __syncthreads();
        T all = shared[0][lane];
        _Pragma("unroll") for (int w = 1; w < warps; ++w) all = join(all, shared[w][lane]);
        own[j] = all;
        __syncthreads();
      }
    }
  }
}

// Whether a member of that total takes the place of the one selected so far: the largest (smallest)
// total, the first on ties. `first`, the row's first member, stays if it is no number, unless those
// are skipped; others that are none are taken only where there is nothing else.
// Without branches, so that members are compared one beside another.
template <class T, bool Max, bool Skips>
VECC_FN bool replaces(T total, unsigned member, T best, unsigned selected, unsigned first) {
  const bool is_none = total != total;
  const bool best_is_none = best != best;
  const bool begins = !Skips & is_none & (member == first);
  const bool stays = !Skips & best_is_none & (selected == first);
  const bool is_before = member < selected;
  const bool is_better = ((total == best) & is_before) | (Max ? total > best : total < best);
  const bool is_first_number = best_is_none & (!is_none | is_before);
  const bool is_chosen = is_none | best_is_none ? is_first_number : is_better;
  return (member != ~0u) & ((selected == ~0u) | begins | (!stays & is_chosen));
}

// The selection of all slots, and the selected member's entries (S = 0: not wanted).
template <class T, int S, int G, int Slots, bool Max, bool Skips>
VECC_FN void join_selections(unsigned& selected, T& best, T* own, unsigned first) {
  if constexpr (Slots > 1) {
    const unsigned mine = selected;
    constexpr int warp_slots = G * Slots > 32 ? 32 / G : Slots;
    _Pragma("unroll") for (int step = warp_slots / 2; step > 0; step /= 2) {
      const unsigned other = __shfl_xor_sync(lane_mask<G * warp_slots>(), selected, step * G);
      const T total = __shfl_xor_sync(lane_mask<G * warp_slots>(), best, step * G);
      if (replaces<T, Max, Skips>(total, other, best, selected, first)) {
        selected = other;
        best = total;
      }
    }
    if constexpr (G * Slots > 32) {
      constexpr int warps = G * Slots / 32;
      struct Selected {
        T total;
        unsigned member;
      };
      Selected* slots = block_memory<Selected, warps>();
      if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = {best, selected};
      }
      __syncthreads();
      selected = slots[0].member;
      best = slots[0].total;
      for (int w = 1; w < warps; ++w) {
        if (replaces<T, Max, Skips>(slots[w].total, slots[w].member, best, selected, first)) {
          selected = slots[w].member;
          best = slots[w].total;
        }
      }
      __syncthreads();
    }
    if constexpr (S > 0) {
      // The slot that has it hands it on; of an empty segment there is none.
      const bool is_mine = mine == selected && selected != ~0u;
      _Pragma("unroll") for (int j = 0; j < kOwn<S, G>; ++j) own[j] = zero_if(!is_mine, own[j]);
      join_slots<T, S, G, Slots>(own, [](T a, T b) { return from_bits(bits_of(a) | bits_of(b)); });
    }
  }
}

// The same of each entry by itself: rows of S, of which `selected` and `best` are a lane's own.
template <class T, int S, int G, int Slots, bool Max, bool Skips>
VECC_FN void join_entry_selections(unsigned* selected, T* best, unsigned first) {
  if constexpr (Slots > 1) {
    constexpr int warp_slots = G > 32 ? 1 : G * Slots > 32 ? 32 / G : Slots;
    constexpr int parts = Slots / warp_slots;  // that meet in the block's memory
    struct Selected {
      T value;
      unsigned member;
    };
    const int part = threadIdx.x / (G * warp_slots);
    const int lane = threadIdx.x % G;
    const auto take = [&](int j, T value, unsigned member) {
      if (!replaces<T, Max, Skips>(value, member, best[j], selected[j], first)) return;
      best[j] = value;
      selected[j] = member;
    };
    _Pragma("unroll") for (int j = 0; j < kOwn<S, G>; ++j) {
      if constexpr (warp_slots > 1) {
        _Pragma("unroll") for (int step = warp_slots / 2; step > 0; step /= 2) {
          const unsigned mask = lane_mask<G * warp_slots>();
          const unsigned member = __shfl_xor_sync(mask, selected[j], step * G);
          take(j, __shfl_xor_sync(mask, best[j], step * G), member);
        }
      }
      if constexpr (parts > 1) {
        Selected(*shared)[G] = block_memory<Selected[G], parts>();
        if (threadIdx.x % (G * warp_slots) < G) shared[part][lane] = {best[j], selected[j]};
        __syncthreads();
        for (int p = 0; p < parts; ++p) take(j, shared[p][lane].value, shared[p][lane].member);
        __syncthreads();
      }
    }
  }
}

// A kernel may begin before those that it depends on have ended: what it reads before this does not
// change; all that they wrote is there after it. One that reads nothing of theirs and only has to
// end after them waits when it has computed (VECC_WAITS_LAST). Those that wait for it may begin
// when all of its blocks have, or, of one that takes long, when these have ended
// (VECC_RELEASES_LAST).
VECC_FN void wait_for_launches() {
#if __CUDA_ARCH__ >= 900
  if (!VECC_RELEASES_LAST) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (!VECC_WAITS_LAST) asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
VECC_FN void end_launch() {
#if __CUDA_ARCH__ >= 900
  if (VECC_WAITS_LAST) asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Fetches what is soon read.
VECC_FN void fetch(const void* from) {
#if __CUDA_ARCH__ >= 900
  asm volatile("prefetch.global.L1 [%0];" ::"l"(from));
#endif
}

// What a kernel is started with: rows begin .. end - 1 (or these places of the order) of a type,
// and of which launch, if it runs several.
struct BlockRows {
  unsigned begin;
  unsigned end;
  unsigned type;
  unsigned launch;
};

}  // namespace vecc_kernel
