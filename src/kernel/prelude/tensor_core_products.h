// Kernel prelude, CUDA only, for kernels whose products a GPU's tensor cores compute: what
// block_products.h and outer_products.h do in f32, of operands that are rounded first. Sums are f32
// numbers, and an entry's terms come in an order that depends on the product alone: how many
// threads a block has, or rows, changes no bit.
//
// A warp multiplies tiles: 16 rows by 8 columns, 16 terms at a time. Lane l has of a tile's rows
// l / 4 and l / 4 + 8 (places of rows: which rows stand there is the caller's choice) the terms
// 4 (l % 4) .. 4 (l % 4) + 3, of its columns l / 4 the same terms, and of the products those of its
// rows with columns 2 (l % 4) and 2 (l % 4) + 1.
#ifndef VECC_TENSOR_CORES
#error "TF32 and BF16 need a GPU of compute capability 8.0 or newer"
#endif

namespace vecc_kernel {

// What a lane has of a row, or a column, of a tile: four terms, rounded.
template <int Words>
struct alignas(4 * Words) Terms {
  unsigned word[Words];
};
struct Tf32 {
  using Four = Terms<4>;
  VECC_FN static Four round(const float* x) {
    return {{round_tf32(x[0]), round_tf32(x[1]), round_tf32(x[2]), round_tf32(x[3])}};
  }
  // sum += the tile's products, of its rows l / 4 (low) and l / 4 + 8 (high).
  VECC_FN static void multiply(const Four& low, const Four& high, const Four& column, float* sum) {
    _Pragma("unroll") for (int i = 0; i < 4; i += 2) {
      const unsigned rows[4] = {low.word[i], high.word[i], low.word[i + 1], high.word[i + 1]};
      multiply_tf32(rows, column.word + i, sum);
    }
  }
};
struct Bf16 {
  using Four = Terms<2>;
  VECC_FN static Four round(const float* x) {
    return {{round_bf16(x[0], x[1]), round_bf16(x[2], x[3])}};
  }
  VECC_FN static void multiply(const Four& low, const Four& high, const Four& column, float* sum) {
    const unsigned rows[4] = {low.word[0], high.word[0], low.word[1], high.word[1]};
    multiply_bf16(rows, column.word, sum);
  }
};

// A block's shared memory for one of the functions below.
template <class Memory>
VECC_FN Memory& tensor_memory() {
  __shared__ __align__(16) unsigned char memory[sizeof(Memory)];
  return *reinterpret_cast<Memory*>(memory);
}

// From one row of columns to the next. Behind K entries are zeros up to whole tiles; eight lanes
// that read four numbers each of two rows, four apart, read from different banks.
template <int K>
constexpr int tensor_step = (K + 15) / 16 * 16 + 4;

// What a block has of R rows' products with an M x K matrix: the columns, `Depth` terms of the
// matrix in the order in which lanes read them, and the products if they stay (Kept).
template <class P, int M, int K, int R, int Depth, bool Kept>
struct TensorProducts {
  static constexpr int width = M > 32 ? 64 : 32;  // entries at a time
  static constexpr int across = 2;                // warps that share them
  static constexpr int down = kThreads / 32 / across;
  static constexpr int rows = R / 16 > down ? R / 16 / down : 1;  // of a warp, in tiles
  static constexpr int tiles = width / 8;
  static constexpr int each = tiles / across;  // of a warp
  alignas(16) float columns[R][tensor_step<K>];
  alignas(16) float products[Kept ? R : 1][Kept ? row_step<M> : 4];
  alignas(16) typename P::Four matrix[Depth / 16][tiles][32];

