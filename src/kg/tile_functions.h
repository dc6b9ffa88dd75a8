// The loops of tiles.h, for one set of instructions. tiles.cc includes this once for each, with
//   VECC_TILE_SET     the namespace
//   VECC_TILE_TARGET  the function attribute
//   VECC_TILE_BYTES   of its registers: a divisor of kPanelBytes
//   VECC_TILE_ROWS    queries in a tile: as many as leave registers for the panel
//   VECC_TILE_ROOT    square roots of a vector, in place
// Attributes of a function do not pass on to lambdas and plain inline functions: there are none.

namespace VECC_TILE_SET {

inline constexpr std::uint32_t kRows = VECC_TILE_ROWS;

// As run_tile(), of the lanes of one register.
template <class T, TileKind kKind>
VECC_TILE_TARGET void run_lanes(const T* queries, const T* panel, std::uint32_t dim, const T* bias,
                                T* out, std::size_t stride) {
  using Register = Lanes<T, VECC_TILE_BYTES>;
  using Values = typename Register::Values;
  using Mask = typename Register::Mask;
  constexpr std::size_t kLanes = kPanelLanes<T>;
  constexpr bool kIsProduct = kKind == TileKind::Projection || kKind == TileKind::Product;
  constexpr bool kIsComplex = kKind == TileKind::ComplexL1;
  const std::size_t steps = kIsComplex ? dim / 2 : dim;
  Values sums[kRows] = {};
  for (std::size_t k = 0; k < steps; ++k) {
    Values column;
    __builtin_memcpy(&column, panel + k * kLanes, sizeof column);
    [[maybe_unused]] Values imaginary = {};
    if constexpr (kIsComplex) {
      __builtin_memcpy(&imaginary, panel + (steps + k) * kLanes, sizeof imaginary);
    }
    VECC_TILE_UNROLL
    for (std::size_t row = 0; row < kRows; ++row) {
      const T query = queries[k * kRows + row];
      if constexpr (kIsProduct) {
        sums[row] += query * column;
      } else {
        const Values difference = query - column;
        if constexpr (kKind == TileKind::L1) {
          sums[row] += (Values)((Mask)difference & Register::kNoSign);
        } else if constexpr (kIsComplex) {
          const Values other = queries[(steps + k) * kRows + row] - imaginary;
          Values modulus = difference * difference + other * other;
          VECC_TILE_ROOT(modulus);
          sums[row] += modulus;
        } else {
          sums[row] += difference * difference;
        }
      }
    }
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    Values score = sums[row];
    if constexpr (kKind == TileKind::Product) score += bias[row];
    if constexpr (kKind == TileKind::L2) VECC_TILE_ROOT(score);
    if constexpr (!kIsProduct) score = -score;
    if constexpr (kKind != TileKind::Projection) {
      const Values lowest = Values{} - std::numeric_limits<T>::infinity();
      score = score == score ? score : lowest;  // NOLINT(misc-redundant-expression): NaN
    }
    __builtin_memcpy(out + row * stride, &score, sizeof score);
  }
}

template <class T, TileKind kKind>
VECC_TILE_TARGET void run_tile(const T* queries, const T* panel, std::uint32_t dim, const T* bias,
                               T* out, std::size_t stride) {
  for (std::size_t lane = 0; lane < kPanelLanes<T>; lane += VECC_TILE_BYTES / sizeof(T)) {
    run_lanes<T, kKind>(queries, panel + lane, dim, bias, out + lane, stride);
  }
}

template <class T>
VECC_TILE_TARGET void count_scores(const T* scores, std::size_t n, T score, std::uint64_t& above,
                                   std::uint64_t& equal) {
  using Values = typename Lanes<T, VECC_TILE_BYTES>::Values;
  using Mask = typename Lanes<T, VECC_TILE_BYTES>::Mask;
  constexpr std::size_t kLanes = Lanes<T, VECC_TILE_BYTES>::kCount;
  constexpr std::size_t kLongest = std::size_t{1} << 30;  // a lane counts to 2^31 - 1
  const Values reference = Values{} + score;
  std::size_t at = 0;
  while (n - at >= kLanes) {
    Mask more = {};
    Mask same = {};
    const std::size_t end = at + std::min(n - at, kLongest) / kLanes * kLanes;
    for (; at < end; at += kLanes) {
      Values values;
      __builtin_memcpy(&values, scores + at, sizeof values);
      more -= values > reference;
      same -= values == reference;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      above += static_cast<std::uint64_t>(more[lane]);
      equal += static_cast<std::uint64_t>(same[lane]);
    }
  }
  for (; at < n; ++at) {
    above += scores[at] > score ? 1 : 0;
    equal += scores[at] == score ? 1 : 0;
  }
}

template <class T>
constexpr TileKernels<T> kKernels{
    kRows,
    {run_tile<T, TileKind::Projection>, run_tile<T, TileKind::Product>, run_tile<T, TileKind::L1>,
     run_tile<T, TileKind::SquaredL2>, run_tile<T, TileKind::L2>, run_tile<T, TileKind::ComplexL1>},
    count_scores<T>};

}  // namespace VECC_TILE_SET
#undef VECC_TILE_SET
#undef VECC_TILE_TARGET
#undef VECC_TILE_BYTES
#undef VECC_TILE_ROWS
#undef VECC_TILE_ROOT
