// Training by step Programs: NeuraLogic's runs, interruptions, numbers that are not finite.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/graph_io/temporary_folder.h"
#include "tests/train/golden_json.h"
#include "tests/train/train_check.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/train_loop.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

using Json = nlohmann::json;
using Numbers = std::vector<double>;

std::string shipped(const std::string& name) {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/" + name;
}

// A graph and its optimized Program, in double unless said otherwise.
struct Model {
  NeuronGraph graph;
  Program program;

  explicit Model(NeuronGraph read, DType dtype = DType::F64) : graph(std::move(read)) {
    VectorizeOptions options;
    options.dtype = dtype;
    program = value_of(optimize(value_of(vectorize(graph, options)).program));
  }
  [[nodiscard]] std::unique_ptr<Trainer> trainer(const Backend& backend,
                                                 const TrainOptions& options) const {
    ExecutionOptions execution;
    execution.device = device_of(backend);
    return value_of(make_trainer(graph, program, backend, execution, options, all_samples(graph)));
  }
};

void take_steps(Trainer& trainer, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) expect_ok(trainer.step());
}

std::string bytes_of(Trainer& trainer) {
  return value_of(safetensors_bytes(value_of(trainer.save())));
}

TrainOptions adam_in_batches(std::uint32_t size) {
  TrainOptions options;
  options.schedule.base = 0.01;
  options.batch_size = size;
  options.seed = 7;
  return options;
}

NeuronGraph golden_graph(const std::string& name, const Json& golden) {
  const std::string path = std::string(std::getenv("VECC_BINARY_DIR")) + "/golden/" + name + ".pb";
  NeuronGraph graph = value_of(read_graph(path));
  graph.samples.resize(golden["sampleOrder"].size());
  for (const auto& [index, weight] : golden["weights0"].items()) {
    for (WeightTable& table : graph.weight_tables) {
      if (table.learnable && table.name == weight["name"].get<std::string>()) {
        table.values = SharedNumbers::of(weight["value"]["data"].get<Numbers>());
      }
    }
  }
  return graph;
}

class TrainerTrajectory : public testing::TestWithParam<std::string> {};

// The whole of it: optimized Programs of batches, reverse mode on them, lazy steps.
TEST_P(TrainerTrajectory, FollowsNeuraLogic) {
  const std::string path = golden_path("train-" + GetParam());
  if (!has_golden(path)) GTEST_SKIP() << path << " is not there";
  const Json golden = read_golden(path);
  const Model model(
      golden_graph(GetParam().ends_with("xor") ? "xor-vectorized" : "mutagenesis-simple", golden));
  TrainOptions options;
  options.loss = {.loss = Loss::SoftEntropy, .reduction = Reduction::Sum};
  options.optimizer.optimizer = golden["optimizer"] == "SGD" ? Optimizer::Sgd : Optimizer::LazyAdam;
  options.schedule.base = golden["lr"];
  options.batch_size = golden["batch"];
  options.shuffle = false;
  on_each_backend([&](const Backend& backend) {
    const auto trainer = model.trainer(backend, options);
    NeuronGraph learned = model.graph;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < golden["steps"].size(); i += options.batch_size) {
      expect_ok(trainer->step());
      const Json& last = golden["steps"][i + options.batch_size - 1];
      if (!last.contains("weights")) continue;
      expect_ok(trainer->copy_weights_to(learned));
      for (const auto& [index, value] : last["weights"].items()) {
        const std::string name = golden["weights0"][index]["name"];
        for (const WeightTable& table : learned.weight_tables) {
          if (table.name != name || !table.learnable) continue;
          SCOPED_TRACE("step " + std::to_string(i) + " " + name);
          expect_near(table.values.doubles(), value["data"], 1e-9);
          ++compared;
        }
      }
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(compared, 4u);
  });
}

