// How a bound graph runs on a GPU, by its size.
#include "backends/cuda/step_list.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "src/bind/graph_binder.h"
#include "src/bind/template_data.h"
#include "tests/bind/tested_program.h"
#include "tests/support/graph_subset.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

// One molecule in the block's own memory; all in a launch a stage.
TEST(StepList, ways_by_size) {
  if (!is_emulated()) GTEST_SKIP() << "needs tests/cuda/emulator";
  const NeuronGraph graph =
      *read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb");
  const auto data = binding::make_template_data(graph, DType::F32, "");
  ASSERT_TRUE(data) << data.error().text();
  binding::RecipeBook book(DType::F32, data->functions);
  for (const auto& signature : data->signatures) ASSERT_TRUE(book.add(signature));
  const auto device = *cuda::Device::open(0);
  cuda::StepCode code(device);
  ASSERT_TRUE(code.add(book));
  binding::GraphBinder binder(*data, book);
  binding::RowLaunches launches;
  cuda::StepList steps;
  const auto plan = [&](const NeuronGraph& part, const Target& target) {
    const NeuronGraph* const one = &part;
    ASSERT_TRUE(binder.bind(std::span(&one, 1), launches));
    steps.plan(launches, book, code, target);
  };
  for (const Target& target : {device->target(), default_gpu()}) {
    const std::uint32_t first = 0;
    plan(graph_of_samples(graph, std::span(&first, 1)), target);
    EXPECT_TRUE(steps.is_walk());
    EXPECT_TRUE(steps.is_here());
    EXPECT_TRUE(steps.has_weights());
    EXPECT_EQ(steps.step_count(), launches.used + 1);
    plan(graph, target);
    EXPECT_FALSE(steps.is_walk());
    EXPECT_FALSE(steps.is_here());
    EXPECT_FALSE(steps.has_weights());
    EXPECT_EQ(steps.launches().size(), launches.stage_ends.size() + 1);
  }
}

}  // namespace
}  // namespace vecc::test
