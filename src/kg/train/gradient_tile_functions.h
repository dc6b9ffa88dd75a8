// The loops of gradient_tiles.h, for one set of instructions. gradient_tiles.cc includes this once
// for each, with
//   VECC_TILE_SET     the namespace
//   VECC_TILE_TARGET  the function attribute
//   VECC_TILE_BYTES   of its registers: a divisor of kPanelBytes
//   VECC_TILE_ROWS    queries that are in registers at a time: a divisor of kGradientRows
//   VECC_TILE_ROOT    square roots of a vector, in place
//   VECC_TILE_SIGN    1, 0 and -1 by its numbers' signs, in place
// Attributes of a function do not pass on to lambdas and plain inline functions: there are none.

namespace VECC_TILE_SET {

// Of one query and one entity: what c passes on, part by part.
template <class T, GradientKind kKind, class Values>
VECC_TILE_TARGET inline void add_gradient(T c, const Values* q, const Values* e, Values* dq,
                                          Values* de) {
  using Register [[maybe_unused]] = Lanes<T, VECC_TILE_BYTES>;
  using Mask [[maybe_unused]] = typename Register::Mask;
  if constexpr (kKind == GradientKind::Product) {
    dq[0] += c * e[0];
    de[0] += c * q[0];
  } else if constexpr (kKind == GradientKind::Difference) {
    const Values moved = c * (q[0] - e[0]);
    dq[0] -= moved;
    de[0] += moved;
  } else if constexpr (kKind == GradientKind::Sign) {
    // Products with 1, 0 and -1 are exact, and adding them is one instruction.
    Values sign = q[0] - e[0];
    VECC_TILE_SIGN(sign);
    dq[0] -= c * sign;
    de[0] += c * sign;
  } else {
    const Values real = q[0] - e[0];
    const Values imaginary = q[1] - e[1];
    Values modulus = real * real + imaginary * imaginary;
    VECC_TILE_ROOT(modulus);
    const Values factor = (Values)((Mask)(c / modulus) & (Mask)(modulus != 0));
    dq[0] -= factor * real;
    dq[1] -= factor * imaginary;
    de[0] += factor * real;
    de[1] += factor * imaginary;
  }
}

// Of the lanes of one register, the first of which is `lane`.
template <class T, GradientKind kKind>
VECC_TILE_TARGET void run_gradient_lanes(const GradientTask<T>& task, std::size_t lane) {
  using Values = typename Lanes<T, VECC_TILE_BYTES>::Values;
  constexpr std::size_t kParts = kKind == GradientKind::Direction ? 2 : 1;
  constexpr std::size_t kWidth = kParts * kPanelLanes<T>;
  constexpr std::size_t kRows = VECC_TILE_ROWS / kParts;
  constexpr std::size_t kPart = kPanelLanes<T>;
  for (std::size_t begin = 0; begin < task.entity_count; begin += kEntityBlock) {
    const std::size_t end = std::min(task.entity_count, begin + kEntityBlock);
    for (std::size_t row = 0; row < task.query_count; row += kRows) {
      Values q[kRows][kParts];
      Values dq[kRows][kParts];
      const T* const query = task.queries + row * kWidth + lane;
      T* const by_query = task.by_queries + row * kWidth + lane;
      for (std::size_t i = 0; i < kRows * kParts; ++i) {
        __builtin_memcpy(&q[i / kParts][i % kParts], query + i * kPart, sizeof(Values));
        __builtin_memcpy(&dq[i / kParts][i % kParts], by_query + i * kPart, sizeof(Values));
      }
      const T* const coefficients = task.coefficients + row * task.stride;
      for (std::size_t j = begin; j < end; ++j) {
        T* const by_entity = task.by_entities + j * kWidth + lane;
        Values e[kParts];
        Values de[2][kParts] = {};  // of every other row: sums that do not wait for each other
        for (std::size_t part = 0; part < kParts; ++part) {
          __builtin_memcpy(&e[part], task.entities + j * kWidth + lane + part * kPart,
                           sizeof(Values));
          __builtin_memcpy(&de[0][part], by_entity + part * kPart, sizeof(Values));
        }
        VECC_TILE_UNROLL
        for (std::size_t i = 0; i < kRows; ++i) {
          add_gradient<T, kKind>(coefficients[i * task.stride + j], q[i], e, dq[i], de[i % 2]);
        }
        for (std::size_t part = 0; part < kParts; ++part) {
          de[0][part] += de[1][part];
          __builtin_memcpy(by_entity + part * kPart, &de[0][part], sizeof(Values));
        }
      }
      for (std::size_t i = 0; i < kRows * kParts; ++i) {
        __builtin_memcpy(by_query + i * kPart, &dq[i / kParts][i % kParts], sizeof(Values));
      }
    }
  }
}

template <class T, GradientKind kKind>
VECC_TILE_TARGET void run_gradient(const GradientTask<T>& task) {
  for (std::size_t lane = 0; lane < kPanelLanes<T>; lane += VECC_TILE_BYTES / sizeof(T)) {
    run_gradient_lanes<T, kKind>(task, lane);
  }
}

template <class T>
constexpr std::array<RunGradient<T>, kGradientKinds> kGradients{
    run_gradient<T, GradientKind::Product>, run_gradient<T, GradientKind::Difference>,
    run_gradient<T, GradientKind::Sign>, run_gradient<T, GradientKind::Direction>};

}  // namespace VECC_TILE_SET
#undef VECC_TILE_SET
#undef VECC_TILE_TARGET
#undef VECC_TILE_BYTES
#undef VECC_TILE_ROWS
#undef VECC_TILE_ROOT
#undef VECC_TILE_SIGN
