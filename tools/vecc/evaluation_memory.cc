#include "evaluation_memory.h"

#include <algorithm>
#include <optional>

#include "src/plan/plan_tables.h"
#include "src/train/class_vectors.h"
#include "vecc/batch_program.h"
#include "vecc/metrics.h"
#include "vecc/plan.h"

namespace vecc::tools {
namespace {

std::uint64_t output_elements(const Program& program) {
  std::uint64_t elements = 0;
  for (const Op& op : program.ops()) {
    if (op.kind() == OpKind::Output) elements += op.size();
  }
  return elements;
}

}  // namespace

void EvaluationMemory::add(const NeuronGraph& graph, const Program& program,
                           std::span<const std::uint32_t> samples) {
  std::optional<Program> part;
  if (samples.size() != program.sample_count()) {
    part = BatchProgram(program).restrict_to(samples);
  }
  const Program& own = part ? *part : program;
  const Plan plan = make_plan(own);
  const HostMemory memory = host_memory(own, plan);
  MemoryNeed need = need_of_run(memory);
  const std::uint64_t elements = output_elements(own);
  need.parameters = (elements + samples.size()) * byte_size(own.dtype());  // targets, weights
  if (!is_batched_ && training::class_vector_size(graph, samples, own) > 0) {
    need.outputs = elements * byte_size(own.dtype());  // in one piece
  }
  need.outputs += bytes_to_measure(graph, samples.size(), elements);
  if (is_batched_) {
    const std::uint64_t kept = std::min(need.values, BatchOptions().kept_bytes);
    need_.unwritten += need.values - kept;
    need.values = kept;
  }
  if (part) need.arrays += memory.read - memory.own;  // its arrays are no other Program's
  for (const PlacedTable& table : find_tables(plan, own, TablePlace::Host)) {
    if (!table.is_named || plan.buffers[table.buffer].kind != PlanBuffer::Kind::Constant) continue;
    need_.of_facts[table.name] += table.bytes;
  }
  need_.outputs = std::max(need_.outputs, need.outputs);
  if (on_device_) return;
  need_.values += need.values;
  need_.facts += need.facts;
  need_.parameters += need.parameters;
  need_.arrays += need.arrays;
}

WeightCopies copies_of_weights(const LoopOptions& loop, bool validates) {
  return {1 + (validates ? std::uint64_t{1} : 0), copies_again(loop) ? std::uint64_t{1} : 0};
}

std::uint64_t bytes_to_copy(const Program& program) {
  std::uint64_t numbers = 0;
  for (const Parameter& parameter : program.parameters()) {
    numbers = std::max(numbers, parameter.rows * parameter.shape.size());
  }
  return numbers * sizeof(double);
}

}  // namespace vecc::tools