INSTANTIATE_TEST_SUITE_P(Golden, TrainerTrajectory,
                         testing::Values("sgd-xor", "adam-xor", "sgd-mutagenesis10",
                                         "adam-mutagenesis10", "sgd-minibatch5-mutagenesis10",
                                         "adam-minibatch5-mutagenesis10"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Trainer, goes_on_bit_for_bit_from_what_it_saved) {
  const Model model(value_of(read_graph(shipped("xor.pb"))));
  on_each_backend([&](const Backend& backend) {
    for (const std::uint32_t size : {0u, 1u, 3u}) {
      SCOPED_TRACE("batches of " + std::to_string(size));
      const auto whole = model.trainer(backend, adam_in_batches(size));
      take_steps(*whole, 11);
      const auto first = model.trainer(backend, adam_in_batches(size));
      take_steps(*first, 5);
      const auto second = model.trainer(backend, adam_in_batches(size));
      expect_ok(second->restore(value_of(first->save())));
      EXPECT_EQ(second->position(), first->position());
      take_steps(*second, 6);
      EXPECT_EQ(bytes_of(*second), bytes_of(*whole));
    }
  });
}

// A step in f32 stores floats: a state of them has half of the bytes, and all of the bits.
TEST(Trainer, saves_floats_where_nothing_is_lost) {
  const Model model(value_of(read_graph(shipped("xor.pb"))), DType::F32);
  const Model in_double(value_of(read_graph(shipped("xor.pb"))), DType::F64);
  const auto types = [](const WeightFile& file) {
    std::set<ElementType> found;
    for (const WeightTensor& tensor : file.tensors) found.insert(tensor.type);
    return found;
  };
  const Backend& cpu = *find_backend("cpu");
  const auto whole = model.trainer(cpu, adam_in_batches(0));
  take_steps(*whole, 9);
  const auto first = model.trainer(cpu, adam_in_batches(0));
  take_steps(*first, 4);
  const auto saved = value_of(first->save());
  EXPECT_EQ(types(saved), std::set{ElementType::F32});
  const auto second = model.trainer(cpu, adam_in_batches(0));
  expect_ok(second->restore(saved));
  EXPECT_EQ(bytes_of(*second), bytes_of(*first));
  take_steps(*second, 5);
  EXPECT_EQ(bytes_of(*second), bytes_of(*whole));
  const auto wide = in_double.trainer(cpu, adam_in_batches(0));
  take_steps(*wide, 4);
  EXPECT_TRUE(types(value_of(wide->save())).contains(ElementType::F64));
}

TEST(Trainer, a_seed_gives_the_same_bits_and_another_one_others) {
  const Model model(value_of(read_graph(shipped("xor.pb"))));
  on_each_backend([&](const Backend& backend) {
    const auto weights_after = [&](std::uint64_t seed) {
      TrainOptions options = adam_in_batches(2);
      options.seed = seed;
      const auto trainer = model.trainer(backend, options);
      take_steps(*trainer, 20);
      return bytes_of(*trainer);
    };
    EXPECT_EQ(weights_after(1), weights_after(1));
    EXPECT_NE(weights_after(1), weights_after(2));
  });
}

TEST(Trainer, the_loss_of_an_epoch_is_the_mean_error_before_the_steps) {
  const Model model(value_of(read_graph(shipped("xor.pb"))));
  on_each_backend([&](const Backend& backend) {
    TrainOptions still = adam_in_batches(3);
    still.schedule.base = 0;  // nothing moves: every batch sees the same weights
    const auto trainer = model.trainer(backend, still);
    take_steps(*trainer, trainer->batch_count());
    expect_mean_error(*trainer, model.graph, model.program, backend, still.loss);
  });
}

TEST(Trainer, refuses_the_state_of_another_model) {
  const Model model(value_of(read_graph(shipped("xor.pb"))));
  const Model other(value_of(read_graph(shipped("attention.pb"))));
  const Backend& backend = *backends().back();
  const auto trainer = model.trainer(backend, adam_in_batches(0));
  const auto file = value_of(trainer->save());
  const auto restored = other.trainer(backend, adam_in_batches(0))->restore(file);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().list().front().code, ErrorCode::WeightsDiffer);
}

class TrainLoop : public testing::Test {
 protected:
  // Trains on `epochs` and returns the bytes of the trainer's state.
  std::string run_loop(LoopOptions options, std::uint64_t stop_after_steps = ~0ull) {
    const auto trainer = model_.trainer(*backends().back(), adam_in_batches(2));
    std::uint64_t asked = 0;
    const auto stop = [&] { return ++asked > stop_after_steps; };
    const auto summary = train({*trainer, nullptr, nullptr, nullptr, stop}, options);
    EXPECT_TRUE(summary) << summary.error().text();
    return bytes_of(*trainer);
  }
  const Model model_{value_of(read_graph(shipped("xor.pb")))};
  const TemporaryFolder folder_;
};

