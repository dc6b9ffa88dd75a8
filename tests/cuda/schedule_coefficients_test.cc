// Files of a GPU's coefficients, and that the schedule is chosen by them.
#include "backends/cuda/schedule_coefficients.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "backends/cuda/arrange_parts.h"
#include "backends/cuda/choose_schedule.h"
#include "backends/cuda/scheduled_plan.h"
#include "src/plan/launch_layout.h"
#include "src/support/temporary_folder.h"
#include "vecc/program_text.h"

namespace vecc::cuda {
namespace {

// Four samples that each read one of four rows, through five levels.
Program chain_program() {
  std::string text =
      "vecc program 1 f32 samples 4\n"
      "%0 = fact {1, 2, 3, 4} : f32[4, 1]\n";
  int last = 0;
  for (int level = 0; level < 5; ++level) {
    const std::string from = "%" + std::to_string(last);
    const std::string pairs = "%" + std::to_string(last + 1);
    text += pairs + " = gather " + from + " [0, 0, 1, 1, 2, 2, 3, 3] : f32[8, 1]\n%" +
            std::to_string(last + 2) + " = segment " + pairs + " [0, 2, 4, 6, 8] sum : f32[4, 1]\n";
    last += 2;
  }
  text += "%" + std::to_string(last + 1) + " = output %" + std::to_string(last) +
          " [0:4] : f32[4, 1]\n";
  const auto program = parse_program(text, "p");
  EXPECT_TRUE(program) << program.error().text();
  return *program;
}

ScheduleCoefficients cheap_parts() {
  ScheduleCoefficients c = default_gpu().schedules;
  c.parts = {0.1, 0.1, 0.01, 0.01, 1e-6};
  return c;
}
ScheduleCoefficients costly_parts() {
  ScheduleCoefficients c = default_gpu().schedules;
  c.parts = {1000, 1000, 1000, 1000, 1};
  return c;
}

TEST(ScheduleCoefficients, PartsAreArrangedWhereTheyTakeLeastTime) {
  const Program program = chain_program();
  EXPECT_TRUE(arrange_parts(program, {}, cheap_parts(), default_gpu(), false));
  EXPECT_FALSE(arrange_parts(program, {}, costly_parts(), default_gpu(), false));
  EXPECT_TRUE(arrange_parts(program, {CudaLaunch::Parts, 0}, costly_parts(), default_gpu(), false));
  EXPECT_FALSE(arrange_parts(program, {CudaLaunch::Graph, 0}, cheap_parts(), default_gpu(), false));
}

TEST(ScheduleCoefficients, TheFastestScheduleIsChosen) {
  const auto device = Device::open(0);
  if (!device) GTEST_SKIP() << device.error().text();
  const Plan plan = make_plan(chain_program(), for_gpu_parts({}, default_gpu()));
  const auto chosen = [&](const AskedLaunch& asked, const ScheduleCoefficients& coefficients) {
    const auto walk = choose_walk(plan, asked, /*arranged=*/true, **device, coefficients);
    EXPECT_TRUE(walk) << walk.error().text();
    return walk->shape ? walk->shape->launch : CudaLaunch::Graph;
  };
  EXPECT_EQ(chosen({}, cheap_parts()), CudaLaunch::Parts);
  EXPECT_EQ(chosen({}, costly_parts()), CudaLaunch::Graph);
  ScheduleCoefficients costly_graph = costly_parts();
  costly_graph.graph.level = 100;
  EXPECT_EQ(chosen({}, costly_graph), CudaLaunch::Grid);
  EXPECT_EQ(chosen({CudaLaunch::Graph, 0}, costly_graph), CudaLaunch::Graph);
}

// A cache folder of its own.
class CoefficientFiles : public ::testing::Test {
 protected:
  CoefficientFiles() {
    const char* const before = std::getenv("VECC_CACHE_DIR");
    if (before != nullptr) before_ = before;
    ::setenv("VECC_CACHE_DIR", (folder_.path() + "/cache").c_str(), 1);
  }
  ~CoefficientFiles() override {
    before_.empty() ? ::unsetenv("VECC_CACHE_DIR") : ::setenv("VECC_CACHE_DIR", before_.c_str(), 1);
  }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  TemporaryFolder folder_ =
      TemporaryFolder::create(std::filesystem::temp_directory_path(), "vecc-test").value();
  std::string before_;
};

constexpr const char* kDevice = "cuda:1 A GPU";

TEST_F(CoefficientFiles, AreReadAsTheyWereWritten) {
  EXPECT_FALSE(load_schedule_coefficients(kDevice, default_gpu()).is_calibrated);
  EXPECT_EQ(load_schedule_coefficients(kDevice, default_gpu()).coefficients,
            default_gpu().schedules);
  ScheduleCoefficients written = cheap_parts();
  written.graph.work = 1.0 / 3;
  const auto path = save_schedule_coefficients(kDevice, written);
  ASSERT_TRUE(path) << path.error().text();
  const DeviceCoefficients found = load_schedule_coefficients(kDevice, default_gpu());
  EXPECT_TRUE(found.is_calibrated);
  EXPECT_EQ(found.coefficients, written);
  EXPECT_FALSE(load_schedule_coefficients("cuda:0 A GPU", default_gpu()).is_calibrated);
}

TEST_F(CoefficientFiles, ThatCannotBeUsedAreLeftAside) {
  ScheduleCoefficients written = cheap_parts();
  written.graph.node = 0.75;  // no other one is
  const auto path = save_schedule_coefficients(kDevice, written);
  ASSERT_TRUE(path) << path.error().text();
  const std::string good = read(*path);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& bad :
       {std::string(), good.substr(0, good.size() / 2), replaced("A GPU", "Another GPU"),
        replaced("\"parts_level\"", "\"parts_lever\""), replaced("0.75", "-0.75"),
        replaced("0.75", "1e300"), replaced("0.75", "\"0.75\"")}) {
    write(*path, bad);
    ::testing::internal::CaptureStdout();
    const DeviceCoefficients found = load_schedule_coefficients(kDevice, default_gpu());
    const std::string said = ::testing::internal::GetCapturedStdout();
    EXPECT_FALSE(found.is_calibrated) << bad;
    EXPECT_EQ(found.coefficients, default_gpu().schedules) << bad;
    EXPECT_THAT(said, ::testing::HasSubstr(*path));
    EXPECT_THAT(said, ::testing::HasSubstr(
                          "vecc-bench calibrate --backend=cuda --device=cuda:1 writes another"));
  }
  write(*path, good);
  EXPECT_TRUE(load_schedule_coefficients(kDevice, default_gpu()).is_calibrated);
}

}  // namespace
}  // namespace vecc::cuda
