// Where tables of a GPU's Programs may be. On a GPU, or on a host's emulation of one.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

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
  const auto table = program.add_parameter({"w", 1, Shape::scalar(), SharedNumbers::of(one)});
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

// Rows that are read by an array come in another order from the host; a sum of them does not.
TEST(TablePlaces, RowsByAnArrayHaveTheSameBits) {
  ExecutionOptions options;
  options.device = {Device::Kind::Cuda, 0};
  if (const auto there = cuda_backend().available(options.device); !there) {
    GTEST_SKIP() << there.error().text();
  }
  options.gradients = true;
  constexpr std::uint32_t kRows = 500;
  constexpr std::uint32_t kTable = 211;
  Program program;
  program.set_sample_count(kRows);
  const auto table = [&](const char* name, std::uint32_t rows, Shape shape) {
    std::vector<double> values(rows * shape.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::sin(0.7 * static_cast<double>(i) + rows);
    }
    return program.weight(
        *program.add_parameter({name, rows, shape, SharedNumbers::of(std::move(values))}));
  };
  const auto read = [&](ValueId from, std::uint32_t rows, std::uint32_t step) {
    std::vector<std::uint32_t> list(kRows);
    for (std::uint32_t i = 0; i < kRows; ++i) list[i] = i * step % rows;
    return program.gather(from, Index::list(std::move(list)));
  };
  const ValueId columns = table("columns", kTable, Shape::column(16));
  const ValueId products = program.linear(read(table("matrices", 3, Shape(16, 16)), 3, 1),
                                          read(columns, kTable, 67));  // by type
  const ValueId both[] = {read(columns, kTable, 101), read(table("narrow", 90, Shape()), 90, 7)};
  const ValueId scaled = program.map(*parse_expr("elproduct(softmax($0), $1)", "test"), both);
  const ValueId sum[] = {products, scaled};
  program.output(program.map(*parse_expr("sum($0, $1)", "test"), sum), Index::slice(0, kRows));
  std::uint64_t bytes = 0;  // of all
  const auto run = [&] {
    const auto executable = cuda_backend().compile(program, options);
    EXPECT_TRUE(executable) << executable.error().text();
    bytes = (*executable)->bytes();
    EXPECT_TRUE((*executable)->run());
    EXPECT_TRUE((*executable)->differentiate_sum());
    std::vector<std::vector<double>> numbers;
    for (ParameterIndex p = 0; p < 3; ++p) numbers.push_back(*(*executable)->gradient(p));
    const auto outputs = (*executable)->outputs();
    for (const auto& output : *outputs) numbers.push_back(output.value);
    return numbers;
  };
  const auto expected = run();
  for (const char* const name : {"columns", "narrow", "matrices"}) {
    options.places.wishes.push_back({name, TablePlace::Host});
    EXPECT_EQ(run(), expected) << name;
  }
  // The orders count: a limit that the rest just fits has none of them.
  const std::uint64_t with_orders = bytes;
  const auto room = [&](std::uint64_t limit) {
    options.places.device_bytes = limit;
    return static_cast<bool>(cuda_backend().compile(program, options));
  };
  std::uint64_t least = 0;
  for (std::uint64_t step = 1 << 20; step > 0; step /= 2) {
    if (!room(least + step)) least += step;
  }
  options.places.device_bytes = least + 1;
  EXPECT_EQ(run(), expected);
  EXPECT_LT(bytes, with_orders);
  options.places.device_bytes = least + 1 + with_orders - bytes;
  EXPECT_EQ(run(), expected);
  EXPECT_LE(bytes, with_orders);
}

}  // namespace
}  // namespace vecc::test
