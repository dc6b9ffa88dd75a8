#include "src/kg/train/loss_kernels.h"

#include <algorithm>

#include "src/kg/train/triple_loss.h"
#include "src/kg/vector_lanes.h"

namespace vecc::kg {
namespace {

constexpr std::size_t kSumLanes = 16;
/// Scores whose losses are there before they are added up.
constexpr std::size_t kLossBlock = 256;

#define VECC_TILE_SET plain_losses
#define VECC_TILE_TARGET
#include "src/kg/train/loss_functions.h"

#if defined(__x86_64__)

#define VECC_TILE_SET avx2_losses
#define VECC_TILE_TARGET VECC_TILE_AVX2
#include "src/kg/train/loss_functions.h"

#define VECC_TILE_SET avx512_losses
#define VECC_TILE_TARGET VECC_TILE_AVX512
#include "src/kg/train/loss_functions.h"

#else
namespace avx2_losses = plain_losses;
namespace avx512_losses = plain_losses;
#endif

}  // namespace

template <class T>
std::span<const LossKernels<T>* const> usable_loss_kernels() {
  static const auto kUsable =
      usable_sets(&avx512_losses::kLossKernels<T>, &avx2_losses::kLossKernels<T>,
                  &plain_losses::kLossKernels<T>);
  return kUsable;
}

template std::span<const LossKernels<float>* const> usable_loss_kernels<float>();
template std::span<const LossKernels<double>* const> usable_loss_kernels<double>();

}  // namespace vecc::kg
