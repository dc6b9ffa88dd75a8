// Memory of a step is that of its batch, however many samples there are.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "backends/cpu/native_block.h"
#include "vecc/backend.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::string text_of(const Numbers& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

// Samples read half as many rows, each row two; the gradient of a row is the sum over those that
// read it, and that of `w` the sum over the rows.
std::string step_of(std::uint32_t samples) {
  const std::uint32_t rows = samples / 2;
  Numbers values(rows);
  Numbers read(samples);
  Numbers readers(samples);
  Numbers offsets(rows + 1);
  std::iota(values.begin(), values.end(), 1u);
  for (std::uint32_t s = 0; s < samples; ++s) {
    read[s] = s * 7 % rows;
    readers[s] = s;
  }
  std::ranges::stable_sort(readers, {}, [&](std::uint32_t s) { return read[s]; });
  for (std::uint32_t r = 0; r <= rows; ++r) offsets[r] = 2 * r;
  const std::string n = std::to_string(samples);
  const std::string r = std::to_string(rows);
  const std::string of_rows = " : f64[" + r + ", 1]\n";
  const std::string of_samples = " : f64[" + n + ", 1]\n";
  return "vecc program 1 f64 samples " + n + "\n" +
         "parameter \"w\" [1, 1] = {0.001}\n"
         "parameter \"weight\" [" +
         n + ", 1] = {" + text_of(Numbers(samples)) + "}\n" +
         "%0 = weight \"w\" : f64[1, 1]\n"
         "%1 = weight \"weight\"" +
         of_samples + "%2 = fact {" + text_of(values) + "}" + of_rows +
         "%3 = linear %0 lift(repeat " + r + "), %2" + of_rows + "%4 = transform %3 tanh" +
         of_rows + "%5 = gather %4 [" + text_of(read) + "]" + of_samples +
         "%6 = map elproduct($0, $1) %1, %5" + of_samples + "%7 = gather %6 [" + text_of(readers) +
         "]" + of_samples + "%8 = segment %7 [" + text_of(offsets) + "] sum" + of_rows +
         "%9 = map elproduct($0, $1) %8, %2" + of_rows + "%10 = contract %9, %2 [repeat 1 x " + r +
         "] : f64[1, 1]\n"
         "%11 = map sum($0, elproduct(-0.000001, $1)) %0, %10 : f64[1, 1]\n"
         "%12 = update %0, %11 : f64[1, 1]\n"
         "%13 = output %5 [0:" +
         n + "]" + of_samples;
}

Result<std::unique_ptr<Executable>> compile_step(std::uint32_t samples, const BatchOptions& batch,
                                                 ExecutionOptions options, const char* backend) {
  auto program = parse_program(step_of(samples), "p");
  EXPECT_TRUE(program) << program.error().text();
  options.threads = 1;
  options.batch = std::make_shared<const BatchOptions>(batch);
  if (backend == std::string_view("cuda")) options.device.kind = Device::Kind::Cuda;
  return find_backend(backend)->compile(*program, options);
}

BatchOptions step_batches() {
  return {{1}, {{12, 0}}, false};
}

class Step {
 public:
  Step(std::uint32_t samples, std::unique_ptr<Executable> executable)
      : samples_(samples), executable_(std::move(executable)) {}
  // `raised`: what the plan's check lets stay instead.
  explicit Step(std::uint32_t samples, std::uint64_t kept_bytes = BatchOptions().kept_bytes,
                const char* backend = "cpu", std::optional<std::uint64_t> raised = {},
                BatchValues values = BatchValues::Spread)
      : samples_(samples) {
    BatchOptions batch = step_batches();
    batch.kept_bytes = kept_bytes;
    batch.values = values;
    ExecutionOptions options;
    if (raised) {
      options.check_plan = [&](const PlannedProgram& planned) -> Result<void> {
        EXPECT_EQ(*planned.kept_bytes, kept_bytes);
        *planned.kept_bytes = *raised;
        return {};
      };
    }
    auto made = compile_step(samples, batch, options, backend);
    EXPECT_TRUE(made) << made.error().text();
    executable_ = std::move(*made);
  }

