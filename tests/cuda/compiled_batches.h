// Steps that run batch by batch on a GPU, compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "backends/cuda/cuda_executable.h"
#include "src/train/step_program.h"
#include "vecc/backend.h"

namespace vecc::test {

inline constexpr Device kTestedGpu{Device::Kind::Cuda, 0};

/// The step of all samples of a graph, compiled.
struct CompiledBatches {
  training::BatchStepProgram made;
  std::unique_ptr<Executable> executable;

  [[nodiscard]] cuda::BatchRunner& runner() const {
    return *dynamic_cast<cuda::CudaExecutable&>(*executable).batches();
  }
};

/// Up to `count` samples, with weights.
[[nodiscard]] Batch random_batch(const training::BatchStepProgram& made, std::uint64_t count,
                                 std::mt19937& random);

/// Without an executable where the step cannot be bound. `batches_again`: BatchOptions'; without,
/// batches mix samples, and are made on the device. `device_bytes`: PlaceOptions'. `searches`: they
/// are made by a search.
[[nodiscard]] CompiledBatches compile_batches(
    const NeuronGraph& graph, bool optimizes, DType dtype,
    std::uint64_t image_bytes = BatchOptions().image_bytes, std::uint64_t batches_again = 0,
    std::uint64_t device_bytes = 0, bool searches = false);

/// Of datasets/.
[[nodiscard]] NeuronGraph graph_of_file(const std::string& name);

}  // namespace vecc::test
