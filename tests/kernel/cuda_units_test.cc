// What a compile unit of a kernel has, and what there is to compile.
#include <gtest/gtest.h>

#include <string>

#include "src/kernel/print_cuda.h"
#include "src/kernel/schedule/unrolled_entries.h"
#include "src/plan/launch_layout.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

struct Scheduled {
  Kernel kernel;
  KernelSchedule schedule;
};

// The kernel of a Program with one.
Scheduled scheduled(const std::string& ops) {
  const auto program = parse_program("vecc program 1 f32 samples 2\n" + ops, "ops");
  EXPECT_TRUE(program) << program.error().text();
  const Plan plan = make_plan(*program, {.target = default_gpu()});
  EXPECT_EQ(plan.kernels.size(), 1u);
  return {plan.kernels.front(), *LaunchSchedules(plan).of(plan.launches.front()).schedule};
}

// Twice what a row of `shape` has; rows of 3 are read through a list.
Scheduled doubled(const std::string& shape, bool through_list) {
  const std::string read = through_list ? "gather %0 [2, 0]" : "gather %0 [0:2]";
  return scheduled("parameter \"x\" [3, " + shape + "]\n%0 = weight \"x\" : f32[3, " + shape +
                   "]\n%1 = " + read + " : f32[2, " + shape +
                   "]\n%2 = map sum($0, $0) %1 : f32[2, " + shape +
                   "]\n%3 = output %2 [0:2] : f32[2, " + shape + "]\n");
}

bool has(const Scheduled& of, CudaLists lists, const std::string& name) {
  const std::string text =
      print_cuda(of.kernel, of.schedule, CudaUnit::Kernel, "vecc_kernel", lists);
  return text.find(" " + name + "(const") != std::string::npos;
}

TEST(CudaUnits, HaveKernelsOfTheListsThatAreAskedFor) {
  const Scheduled listed = doubled("4x1", true);
  EXPECT_TRUE(has(listed, CudaLists::Both, "vecc_kernel_16"));
  EXPECT_TRUE(has(listed, CudaLists::Both, "vecc_kernel_32"));
  EXPECT_TRUE(has(listed, CudaLists::Narrow, "vecc_kernel_16"));
  EXPECT_FALSE(has(listed, CudaLists::Narrow, "vecc_kernel_32"));
  EXPECT_FALSE(has(listed, CudaLists::Wide, "vecc_kernel_16"));
  EXPECT_TRUE(has(listed, CudaLists::Wide, "vecc_kernel_32"));
}

TEST(CudaUnits, HaveOneKernelWithoutLists) {
  const Scheduled plain = doubled("4x1", false);
  for (const CudaLists lists : {CudaLists::Both, CudaLists::Narrow, CudaLists::Wide}) {
    EXPECT_FALSE(has(plain, lists, "vecc_kernel_16"));
    EXPECT_TRUE(has(plain, lists, "vecc_kernel_32"));
  }
}

TEST(CudaUnits, OfLongerRowsThatAsManyThreadsShareTakeLongerToCompile) {
  Scheduled of = doubled("64x64", true);
  of.schedule.members = {32, {{1, 1}}, kCudaThreads};
  of.schedule.loop = RowLoop::Rows;
  of.schedule.parts = 1;
  const std::uint64_t entries = unrolled_entries(of.kernel, of.schedule);
  EXPECT_GE(entries, 4096u / 32);
  of.schedule.members.of_class = {{1, 1}, {8, 4}};  // a loop of one member, and one of four at once
  EXPECT_EQ(unrolled_entries(of.kernel, of.schedule), 5 * entries);
  of.schedule.members = {256, {{1, 1}}, kCudaThreads};
  EXPECT_LT(unrolled_entries(of.kernel, of.schedule), entries);
}

}  // namespace
}  // namespace vecc::test
