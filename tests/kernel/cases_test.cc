// The texts of kernels: tests/kernel/cases/CLAIM.txt holds a claim in comment lines, a Program, and
// sections, each of which asks for one launch's kernel and holds its text:
//
//   => cpp LAUNCH [narrow|wide|ordered|direct ...]
//   => cuda LAUNCH [merged] [tf32x3|tf32|bf16] [a100|l4]
//   => end-run
//
// A kernel's schedule stands before its text. `cpp` is of the Plan for a CPU (in all variants, or
// in those that are named), `cuda` of that for a
// GPU; the end of a run is the kernel that counts it. The line `# options: gradients` appends the
// Program's backward pass before it is planned. VECC_REBASE=1 writes what is made now, for review.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "backends/native/gradient_program.h"
#include "src/kernel/print_cpp.h"
#include "src/kernel/print_cuda.h"
#include "src/kernel/schedule/schedule_kernel.h"
#include "src/kernel/schedule/schedule_text.h"
#include "src/plan/launch_layout.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSection = "=> ";

std::vector<std::string> case_paths() {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  std::vector<std::string> paths;
  const fs::path folder = fs::path(source != nullptr ? source : ".") / "tests/kernel/cases";
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

struct KernelCase {
  std::string input;                  // the claim and the Program
  std::vector<std::string> sections;  // what is asked for, without the arrow
};

KernelCase split(std::istream& lines) {
  KernelCase result;
  bool in_input = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kSection)) {
      in_input = false;
      result.sections.push_back(line.substr(kSection.size()));
    } else if (in_input) {
      result.input += line + '\n';
    }
  }
  return result;
}

struct Asked {
  std::string language;  // or what it is of
  std::size_t launch = 0;
  CudaUnit unit = CudaUnit::Kernel;
  MatmulPrecision precision = MatmulPrecision::Exact;
  Target target = default_gpu();
  CppVariants variants;
};

// Whether the word is one of the variants, each of which is named from now on.
bool read_variant(const std::string& word, CppVariants& variants, bool is_first) {
  constexpr std::pair<std::string_view, bool CppVariants::*> kNames[] = {
      {"narrow", &CppVariants::narrow},
      {"wide", &CppVariants::wide},
      {"ordered", &CppVariants::ordered},
      {"direct", &CppVariants::direct}};
  const auto* const found = std::ranges::find(kNames, word, [](const auto& n) { return n.first; });
  if (found == std::end(kNames)) return false;
  if (is_first) variants = {false, false, false, false};
  variants.*(found->second) = true;
  return true;
}

Asked read_section(const std::string& section) {
  Asked asked;
  std::istringstream words(section);
  words >> asked.language;
  if (asked.language == "cpp" || asked.language == "cuda") words >> asked.launch;
  EXPECT_TRUE(words) << "expected a launch's number: " << section;
  bool names_variants = false;
  for (std::string word; words >> word;) {
    if (read_variant(word, asked.variants, !names_variants)) {
      names_variants = true;
    } else if (word == "merged") {
      asked.unit = CudaUnit::Merged;
    } else if (const auto precision = parse_matmul_precision(word)) {
      asked.precision = *precision;
    } else if (const Target* const target = find_target(word)) {
      asked.target = *target;
    } else {
      ADD_FAILURE() << "not known: " << word << " in " << section;
    }
  }
  return asked;
}

// The ops of a launch, then its kernel, in comments.
std::string head_text(const Plan& plan, const Launch& launch, const Program& program) {
  std::string text;
  for (const ValueId op : launch.ops) text += print_op(program, op) + "\n";
  std::istringstream lines(text + text_of(plan.kernels[launch.kernel]));
  std::string head;
  for (std::string line; std::getline(lines, line);) head += "// " + line + '\n';
  return head;
}

// The schedule, which is read back as it is.
std::string schedule_text(const KernelSchedule& schedule) {
  const std::string text = text_of(schedule);
  const auto parsed = parse_schedule(text, "schedule");
  EXPECT_TRUE(parsed) << parsed.error().text();
  if (parsed) {
    EXPECT_EQ(*parsed, schedule) << text;
  }
  return "// schedule " + text + "\n";
}

