// The ranks of src/kg/ranks.h on a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "src/kg/cuda/rank_blocks.h"
#include "src/kg/triple_ranker.h"

namespace vecc::kg {

/// By embeddings that are on the GPU of that number from then on. Scores have the bits that a CPU
/// with AVX2 or AVX-512 computes, and so the ranks, but of a formula: its scores agree to rounding.
/// `options`: `threads` says nothing here. Errors: DeviceAbsent, CompilerAbsent, CompilerFailed,
/// OutOfMemory; LimitShape and BackendUnsupported for more than a GPU counts and threads keep.
[[nodiscard]] Result<std::unique_ptr<TripleRanker>> make_cuda_ranker(
    const Embeddings& embeddings, std::span<const Triple> triples, const KnownTriples& known,
    const RankOptions& options, std::uint32_t device, std::uint64_t block_bytes = kRankBlockBytes);

}  // namespace vecc::kg
