// rescal, transr: a relation's matrix, or its transpose, times few vectors, by a block that makes
// kWideColumns numbers of what comes out. Each number of the matrix is used a few times only, so it
// goes from memory to registers, not through shared memory, where the vectors are: a thread reads
// four numbers of a vector for 16 of the matrix.
#if VECC_KG_HAS_MATRICES
namespace vecc_kernel {

// Vectors that a block takes in this way at most: of more, what is read is used often enough.
constexpr unsigned kFewVectors = sizeof(Number) == 8 ? 4 : 8;
constexpr unsigned kFewTerms = 512;  // of the vectors that are in shared memory at once
constexpr unsigned kFewRows = 4;     // of the matrix that a thread reads at once

// Sums of kCount numbers of the lanes of a warp, each lane with one of them: lane() says which.
// Lanes exchange halves, so that each adds up half as many as before.
template <unsigned kCount, unsigned kBit = 16>
struct LaneSums {
  static __device__ __forceinline__ unsigned lane(unsigned own) {
    const unsigned upper = (own & kBit) != 0 ? kCount / 2 : 0;
    return upper + LaneSums<kCount / 2, kBit / 2>::lane(own);
  }
  template <unsigned kAll>
  static __device__ __forceinline__ Number add(Number (&numbers)[kAll]) {
    const bool is_upper = (threadIdx.x & kBit) != 0;
#pragma unroll
    for (unsigned n = 0; n < kCount / 2; ++n) {
      const Number lower = numbers[n];
      const Number upper = numbers[n + kCount / 2];
      const Number other = __shfl_xor_sync(~0u, is_upper ? lower : upper, kBit);
      numbers[n] = (is_upper ? upper : lower) + other;
    }
    return LaneSums<kCount / 2, kBit / 2>::add(numbers);
  }
};
template <unsigned kBit>
struct LaneSums<1, kBit> {
  static __device__ __forceinline__ unsigned lane(unsigned) { return 0; }
  template <unsigned kAll>
  static __device__ __forceinline__ Number add(Number (&numbers)[kAll]) {
    Number sum = numbers[0];
#pragma unroll
    for (unsigned bit = kBit; bit > 0; bit /= 2) sum += __shfl_xor_sync(~0u, sum, bit);
    return sum;
  }
};

// kVectors of them, zeros where there are fewer.
template <unsigned kVectors>
struct FewProducts {
  static constexpr unsigned kQuads = kWideColumns / 4;
  static constexpr unsigned kSlices = kPairThreads / kQuads;  // threads that share a column's terms
  static constexpr unsigned kWarps = kPairThreads / 32;
  static constexpr unsigned kUnroll = kVectors > 4 ? 1 : 2;  // as registers suffice
  static constexpr unsigned kSums = kVectors * kWideColumns;
  static constexpr unsigned kSpace = kVectors * kFewTerms + kSlices / 2 * kSums;
  static_assert(kFewTerms % (4 * kSlices) == 0 && kSlices == 4, "slices have whole fours");

  unsigned dim;
  unsigned first_column;  // of what comes out
  Number* space;

  __device__ __forceinline__ Number* sums() const { return space + kVectors * kFewTerms; }

  // Vectors' numbers from `first` on; read(vector, term). Returns how many terms there are, in
  // whole fours.
  template <class Read>
  __device__ __forceinline__ unsigned put_vectors(unsigned first, const Read& read) const {
    const unsigned terms = smaller(kFewTerms, whole_units(dim - first, 4) * 4);
    __syncthreads();  // what was there is read
#pragma unroll
    for (unsigned v = 0; v < kVectors; ++v) {
      for (unsigned n = threadIdx.x; n < terms; n += kPairThreads) {
        space[v * kFewTerms + n] = first + n < dim ? read(v, first + n) : Number(0);
      }
    }
    __syncthreads();
    return terms;
  }

