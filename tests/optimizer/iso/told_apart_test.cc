// Rows that are different are told apart without a table where what they read says so; rows that
// need not be told apart change no class of what reads them.
#include <gtest/gtest.h>

#include <algorithm>

#include "optimizer/iso/fingerprint_classes.h"
#include "tests/optimizer/iso/iso_check.h"

namespace vecc::test {
namespace {

using Classes = std::vector<std::uint32_t>;

// By the first row of each.
Classes first_rows(const Classes& classes) {
  Classes first;
  for (const std::uint32_t one : classes) {
    first.push_back(static_cast<std::uint32_t>(std::ranges::find(classes, one) - classes.begin()));
  }
  return first;
}

// Of `value`, where products with lifts need not be told apart; values have one part each.
Classes classes_of(const Program& program, ValueId value, bool tells_apart, bool* repeats) {
  opt::iso::FingerprintClasses classifier(program, 1, /*narrow_side=*/1);
  for (ValueId id = 0; id < value; ++id) {
    const bool asks = tells_apart || program.op(id).kind() != OpKind::Linear;
    const bool found = classifier.classify(id, asks).repeats;
    if (repeats != nullptr) *repeats = *repeats || found;
  }
  return first_rows(classifier.classify(value).of_row);
}

const char* const kProducts =
    "vecc program 1 f64 samples 6\n"
    "parameter \"w\" [2, 3x3]\n"
    "parameter \"x\" [3, 3x1]\n"
    "%0 = weight \"w\" : f64[2, 3x3]\n"
    "%1 = weight \"x\" : f64[3, 3x1]\n"
    "%2 = gather %1 [0, 0, 1, 1, 2, 0] : f64[6, 3x1]\n"
    "%3 = linear %0 lift(repeat 3), %2 : f64[6, 3x1]\n";

TEST(IsoToldApart, products_that_are_not_change_nothing_behind_them) {
  const Program program = program_of(std::string(kProducts) +
                                     "%4 = gather %3 [5, 4, 3, 2, 1, 0] : f64[6, 3x1]\n"
                                     "%5 = transform %4 tanh : f64[6, 3x1]\n"
                                     "%6 = vjp $0 of transform %4, %5 tanh : f64[6, 3x1]\n"
                                     "%7 = map sum($0, $1) %4, %6 : f64[6, 3x1]\n"
                                     "%8 = output %7 [0:6] : f64[6, 3x1]\n");
  for (const ValueId value : {5u, 6u, 7u}) {
    bool repeats = false;
    EXPECT_EQ(classes_of(program, value, false, &repeats), (Classes{0, 1, 2, 3, 0, 5})) << value;
    EXPECT_TRUE(repeats);
    EXPECT_EQ(classes_of(program, value, true, nullptr), (Classes{0, 1, 2, 3, 0, 5})) << value;
  }
}

TEST(IsoToldApart, products_are_where_a_selection_counts_classes) {
  const Program program =
      program_of(std::string(kProducts) + "%4 = segment %3 [0, 3, 6] max : f64[2, 3x1]\n" +
                 "%5 = output %4 [0:2] : f64[2, 3x1]\n");
  opt::iso::FingerprintClasses classifier(program, 1, /*narrow_side=*/1);
  for (ValueId id = 0; id < 3; ++id) (void)classifier.classify(id, false);
  const opt::iso::ValueClasses& products = classifier.classify(3, false);
  EXPECT_FALSE(products.repeats);
  EXPECT_EQ(first_rows(products.of_row), (Classes{0, 1, 2, 3, 4, 1}));
}

// Rows with the same added to each, or multiplied by the same, are different where they are; but
// not where that is 0, or where two of their operands have rows. What a map does not read counts
// not.
TEST(IsoToldApart, sums_with_one_row_and_products_by_it_are_as_different_as_the_others) {
  const Program program = program_of(
      "vecc program 1 f64 samples 3\n"
      "parameter \"x\" [3, 3x1]\n"
      "parameter \"w\" [1, 1]\n"
      "%0 = weight \"x\" : f64[3, 3x1]\n"
      "%1 = weight \"w\" : f64[1, 1]\n"
      "%2 = fact {0} : f64[1, 1]\n"
      "%3 = gather %0 [0, 1, 0] : f64[3, 3x1]\n"
      "%4 = gather %0 [2, 2, 1] : f64[3, 3x1]\n"
      "%5 = map elproduct($0, $1) %0, %1 : f64[3, 3x1]\n"
      "%6 = map sum($0, $1) %3, %1 : f64[3, 3x1]\n"
      "%7 = map elproduct(0.5, $0) %3 : f64[3, 3x1]\n"
      "%8 = map elproduct($0, $1) %0, %2 : f64[3, 3x1]\n"
      "%9 = map elproduct($0, 0) %0 : f64[3, 3x1]\n"
      "%10 = map sum($0, $1) %3, %4 : f64[3, 3x1]\n"
      "%11 = map sum($0, $0, 1) %3 : f64[3, 3x1]\n"
      "%12 = map sum($0, 1) %11 : f64[3, 3x1]\n"
      "%13 = map sum($0, 1) %3, %0 : f64[3, 3x1]\n"
      "%14 = output %12 [0:3] : f64[3, 3x1]\n");
  EXPECT_EQ(classes_of(program, 5, true, nullptr), (Classes{0, 1, 2}));
  EXPECT_EQ(classes_of(program, 6, true, nullptr), (Classes{0, 1, 0}));
  EXPECT_EQ(classes_of(program, 7, true, nullptr), (Classes{0, 1, 0}));
  EXPECT_EQ(classes_of(program, 8, true, nullptr), (Classes{0, 0, 0}));
  EXPECT_EQ(classes_of(program, 9, true, nullptr), (Classes{0, 0, 0}));
  EXPECT_EQ(classes_of(program, 10, true, nullptr), (Classes{0, 1, 2}));
  EXPECT_EQ(classes_of(program, 12, true, nullptr), (Classes{0, 1, 0}));
  EXPECT_EQ(classes_of(program, 13, true, nullptr), (Classes{0, 1, 0}));
}

// What they read is different, but all are 0.
TEST(IsoToldApart, rows_that_are_zero_are_one) {
  const Program gradients = program_of(
      "vecc program 1 f64 samples 3\n"
      "parameter \"x\" [3, 3x1]\n"
      "%0 = weight \"x\" : f64[3, 3x1]\n"
      "%1 = fact {0, 0, 0, 2, 3, 4} : f64[2, 3x1]\n"
      "%2 = gather %1 [0, 1, 0] : f64[3, 3x1]\n"
      "%3 = vjp $0 of transform %0, %2 tanh : f64[3, 3x1]\n"
      "%4 = output %3 [0:3] : f64[3, 3x1]\n");
  EXPECT_EQ(classes_of(gradients, 3, true, nullptr), (Classes{0, 1, 0}));
  const Program products = program_of(
      "vecc program 1 f64 samples 3\n"
      "parameter \"w\" [3, 3x3]\n"
      "%0 = weight \"w\" : f64[3, 3x3]\n"
      "%1 = fact {0, 0, 0, 2, 3, 4} : f64[2, 3x1]\n"
      "%2 = gather %1 [0, 0, 1] : f64[3, 3x1]\n"
      "%3 = linear %0, %2 : f64[3, 3x1]\n"
      "%4 = output %3 [0:3] : f64[3, 3x1]\n");
  EXPECT_EQ(classes_of(products, 3, true, nullptr), (Classes{0, 0, 2}));
}

TEST(IsoToldApart, shares_of_members_that_are_alone_are_one) {
  const Program program = program_of(
      "vecc program 1 f64 samples 5\n"
      "parameter \"x\" [5, 1]\n"
      "%0 = weight \"x\" : f64[5, 1]\n"
      "%1 = segment %0 [0, 1, 3, 3, 4, 5] softmax : f64[5, 1]\n"
      "%2 = vjp $0 of segment %1, %0 [0, 1, 3, 3, 4, 5] softmax : f64[5, 1]\n"
      "%3 = output %1 [0:5] : f64[5, 1]\n");
  EXPECT_EQ(classes_of(program, 1, true, nullptr), (Classes{0, 1, 2, 0, 0}));
  EXPECT_EQ(classes_of(program, 2, true, nullptr), (Classes{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace vecc::test
