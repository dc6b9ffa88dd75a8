#include "tests/optimizer/pass_case.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "vecc/program_text.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArrow = "=>\n";
constexpr std::string_view kOptions = "# options:";

PrintOptions whole_text() {
  PrintOptions options;
  options.long_arrays = LongArrays::Full;
  options.parameter_values = true;
  return options;
}

Result<void> read_option(const std::string& option, OptimizeOptions& options) {
  const std::size_t equals = option.find('=');
  const std::string name = option.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : option.substr(equals + 1);
  if (name == "--gather-preset") {
    options.gather_preset = value;
    return {};
  }
  if (name == "--pad") {
    VECC_TRY(options.pad_mode, parse_pad_mode(value));
    return {};
  }
  if (name == "--runner" && (value == "cpu" || value == "gpu")) {
    options.cost = default_coefficients(value == "gpu" ? Runner::KernelsOnGpu : Runner::Cpu);
    return {};
  }
  return Errors(ErrorCode::Usage, option,
                "expected --gather-preset=NAME, --pad=MODE, --runner=cpu or gpu");
}

// The comment lines at the top, and the options in them.
Result<void> read_claim(std::istream& lines, PassCase& result) {
  std::string line;
  while (lines.peek() == '#' && std::getline(lines, line)) {
    result.claim += line + "\n";
    if (!line.starts_with(kOptions)) continue;
    std::istringstream words(line.substr(kOptions.size()));
    for (std::string word; words >> word;) VECC_TRY_VOID(read_option(word, result.options));
  }
  return {};
}

}  // namespace

Result<PassCase> read_pass_case(const std::string& path) {
  PassCase result;
  result.path = path;
  result.pass = fs::path(path).parent_path().filename();
  std::ifstream file(path);
  VECC_TRY_VOID(read_claim(file, result));
  const std::string rest{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t arrow = rest.find("\n" + std::string(kArrow));
  if (result.claim.empty() || arrow == std::string::npos) {
    return Errors(ErrorCode::Usage, path, "expected a claim in comment lines, a program, `=>`");
  }
  result.before = rest.substr(0, arrow + 1);
  result.after = rest.substr(arrow + 1 + kArrow.size());
  result.options.passes = {{result.pass}};
  result.options.verify_each = true;
  return result;
}

void write_pass_case(const PassCase& pass_case) {
  std::ofstream file(pass_case.path);
  file << pass_case.claim << pass_case.before << kArrow << pass_case.after;
}

std::vector<std::string> pass_case_paths() {
  const char* source = std::getenv("VECC_SOURCE_DIR");
  std::vector<std::string> paths;
  const fs::path folder = fs::path(source ? source : ".") / "tests/optimizer/cases";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

Result<std::string> run_pass_case(const PassCase& pass_case) {
  VECC_TRY(const Program before, parse_program(pass_case.before, pass_case.path));
  OptimizeReport report;
  VECC_TRY(const Program after, optimize(before, pass_case.options, &report));
  return report.runs.front().changed ? print(after, whole_text()) : std::string("unchanged\n");
}

Program run_passes(const Program& program, std::vector<std::string> passes,
                   OptimizeReport* report) {
  OptimizeOptions options;
  options.passes = std::move(passes);
  options.verify_each = true;
  auto result = optimize(program, options, report);
  VECC_CHECK(result.has_value(), result.error().text());
  return std::move(*result);
}

}  // namespace vecc::test
