#include "src/kg/train/gradient_tiles.h"

#include <algorithm>
#include <array>
#include <vector>

#include "src/kg/vector_lanes.h"
#include "vecc/error.h"

namespace vecc::kg {
namespace {

/// Entities and their derivatives that stay in the first cache.
constexpr std::size_t kEntityBlock = 128;

#define VECC_TILE_SET plain_gradients
#define VECC_TILE_TARGET
#define VECC_TILE_BYTES 16
#define VECC_TILE_ROWS 4
#define VECC_TILE_ROOT(values) take_roots(values)
#define VECC_TILE_SIGN(values) VECC_TAKE_SIGNS(values)
#include "src/kg/train/gradient_tile_functions.h"

#if defined(__x86_64__)

#define VECC_TILE_SET avx2_gradients
#define VECC_TILE_TARGET VECC_TILE_AVX2
#define VECC_TILE_BYTES 32
#define VECC_TILE_ROWS 4
#define VECC_TILE_ROOT(values) take_roots_avx2(values)
#define VECC_TILE_SIGN(values) VECC_TAKE_SIGNS(values)
#include "src/kg/train/gradient_tile_functions.h"

#define VECC_TILE_SET avx512_gradients
#define VECC_TILE_TARGET VECC_TILE_AVX512
#define VECC_TILE_BYTES 64
#define VECC_TILE_ROWS 8
#define VECC_TILE_ROOT(values) take_roots_avx512(values)
#define VECC_TILE_SIGN(values) take_signs_avx512(values)
#include "src/kg/train/gradient_tile_functions.h"

#else
namespace avx2_gradients = plain_gradients;
namespace avx512_gradients = plain_gradients;
#endif

template <class T>
std::array<std::vector<RunGradient<T>>, kGradientKinds> find_gradient_kernels() {
  std::array<std::vector<RunGradient<T>>, kGradientKinds> usable;
  for (std::size_t kind = 0; kind < kGradientKinds; ++kind) {
    usable[kind] =
        usable_sets(avx512_gradients::kGradients<T>[kind], avx2_gradients::kGradients<T>[kind],
                    plain_gradients::kGradients<T>[kind]);
  }
  return usable;
}

}  // namespace

GradientKind gradient_kind(TileKind kind) {
  switch (kind) {
    case TileKind::Product: return GradientKind::Product;
    case TileKind::L1: return GradientKind::Sign;
    case TileKind::SquaredL2:
    case TileKind::L2: return GradientKind::Difference;
    case TileKind::ComplexL1: return GradientKind::Direction;
    case TileKind::Projection: break;
  }
  VECC_CHECK(false, "a sum that is no score");
}

template <class T>
std::span<const RunGradient<T>> usable_gradient_kernels(GradientKind kind) {
  static const auto kUsable = find_gradient_kernels<T>();
  return kUsable[static_cast<std::size_t>(kind)];
}

template std::span<const RunGradient<float>> usable_gradient_kernels<float>(GradientKind);
template std::span<const RunGradient<double>> usable_gradient_kernels<double>(GradientKind);

}  // namespace vecc::kg
