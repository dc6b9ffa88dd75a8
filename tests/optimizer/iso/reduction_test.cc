// A reduction of all members at once is that of one after the other.
#include "optimizer/iso/reduction.h"

#include <gtest/gtest.h>

#include <random>

namespace vecc::opt::iso {
namespace {

constexpr Shape kNarrow = Shape::column(3);
constexpr Shape kWide = Shape::column(40);

// Scalars and rows of the result's shape; every sixth is zero, and where `doubts` every fourth
// doubtful.
struct Members {
  std::vector<std::vector<Residues>> parts;
  std::vector<RowFingerprint> rows;
};
Members random_members(const Keys& keys, Shape result, std::size_t count, bool doubts,
                       std::mt19937_64& random) {
  Members members;
  members.parts.resize(count);
  for (std::vector<Residues>& parts : members.parts) {
    const Shape shape = random() % 2 == 0 ? Shape() : result;
    const bool is_zero = random() % 6 == 0;
    for (std::size_t i = 0; i < keys.part_count(shape); ++i) {
      parts.push_back(is_zero ? kZero
                              : Residues{FirstField::reduce(std::uint64_t{random()}),
                                         SecondField::reduce(std::uint64_t{random()})});
    }
    members.rows.push_back({shape, parts, doubts && random() % 4 == 0});
  }
  return members;
}

TEST(Reduction, OfAllMembersAtOnceIsThatOfOneAfterTheOther) {
  const Keys keys(1);
  std::mt19937_64 random(2);
  for (const Combination combination :
       {Combination::Sum, Combination::Avg, Combination::ElProduct}) {
    for (int trial = 0; trial < 600; ++trial) {
      const Shape result = std::array{Shape(), kNarrow, kWide}[random() % 3];
      const Members members = random_members(keys, result, random() % 5, trial % 3 == 0, random);
      Reduction reduction(keys, combination, result);
      Scratch expected(keys.part_count(result));
      Scratch found(expected.size());
      reduction.start();
      for (const RowFingerprint& member : members.rows) reduction.add(member);
      const bool doubtful = reduction.finish(expected);
      EXPECT_EQ(reduction.reduce(members.rows, found), doubtful);
      EXPECT_TRUE(std::ranges::equal(found, expected))
          << result.text() << ", " << members.rows.size() << " members, trial " << trial;
    }
  }
}

}  // namespace
}  // namespace vecc::opt::iso
