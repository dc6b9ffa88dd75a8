#include "tools/common/optimize_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "optimizer/compare/compare_programs.h"
#include "src/support/enum_names.h"
#include "src/support/quantity_text.h"
#include "tools/common/number_options.h"
#include "vecc/program_text.h"

namespace vecc::tools {
namespace {

std::string joined_names(std::string_view separator) {
  std::string names;
  for (const PassInfo& pass : passes()) {
    names += (names.empty() ? std::string_view() : separator);
    names += pass.name;
  }
  return names;
}

void add_debug_options(CLI::App& app, OptimizeSettings& s) {
  const auto names = [&](const char* name, std::vector<std::string>& into, const char* text) {
    app.add_option(name, into, text)->delimiter(',')->type_name("PASS,...")->group("Passes");
  };
  const auto flag = [&](const char* name, bool& into, const char* text) {
    app.add_flag(name, into, text)->group("Passes");
  };
  names("--print-ir-before", s.print_before, "Print the program before these passes, on stderr");
  names("--print-ir-after", s.print_after, "Print the program after these passes");
  flag("--print-ir-after-all", s.print_after_all, "Print it after each pass that changed it");
  flag("--verify-each", s.options.verify_each,
       "Check every rule of the program after each pass, and that the pass tells the truth");
  flag("--time-passes", s.time_passes, "Print a table: time, ops, rows and bytes of each pass");
  flag("--pass-statistics", s.pass_statistics, "The same with what each pass counted");
  flag("--check", s.check,
       "Run outputs and gradients before and after each pass on random weights in f64 (slow) and "
       "name the pass that changes them");
  flag("--check-iso", s.check_iso, "The same around iso-compress only");
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void print_program(std::string_view when, std::string_view pass, const Program& program) {
  std::fputs(fmt::format("# {} {}\n{}", when, pass, print(program)).c_str(), stderr);
}

Result<void> check_equal(const PassRun& run, const Program& before, const Program& after) {
  opt::CompareOptions options;
  options.gradients = std::ranges::none_of(before.ops(), [](const Op& op) {
    return op.kind() == OpKind::Update || op.kind() == OpKind::Vjp;
  });
  VECC_TRY(const opt::Comparison comparison, opt::compare_programs(before, after, options));
  if (comparison.equal) return {};
  return Errors(ErrorCode::BadPass, "pass " + run.pass,
                "changes what the program computes: " + comparison.difference);
}

std::string line_of(const PassRun& run) {
  return fmt::format("{:<24} {:>9.3f} {:>6} {:>6} {:>12} {:>12} {:>14} {}\n", run.pass,
                     run.seconds * 1e3, run.before.ops, run.after.ops, run.before.rows,
                     run.after.rows, run.after.value_bytes + run.after.index_bytes,
                     run.changed ? "" : "unchanged");
}

nlohmann::ordered_json json_of(const ProgramStatistics& s) {
  return {{"ops", s.ops},
          {"rows", s.rows},
          {"value_bytes", s.value_bytes},
          {"index_bytes", s.index_bytes}};
}

}  // namespace

void add_optimize_options(CLI::App& app, OptimizeSettings& settings, std::uint32_t level) {
  OptimizeOptions& o = settings.options;
  o.level = level;
  add_whole(app, "-O", o.level, {0, 3},
            "Optimization level: 0 as vectorized, 1 nothing computed twice, 2 also what is "
            "moved and repeated, chosen by cost, 3 the choice measured on the device")
      ->type_name("LEVEL");
  app.add_flag_callback(
      "--tune", [&o] { o.level = 3; }, "The same as -O3");
  app.add_option("--passes", o.passes, "Run exactly these, in this order: " + joined_names(", "))
      ->delimiter(',')
      ->type_name("PASS,...")
      ->group("Passes");
  app.add_option("--disable-pass", o.disabled, "Leave these out")
      ->delimiter(',')
      ->type_name("PASS,...")
      ->group("Passes");
  std::vector<std::string> presets;
  for (const GatherPreset& preset : gather_presets()) presets.emplace_back(preset.name);
  app.add_option("--gather-preset", o.gather_preset,
                 "How far lift-gathers goes (default: chosen by cost): " +
                     fmt::format("{}", fmt::join(presets, ", ")))
      ->check(CLI::IsMember(presets).description(""))
      ->type_name("NAME")
      ->group("Passes");
  app.add_option_function<std::string>(
         "--pad", [&o](const std::string& text) { o.pad_mode = *parse_pad_mode(text); },
         "Where pad-linear may add rows so that sides of products repeat (default: by cost)")
      ->check(CLI::IsMember(names_of<PadMode>()).description(""))
      ->type_name(names_text<PadMode>("|"))
      ->group("Passes");
  add_debug_options(app, settings);
}

std::string check_optimize_settings(const OptimizeSettings& settings) {
  const auto check = [](std::string_view option, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (find_pass(name) != nullptr) continue;
      return fmt::format("{}: no pass \"{}\"; passes: {}", option, name, joined_names(", "));
    }
    return std::string();
  };
  for (const auto& [option, names] : {std::pair{"--print-ir-before", &settings.print_before},
                                      std::pair{"--print-ir-after", &settings.print_after},
                                      std::pair{"--disable-pass", &settings.options.disabled}}) {
    if (std::string problem = check(option, *names); !problem.empty()) return problem;
  }
  return settings.options.passes ? check("--passes", *settings.options.passes) : std::string();
}

Result<Program> run_optimizer(Program program, const OptimizeSettings& settings,
                              OptimizeReport& report) {
  OptimizeOptions options = settings.options;
  Program before_last;
  // Only where asked for: passes that may be watched run twice.
  if (options.announce || options.verify_each || !settings.print_before.empty()) {
    options.announce = [&](std::string_view pass, const Program& before) {
      before_last = before;
      if (settings.options.announce) settings.options.announce(pass, before);
      if (contains(settings.print_before, pass)) print_program("before", pass, before);
    };
  }
  const auto observe = [&](const PassRun& run, const Program& before,
                           const Program& after) -> Result<void> {
    const bool asked = contains(settings.print_after, run.pass);
    if (asked || (settings.print_after_all && run.changed)) print_program("after", run.pass, after);
    const bool check = settings.check || (settings.check_iso && run.pass == "iso-compress");
    return check && run.changed ? check_equal(run, before, after) : Result<void>();
  };
  const bool checks = settings.check || settings.check_iso;
  if (checks || settings.print_after_all || !settings.print_after.empty())
    options.observe = observe;
  Result<Program> optimized = optimize(std::move(program), options, &report);
  const bool is_bug = !optimized && optimized.error().list().front().code == ErrorCode::BadPass;
  if (is_bug && options.announce) print_program("before the pass that failed:", "", before_last);
  if (settings.time_passes || settings.pass_statistics) {
    std::fputs(text_of(report, settings.pass_statistics).c_str(), stderr);
  }
  return optimized;
}

std::string text_of(const OptimizeReport& report, bool counters) {
  std::string text =
      fmt::format("{:<24} {:>9} {:>13} {:>25} {:>14}\n", "pass", "ms", "ops", "rows", "bytes");
  double seconds = 0;
  for (const PassRun& run : report.runs) {
    text += line_of(run);
    seconds += run.seconds;
    if (!counters) continue;
    for (const auto& [what, amount] : run.counters) {
      text += fmt::format("  {:<32} {:>12}\n", what, amount);
    }
  }
  text += fmt::format("{:<24} {:>9.3f}\n", "all", seconds * 1e3);
  for (const Candidate& candidate : report.candidates) {
    const bool taken =
        candidate.gather_preset == report.gather_preset && candidate.pad_mode == report.pad_mode;
    text += fmt::format("{} --gather-preset={:<18} --pad={:<5} predicted {:>10}", taken ? '*' : ' ',
                        candidate.gather_preset, text_of(candidate.pad_mode),
                        text_of_seconds(candidate.predicted_seconds));
    if (candidate.measured_seconds) {
      text += fmt::format("  measured {:>10}", text_of_seconds(*candidate.measured_seconds));
    }
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json json_of(const OptimizeReport& report) {
  auto runs = nlohmann::ordered_json::array();
  for (const PassRun& run : report.runs) {
    auto counters = nlohmann::ordered_json::object();
    for (const auto& [what, amount] : run.counters) counters[what] = amount;
    runs.push_back({{"pass", run.pass},
                    {"changed", run.changed},
                    {"seconds", run.seconds},
                    {"before", json_of(run.before)},
                    {"after", json_of(run.after)},
                    {"counters", counters}});
  }
  auto candidates = nlohmann::ordered_json::array();
  for (const Candidate& candidate : report.candidates) {
    candidates.push_back({{"gather_preset", candidate.gather_preset},
                          {"pad", text_of(candidate.pad_mode)},
                          {"predicted_seconds", candidate.predicted_seconds}});
    if (candidate.measured_seconds) {
      candidates.back()["measured_seconds"] = *candidate.measured_seconds;
    }
  }
  return {{"gather_preset", report.gather_preset},
          {"pad", text_of(report.pad_mode)},
          {"passes", runs},
          {"candidates", candidates}};
}

}  // namespace vecc::tools