TEST_F(TrainLoop, stopped_anywhere_and_resumed_ends_with_the_same_bits) {
  LoopOptions options;
  options.epochs = 6;
  const std::string whole = run_loop(options);
  for (std::uint64_t stop = 0; stop < 11; ++stop) {
    SCOPED_TRACE("stopped after " + std::to_string(stop));
    options.checkpoint_folder = folder_.path("stop" + std::to_string(stop));
    options.checkpoint_every = 4;
    options.resume = false;
    (void)run_loop(options, stop);
    options.resume = true;
    EXPECT_EQ(run_loop(options), whole);
  }
}

TEST_F(TrainLoop, a_checkpoint_of_other_settings_is_refused) {
  LoopOptions options;
  options.epochs = 1;
  options.settings = "rate 0.1";
  options.checkpoint_folder = folder_.path("a");
  (void)run_loop(options);
  options.settings = "rate 0.2";
  options.resume = true;
  const auto trainer = model_.trainer(*backends().back(), adam_in_batches(2));
  const auto summary = train({*trainer}, options);
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().list().front().code, ErrorCode::WeightsDiffer);
}

TEST_F(TrainLoop, names_what_made_the_first_number_that_is_not_finite) {
  TrainOptions options = adam_in_batches(0);
  options.optimizer.optimizer = Optimizer::Sgd;
  options.schedule.base = 1e200;
  on_each_backend([&](const Backend& backend) {
    const auto trainer = model_.trainer(backend, options);
    LoopOptions fifty;
    fifty.epochs = 50;
    const auto summary = train({*trainer}, fifty);
    ASSERT_FALSE(summary);
    const Diagnostic error = summary.error().list().front();
    EXPECT_EQ(error.code, ErrorCode::NonFinite);
    EXPECT_NE(error.message.find(", row "), std::string::npos) << error.message;
    EXPECT_EQ(exit_code_of(error.code), ExitCode::Numeric);
  });
}

// The tables, in the source's own tensors, count how often they are read.
class CountedSource final : public WeightSource {
 public:
  explicit CountedSource(const WeightSource& of) : of_(of) {}
  [[nodiscard]] const std::vector<TensorHeader>& tensors() const override { return of_.tensors(); }
  [[nodiscard]] const std::vector<MetadataEntry>& metadata() const override {
    return of_.metadata();
  }
  [[nodiscard]] Result<void> read(std::size_t tensor, const TakeBytes& take) const override {
    ++reads;
    return of_.read(tensor, take);
  }
  mutable std::size_t reads = 0;

 private:
  const WeightSource& of_;
};

// It leaves the weights of before that step, which it reaches by the same steps again: nothing but
// `good` is read, twice.
TEST(Trainer, finds_what_is_not_finite_without_a_copy_of_the_state) {
  const Model model(value_of(read_graph(shipped("xor.pb"))));
  for (const std::uint32_t batch : {0u, 2u}) {
    TrainOptions options = adam_in_batches(batch);
    options.optimizer.optimizer = Optimizer::Sgd;
    options.schedule.base = 1e60;  // so that some steps are finite
    on_each_backend([&](const Backend& backend) {
      const auto trainer = model.trainer(backend, options);
      const WeightFile good = value_of(trainer->save());
      std::vector<std::string> states;  // by step
      for (std::uint64_t s = 0; s < 12; ++s) {
        states.push_back(bytes_of(*trainer));
        expect_ok(trainer->step());
      }
      const WeightFileSource file(good);
      const CountedSource counted(file);
      const auto found = value_of(trainer->find_non_finite(counted));
      ASSERT_TRUE(found);
      EXPECT_GT(found->position.step, 0u);
      EXPECT_LT(found->position.step, 11u);
      EXPECT_EQ(counted.reads, 2 * good.tensors.size());
      expect_ok(trainer->restore(good));
      take_steps(*trainer, found->position.step);
      EXPECT_EQ(bytes_of(*trainer), states[found->position.step]);
    });
  }
}

}  // namespace
}  // namespace vecc::test
