#include "tests/cuda/compiled_batches.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "backends/cuda/cuda_backend.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {

Batch random_batch(const training::BatchStepProgram& made, std::uint64_t count,
                   std::mt19937& random) {
  Batch batch;
  batch.weights.resize(made.batch.weights.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto& row = made.rows[random() % made.rows.size()];
    batch.weights[row.output].rows.push_back(row.row);
  }
  for (Batch::Weights& weights : batch.weights) {
    std::ranges::sort(weights.rows);
    weights.rows.erase(std::unique(weights.rows.begin(), weights.rows.end()), weights.rows.end());
    for (std::size_t i = 0; i < weights.rows.size(); ++i) {
      weights.values.push_back(0.25 + 0.5 * static_cast<double>(i));
    }
  }
  return batch;
}

CompiledBatches compile_batches(const NeuronGraph& graph, bool optimizes, DType dtype,
                                std::uint64_t image_bytes, std::uint64_t batches_again,
                                std::uint64_t device_bytes, bool searches) {
  VectorizeOptions vectorized;
  vectorized.dtype = dtype;
  Program forward = vectorize(graph, vectorized)->program;
  if (optimizes) forward = *optimize(std::move(forward));
  std::vector<std::uint32_t> samples(forward.sample_count());
  std::iota(samples.begin(), samples.end(), 0u);
  CompiledBatches compiled{
      *training::make_batch_step_program(graph, std::move(forward), samples, {}), nullptr};
  compiled.made.batch.mixes_samples = batches_again == 0 && !searches;
  compiled.made.batch.batches_again = batches_again;
  if (batches_again == 0) compiled.made.batch.side = BatchSide::Device;
  compiled.made.batch.values = BatchValues::Spread;  // a device makes no others
  std::mt19937 random(1);
  compiled.made.batch.typical = random_batch(compiled.made, samples.size() / 5 + 1, random);
  compiled.made.batch.image_bytes = image_bytes;
  ExecutionOptions options;
  options.device = kTestedGpu;
  options.places.device_bytes = device_bytes;
  options.own_parameters = compiled.made.step.own_parameters;
  options.batch = std::make_shared<const BatchOptions>(compiled.made.batch);
  auto executable = cuda_backend().compile(compiled.made.step.program, options);
  if (executable) compiled.executable = std::move(*executable);
  return compiled;
}

NeuronGraph graph_of_file(const std::string& name) {
  return *read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/" + name);
}

}  // namespace vecc::test
