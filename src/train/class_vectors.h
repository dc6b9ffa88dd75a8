// Metrics of outputs that lie one behind another in one piece of memory.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "vecc/metrics.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::training {

/// The elements of every output, if all are vectors of one size and each of `samples`, which are
/// the Program's, has a target of one class among as many, and no role; else 0.
[[nodiscard]] std::uint64_t class_vector_size(const NeuronGraph& graph,
                                              std::span<const std::uint32_t> samples,
                                              const Program& program);

/// As Executable::copy_outputs() leaves them.
using CopiedOutputs = std::variant<std::span<const float>, std::span<const double>>;
/// measure() of such.
[[nodiscard]] Metrics measure_class_vectors(const NeuronGraph& graph,
                                            std::span<const std::uint32_t> samples,
                                            const CopiedOutputs& outputs,
                                            const MetricsOptions& options);

}  // namespace vecc::training