  // sums()[vector][column], of the transpose: a thread has four columns, a slice of the terms.
  // matrix(i, k): numbers k .. k + 3 of a row, 0 behind the last.
  template <class Read, class Matrix>
  __device__ __forceinline__ void multiply_transpose(const Read& read, const Matrix& matrix) const {
    Number own[kVectors][4] = {};
    const unsigned quad = threadIdx.x % kQuads;
    const unsigned slice = threadIdx.x / kQuads;
    const unsigned column = first_column + quad * 4;
    for (unsigned first = 0; first < dim; first += kFewTerms) {
      const unsigned terms = put_vectors(first, read);
      if (column >= dim) continue;
#pragma unroll(kUnroll)
      for (unsigned term = slice * kFewRows; term < terms; term += kSlices * kFewRows) {
        Four rows[kFewRows];
#pragma unroll
        for (unsigned n = 0; n < kFewRows; ++n) rows[n] = matrix(first + term + n, column);
#pragma unroll
        for (unsigned v = 0; v < kVectors; ++v) {
          const Four x = four_of(space + v * kFewTerms + term);
#pragma unroll
          for (unsigned n = 0; n < kFewRows; ++n) {
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
              own[v][j] = multiply_add(x.at[n], rows[n].at[j], own[v][j]);
            }
          }
        }
      }
    }
    // Slices 2 and 3 to 0 and 1, then 1 to 0.
    for (unsigned half = kSlices / 2; half > 0; half /= 2) {
      __syncthreads();
      if (slice >= half && slice < 2 * half) put_sums(slice - half, quad, own);
      __syncthreads();
      if (slice < half) add_sums(slice, quad, own);
    }
    if (slice == 0) put_sums(0, quad, own);  // each thread over its own
    __syncthreads();
  }
  __device__ __forceinline__ void put_sums(unsigned slice, unsigned quad,
                                           const Number (&own)[kVectors][4]) const {
#pragma unroll
    for (unsigned v = 0; v < kVectors; ++v) {
      Four four;
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) four.at[j] = own[v][j];
      *reinterpret_cast<Four*>(sums() + slice * kSums + v * kWideColumns + quad * 4) = four;
    }
  }
  __device__ __forceinline__ void add_sums(unsigned slice, unsigned quad,
                                           Number (&own)[kVectors][4]) const {
#pragma unroll
    for (unsigned v = 0; v < kVectors; ++v) {
      const Four four = four_of(sums() + slice * kSums + v * kWideColumns + quad * 4);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) own[v][j] += four.at[j];
    }
  }

  // Likewise of the matrix: a warp has kFewRows of its rows at once, a lane every 32nd four terms.
  template <class Read, class Matrix>
  __device__ __forceinline__ void multiply(const Read& read, const Matrix& matrix) const {
    for (unsigned first = 0; first < dim; first += kFewTerms) {
      const unsigned terms = put_vectors(first, read);
      for (unsigned row = threadIdx.x / 32 * kFewRows; row < kWideColumns;
           row += kWarps * kFewRows) {
        if (first_column + row >= dim) break;
        add_rows(first, terms, row, matrix);
      }
    }
    __syncthreads();
  }
  template <class Matrix>
  __device__ __forceinline__ void add_rows(unsigned first, unsigned terms, unsigned row,
                                           const Matrix& matrix) const {
    using Sums = LaneSums<kFewRows * kVectors>;
    Number own[kFewRows * kVectors] = {};
#pragma unroll(kUnroll)
    for (unsigned term = threadIdx.x % 32 * 4; term < terms; term += 128) {
      Four rows[kFewRows];
#pragma unroll
      for (unsigned n = 0; n < kFewRows; ++n) {
        rows[n] = matrix(first_column + row + n, first + term);
      }
#pragma unroll
      for (unsigned v = 0; v < kVectors; ++v) {
        const Four x = four_of(space + v * kFewTerms + term);
#pragma unroll
        for (unsigned n = 0; n < kFewRows; ++n) {
          Number& sum = own[n * kVectors + v];
#pragma unroll
          for (unsigned j = 0; j < 4; ++j) sum = multiply_add(x.at[j], rows[n].at[j], sum);
        }
      }
    }
    const Number sum = Sums::add(own);
    const unsigned which = Sums::lane(threadIdx.x % 32);
    constexpr unsigned kSharing = 32 / (kFewRows * kVectors);  // lanes with one sum
    if (threadIdx.x % kSharing != 0) return;
    Number& all = sums()[which % kVectors * kWideColumns + row + which / kVectors];
    all = first == 0 ? sum : all + sum;
  }
};

}  // namespace vecc_kernel
#endif
