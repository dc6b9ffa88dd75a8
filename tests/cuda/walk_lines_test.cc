// What blocks fetch before they begin: their own entries of lists and offsets, and constants.
#include "backends/cuda/walk_lines.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "src/plan/launch_layout.h"
#include "vecc/program_text.h"

namespace vecc::cuda {
namespace {

using ::testing::ElementsAre;

constexpr CUdeviceptr kData = 0x10000;   // of the launch's first access, then each so much further
constexpr CUdeviceptr kLists = 0x80000;  // likewise
constexpr CUdeviceptr kOffsets = 0x100000;
constexpr CUdeviceptr kApart = 0x4000;

// As print_cuda() has them: data and lists by access, words, offsets, order.
LaunchArguments made_up_arguments(const Launch& launch) {
  std::vector<CUdeviceptr> pointers;
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) pointers.push_back(kData + a * kApart);
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) pointers.push_back(kLists + a * kApart);
  pointers.resize(pointers.size() + launch.words.size());
  pointers.push_back(kOffsets);
  pointers.push_back(0);
  LaunchArguments arguments;
  arguments.bytes.resize(pointers.size() * sizeof(CUdeviceptr));
  std::memcpy(arguments.bytes.data(), pointers.data(), arguments.bytes.size());
  return arguments;
}

// Rows of 32 floats are a line each.
TEST(WalkLines, AreThoseOfABlocksOwnRows) {
  std::string text = "vecc program 1 f32 samples 1\n%0 = fact {";
  for (int i = 0; i < 4 * 32; ++i) text += i == 0 ? "1" : ", 1";
  text +=
      "} : f32[4, 32x1]\n"
      "%1 = gather %0 [3, 1, 0, 1] : f32[4, 32x1]\n"
      "%2 = segment %1 [0, 3, 4] sum : f32[2, 32x1]\n"
      "%3 = gather %2 [0:1] : f32[1, 32x1]\n"
      "%4 = output %3 [0:1] : f32[1, 32x1]\n";
  const auto program = parse_program(text, "p");
  ASSERT_TRUE(program) << program.error().text();
  const Plan plan = make_plan(*program, for_gpu_parts({}, default_gpu()));
  ASSERT_EQ(plan.launches.size(), 1u);
  const Launch& launch = plan.launches.front();
  const auto& accesses = plan.kernels[launch.kernel].accesses;
  const auto list = std::ranges::find(accesses, RowMap::List, &KernelAccess::map);
  ASSERT_NE(list, accesses.end());
  const auto a = static_cast<CUdeviceptr>(list - accesses.begin());
  const CUdeviceptr data = kData + a * kApart;
  const CUdeviceptr entries = kLists + a * kApart;
  std::vector<std::vector<CUdeviceptr>> lines(3);
  add_lines(plan, launch, made_up_arguments(launch), std::vector<std::uint32_t>{2, 0}, lines);
  keep_distinct_lines(lines, 100);
  EXPECT_THAT(lines[0], ElementsAre(data + 128, entries, kOffsets));
  EXPECT_TRUE(lines[1].empty());
  EXPECT_THAT(lines[2], ElementsAre(data, data + 128, data + 3 * 128, entries, kOffsets));
  keep_distinct_lines(lines, 2);
  EXPECT_THAT(lines[2], ElementsAre(data, data + 128));
}

}  // namespace
}  // namespace vecc::cuda
