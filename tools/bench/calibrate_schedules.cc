#include "calibrate_schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "backends/cuda/fit_schedules.h"
#include "backends/cuda/scheduled_plan.h"
#include "schedule_programs.h"
#include "src/support/quantity_text.h"
#include "tools/common/interrupt.h"

namespace vecc::tools {
namespace {

using cuda::GraphCounts;
using cuda::GridCounts;
using cuda::PartsCounts;
using Json = nlohmann::ordered_json;

constexpr double kMicrosecond = 1e-6;

// What is counted, by name: of parts that of the slowest blocks.
Json counts_json(const cuda::ScheduleCounts& counts, const cuda::ScheduleCoefficients& c) {
  if (const auto* graph = std::get_if<GraphCounts>(&counts)) {
    return {{"levels", graph->levels}, {"further_nodes", graph->nodes}, {"work", graph->work}};
  }
  if (const auto* grid = std::get_if<GridCounts>(&counts)) {
    return {{"levels", grid->levels}, {"work", grid->work}};
  }
  const auto& parts = std::get<PartsCounts>(counts);
  const PartsCounts::Block slowest = slowest_blocks(parts, c.parts);
  return {{"phases", parts.phases.size()},
          {"levels", slowest.levels},
          {"further_steps", slowest.steps},
          {"work", slowest.work}};
}

// "12 levels, 36 further nodes, 41,472 work"
std::string counts_text(const Json& counts) {
  std::string text;
  for (const auto& [name, value] : counts.items()) {
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        text_of_count(static_cast<std::uint64_t>(value.get<double>())), words);
  }
  return text;
}

Result<void> measure(const ScheduleShape& shape, CudaLaunch launch, const TimeOptions& options,
                     const cuda::Device& device, std::vector<ScheduleCalibration::Row>& rows) {
  TimeOptions time = options;
  time.gradients = false;
  time.execution.cuda_launch = launch;
  const Program program = make_schedule_program(shape);
  VECC_TRY(const auto scheduled, cuda::schedule_program(program, time.execution, device));
  const auto counts = cuda::count_schedule(scheduled);
  VECC_CHECK(counts.has_value(), "a schedule that is not predicted");
  VECC_TRY(const ProgramTimes times, time_program(program, time));
  rows.push_back({launch, text_of(shape), *counts, times.forward.steady().median, 0});
  return {};
}

}  // namespace

Result<ScheduleCalibration> calibrate_schedules(const TimeOptions& time, std::uint32_t most_rows,
                                                bool save) {
  VECC_TRY(const Backend* backend, backend_of(time));
  VECC_TRY_VOID(backend->available(time.execution.device));
  VECC_TRY(const auto device, cuda::Device::open(time.execution.device.index));
  ScheduleCalibration result;
  result.device = device->name();
  for (const ScheduleShape& shape : schedule_shapes(device->multiprocessors(), most_rows)) {
    for (const CudaLaunch launch : {CudaLaunch::Graph, CudaLaunch::Grid, CudaLaunch::Parts}) {
      if (interrupt_pending()) {
        return Errors(ErrorCode::DeviceFailure, "vecc-bench calibrate", "interrupted");
      }
      std::fputs(fmt::format("{}: {}\n", text_of(launch), text_of(shape)).c_str(), stderr);
      VECC_TRY_VOID(measure(shape, launch, time, *device, result.rows));
    }
  }
  std::vector<cuda::MeasuredSchedule> runs;
  for (const auto& row : result.rows) runs.push_back({row.counts, row.seconds / kMicrosecond});
  result.coefficients = cuda::fit_schedules(runs, device->target().schedules);
  for (auto& row : result.rows) {
    row.predicted_seconds = kMicrosecond * cuda::predict_time(row.counts, result.coefficients);
  }
  if (!save) return result;
  VECC_TRY(result.saved_as, cuda::save_schedule_coefficients(result.device, result.coefficients));
  return result;
}

std::string table_of(const ScheduleCalibration& calibration) {
  std::string text = fmt::format("{:<8} {:<34} {:>10} {:>10} {:>8}  {}\n", "schedule", "program",
                                 "measured", "predicted", "ratio", "counted");
  for (const auto& [launch, program, counts, seconds, predicted] : calibration.rows) {
    text += fmt::format("{:<8} {:<34} {:>10} {:>10} {:>8.2f}  {}\n", text_of(launch), program,
                        text_of_seconds(seconds), text_of_seconds(predicted), predicted / seconds,
                        counts_text(counts_json(counts, calibration.coefficients)));
  }
  text += "schedules on " + calibration.device + ", microseconds:";
  for (const auto& [name, value] : cuda::coefficient_values(calibration.coefficients)) {
    text += fmt::format(" {} {:.3g}", name, value);
  }
  text += "\n";
  if (!calibration.saved_as.empty()) text += "saved as " + calibration.saved_as + "\n";
  return text;
}

Json json_of(const ScheduleCalibration& calibration) {
  auto rows = Json::array();
  for (const auto& [launch, program, counts, seconds, predicted] : calibration.rows) {
    rows.push_back({{"schedule", text_of(launch)},
                    {"program", program},
                    {"counts", counts_json(counts, calibration.coefficients)},
                    {"seconds", seconds},
                    {"predicted_seconds", predicted},
                    {"ratio", predicted / seconds}});
  }
  Json coefficients = Json::object();
  for (const auto& [name, value] : cuda::coefficient_values(calibration.coefficients)) {
    coefficients[name] = value;
  }
  return {{"device", calibration.device}, {"coefficients", coefficients}, {"programs", rows}};
}

}  // namespace vecc::tools