  // Binds samples from all over.
  const BoundBatch& bind(std::uint32_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::set<std::uint32_t> drawn;
    while (drawn.size() < count) drawn.insert(static_cast<std::uint32_t>(random() % samples_));
    const Numbers rows(drawn.begin(), drawn.end());
    const auto bound =
        executable_->bind_batch({{{rows, std::vector<double>(count, 0.5)}}, {}}, bound_);
    EXPECT_TRUE(bound) << bound.error().text();
    return *bound_;
  }
  void run() { EXPECT_TRUE(executable_->start_batch(*bound_)); }
  [[nodiscard]] std::uint64_t bytes() const { return executable_->bytes(); }
  [[nodiscard]] double weight() { return executable_->parameter(0)->front(); }

 private:
  std::uint32_t samples_;
  std::unique_ptr<Executable> executable_;
  std::unique_ptr<BoundBatch> bound_;
};

TEST(StepBytes, are_those_of_the_batch) {
  Step small(2'000);
  Step large(200'000);
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const BatchBytes of_small = small.bind(32, seed).step_bytes();
    const BatchBytes of_large = large.bind(32, seed).step_bytes();
    EXPECT_GE(of_small.values, 32 * sizeof(double));
    EXPECT_LE(of_large.values, 3 * of_small.values / 2);  // long sums are cut into pieces
    EXPECT_GE(of_small.arrays, 32 * sizeof(std::uint16_t));
    EXPECT_LE(of_large.arrays, 3 * of_small.arrays);  // 32 bits, not 16
    EXPECT_GT(small.bind(64, seed).step_bytes().values, of_small.values);
  }
}

// A batch writes some dozens of pages of more than a thousand.
TEST(StepBytes, of_many_steps_stay_below_what_is_kept) {
  constexpr std::uint64_t kKept = 1 << 20;
  Step bounded(400'000, kKept);
  Step whole(400'000, kKept, "cpu", BatchOptions().kept_bytes);
  EXPECT_EQ(whole.bytes(), Step(400'000).bytes());
  EXPECT_GT(whole.bytes(), bounded.bytes() + 2 * kKept);
  const std::uint64_t before = bounded.bytes();
  std::uint64_t most = 0;
  for (std::uint32_t step = 0; step < 100; ++step) {
    for (Step* each : {&bounded, &whole}) {
      each->bind(32, step);
      each->run();
    }
    most = std::max(most, bounded.bytes() - before);
    ASSERT_EQ(bounded.weight(), whole.weight()) << step;
  }
  EXPECT_LE(most, kKept);
  EXPECT_GT(most, kKept / 2);
}

Step compact_step(std::uint32_t samples) {
  return Step(samples, BatchOptions().kept_bytes, "cpu", {}, BatchValues::Compact);
}

// What is said before the first step is what is there after it.
TEST(StepBytes, of_compact_batches_count_room_that_is_to_come) {
  Step step = compact_step(200'000);
  const std::uint64_t before = step.bytes();
  const BatchBytes bytes = step.bind(20'000, 1).step_bytes();
  const std::uint64_t bound = step.bytes();
  EXPECT_GE(bound, before + 3 * bytes.values / 2 + 20'000 * sizeof(std::uint32_t));  // and lists
  step.run();
  EXPECT_EQ(step.bytes(), bound);
}

// In a graph of 100 times the size, too; what is there beside it does not grow with steps.
TEST(StepBytes, of_compact_batches_are_all_that_their_values_take) {
  Step small = compact_step(2'000);
  Step large = compact_step(200'000);
  Step spread(200'000);
  const std::uint64_t before = large.bytes();
  std::uint64_t most = 0;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const BatchBytes of_small = small.bind(32, seed).step_bytes();
    const BatchBytes of_large = large.bind(32, seed).step_bytes();
    EXPECT_TRUE(of_large.is_compact);
    EXPECT_GE(of_large.values, 32 * sizeof(double));
    EXPECT_LE(of_large.values, 3 * of_small.values / 2);  // long sums are cut into pieces
    EXPECT_LE(of_large.arrays, 3 * of_small.arrays);      // 32 bits, not 16
    most = std::max(most, of_large.values + of_large.arrays);
    spread.bind(32, seed);
    for (Step* each : {&large, &spread}) each->run();
    ASSERT_EQ(large.weight(), spread.weight()) << seed;
    EXPECT_LE(large.bytes(), before + 2 * most);
  }
  EXPECT_LT(most, std::uint64_t{32} << 10);
}

// A GPU's memory for batches is counted before the first runs.
TEST(StepBytes, of_a_gpu_are_known_when_a_batch_is_bound) {
  if (std::getenv("VECC_CUDA_DRIVER") == nullptr) GTEST_SKIP() << "no emulator";
  Step step(2'000, BatchOptions().kept_bytes, "cuda");
  const std::uint64_t before = step.bytes();
  const BoundBatch& batch = step.bind(32, 1);
  const std::uint64_t batch_bytes = batch.bytes();  // the first is bound on the host
  const std::uint64_t values = batch.step_bytes().values;
  EXPECT_GE(batch_bytes, batch.step_bytes().arrays + 32 * sizeof(double));
  EXPECT_GT(step.bytes(), before + 2 * 2'000 * sizeof(double));  // weights of all samples, twice
  const std::uint64_t bound = step.bytes();
  for (std::uint32_t seed = 1; seed < 4; ++seed) {
    step.bind(32, seed);
    step.run();
    EXPECT_EQ(step.bytes(), bound);
  }
  Step large(200'000, BatchOptions().kept_bytes, "cuda");
  const BoundBatch& of_large = large.bind(32, 1);
  EXPECT_LE(of_large.bytes(), 3 * batch_bytes);
  EXPECT_LE(of_large.step_bytes().values, 3 * values / 2);
}

// Values of all samples have no room there; those of a batch have.
TEST(StepBytes, of_a_gpu_are_those_of_the_batch_where_it_has_no_room_for_all) {
  if (std::getenv("VECC_CUDA_DRIVER") == nullptr) GTEST_SKIP() << "no emulator";
  constexpr std::uint32_t kSamples = 20'000;
  Step whole(kSamples, BatchOptions().kept_bytes, "cuda");
  BatchOptions batch = step_batches();
  Numbers rows(32);
  std::iota(rows.begin(), rows.end(), 0u);
  batch.typical.weights = {{rows, std::vector<double>(rows.size(), 0.5)}};
  ExecutionOptions options;
  options.places.device_bytes = 300'000;
  batch.values = BatchValues::Spread;
  const auto refused = compile_step(kSamples, batch, options, "cuda");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::OutOfMemory);
  batch.values = BatchValues::Choose;
  auto made = compile_step(kSamples, batch, options, "cuda");
  ASSERT_TRUE(made) << made.error().text();
  Step compact(kSamples, std::move(*made));
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    EXPECT_TRUE(compact.bind(32 + seed * 40, seed).step_bytes().is_compact);
    EXPECT_FALSE(whole.bind(32 + seed * 40, seed).step_bytes().is_compact);
    for (Step* each : {&compact, &whole}) each->run();
    EXPECT_EQ(compact.weight(), whole.weight()) << seed;
    EXPECT_LT(compact.bytes() + 20 * kSamples, whole.bytes());
  }
}

TEST(StepBytes, pages_that_are_given_back_are_zeros_and_no_memory) {
  constexpr std::uint64_t kElements = 1 << 20;
  const cpu::NativeBlock block(DType::F64, kElements);
  block.use_small_pages();
  const auto resident = [&] {
    std::vector<unsigned char> pages(block.bytes() / 4096);
    EXPECT_EQ(::mincore(block.at(0), block.bytes(), pages.data()), 0);
    return std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; });
  };
  EXPECT_EQ(resident(), 0);
  const double one = 1;
  for (std::uint64_t i = 0; i < 100; ++i) block.write(std::span(&one, 1), i * 4096);
  EXPECT_EQ(resident(), 100);
  block.give_back();
  EXPECT_EQ(resident(), 0);
  std::vector<double> values;
  block.read(0, 5000, values);
  EXPECT_EQ(values, std::vector<double>(5000, 0.0));
}

}  // namespace
}  // namespace vecc::test
