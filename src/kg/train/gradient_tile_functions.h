// The loops of gradient_tiles.h, for one set of instructions. gradient_tiles.cc includes this once
// for each, with
//   VECC_TILE_SET     the namespace
//   VECC_TILE_TARGET  the function attribute
//   VECC_TILE_ROWS    queries that are in registers at a time: a divisor of kGradientRows
//   VECC_TILE_ROOT    square roots of a vector, in place
// Attributes of a function do not pass on to lambdas and plain inline functions: there are none.

namespace VECC_TILE_SET {

template <class T, GradientKind kKind>
VECC_TILE_TARGET void run_gradient(const GradientTask<T>& task) {
  using Values = typename Lanes<T>::Values;
  using Mask = typename Lanes<T>::Mask;
  constexpr std::size_t kParts = kKind == GradientKind::Direction ? 2 : 1;
  constexpr std::size_t kWidth = kParts * kPanelLanes<T>;
  constexpr std::size_t kRows = VECC_TILE_ROWS / kParts;
  for (std::size_t begin = 0; begin < task.entity_count; begin += kEntityBlock) {
    const std::size_t end = std::min(task.entity_count, begin + kEntityBlock);
    for (std::size_t row = 0; row < task.query_count; row += kRows) {
      Values q[kRows][kParts];
      Values dq[kRows][kParts];
      __builtin_memcpy(&q, task.queries + row * kWidth, sizeof q);
      __builtin_memcpy(&dq, task.by_queries + row * kWidth, sizeof dq);
      const T* const coefficients = task.coefficients + row * task.stride;
      for (std::size_t j = begin; j < end; ++j) {
        Values e[kParts];
        Values de[kParts];
        __builtin_memcpy(&e, task.entities + j * kWidth, sizeof e);
        __builtin_memcpy(&de, task.by_entities + j * kWidth, sizeof de);
        for (std::size_t i = 0; i < kRows; ++i) {
          const Values c = Values{} + coefficients[i * task.stride + j];
          if constexpr (kKind == GradientKind::Product) {
            dq[i][0] += c * e[0];
            de[0] += c * q[i][0];
          } else if constexpr (kKind == GradientKind::Difference) {
            const Values moved = c * (q[i][0] - e[0]);
            dq[i][0] -= moved;
            de[0] += moved;
          } else if constexpr (kKind == GradientKind::Sign) {
            const Values d = q[i][0] - e[0];
            const Mask signs = (Mask)d & Lanes<T>::kSign;
            const Values moved = (Values)(((Mask)c ^ signs) & (Mask)(d != 0));
            dq[i][0] -= moved;
            de[0] += moved;
          } else {
            const Values real = q[i][0] - e[0];
            const Values imaginary = q[i][1] - e[1];
            Values modulus = real * real + imaginary * imaginary;
            VECC_TILE_ROOT(modulus);
            const Values factor = (Values)((Mask)(c / modulus) & (Mask)(modulus != 0));
            dq[i][0] -= factor * real;
            dq[i][1] -= factor * imaginary;
            de[0] += factor * real;
            de[1] += factor * imaginary;
          }
        }
        __builtin_memcpy(task.by_entities + j * kWidth, &de, sizeof de);
      }
      __builtin_memcpy(task.by_queries + row * kWidth, &dq, sizeof dq);
    }
  }
}

template <class T>
constexpr std::array<RunGradient<T>, kGradientKinds> kGradients{
    run_gradient<T, GradientKind::Product>, run_gradient<T, GradientKind::Difference>,
    run_gradient<T, GradientKind::Sign>, run_gradient<T, GradientKind::Direction>};

}  // namespace VECC_TILE_SET
#undef VECC_TILE_SET
#undef VECC_TILE_TARGET
#undef VECC_TILE_ROWS
#undef VECC_TILE_ROOT
