// The training of triple_trainer.h on a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/kg/train/cuda/step_launches.h"
#include "src/kg/train/triple_trainer.h"

namespace vecc::kg {

/// The GPU of that number. Batches and negatives are those of make_triple_trainer(), results agree
/// with its to rounding and repeat bit by bit. step() does not wait for the GPU: a loss that is not
/// finite moves nothing from its step on, and is the error of the next call that waits (epochs(),
/// epoch_loss(), save(), embeddings(), the first step of another epoch), which names that step.
/// Errors: those of check_triple_options(), DeviceAbsent,
/// CompilerAbsent, OutOfMemory, LimitShape for more than a GPU counts.
[[nodiscard]] Result<std::unique_ptr<TripleTrainer>> make_cuda_triple_trainer(
    std::vector<Triple> triples, std::uint32_t entities, std::uint32_t relations,
    const TripleTrainOptions& options, std::uint32_t device);

/// What each kernel of the first step takes, alone. Errors: the same.
[[nodiscard]] Result<std::vector<LaunchTime>> time_step_launches(std::span<const Triple> triples,
                                                                 std::uint32_t entities,
                                                                 std::uint32_t relations,
                                                                 const TripleTrainOptions& options,
                                                                 std::uint32_t device);

}  // namespace vecc::kg
