// Where tables of a GPU's Programs may be. On a GPU, or on a host's emulation of one.
#include <gtest/gtest.h>

#include "backends/cuda/cuda_backend.h"

namespace vecc::test {
namespace {

TEST(TablePlaces, AreNoFiles) {
  ExecutionOptions options;
  options.device = {Device::Kind::Cuda, 0};
  if (const auto there = cuda_backend().available(options.device); !there) {
    GTEST_SKIP() << there.error().text();
  }
  Program program;
  program.set_sample_count(1);
  const std::vector<double> one{1};
  const auto table = program.add_parameter(
      {"w", 1, Shape::scalar(), std::make_shared<const std::vector<double>>(one)});
  const ValueId values[] = {program.weight(*table)};
  program.output(program.map(*parse_expr("tanh($0)", "test"), values), Index::slice(0, 1));
  options.places.wishes = {{"w", TablePlace::Host}};
  EXPECT_TRUE(cuda_backend().compile(program, options));
  options.places.wishes = {{"w", TablePlace::File}};
  const auto refused = cuda_backend().compile(program, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::Usage);
  EXPECT_NE(refused.error().text().find("\"w\" may be on the device or the host"),
            std::string::npos)
      << refused.error().text();
}

}  // namespace
}  // namespace vecc::test
