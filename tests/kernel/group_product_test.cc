// The text of wgmma instructions: no compiler of this machine reads it where no GPU's is there.
#include "src/kernel/group_product.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

namespace vecc {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Numbers of all operands %N.
std::multiset<int> operands_of(const std::string& text) {
  std::multiset<int> numbers;
  for (auto at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    numbers.insert(std::stoi(text.substr(at + 1)));
  }
  return numbers;
}

TEST(GroupProduct, NamesEachOperandOnce) {
  for (const std::uint32_t columns : {8u, 56u, 256u}) {
    const std::string text = group_product_text(columns);
    EXPECT_EQ(count_of(text, ".m64n" + std::to_string(columns) + "k8.f32.tf32.tf32 "), 1u);
    EXPECT_EQ(count_of(text, "struct GroupProduct<" + std::to_string(columns) + ">"), 1u);
    EXPECT_EQ(count_of(text, "\"+f\"(sums["), columns / 2);
    std::multiset<int> expected;  // sums, four of rows, where columns are, whether they are added
    for (std::uint32_t n = 0; n < columns / 2 + 6; ++n) expected.insert(static_cast<int>(n));
    EXPECT_EQ(operands_of(text), expected) << text;
    EXPECT_EQ(count_of(text, "{"), count_of(text, "}"));
    EXPECT_EQ(count_of(text, "("), count_of(text, ")"));
  }
}

}  // namespace
}  // namespace vecc
