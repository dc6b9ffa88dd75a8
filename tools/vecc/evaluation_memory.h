// What evaluations take beside a training's steps, before either is compiled.
#pragma once

#include <cstdint>
#include <span>

#include "tools/common/memory_statement.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"
#include "vecc/train_loop.h"

namespace vecc::tools {

/// Of evaluations on the cpu or the cuda backend that are kept beside one another and run in turn.
class EvaluationMemory {
 public:
  /// `batch_size`: samples at a time; 0: all. `on_device`: values, facts and index arrays are a
  /// GPU's (facts of tables that a step has on the host are counted with these).
  EvaluationMemory(std::uint32_t batch_size, bool on_device)
      : is_batched_(batch_size > 0), on_device_(on_device) {}

  /// Those samples of the graph's Program.
  void add(const NeuronGraph& graph, const Program& program,
           std::span<const std::uint32_t> samples);
  [[nodiscard]] const MemoryNeed& need() const { return need_; }

 private:
  bool is_batched_;
  bool on_device_;
  MemoryNeed need_;
};

/// Which copies of all parameters and states a training holds: the state that it goes back to and
/// the best; one that is being made.
[[nodiscard]] WeightCopies copies_of_weights(const LoopOptions& loop, bool validates);
/// What is held while one is made or read: the largest table's numbers in double.
[[nodiscard]] std::uint64_t bytes_to_copy(const Program& program);

}  // namespace vecc::tools