// How threads share the launch's rows, and the first of the blocks that run them.
std::string layout_text(const Plan& plan, const Launch& launch, const LaunchSchedule& rows) {
  constexpr std::size_t kMost = 3;
  const KernelSchedule& schedule = *rows.schedule;
  const std::vector<BlockRows> blocks = cut_blocks(plan, launch, rows);
  const bool is_flat = schedule.loop == RowLoop::Numbers;
  std::string text =
      fmt::format("// {} threads a block, {}; {} {}:", schedule.members.threads,
                  is_flat ? "each an entry" : fmt::format("{} a row", schedule.lanes()),
                  blocks.size(), blocks.size() == 1 ? "block" : "blocks");
  for (std::size_t b = 0; b < std::min(blocks.size(), kMost); ++b) {
    text += fmt::format(" [{}:{}] type {}", blocks[b].begin, blocks[b].end, blocks[b].type);
  }
  return text + (blocks.size() > kMost ? " ...\n" : "\n");
}

std::string text_of(const Asked& asked, const Program& program, const PlanOptions& options) {
  if (asked.language == "end-run") return print_end_run(program.dtype());
  const bool on_gpu = asked.language == "cuda";
  PlanOptions planned = options;
  if (on_gpu) planned.target = asked.target;
  planned.precision = asked.precision;
  const Plan plan = make_plan(program, planned);
  const auto verified = verify(plan);
  EXPECT_TRUE(verified) << verified.error().text();
  if (asked.launch >= plan.launches.size()) {
    ADD_FAILURE() << "the last launch is " << plan.launches.size() - 1;
    return "";
  }
  const Launch& launch = plan.launches[asked.launch];
  const Kernel& kernel = plan.kernels[launch.kernel];
  const std::string head = head_text(plan, launch, program);
  if (!on_gpu) {
    const KernelSchedule schedule = schedule_for_cpp(kernel, plan.target);
    return head + schedule_text(schedule) +
           print_cpp(kernel, schedule, "vecc_kernel", asked.variants);
  }
  const LaunchSchedule rows = LaunchSchedules(plan).of(launch);
  return head + schedule_text(*rows.schedule) + layout_text(plan, launch, rows) +
         print_cuda(kernel, *rows.schedule, asked.unit);
}

// The Program whose kernels are asked for, and what of it is kept.
struct Planned {
  Program program;
  PlanOptions options;
};

std::optional<Planned> planned_of(const KernelCase& of, const std::string& path) {
  const auto program = parse_program(of.input.substr(of.input.find("vecc program")), path);
  EXPECT_TRUE(program) << program.error().text();
  if (!program) return std::nullopt;
  Planned planned{*program, {}};
  if (of.input.find("# options: gradients\n") == std::string::npos) return planned;
  auto both = native::make_gradient_program(*program);
  EXPECT_TRUE(both) << both.error().text();
  if (!both) return std::nullopt;
  planned.options.second_stage = both->first;
  for (const auto& gradient : both->gradients) {
    if (gradient) planned.options.kept.push_back(*gradient);
  }
  planned.program = std::move(both->program);
  return planned;
}

class KernelCases : public testing::TestWithParam<std::string> {};

TEST_P(KernelCases, MakeTheText) {
  std::ifstream file(GetParam());
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::istringstream lines(text);
  const KernelCase asked = split(lines);
  ASSERT_FALSE(asked.sections.empty()) << "expected a claim, a program, `=> cpp 0`";
  const auto planned = planned_of(asked, GetParam());
  ASSERT_TRUE(planned);
  std::string made = asked.input;
  for (const std::string& section : asked.sections) {
    made += std::string(kSection) + section + "\n";
    made += text_of(read_section(section), planned->program, planned->options);
  }
  if (std::getenv("VECC_REBASE") != nullptr && !HasFailure()) {
    std::ofstream(GetParam()) << made;
    return;
  }
  EXPECT_EQ(made, text) << "VECC_REBASE=1 accepts this";
}

std::string case_name(const testing::TestParamInfo<std::string>& info) {
  return fs::path(info.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Kernel, KernelCases, testing::ValuesIn(case_paths()), case_name);

}  // namespace
}  // namespace vecc::test
