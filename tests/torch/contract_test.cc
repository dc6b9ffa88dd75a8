// Weight gradients that are summed by type, in batches of types.
#include <gtest/gtest.h>

#include "tests/torch/grouped_programs.h"
#include "tests/torch/torch_check.h"

namespace vecc::test {
namespace {

ValueId add_contract(Program& program, Shape weight, Shape x, Numbers types,
                     std::uint32_t type_count) {
  const auto rows = static_cast<std::uint32_t>(types.size());
  const ValueId inputs = random_weight(program, rows, x);
  const ValueId g = random_weight(program, rows, *times_shape(weight, x));
  return *program.add(ContractOp{Index::list(std::move(types)), type_count, weight}, {g, inputs});
}

TEST(TorchContract, OfManyRowsByType) {
  for (const Shape& x : {Shape::column(20), Shape(20, 3)}) {
    for (const int skew : {1, 3}) {
      expect_agreement(x.text() + " skew " + std::to_string(skew), [&](Program& program) {
        add_contract(program, Shape(12, 20), x, random_rows(500, 40, 7, skew), 45);
      });
    }
  }
}

TEST(TorchContract, OfManyRowsOfOneType) {
  expect_agreement("one type", [](Program& program) {
    add_contract(program, Shape(12, 20), Shape::column(20), Numbers(400, 1), 3);
  });
}

// An outer product a row would be 10.5 GB.
TEST(TorchContract, NoOuterProductIsMadeForARow) {
  if (test_device().kind != Device::Kind::Cpu) GTEST_SKIP() << "limits the CPU's memory";
  Program program(DType::F64);
  const ValueId sums = add_contract(program, Shape(256, 256), Shape::column(256),
                                    random_rows(20000, 100, 7, 3), 100);
  add_output(program, sums);
  const auto torch = compile_torch(program, /*keep_values=*/false);
  ASSERT_NE(torch, nullptr);
  const AddressSpaceLimit limit(std::uint64_t{1} << 30);
  const auto run = torch->run();
  EXPECT_TRUE(run) << run.error().text();
}

}  // namespace
}  // namespace vecc::test
