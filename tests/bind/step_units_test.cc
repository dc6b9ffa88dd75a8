// The kernels of templates as CUDA: NVRTC takes them where there is no GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "backends/cuda/step_code.h"
#include "src/bind/graph_binder.h"
#include "src/bind/template_data.h"
#include "vecc/graph_io.h"
#include "vecc/target.h"

namespace vecc::test {
namespace {

TEST(StepUnits, compile_for_a_gpu) {
  if (const auto compiler = cuda::find_device_compiler(); !compiler) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << compiler.error().text();
    GTEST_SKIP() << compiler.error().text();
  }
  const std::string folder = std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/";
  for (const char* name : {"molecule.pb", "functions-combinations.pb", "attention.pb"}) {
    for (const DType dtype : {DType::F32, DType::F64}) {
      const auto data = binding::make_template_data(*read_graph(folder + name), dtype, "");
      ASSERT_TRUE(data) << data.error().text();
      binding::RecipeBook book(dtype, data->functions);
      for (const auto& signature : data->signatures) ASSERT_TRUE(book.add(signature));
      const auto units = cuda::print_step_units(book, 0, default_gpu());
      ASSERT_TRUE(units) << units.error().text();
      ASSERT_EQ(units->kernels.size(), book.kernels().size());
      const auto code = cuda::compile_device_code(units->texts, 90, {}, nullptr);
      ASSERT_TRUE(code) << name << ": " << code.error().text();
      for (const std::string& image : *code) EXPECT_FALSE(image.empty());
    }
  }
}

}  // namespace
}  // namespace vecc::test
