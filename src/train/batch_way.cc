#include "src/train/batch_way.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "src/support/enum_names.h"
#include "src/support/log.h"
#include "src/train/saved_step.h"
#include "src/train/step_program.h"
#include "vecc/batch_program.h"
#include "vecc/cost.h"

namespace vecc::training {
namespace {

// The optimizer makes no more than so many times less work of a whole step.
constexpr double kMostSaved = 8;

double moved_numbers(const Program& program, const Work& work) {
  return work.bytes / static_cast<double>(byte_size(program.dtype()));
}

// In numbers that a processor moves or multiplies; an op is `op` more.
double host_work(const Program& program, double op) {
  const Work work = work_of(program);
  return op * work.launches + moved_numbers(program, work) + work.multiply_adds;
}

// What is found of a batch, and listed: rows that ops compute, and members that they sum. How many
// numbers a row has does not count.
double listed_rows(const Program& program) {
  double rows = 0;
  for (const Op& op : program.ops()) {
    switch (op.kind()) {
      case OpKind::Fact:
      case OpKind::Weight:
      case OpKind::State:
      case OpKind::Output: break;
      case OpKind::Segment: rows += program.op(op.operands[0]).rows; [[fallthrough]];
      case OpKind::Concat:
      case OpKind::Gather:
      case OpKind::Linear:
      case OpKind::Transform:
      case OpKind::Map:
      case OpKind::Contract:
      case OpKind::Vjp:
      case OpKind::Draw:
      case OpKind::Take:
      case OpKind::SumEqual:
      case OpKind::ScatterSum:
      case OpKind::Update: rows += op.rows; break;
    }
  }
  return rows;
}

// What a GPU takes, in those of its host.
double gpu_work(const Program& program, const Target& gpu) {
  const Work work = work_of(program);
  const double cycles =
      moved_numbers(program, work) / gpu.loops.moved + work.multiply_adds / gpu.loops.multiply_adds;
  return (gpu.launches.launch * work.launches + cycles / gpu.megahertz) / gpu.host.number;
}

double whole_work(const Program& program, const std::optional<Target>& gpu) {
  return gpu ? gpu_work(program, *gpu) : host_work(program, host_processor().processor.op);
}

// A processor finds a batch and runs it; a GPU, whose times are absolute, runs one while the host
// finds the next ones. How many threads there are must not decide: the two ways round differently.
// Batches that come again are found once, and a GPU gets several of them in one copy.
double bound_work(const Program& program, const std::optional<Target>& gpu, bool come_again) {
  if (!gpu) {
    const ProcessorTimes times = host_processor().processor;
    return host_work(program, times.op) + (come_again ? 0 : times.listing * listed_rows(program));
  }
  if (come_again) return gpu_work(program, *gpu);
  const HostTimes& host = gpu->host;
  const double listing =
      (host.launch * work_of(program).launches + host.listing * listed_rows(program)) /
      host.binders;
  return std::max(listing, gpu_work(program, *gpu) + gpu->launches.batch_arrays / host.number);
}

// Of the step of a batch whose samples come from all over.
Result<Program> step_of_batch(const NeuronGraph& graph, const Program& forward,
                              std::span<const std::uint32_t> samples, const TrainOptions& options) {
  const std::vector<std::uint32_t> places = spread_places(options.batch_size, samples.size());
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t place : places) chosen.push_back(samples[place]);
  VECC_TRY(StepProgram step,
           make_step_program(graph, BatchProgram(forward).restrict_to(places), chosen, nullptr,
                             /*optimizes=*/false, options));
  return std::move(step.program);
}

}  // namespace

std::vector<std::uint32_t> spread_places(std::uint64_t size, std::uint64_t samples) {
  size = std::min(size, samples);
  std::vector<std::uint32_t> places;
  for (std::uint64_t i = 0; i < size; ++i) {
    places.push_back(static_cast<std::uint32_t>(i * samples / size));
  }
  return places;
}

bool batches_come_again(const TrainOptions& options, std::uint64_t samples) {
  if (options.members != nullptr) return false;
  return !options.shuffle || options.batch_size == 0 || options.batch_size == 1 ||
         options.batch_size >= samples;
}

Result<BatchMachine> find_batch_machine(const Backend& backend, const ExecutionOptions& execution) {
  BatchMachine machine;
  VECC_TRY(machine.gpu, backend.find_gpu(execution.device));
  const std::uint32_t threads =
      execution.threads == 0 ? std::thread::hardware_concurrency() : execution.threads;
  const HostTimes host = machine.gpu ? machine.gpu->host : host_processor().host;
  machine.binding_threads = std::min(std::max(threads, 1u) - 1, host.most_binders);
  machine.shortest_binding = host.shortest_binding * 1e-6;
  return machine;
}

Result<std::optional<Program>> masked_step(const NeuronGraph& graph, const Program& step,
                                           const Program& forward,
                                           std::span<const std::uint32_t> samples,
                                           const TrainOptions& options,
                                           const std::optional<Target>& gpu) {
  std::optional<Program> none;
  const bool chooses = options.batch_way == BatchWay::Choose;
  double bound = 0;
  if (chooses) {
    VECC_TRY(const Program batch, step_of_batch(graph, forward, samples, options));
    bound = bound_work(batch, gpu, batches_come_again(options, samples.size()));
    if (whole_work(step, gpu) > kMostSaved * bound) return none;
  }
  const auto optimized = [&](Program all) -> Result<SavedStep> {
    VECC_TRY(all, optimize(std::move(all), options.optimize));
    return SavedStep{std::move(all), {}, {}};
  };
  VECC_TRY(SavedStep made,
           find_or_make_step(options, describe_step("mask", samples, options), step, optimized));
  Program whole = std::move(made.program);
  if (chooses) {
    const double masked = whole_work(whole, gpu);
    log_debug(fmt::format("train: counted work of a step: {:.3g} bound, {:.3g} with a mask", bound,
                          masked));
    if (masked >= bound) return none;
  }
  return std::optional<Program>(std::move(whole));
}

}  // namespace vecc::training

namespace vecc {

std::string_view text_of(BatchWay way) {
  switch (way) {
    case BatchWay::Choose: return "choose";
    case BatchWay::Bind: return "bind";
    case BatchWay::Mask: return "mask";
  }
  return "";
}

std::optional<BatchWay> parse_batch_way(std::string_view text) {
  return parse_name<BatchWay>(text);
}

std::string_view text_of(BatchValues values) {
  switch (values) {
    case BatchValues::Choose: return "choose";
    case BatchValues::Spread: return "spread";
    case BatchValues::Compact: return "compact";
  }
  return "";
}

std::optional<BatchValues> parse_batch_values(std::string_view text) {
  return parse_name<BatchValues>(text);
}

}  // namespace vecc
