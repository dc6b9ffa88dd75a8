#include "tests/optimizer/iso/iso_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "optimizer/compare/random_draw.h"
#include "optimizer/iso/fingerprint_classes.h"
#include "optimizer/passes/passes.h"
#include "vecc/backend.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

bool is_near(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

std::vector<std::uint32_t> numbered(const std::vector<std::uint32_t>& classes) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> result;
  for (const std::uint32_t c : classes) {
    result.push_back(numbers.emplace(c, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return result;
}

// Two rows of one class that differ.
std::string unequal_rows(const Program& program, ValueId id, const std::vector<double>& values,
                         const std::vector<std::uint32_t>& classes) {
  const std::size_t size = program.op(id).shape.size();
  std::map<std::uint32_t, std::size_t> first;
  for (std::size_t row = 0; row < classes.size(); ++row) {
    const std::size_t other = first.emplace(classes[row], row).first->second;
    for (std::size_t k = 0; k < size; ++k) {
      const double a = values[other * size + k];
      const double b = values[row * size + k];
      // Fingerprints are of numbers: 0 times infinity is 0 there (row_fingerprint.h).
      if (is_near(a, b) || !std::isfinite(a) || !std::isfinite(b)) continue;
      return "%" + std::to_string(id) + ", rows " + std::to_string(other) + " and " +
             std::to_string(row) + ", element " + std::to_string(k) + ": " + std::to_string(a) +
             " and " + std::to_string(b);
    }
  }
  return {};
}

}  // namespace

Program program_of(const std::string& text) {
  auto program = parse_program(text, "test");
  VECC_CHECK(program.has_value(), program ? "" : program.error().text());
  return std::move(*program);
}

std::vector<std::uint32_t> iso_classes(const Program& program, ValueId value, std::uint64_t seed) {
  opt::iso::FingerprintClasses classes(program, seed);
  for (ValueId id = 0; id < value; ++id) (void)classes.classify(id);
  return numbered(classes.classify(value).of_row);
}

std::vector<std::vector<double>> run_on_random_weights(const Program& program, std::uint64_t seed) {
  ExecutionOptions options;
  options.keep_values = true;
  Program with_values = program;
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const Parameter& parameter = program.parameters()[p];
    with_values.set_parameter_values(
        p, SharedNumbers::of(
               opt::draw_numbers(seed, parameter.name, parameter.rows * parameter.shape.size())));
  }
  auto executable = find_backend("interpreter")->compile(with_values, options);
  VECC_CHECK(executable.has_value(), executable ? "" : executable.error().text());
  const auto ran = (*executable)->run();
  VECC_CHECK(ran.has_value(), ran ? "" : ran.error().text());
  std::vector<std::vector<double>> values;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    values.push_back(*(*executable)->read(id));
  }
  return values;
}

std::string unequal_rows_of_a_class(const Program& program, std::uint64_t seed) {
  const auto values = run_on_random_weights(program, seed);
  // As of a small Program, and as of a large one.
  for (const std::uint32_t narrow_side : {opt::iso::kNarrowSide, 1u}) {
    opt::iso::FingerprintClasses classifier(program, seed, narrow_side);
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      std::string found = unequal_rows(program, id, values[id], classifier.classify(id).of_row);
      if (!found.empty()) return found;
    }
  }
  return {};
}

IsoRun run_iso_compress(const Program& program) {
  const OptimizeOptions options;
  const GatherPreset preset;
  opt::PassContext context(options, preset, PadMode::Never);
  IsoRun run{program, false, {}};
  run.changed = iso_compress(run.program, context);
  EXPECT_EQ(run.changed, fingerprint(run.program) != fingerprint(program));
  const auto counters = context.take_counters();
  run.counters = {counters.begin(), counters.end()};
  const auto valid = verify(run.program);
  EXPECT_TRUE(valid) << valid.error().text();
  Program again = run.program;
  EXPECT_FALSE(iso_compress(again, context));
  EXPECT_EQ(fingerprint(again), fingerprint(run.program));
  return run;
}

}  // namespace vecc::test
