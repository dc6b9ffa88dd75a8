// The comparison that all agreement rests on.
#include "tests/agreement/difference.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/agreement/expected_gradients.h"
#include "tests/agreement/expected_values.h"

namespace vecc::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string where() {
  return "here";
}

TEST(RelativeDifference, IsAbsoluteBelowOne) {
  EXPECT_DOUBLE_EQ(relative_difference(0.5, 0.25), 0.25);
  EXPECT_DOUBLE_EQ(relative_difference(101, 100), 0.01);
  EXPECT_EQ(relative_difference(-0.0, 0.0), 0);
}

TEST(RelativeDifference, WantsNanAndInfinityInTheSamePlaces) {
  EXPECT_EQ(relative_difference(kNan, kNan), 0);
  EXPECT_EQ(relative_difference(kInf, kInf), 0);
  EXPECT_EQ(relative_difference(kInf, -kInf), kInf);
  EXPECT_EQ(relative_difference(kNan, 1), kInf);
  EXPECT_EQ(relative_difference(1, kNan), kInf);
  EXPECT_EQ(relative_difference(1, kInf), kInf);
}

TEST(DifferenceRecord, KeepsTheLargestAndTheFirstFailure) {
  DifferenceRecord record(1e-9);
  record.compare(std::vector{1.0, 2.0}, std::vector{1.0, 2.0 + 1e-9}, where);
  EXPECT_EQ(record.failure(), "");
  EXPECT_NEAR(record.largest(), 5e-10, 1e-12);
  record.compare(std::vector{1.0, 3.5}, std::vector{1.0, 3.0}, where);
  record.compare(std::vector{5.0}, std::vector{4.0}, where);
  EXPECT_EQ(record.failure(), "here: element 1 is 3.5, expected 3 (2 differences beyond 1e-09)");
  EXPECT_DOUBLE_EQ(record.largest(), 0.25);
}

TEST(DifferenceRecord, WantsTheSameNumberOfElements) {
  DifferenceRecord record(1e-9);
  record.compare(std::vector{1.0}, std::vector{1.0, 1.0}, where);
  EXPECT_EQ(record.failure(), "here: 1 elements, expected 2 (1 differences beyond 1e-09)");
}

class ExpectedValuesFile : public testing::Test {
 protected:
  ExpectedValues read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_expected_values(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_ = testing::TempDir() + "vecc_expected_values_test" + std::to_string(getpid());
};

TEST_F(ExpectedValuesFile, ReadsNeuronsAndSamples) {
  const auto found = read("# comment\nneuron\t4\t-1\t2x1\t0.5 nan\nsample\ts 0\t4\t1\t-inf\n");
  ASSERT_EQ(found.neurons.size(), 1);
  EXPECT_EQ(found.neurons[0].file_id, 4);
  EXPECT_EQ(found.neurons[0].dump_index, -1);
  EXPECT_EQ(found.neurons[0].shape, Shape::column(2));
  EXPECT_EQ(found.value(found.neurons[0])[0], 0.5);
  EXPECT_NE(found.value(found.neurons[0])[1], found.value(found.neurons[0])[1]);
  ASSERT_EQ(found.samples.size(), 1);
  EXPECT_EQ(found.samples[0].id, "s 0");
  EXPECT_EQ(found.samples[0].shape, Shape::scalar());
  EXPECT_EQ(found.value(found.samples[0])[0], -kInf);
}

TEST_F(ExpectedValuesFile, ReadsGradientsOfEachSample) {
  std::ofstream(path_) << "sample\ts 0\t1\t-0.5\nneuron\t4\t2x1\t1 2\nweight\t0\t1x2\t3 4\n"
                          "sample\ts 1\t1\t7\nweight\t1\t1\t8\n";
  const ExpectedGradients found = read_expected_gradients(path_);
  ASSERT_EQ(found.samples.size(), 2);
  EXPECT_EQ(found.samples[0].id, "s 0");
  EXPECT_EQ(found.value(found.samples[0].output)[0], -0.5);
  ASSERT_EQ(found.samples[0].neurons.size(), 1);
  EXPECT_EQ(found.samples[0].neurons[0].id, 4);
  EXPECT_EQ(found.samples[0].neurons[0].shape, Shape::column(2));
  EXPECT_EQ(found.value(found.samples[0].neurons[0])[1], 2);
  ASSERT_EQ(found.samples[0].weights.size(), 1);
  EXPECT_EQ(found.value(found.samples[0].weights[0])[1], 4);
  EXPECT_TRUE(found.samples[1].neurons.empty());
  EXPECT_EQ(found.samples[1].weights[0].id, 1);
  for (const char* const text : {"neuron\t4\t1\t0\n", "sample\ts\t1\t0\nfact\t4\t1\t0\n",
                                 "sample\ts\t1\t0\nneuron\tx\t1\t0\n"}) {
    std::ofstream(path_) << text;
    EXPECT_THROW((void)read_expected_gradients(path_), std::runtime_error) << text;
  }
}

TEST_F(ExpectedValuesFile, RefusesWhatItDoesNotUnderstand) {
  for (const char* const line : {"neuron\t4\t-1\t2x1\t0.5\n", "neuron\t4\t-1\t1\tx\n",
                                 "neuron\t\t-1\t1\t0\n", "weight\t4\t-1\t1\t0\n"}) {
    EXPECT_THROW((void)read(line), std::runtime_error) << line;
  }
  EXPECT_THROW((void)read_expected_values(path_ + "_absent"), std::runtime_error);
}

}  // namespace
}  // namespace vecc::test
