#include "src/train/class_vectors.h"

#include <algorithm>

#include "src/support/list_threads.h"
#include "src/train/class_metrics.h"

namespace vecc::training {
namespace {

// Of all outputs; 0 if they differ.
std::uint64_t size_of_outputs(const Program& program) {
  std::uint64_t size = 0;
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Output) continue;
    if (size != 0 && op.shape.size() != size) return 0;
    size = op.shape.size();
  }
  return size;
}

}  // namespace

std::uint64_t class_vector_size(const NeuronGraph& graph, std::span<const std::uint32_t> samples,
                                const Program& program) {
  const std::uint64_t size = size_of_outputs(program);
  if (size < 2 || samples.empty() || samples.size() != program.sample_count()) return 0;
  const bool have_targets = holds_for_all(samples.size(), [&](std::size_t i) {
    const Sample& sample = graph.samples[samples[i]];
    return sample.has_target && sample.target_shape.size() == size &&
           sample.role == Role::Unspecified;
  });
  return have_targets && target_kind(graph) == TargetKind::Classes ? size : 0;
}

Metrics measure_class_vectors(const NeuronGraph& graph, std::span<const std::uint32_t> samples,
                              const CopiedOutputs& outputs, const MetricsOptions& options) {
  Metrics metrics;
  metrics.samples = samples.size();
  ClassMetrics classes(options, samples.size());
  std::visit(
      [&](auto elements) {
        const std::size_t size = elements.size() / samples.size();
        classes.add_vectors(samples.size(), size, [&](std::size_t i, std::span<double> room) {
          std::ranges::copy(elements.subspan(i * size, size), room.begin());
          const Sample& sample = graph.samples[samples[i]];
          return ClassMetrics::Sample{
              room, std::span(graph.target_values).subspan(sample.target_begin, size)};
        });
      },
      outputs);
  std::move(classes).finish(metrics);
  return metrics;
}

}  // namespace vecc::training
