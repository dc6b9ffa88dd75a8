// kernel_digests [--random=N] GRAPH.pb...: a line for each graph, dtype, precision and pass with
// digests of its Plan for a CPU and for a GPU, of what its kernels are as C++ and as CUDA, and of
// which blocks run them. Two builds that print the same lines make the same code: run the one
// before a change and the one after it, and compare with diff. (--texts: the texts instead of
// digests.)
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/native/code_cache.h"
#include "backends/native/gradient_program.h"
#include "src/kernel/print_cpp.h"
#include "src/kernel/print_cuda.h"
#include "src/kernel/schedule/schedule_kernel.h"
#include "src/plan/launch_layout.h"
#include "tests/program/random_program.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

bool prints_texts = false;

void print(const std::string& what, const std::string& text) {
  if (prints_texts) {
    std::printf("== %s\n%s", what.c_str(), text.c_str());
  } else {
    std::printf("%s %s\n", native::CodeKey(text).hash().c_str(), what.c_str());
  }
}

// All indices of a Plan in full: its text shortens them.
std::string numbers_of(const Plan& plan) {
  std::string text;
  for (const auto& array : plan.arrays) text += fmt::format("{}\n", fmt::join(*array, " "));
  for (const Launch& launch : plan.launches) {
    text += fmt::format("tiles {} types {} level {}\n", fmt::join(launch.tiles, " "),
                        fmt::join(launch.tile_types, " "), launch.level);
  }
  return text;
}

std::string cpp_of(const Plan& plan) {
  std::string text;
  for (const Kernel& kernel : plan.kernels) {
    const KernelSchedule schedule = schedule_for_cpp(kernel, Target());
    text += fmt::format("// scratch {}\n{}", schedule.scratch_bytes, print_cpp(kernel, schedule));
  }
  return text;
}

std::string blocks_text(const std::vector<BlockRows>& blocks) {
  std::string text;
  for (const BlockRows& block : blocks) {
    text += fmt::format("{}-{}:{} ", block.begin, block.end, block.type);
  }
  return text + "\n";
}

std::string cuda_of(const Plan& plan, CudaUnit unit) {
  std::string text;
  LaunchSchedules schedules(plan);
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    const LaunchSchedule rows = schedules.of(launch);
    text += fmt::format("// {} cycles, {} longest\n", rows.cycles.begun, rows.cycles.longest);
    text += fmt::format("// {} threads\n", rows.schedule->members.threads);
    text += "// " + blocks_text(cut_blocks(plan, launch, rows));
    text += print_cuda(kernel, *rows.schedule, unit);
  }
  return text;
}

void print_gpu(const std::string& what, const Program& program, const PlanOptions& options) {
  const Plan plan = make_plan(program, options);
  print(what + " plan", text_of(plan, program) + numbers_of(plan));
  print(what + " kernels", cuda_of(plan, CudaUnit::Kernel));
  print(what + " merged", cuda_of(plan, CudaUnit::Merged));
}

void print_program(const std::string& name, const native::GradientProgram& whole) {
  PlanOptions options;
  options.second_stage = whole.first;
  for (const auto& gradient : whole.gradients) {
    if (gradient) options.kept.push_back(*gradient);
  }
  const Plan cpu = make_plan(whole.program, options);
  print(name + " cpu plan", text_of(cpu, whole.program) + numbers_of(cpu));
  print(name + " cpu kernels", cpp_of(cpu));
  options.target = default_gpu();
  print_gpu(name + " gpu", whole.program, options);
  if (whole.program.dtype() != DType::F32) return;
  for (const MatmulPrecision precision :
       {MatmulPrecision::Tf32x3, MatmulPrecision::Tf32, MatmulPrecision::Bf16}) {
    options.precision = precision;
    print_gpu(fmt::format("{} gpu-{}", name, text_of(precision)), whole.program, options);
  }
}

void print_passes(const std::string& name, const Program& program) {
  print_program(name + " forward", {program, kNone, {}, {}});
  if (const auto both = native::make_gradient_program(program)) {
    print_program(name + " backward", *both);
  }
}

int print_graph(const std::string& path) {
  const auto graph = read_graph(path);
  if (!graph) {
    std::fprintf(stderr, "%s\n", graph.error().text().c_str());
    return 3;
  }
  const std::string name = std::filesystem::path(path).stem();
  for (const DType dtype : {DType::F32, DType::F64}) {
    VectorizeOptions options;
    options.dtype = dtype;
    const auto vectorized = vectorize(*graph, options);
    VECC_CHECK(vectorized, vectorized.error().text());
    for (const std::uint32_t level : {0u, 2u}) {
      OptimizeOptions optimizer;
      optimizer.level = level;
      optimizer.cost = default_coefficients(Runner::KernelsOnGpu);
      const auto program = optimize(vectorized->program, optimizer);
      VECC_CHECK(program, program.error().text());
      print_passes(fmt::format("{} {} -O{}", name, text_of(dtype), level), *program);
    }
  }
  return 0;
}

int run(int count, char** arguments) {
  constexpr const char* kRandom = "--random=";
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--texts") {
      prints_texts = true;
    } else if (argument.starts_with(kRandom)) {
      const unsigned long programs = std::stoul(argument.substr(std::strlen(kRandom)));
      for (unsigned long seed = 1; seed <= programs; ++seed) {
        RandomSource random(seed);
        print_passes(fmt::format("random {}", seed), random_program(random, 12));
      }
    } else if (const int status = print_graph(argument); status != 0) {
      return status;
    }
  }
  return 0;
}

}  // namespace
}  // namespace vecc::test

int main(int count, char** arguments) {
  return vecc::test::run(count, arguments);
}
