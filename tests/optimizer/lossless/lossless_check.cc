#include "tests/optimizer/lossless/lossless_check.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <ostream>
#include <utility>

#include "optimizer/compare/compare_programs.h"
#include "src/program/forward.h"
#include "vecc/program_text.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

constexpr std::size_t kMostOpsToShow = 60;

bool has(const Program& program, OpKind kind) {
  return std::ranges::find(program.ops(), kind, &Op::kind) != program.ops().end();
}

std::string shown(const Program& program) {
  if (program.ops().size() > kMostOpsToShow) return {};
  PrintOptions options;
  options.long_arrays = LongArrays::Full;
  return "\n" + print(program, options);
}

Setting alone(const PassInfo& pass, const std::string& suffix = {}) {
  Setting setting = setting_of_passes({std::string(pass.name)});
  setting.name = "alone: " + std::string(pass.name) + suffix;
  setting.idempotent = pass.not_idempotent.empty();
  return setting;
}

void add_alone(const PassInfo& pass, std::vector<Setting>& settings) {
  if (pass.name == "lift-gathers") {
    for (const GatherPreset& preset : gather_presets()) {
      settings.push_back(alone(pass, " " + std::string(preset.name)));
      settings.back().options.gather_preset = preset.name;
    }
  } else if (pass.name == "pad-linear") {
    for (const char* mode : {"never", "sided", "full", "any"}) {
      settings.push_back(alone(pass, " " + std::string(mode)));
      settings.back().options.pad_mode = *parse_pad_mode(mode);
    }
  } else {
    settings.push_back(alone(pass));
  }
}

Setting level(std::uint32_t number, std::string_view preset = {}) {
  Setting setting;
  setting.name = "-O" + std::to_string(number) + (preset.empty() ? "" : " ") + std::string(preset);
  setting.options.level = number;
  setting.options.gather_preset = preset;
  setting.options.verify_each = true;
  return setting;
}

std::string second_run(const Program& program, const Setting& setting) {
  OptimizeReport report;
  const auto again = optimize(program, setting.options, &report);
  if (!again) return "the second run: " + again.error().text();
  for (const PassRun& run : report.runs) {
    if (run.changed) return run.pass + " changes the program again" + shown(program);
  }
  return {};
}

std::string problem_of(const Program& before, const Setting& setting) {
  const auto after = optimize(before, setting.options);
  if (!after) return after.error().text() + shown(before);
  if (fingerprint(before) == fingerprint(*after)) return {};
  opt::CompareOptions options;
  options.gradients = !has(before, OpKind::Update) && !has(before, OpKind::Vjp);
  const auto comparison = opt::compare_programs(before, *after, options);
  if (!comparison) return comparison.error().text();
  if (!comparison->equal) return comparison->difference + shown(before) + "=>" + shown(*after);
  return setting.idempotent ? second_run(*after, setting) : "";
}

}  // namespace

std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  for (const PassInfo& pass : passes()) add_alone(pass, settings);
  settings.push_back(level(1));
  settings.push_back(level(2));
  for (const GatherPreset& preset : gather_presets()) settings.push_back(level(2, preset.name));
  return settings;
}

Setting setting_of_passes(std::vector<std::string> names) {
  Setting setting;
  setting.options.verify_each = true;
  for (const std::string& name : names) {
    setting.name += (setting.name.empty() ? "" : ",") + name;
    const PassInfo* pass = find_pass(name);
    setting.differentiated = setting.differentiated && (pass == nullptr || pass->differentiated);
  }
  setting.options.passes = std::move(names);
  return setting;
}

bool full_list() {
  return std::getenv("VECC_FULL") != nullptr;
}

std::uint64_t case_count(std::uint64_t all, std::uint64_t sample) {
  if (full_list()) return all;
  return kSanitized ? sample / 4 : sample;
}

bool is_in_sample(const NamedProgram& program, const Setting& setting) {
  constexpr std::uint64_t kLarge = 10'000;
  if (full_list() || statistics(program.program).rows < kLarge) return true;
  if (kSanitized) return !setting.options.passes && setting.options.gather_preset.empty();
  const std::string& preset = setting.options.gather_preset;
  return preset.empty() || preset == "margin_L" || preset == "agg_true_unlimited";
}

NamedProgram vectorized(std::string name, const NeuronGraph& graph) {
  const auto result = vectorize(graph);
  VECC_CHECK(result.has_value(), result.error().text());
  return {std::move(name), result->program};
}

std::string check_lossless(const NamedProgram& program, const Setting& setting) {
  if (!setting.differentiated && !is_forward(program.program)) return {};
  std::string problem;
  try {
    problem = problem_of(program.program, setting);
  } catch (const std::exception& failed_check) {
    problem = failed_check.what() + shown(program.program);
  }
  return problem.empty() ? "" : program.name + ", " + setting.name + ": " + problem;
}

void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.name;
}

}  // namespace vecc::test
