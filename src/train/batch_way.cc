#include "src/train/batch_way.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/support/enum_names.h"
#include "src/support/log.h"
#include "src/train/step_program.h"
#include "vecc/batch_program.h"
#include "vecc/cost.h"

namespace vecc::training {
namespace {

// Numbers that are moved or multiplied; a launch takes about as long as so many.
constexpr double kLaunchWork = 1000;
// To find a row of a batch, list it and read it through lists takes so many times as long as it
// takes within the whole step: 2.8 of MUTAG's (GCN, batches of 32), 3.4 of PROTEINS', measured.
constexpr double kBoundWork = 3;
// The optimizer makes no more than so many times less work of a whole step.
constexpr double kMostSaved = 8;

double counted_work(const Program& program) {
  const Work work = work_of(program);
  return kLaunchWork * work.launches +
         work.bytes / static_cast<double>(byte_size(program.dtype())) + work.multiply_adds;
}

// Of the step of a batch whose samples come from all over.
Result<double> work_of_batch(const NeuronGraph& graph, const Program& forward,
                             std::span<const std::uint32_t> samples, const TrainOptions& options) {
  const std::uint64_t size = std::min<std::uint64_t>(options.batch_size, samples.size());
  std::vector<std::uint32_t> places;
  std::vector<std::uint32_t> chosen;
  for (std::uint64_t i = 0; i < size; ++i) {
    places.push_back(static_cast<std::uint32_t>(i * samples.size() / size));
    chosen.push_back(samples[places.back()]);
  }
  VECC_TRY(const StepProgram step,
           make_step_program(graph, BatchProgram(forward).restrict_to(places), chosen, nullptr,
                             /*optimizes=*/false, options));
  return counted_work(step.program);
}

}  // namespace

Result<std::optional<Program>> masked_step(const NeuronGraph& graph, const Program& step,
                                           const Program& forward,
                                           std::span<const std::uint32_t> samples,
                                           const TrainOptions& options) {
  std::optional<Program> none;
  const bool chooses = options.batch_way == BatchWay::Choose;
  double bound = 0;
  if (chooses) {
    VECC_TRY(bound, work_of_batch(graph, forward, samples, options));
    bound *= kBoundWork;
    if (counted_work(step) > kMostSaved * bound) return none;
  }
  VECC_TRY(Program whole, optimize(step, options.optimize));
  if (chooses) {
    const double masked = counted_work(whole);
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

}  // namespace vecc
