// What binds and runs the batches of these tests: cpu, with VECC_TEST_DEVICE=cuda that backend.
#pragma once

#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecc/backend.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

inline std::string shipped(const std::string& name) {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/" + name;
}

/// In double.
inline Program program_of(const NeuronGraph& graph, bool optimizes = true) {
  VectorizeOptions in_double;
  in_double.dtype = DType::F64;
  Program program = value_of(vectorize(graph, in_double)).program;
  return optimizes ? value_of(optimize(std::move(program))) : program;
}

inline std::vector<std::uint32_t> all_samples(const NeuronGraph& graph) {
  std::vector<std::uint32_t> samples(graph.samples.size());
  std::iota(samples.begin(), samples.end(), 0u);
  return samples;
}

inline bool is_cuda() {
  const char* const asked = std::getenv("VECC_TEST_DEVICE");
  return asked != nullptr && std::string_view(asked).starts_with("cuda");
}
inline const Backend& tested_backend() {
  return *find_backend(is_cuda() ? "cuda" : "cpu");
}
inline ExecutionOptions tested_options() {
  ExecutionOptions options;
  options.device.kind = is_cuda() ? Device::Kind::Cuda : Device::Kind::Cpu;
  return options;
}
/// The emulated GPU is slow: a part of the cases.
inline bool is_emulated() {
  return is_cuda() && std::getenv("VECC_CUDA_DRIVER") != nullptr;
}

}  // namespace vecc::test
