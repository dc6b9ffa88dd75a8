// Which way batches go is chosen by what steps run on.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/graph_builder.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

// The cpu backend, said to be a GPU's.
class SaidToBeGpu final : public Backend {
 public:
  explicit SaidToBeGpu(std::optional<Target> gpu) : gpu_(std::move(gpu)) {}
  [[nodiscard]] std::string_view name() const override { return backend_.name(); }
  [[nodiscard]] Result<void> available(const Device& device) const override {
    return backend_.available(device);
  }
  [[nodiscard]] bool binds_batches() const override { return true; }
  [[nodiscard]] Result<std::optional<Target>> find_gpu(const Device& /*device*/) const override {
    return gpu_;
  }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    return backend_.compile(program, options);
  }

 private:
  const Backend& backend_ = *find_backend("cpu");
  std::optional<Target> gpu_;
};

// Samples tanh(W x), W a number or a matrix.
struct TanhSamples {
  std::uint32_t count = 20'000;
  std::uint32_t width = 1;
};

// Of steps of some of many samples.
std::string_view way_on(const std::optional<Target>& gpu, std::uint32_t batch_size = 2,
                        bool shuffle = true, const TanhSamples& of = {}) {
  const bool is_wide = of.width > 1;
  GraphBuilder b;
  const WeightId w = is_wide ? b.weight("w", Shape(of.width, of.width),
                                        std::vector<double>(of.width * of.width, 0.01))
                             : b.weight("w", Shape(), {0.5});
  const GroupIndex facts = b.group("x", NeuronClass::Fact);
  const GroupIndex rules = b.group("h", NeuronClass::WeightedRule);
  std::vector<std::uint32_t> samples(of.count);
  std::iota(samples.begin(), samples.end(), 0u);
  for (const std::uint32_t s : samples) {
    const NeuronId x =
        is_wide ? b.fact(facts, Shape::column(of.width), std::vector<double>(of.width, 0.001 * s))
                : b.fact(facts, 0.001 * s);
    b.sample(b.neuron(rules, function(Combination::Sum, Transformation::Tanh), {x}, {w}),
             is_wide ? Shape::column(of.width) : Shape(), std::vector<double>(of.width, 0.5));
  }
  const NeuronGraph graph = b.build();
  const Program program = *optimize(vectorize(graph)->program);
  TrainOptions options;
  options.batch_size = batch_size;
  options.shuffle = shuffle;
  const SaidToBeGpu backend(gpu);
  const auto trainer = make_trainer(graph, program, backend, {}, options, samples);
  EXPECT_TRUE(trainer) << trainer.error().text();
  return (*trainer)->batch_report()->way;
}

// A GPU computes all rows sooner than the host finds one, a processor and a slow GPU do not.
TEST(ChosenWay, is_that_of_what_steps_run_on) {
  EXPECT_EQ(way_on({}), "bind");
  EXPECT_EQ(way_on(default_gpu()), "mask");
  Target slow = default_gpu();
  slow.megahertz = 0.01;
  EXPECT_EQ(way_on(slow), "bind");
}

// Threads of the host find the rows of some hundred samples in less time than a GPU with such
// memory takes for all.
TEST(ChosenWay, binds_where_threads_keep_up_with_the_gpu) {
  Target gpu = default_gpu();
  gpu.launches.launch = 0.01;
  gpu.loops.moved = 19;
  EXPECT_EQ(way_on(gpu, 512), "bind");
}

// All rows take a GPU less time than to get one batch from the host, but more than the batch's.
TEST(ChosenWay, binds_batches_that_come_again_where_they_are_less_work) {
  Target gpu = default_gpu();
  gpu.launches.launch = 0.01;
  gpu.loops.moved = 190;
  EXPECT_EQ(way_on(gpu, 32), "mask");
  EXPECT_EQ(way_on(gpu, 32, /*shuffle=*/false), "bind");
}

// To find a row takes the same time however wide it is, to compute it does not.
TEST(ChosenWay, binds_batches_of_wide_rows) {
  EXPECT_EQ(way_on(default_gpu(), 32, /*shuffle=*/true, {.count = 4'000}), "mask");
  EXPECT_EQ(way_on(default_gpu(), 32, /*shuffle=*/true, {.count = 4'000, .width = 512}), "bind");
}

}  // namespace
}  // namespace vecc::test
