// Which loads say where a kernel's value is not 0.
#include "src/batch/zero_nodes.h"

#include <gtest/gtest.h>

namespace vecc::test {
namespace {

using Kind = KernelNode::Kind;
using Accesses = std::vector<std::uint32_t>;

// Loads of a value by rows, of one row for all, and of another value by rows.
Kernel kernel_of_loads() {
  Kernel kernel;
  for (const RowMap map : {RowMap::Direct, RowMap::One, RowMap::Direct}) {
    KernelAccess access;
    access.map = map;
    kernel.accesses.push_back(access);
    KernelNode load;
    load.access = static_cast<std::uint32_t>(kernel.nodes.size());
    kernel.nodes.push_back(load);
  }
  return kernel;
}

std::uint32_t add(Kernel& kernel, Kind kind, Combination combination, const Accesses& operands) {
  KernelNode node;
  node.kind = kind;
  node.combination = combination;
  for (const std::uint32_t operand : operands) node.operands.push_back(operand);
  kernel.nodes.push_back(node);
  return static_cast<std::uint32_t>(kernel.nodes.size() - 1);
}

LaunchZeros zeros_of(const Kernel& kernel, const std::vector<bool>& zeros) {
  std::vector<Rest> loads;
  for (const bool is_zero : zeros) loads.push_back(is_zero ? Rest::Zero : Rest::None);
  const std::vector<bool> none(zeros.size(), false);
  return {zeros, none, none, rest_nodes(kernel, loads)};
}

Accesses sources(const Kernel& kernel, const LaunchZeros& zeros, std::uint32_t node) {
  EXPECT_EQ(zeros.nodes[node], Rest::Zero);
  return zero_sources(kernel, zeros, node);
}

TEST(ZeroSources, OfAProductAreRowsOfItsOwn) {
  Kernel kernel = kernel_of_loads();
  const auto product = add(kernel, Kind::Combine, Combination::ElProduct, {0, 1, 2});
  const LaunchZeros two = zeros_of(kernel, {true, true, false});
  EXPECT_EQ(sources(kernel, two, product), (Accesses{0}));
  EXPECT_EQ(all_zero_sources(kernel, two, product), (Accesses{0, 1}));
  EXPECT_EQ(sources(kernel, zeros_of(kernel, {false, true, false}), product), (Accesses{1}));
  LaunchZeros all = zeros_of(kernel, {true, true, true});
  EXPECT_EQ(sources(kernel, all, product), (Accesses{0, 2}));
  all.own[0] = true;
  EXPECT_EQ(sources(kernel, all, product), (Accesses{0}));
  all.given[2] = true;
  EXPECT_EQ(sources(kernel, all, product), (Accesses{2}));
}

// d/d$0 of $0 * $1 in a direction is 0 where $1 is.
TEST(ZeroSources, OfAGradientOfAProductAreItsOtherFactors) {
  Kernel kernel = kernel_of_loads();
  const auto product = add(kernel, Kind::Combine, Combination::ElProduct, {2, 0});
  const auto gradient = add(kernel, Kind::CombineVjp, Combination::ElProduct, {2, 0, product, 1});
  EXPECT_EQ(sources(kernel, zeros_of(kernel, {true, true, false}), gradient), (Accesses{0}));
  const auto guard = add(kernel, Kind::Guard, Combination::Sum, {1, gradient});
  EXPECT_EQ(sources(kernel, zeros_of(kernel, {true, true, false}), guard), (Accesses{0}));
  EXPECT_EQ(zeros_of(kernel, {false, false, true}).nodes[gradient], Rest::None);
}

// A term that is 0 as well says nothing of the direction.
TEST(ZeroSources, OfAGradientOfASumAreItsDirection) {
  Kernel kernel = kernel_of_loads();
  const auto sum = add(kernel, Kind::Combine, Combination::Sum, {2, 1});
  const auto gradient = add(kernel, Kind::CombineVjp, Combination::Sum, {2, 1, sum, 0});
  EXPECT_EQ(sources(kernel, zeros_of(kernel, {true, true, false}), gradient), (Accesses{0}));
}

}  // namespace
}  // namespace vecc::test