  // The entry in a tile's column: a lane's products are neighbours in the result.
  VECC_FN static int entry(int tile, int column) {
    return tile / each * (each * 8) + column / 2 * (2 * each) + tile % each * 2 + column % 2;
  }
  // The first row of this warp's tile r: warps share the first rows, of which there may be few.
  VECC_FN static int top(int r) { return (int(threadIdx.x) / 32 / across + r * down) * 16; }
  // The row in place 0 .. 7 of a tile, and place 8 .. 15.
  VECC_FN static int row(int place) { return place / 2 % 4 + place % 2 * 4 + place / 8 * 8; }
};

// Zeros behind the entries of all columns, once; what loads columns lets them be.
template <int K, int R>
VECC_FN void pad_columns(float (*columns)[tensor_step<K>]) {
  constexpr int rest = (K + 15) / 16 * 16 - K;
  if constexpr (rest > 0) {
    for (int i = threadIdx.x; i < R * rest; i += kThreads) columns[i / rest][K + i % rest] = 0;
  }
}

// load_columns() of block_products.h.
template <int K, int R, class Row>
VECC_FN void load_tensor_columns(const float* base, unsigned count, const Row& row,
                                 float (*columns)[tensor_step<K>]) {
  move_rows<float, R, K>(count, K, K % 4 == 0 && begins_packed<float, 4>(base), row, columns);
}

// Terms k .. k + Depth - 1 of entries m .. m + width - 1 of op(matrix), rounded; zeros where there
// are none.
template <class P, int M, int K, int Depth, bool TL, class Memory>
VECC_FN void load_tensor_matrix(const float* matrix, int m, int k, Memory& memory) {
  constexpr int count = Depth / 16 * Memory::tiles * 32;
  constexpr int held = (count + kThreads - 1) / kThreads;
  const bool fours = !TL && K % 4 == 0 && begins_packed<float, 4>(matrix);
  float x[held][4];
  _Pragma("unroll") for (int h = 0; h < held; ++h) {
    const int i = int(threadIdx.x) + h * kThreads;
    const int entry = m + Memory::entry(i / 32 % Memory::tiles, i % 32 / 4);
    const int term = k + i / 32 / Memory::tiles * 16 + i % 4 * 4;
    const bool is_there = i < count && entry < M && term < K;
    const float* from = matrix + (!is_there ? 0 : TL ? term * M + entry : entry * K + term);
    if (fours) {
      const auto all = *reinterpret_cast<const Four<float>*>(from);
      _Pragma("unroll") for (int j = 0; j < 4; ++j) x[h][j] = is_there ? all.x[j] : 0.0f;
    } else {
      _Pragma("unroll") for (int j = 0; j < 4; ++j) {
        const bool has = is_there && term + j < K;
        const float y = from[has ? j * (TL ? M : 1) : 0];
        x[h][j] = has ? y : 0.0f;
      }
    }
  }
  _Pragma("unroll") for (int h = 0; h < held; ++h) {
    const int i = int(threadIdx.x) + h * kThreads;
    if (count % kThreads == 0 || i < count) {
      memory.matrix[i / 32 / Memory::tiles][i / 32 % Memory::tiles][i % 32] = P::round(x[h]);
    }
  }
}

// sum += the products of the columns' 16 terms from `term` on with those of the matrix, of this
// warp's rows below `count` and tiles of entries, from `tile` on.
template <class P, class Memory>
VECC_FN void add_tensor_products(const Memory& memory, unsigned count, int tile, int term,
                                 int chunk, float (*sum)[Memory::each][4]) {
  const int lane = int(threadIdx.x) % 32;
  typename P::Four matrix[Memory::each];
  _Pragma("unroll") for (int j = 0; j < Memory::each; ++j) {
    matrix[j] = memory.matrix[chunk][tile + j][lane];
  }
  _Pragma("unroll") for (int r = 0; r < Memory::rows; ++r) {
    if (unsigned(Memory::top(r)) >= count) continue;  // all lanes of the warp
    typename P::Four half[2];
    _Pragma("unroll") for (int h = 0; h < 2; ++h) {
      const int b = Memory::top(r) + Memory::row(lane / 4 + h * 8);
      const auto x = *reinterpret_cast<const Four<float>*>(&memory.columns[b][term + lane % 4 * 4]);
      half[h] = P::round(x.x);
    }
    _Pragma("unroll") for (int j = 0; j < Memory::each; ++j) {
      P::multiply(half[0], half[1], matrix[j], sum[r][j]);
    }
  }
}

// A lane's neighbouring entries of a product's row, from `at` on, those below M.
template <int M, int Each>
VECC_FN void store_tensor_entries(const float (*sum)[4], int half, int at, float* row) {
  if constexpr (M % 4 == 0) {
    if (begins_packed<float, 4>(row)) {
      _Pragma("unroll") for (int j = 0; j < Each; j += 2) {
        const Four<float> all{{sum[j][2 * half], sum[j][2 * half + 1], sum[j + 1][2 * half],
                               sum[j + 1][2 * half + 1]}};
        if (at + 2 * j < M) *reinterpret_cast<Four<float>*>(row + at + 2 * j) = all;
      }
      return;
    }
  }
  _Pragma("unroll") for (int j = 0; j < Each; ++j) {
    _Pragma("unroll") for (int i = 0; i < 2; ++i) {
      if (at + 2 * j + i < M) row[at + 2 * j + i] = sum[j][2 * half + i];
    }
  }
}

// times_block() of block_products.h: target(b) = op(matrix) columns[b] for b < count.
template <class P, int M, int K, int Depth, bool TL, class Memory, class Target>
VECC_FN void times_tensor_block(const float* matrix, Memory& memory, unsigned count,
                                const Target& target) {
  const int lane = int(threadIdx.x) % 32;
  const int tile = int(threadIdx.x) / 32 % Memory::across * Memory::each;
  const bool works = unsigned(Memory::top(0)) < count;  // the same of a whole warp
  for (int m = 0; m < M; m += Memory::width) {
    float sum[Memory::rows][Memory::each][4] = {};
    for (int k = 0; k < K; k += Depth) {
      if (m + k > 0) __syncthreads();
      load_tensor_matrix<P, M, K, Depth, TL>(matrix, m, k, memory);
      __syncthreads();
      const int chunks = K - k < Depth ? (K - k + 15) / 16 : Depth / 16;
      if (!works) continue;
      _Pragma("unroll 1") for (int c = 0; c < chunks; ++c) {
        add_tensor_products<P>(memory, count, tile, k + c * 16, c, sum);
      }
    }
    if (!works) continue;
    const int at = m + Memory::entry(tile, lane % 4 * 2);
    _Pragma("unroll") for (int r = 0; r < Memory::rows; ++r) {
      _Pragma("unroll") for (int h = 0; h < 2; ++h) {
        const unsigned b = Memory::top(r) + Memory::row(lane / 4 + h * 8);
        if (b < count) store_tensor_entries<M, Memory::each>(sum[r], h, at, target(b));
      }
    }
  }
}

}  // namespace vecc_kernel
