// vecc-bench calibrate: the cost model's coefficients of a backend on a device.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "src/support/quantity_text.h"
#include "time_program.h"
#include "tools/common/cost_cache.h"
#include "tools/common/interrupt.h"
#include "tools/common/number_options.h"
#include "vecc/cost.h"

namespace vecc::tools {
namespace {

struct CalibrateOptions {
  TimeOptions time;
  std::uint32_t most_rows = 1u << 20;  // of the largest program
  bool save = true;                    // to the user's cache folder
};

// A program that was measured, its counted work and what the model then says.
struct CalibrationRow {
  std::string name;
  MeasuredWork run;
  double predicted_seconds = 0;
};
struct Calibration {
  std::string backend;
  std::string device;
  CostCoefficients coefficients;
  std::vector<CalibrationRow> rows;
  std::string saved_as;  // a path, or empty
};

// Any rows that a cache does not guess, the same every time.
std::vector<std::uint32_t> scattered(std::uint32_t count, std::uint32_t below) {
  std::vector<std::uint32_t> rows(count);
  std::uint64_t state = 88172645463325252ull;
  for (std::uint32_t& row : rows) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    row = static_cast<std::uint32_t>(state % below);
  }
  return rows;
}

constexpr std::uint64_t kMostMatrixElements = 1u << 25;  // of a matrix a row

struct Case {
  std::string name;
  Program program;
};

// A program over `rows` facts of d x 1; `body` makes what its one output reads a row of.
Case make_case(std::string name, std::uint32_t rows, std::uint32_t width,
               const std::function<ValueId(Program&, ValueId)>& body) {
  Program program;
  program.set_sample_count(1);
  const std::uint64_t size = std::uint64_t{rows} * width;
  const ValueId x = program.fact(std::vector<double>(size, 0.5), rows, Shape::column(width));
  const ValueId result = program.gather(body(program, x), Index::slice(0, 1));
  program.output(result, Index::slice(0, 1));
  return {fmt::format("{} {}x{}", name, rows, width), std::move(program)};
}

ValueId tanh_of(Program& program, ValueId x) {
  TransformationSpec tanh;
  tanh.id = Transformation::Tanh;
  return program.transform(x, tanh);
}

// Every sum of two needs the one before, of other rows: none can be a part of the other's kernel.
Case chain_case(std::uint32_t length) {
  return make_case(fmt::format("chain of {} sums", length), 4, 1, [&](Program& program, ValueId x) {
    for (std::uint32_t i = 0; i < length; ++i) {
      const ValueId pairs = program.gather(x, Index::list({0, 2, 1, 3, 2, 0, 3, 1}));
      x = program.segment(pairs, Segments::ragged({0, 2, 4, 6, 8}), Combination::Sum);
    }
    return x;
  });
}

void add_sized_cases(std::uint32_t rows, std::uint32_t width, std::vector<Case>& cases) {
  cases.push_back(make_case("tanh", rows, width, tanh_of));
  cases.push_back(make_case("tanh of gather", rows, width, [&](Program& program, ValueId x) {
    return tanh_of(program, program.gather(x, Index::list(scattered(rows, rows))));
  }));
  cases.push_back(make_case("sum of 4", rows, width, [&](Program& program, ValueId x) {
    std::vector<std::uint32_t> offsets(rows / 4 + 1);
    for (std::uint32_t s = 0; s < offsets.size(); ++s) offsets[s] = 4 * s;
    offsets.back() = rows;
    return program.segment(x, Segments::ragged(std::move(offsets)), Combination::Sum);
  }));
  cases.push_back(make_case("one weight", rows, width, [&](Program& program, ValueId x) {
    const std::uint64_t size = std::uint64_t{width} * width;
    const ValueId w = program.fact(std::vector<double>(size, 0.1), 1, Shape(width, width));
    LinearOp linear;
    linear.lift_left = {Lift::Kind::Repeat, rows};
    return program.linear(w, x, linear);
  }));
  if (std::uint64_t{rows} * width * width > kMostMatrixElements) return;
  cases.push_back(make_case("own weights", rows, width, [&](Program& program, ValueId x) {
    const std::uint64_t size = std::uint64_t{rows} * width * width;
    const ValueId w = program.fact(std::vector<double>(size, 0.1), rows, Shape(width, width));
    return program.linear(w, x);
  }));
}

std::vector<Case> calibration_cases(std::uint32_t most_rows) {
  std::vector<Case> cases;
  for (const std::uint32_t length : {1u, 4u, 16u, 64u}) cases.push_back(chain_case(length));
  for (std::uint32_t rows = std::min(1024u, most_rows); rows <= most_rows; rows *= 8) {
    for (const std::uint32_t width : {3u, 10u, 64u}) {
      if (std::uint64_t{rows} * width <= std::uint64_t{most_rows} * 16) {
        add_sized_cases(rows, width, cases);
      }
    }
  }
  return cases;
}

// Runs chains of tiny ops, and gathers, sums, products and functions of rising size; fits the
// coefficients to their median times. Errors: those of the backend; CannotWrite.
Result<Calibration> calibrate(const CalibrateOptions& options) {
  Calibration result;
  result.backend = options.time.backend;
  TimeOptions time = options.time;
  time.gradients = false;
  const DeferInterrupt defer;  // what is half measured is not saved
  std::vector<MeasuredWork> runs;
  for (const Case& c : calibration_cases(options.most_rows)) {
    if (interrupt_pending()) {
      return Errors(ErrorCode::DeviceFailure, "vecc-bench calibrate", "interrupted");
    }
    say("{}", c.name);
    VECC_TRY(const ProgramTimes times, time_program(c.program, time));
    result.device = times.device;
    runs.push_back({work_of(c.program), times.forward.steady().median});
    result.rows.push_back({c.name, runs.back(), 0});
  }
  result.coefficients = fit_coefficients(runs);
  for (CalibrationRow& row : result.rows) {
    row.predicted_seconds = predict_seconds(row.run.work, result.coefficients);
  }
  if (!options.save) return result;
  VECC_TRY(result.saved_as, save_coefficients(result.backend, result.device, result.coefficients));
  return result;
}

std::string table_of(const Calibration& c) {
  std::string text =
      fmt::format("{:<26} {:>9} {:>12} {:>12} {:>14} {:>10} {:>10} {:>8}\n", "program", "launches",
                  "bytes", "batch bytes", "multiply-adds", "measured", "predicted", "ratio");
  const auto bytes = [](double n) { return text_of_bytes(static_cast<std::uint64_t>(n)); };
  for (const auto& [name, run, predicted] : c.rows) {
    text += fmt::format("{:<26} {:>9} {:>12} {:>12} {:>14} {:>10} {:>10} {:>8.2f}\n", name,
                        run.work.launches, bytes(run.work.bytes), bytes(run.work.batch_bytes),
                        text_of_count(static_cast<std::uint64_t>(run.work.multiply_adds)),
                        text_of_seconds(run.seconds), text_of_seconds(predicted),
                        predicted / run.seconds);
  }
  const CostCoefficients& k = c.coefficients;
  text += fmt::format(
      "{} on {}: run {}, launch {}, {:.1f} GB/s, batches {:.1f} GB/s, {:.1f} G multiply-adds/s\n",
      c.backend, c.device, text_of_seconds(k.run), text_of_seconds(k.launch), 1e-9 / k.byte,
      1e-9 / k.batch_byte, 1e-9 / k.multiply_add);
  if (!c.saved_as.empty()) text += "saved as " + c.saved_as + "\n";
  return text;
}

nlohmann::ordered_json json_of(const Calibration& c) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [name, run, predicted] : c.rows) {
    rows.push_back({{"program", name},
                    {"launches", run.work.launches},
                    {"bytes", run.work.bytes},
                    {"batch_bytes", run.work.batch_bytes},
                    {"multiply_adds", run.work.multiply_adds},
                    {"seconds", run.seconds},
                    {"predicted_seconds", predicted}});
  }
  const CostCoefficients& k = c.coefficients;
  return {{"backend", c.backend},
          {"device", c.device},
          {"run", k.run},
          {"launch", k.launch},
          {"byte", k.byte},
          {"batch_byte", k.batch_byte},
          {"multiply_add", k.multiply_add},
          {"programs", rows}};
}

}  // namespace

void add_calibrate(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand("calibrate",
                                         "Measure what a launch, a byte and a multiply-add cost on "
                                         "a device; kept in the cache folder, where -O2 finds it");
  const auto options = std::make_shared<CalibrateOptions>();
  add_timing_options(*command, options->time);
  add_whole(*command, "--most-rows", options->most_rows, {16, 1u << 24}, "Of the largest program");
  command->add_flag("!--no-save", options->save, "Only print");
  add_measurement(*command, body, BenchOutput::Json, [options]() -> Result<BenchReport> {
    VECC_TRY(const Calibration calibration, calibrate(*options));
    return BenchReport{table_of(calibration), json_of(calibration), {}};
  });
}

}  // namespace vecc::tools
