// What fingerprints know of every function of the table: which rows they call equal, and which not.
#include <gtest/gtest.h>

#include "tests/optimizer/iso/iso_check.h"
#include "tests/program/random_program.h"

namespace vecc::test {
namespace {

using testing::Values;

Expr expr_of(const std::string& text) {
  auto expr = parse_expr(text, "test");
  VECC_CHECK(expr.has_value(), expr ? "" : expr.error().text());
  return std::move(*expr);
}

ValueId weight_of(Program& program, const std::string& name, std::uint32_t rows, Shape shape) {
  const auto parameter = program.add_parameter({name, rows, shape, nullptr});
  VECC_CHECK(parameter.has_value(), name);
  return program.weight(*parameter);
}

// Whether two expressions over the operands $0, $1 (weights of one shape) and $2 (a scalar weight)
// have one class.
bool are_equal(const std::string& a, const std::string& b, Shape shape, Shape other) {
  Program program;
  const std::vector<ValueId> operands{weight_of(program, "x", 1, shape),
                                      weight_of(program, "y", 1, other),
                                      weight_of(program, "s", 1, Shape::scalar())};
  const ValueId left = program.map(expr_of(a), operands);
  const ValueId right = program.map(expr_of(b), operands);
  const std::vector<ValueId> both{left, right};
  const auto classes = iso_classes(program, program.concat(both));
  return classes[0] == classes[1];
}
bool are_equal(const std::string& a, const std::string& b, Shape shape) {
  return are_equal(a, b, shape, shape);
}

constexpr Shape kScalar;
constexpr Shape kColumn(3, 1);
constexpr Shape kWideColumn(20, 1);
constexpr Shape kMatrix(3, 3);
constexpr Shape kWideMatrix(20, 20);

class AnyShape : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(IsoFunctions, AnyShape,
                         Values(kScalar, kColumn, Shape(1, 5), kWideColumn, Shape(1, 17), kMatrix,
                                Shape(16, 16), kWideMatrix, Shape(2, 40)));

TEST_P(AnyShape, identities_that_hold) {
  const char* const equal[][2] = {
      {"sum($0, $1)", "sum($1, $0)"},
      {"sum(sum($0, $1), $2)", "sum($2, sum($1, $0))"},
      {"avg($0, $0)", "$0"},
      {"avg($0, $1)", "avg($1, $0)"},
      {"sum(avg($0, $1), avg($1, $0))", "sum($0, $1)"},
      {"avg($0, $0, $1, $1)", "avg($0, $1)"},
      {"product($2, sum($0, $1))", "sum(product($2, $0), product($2, $1))"},
      {"product($2, $0)", "product($0, $2)"},
      {"product($2, $2, $0)", "product(square($2), $0)"},
      {"product(1, $0)", "$0"},
      {"sum(0, $0)", "$0"},
      {"elproduct($0, 1)", "$0"},
      {"elproduct($0, $2)", "product($2, $0)"},
      {"elproduct($0, 0)", "product(0, $1)"},
      {"elproduct($0, $1, $2)", "elproduct($2, $1, $0)"},
      {"square($0)", "elproduct($0, $0)"},
      {"reverse(reverse($0))", "$0"},
      {"sum($0, reverse($0))", "sum($1, reverse($1))"},
      {"identity($0)", "$0"},
      {"count($0, $1)", "count($1, $1)"},
      {"count($0, $1, $2)", "sum(count($0, $1), 1)"},
      {"max($0, $0)", "$0"},
      {"min($1, $1, $1)", "$1"},
  };
  for (const auto& [a, b] : equal) EXPECT_TRUE(are_equal(a, b, GetParam())) << a << " = " << b;
}

TEST_P(AnyShape, rows_that_differ) {
  const char* const different[][2] = {
      {"$0", "$1"},
      {"sum($0, $1)", "sum($0, $0)"},
      {"sum($0, $0)", "$0"},
      {"sum($0, $1)", "avg($0, $1)"},
      {"sum($0, $1)", "elproduct($0, $1)"},
      {"max($0, $1)", "min($0, $1)"},
      {"max($0, $1)", "max($0, $0)"},
      {"tanh(sum($0, $0))", "sum(tanh($0), tanh($0))"},
      {"tanh($0)", "sigmoid($0)"},
      {"tanh($0)", "$0"},
      {"relu($0)", "abs($0)"},
      {"leakyrelu[0.1]($0)", "leakyrelu[0.2]($0)"},
      {"product(2, $0)", "sum($0, $0)"},
      {"product(2, $0)", "product(3, $0)"},
      {"inverse(inverse($0))", "$0"},
      {"count($0, $1)", "count($0, $1, $2)"},
      {"product(count($0, $1), $0)", "$0"},
  };
  for (const auto& [a, b] : different) EXPECT_FALSE(are_equal(a, b, GetParam())) << a << ", " << b;
}

TEST(IsoFunctions, moved_elements_stay_themselves) {
  const char* const equal[][2] = {
      {"transp(transp($0))", "$0"},
      {"reshape[3x3](reshape[9x1]($0))", "$0"},
      {"atindex[4]($0)", "reshape[1](slice[1:2, 1:2]($0))"},
      {"atindex[5]($0)", "atindex[7](transp($0))"},
      {"slice[0:3, 0:3]($0)", "$0"},
      {"concat(slice[0:1, 0:]($0), slice[1:, 0:]($0))", "reshape[9x1]($0)"},
      {"concat[axis=0](slice[0:1, 0:]($0), slice[1:, 0:]($0))", "$0"},
      {"product($0, reshape[3x1](slice[0:, 0:1]($1)))", "slice[0:, 0:1](product($0, $1))"},
      {"transp(product($0, $1))", "product(transp($1), transp($0))"},
      {"product($0, product($1, $0))", "product($0, $1, $0)"},
      {"product($0, sum($1, $0))", "sum(product($0, $1), product($0, $0))"},
      {"sum(broadcast[3x3]($2), $0)", "sum($2, $0)"},
      {"softmax(atindex[0]($0), atindex[1]($0))",
       "softmax(atindex[0]($0), atindex[3](transp($0)))"},
      {"crosssum($2, atindex[0]($0))", "crosssum(atindex[0]($0), $2)"},
      {"crosssum($2, $0)", "reshape[9x1](sum($2, $0))"},
  };
  for (const auto& [a, b] : equal) EXPECT_TRUE(are_equal(a, b, kMatrix)) << a << " = " << b;
  EXPECT_FALSE(are_equal("transp($0)", "$0", kMatrix));
  EXPECT_FALSE(are_equal("product($0, $1)", "product($1, $0)", kMatrix));
}

TEST(IsoFunctions, wide_rows_are_known_as_a_whole) {
  const char* const equal[][2] = {
      {"reshape[10x40]($0)", "reshape[10x40](sum($0, 0))"},
      {"slice[0:, 0:]($0)", "$0"},
      {"atindex[7](sum($0, $1))", "atindex[7](sum($1, $0))"},
      {"product($0, $1)", "product(sum($0, 0), $1)"},
      {"product($0, product(0, $1))", "product(0, $0)"},
      {"sum(broadcast[20x20]($2), $0)", "sum($0, $2)"},
      {"reverse(broadcast[20x20]($2))", "broadcast[20x20](reverse($2))"},
      {"norm(sum($0, $1))", "norm(sum($1, $0))"},
      {"concat($0, product(0, $1))", "concat(sum(0, $0), product(0, $0))"},
  };
  for (const auto& [a, b] : equal) EXPECT_TRUE(are_equal(a, b, kWideMatrix)) << a << " = " << b;
  const char* const different[][2] = {
      {"product($0, $1)", "product($1, $0)"},
      {"transp($0)", "$0"},
      {"concat($0, $1)", "concat($1, $0)"},
      {"atindex[7]($0)", "atindex[8]($0)"},
      {"slice[0:2, 0:]($0)", "slice[1:3, 0:]($0)"},
      {"slice[0:18, 0:]($0)", "slice[2:, 0:]($0)"},
      {"elproduct($0, $0, $1)", "elproduct($0, $1, $1)"},
  };
  for (const auto& [a, b] : different) EXPECT_FALSE(are_equal(a, b, kWideMatrix)) << a << ", " << b;
}

// Whether C(x, y) and C(y, x) are one row. Ordered functions may still be equal: of scalars a
// product is a product and a cross sum a sum.
bool swaps(Combination combination, Shape shape) {
  switch (combination) {
    case Combination::Sum:
    case Combination::Avg:
    case Combination::Count:
    case Combination::ElProduct: return true;
    case Combination::Max:
    case Combination::Min:
    case Combination::Product:
    case Combination::CrossSum: return shape.is_scalar();
    case Combination::Concat:
    case Combination::Softmax:
    case Combination::Sparsemax:
    case Combination::CosSim:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::FunctionGraph: return false;
  }
  return false;
}

TEST(IsoFunctions, every_combination_has_the_order_that_the_table_says) {
  for (const CombinationInfo& info : combinations()) {
    if (info.id == Combination::FunctionGraph) continue;  // a map's whole expression
    const std::string name(info.text);
    for (const Shape shape : {kScalar, kColumn, kWideColumn, kMatrix, kWideMatrix}) {
      const std::vector<Shape> shapes{shape, shape};
      if (!combined_shape(info.id, -1, nullptr, shapes, "test")) continue;
      const bool swapped = are_equal(name + "($0, $1)", name + "($1, $0)", shape);
      EXPECT_EQ(swapped, swaps(info.id, shape)) << name << " of " << shape.text();
      EXPECT_TRUE(are_equal(name + "($0, $1)", name + "(sum($0, 0), $1)", shape)) << name;
      EXPECT_TRUE(swapped || info.order != CombinationOrder::Free) << name;
      EXPECT_TRUE(swapped == shape.is_scalar() || info.order != CombinationOrder::FreeOnScalars);
    }
  }
}

// T(x), with parameters that fit three rows and more.
std::string text_of_transformation(const TransformationInfo& info, Shape shape) {
  const std::string name(info.text);
  switch (info.parameters) {
    case FunctionParameters::None: return name;
    case FunctionParameters::Slope: return name + "[0.3]";
    case FunctionParameters::Target:
      return name + "[1x" +
             std::to_string(info.id == Transformation::Broadcast ? 4 : shape.size()) + "]";
    case FunctionParameters::Index: return name + "[0]";
    case FunctionParameters::Bounds: return name + "[0:2, 0:]";
  }
  return name;
}

TEST(IsoFunctions, every_transformation_of_equal_rows_is_equal_and_of_others_not) {
  for (const TransformationInfo& info : transformations()) {
    int shapes = 0;
    for (const Shape shape : {kScalar, kColumn, kWideColumn, kMatrix, kWideMatrix}) {
      const std::string name = text_of_transformation(info, shape);
      const Expr expr = expr_of(name + "($0)");
      const std::vector<Shape> operands{shape};
      if (!combined_shape(Combination::FunctionGraph, -1, &expr, operands, "test")) continue;
      ++shapes;
      EXPECT_TRUE(are_equal(name + "($0)", name + "(sum(0, $0))", shape)) << name;
      EXPECT_FALSE(are_equal(name + "($0)", name + "($1)", shape)) << name;
    }
    EXPECT_GE(shapes, info.id == Transformation::Broadcast ? 1 : 2) << info.text;
  }
}

TEST(IsoFunctions, elementwise_functions_differ_from_each_other) {
  std::vector<std::string> names;
  for (const TransformationInfo& info : transformations()) {
    if (info.domain == FunctionDomain::Elementwise) {
      names.push_back(text_of_transformation(info, kColumn) + "($0)");
    }
  }
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      EXPECT_EQ(are_equal(a, b, kColumn), a == b) << a << ", " << b;
      EXPECT_EQ(are_equal(a, b, kWideColumn), a == b) << a << ", " << b;
    }
  }
}

TEST(IsoFunctions, entries_of_a_softmax_do_not_depend_on_the_order_of_the_others) {
  for (const std::string name : {"softmax", "sparsemax", "norm"}) {
    EXPECT_TRUE(are_equal(
        "atindex[0](" + name + "($0))",
        "atindex[2](" + name + "(concat(atindex[2]($0), atindex[1]($0), atindex[0]($0))))",
        kColumn))
        << name;
    EXPECT_FALSE(are_equal("atindex[0](" + name + "($0))", "atindex[1](" + name + "($0))", kColumn))
        << name;
  }
}

TEST(IsoFunctions, what_may_be_infinite_does_not_vanish) {
  for (const std::string x : {"inverse($0)", "log($0)", "exp($0)", "sqrt($0)",
                              "inverse(sum($0, 1))", "product(1e300, $0)", "cossim($0, $1)"}) {
    const Shape shape = x[0] == 'c' ? kColumn : kScalar;
    EXPECT_FALSE(are_equal("product(0, " + x + ")", "0", shape)) << x;
    EXPECT_FALSE(are_equal("elproduct(0, " + x + ")", "0", shape)) << x;
    EXPECT_FALSE(are_equal("sum(reverse(" + x + "), " + x + ")", "1", shape)) << x;
    EXPECT_FALSE(are_equal("max(" + x + ", $2)", "max($2, " + x + ")", shape)) << x;
    EXPECT_TRUE(are_equal("sum(" + x + ", $2)", "sum($2, " + x + ")", shape)) << x;
    EXPECT_TRUE(are_equal("tanh(" + x + ")", "tanh(" + x + ")", shape)) << x;
  }
  EXPECT_TRUE(are_equal("product(0, tanh($0))", "0", kScalar));
}

// Whether most segments have one member or few.
TEST(IsoFunctions, a_segment_of_one_member_is_that_member) {
  const std::string most =
      "%1 = gather %0 [0, 1, 0, 1, 0, 1, 1, 0, 0, 0] : f64[10, 2x1]\n"
      "%2 = segment %1 [0, 1, 2, 3, 4, 6, 8, 10] COMBINATION : f64[7, 2x1]\n"
      "%3 = output %2 [0:7] : f64[7, 2x1]\n";
  const std::string few =
      "%1 = gather %0 [0, 1, 0, 1, 1, 0, 0, 0] : f64[8, 2x1]\n"
      "%2 = segment %1 [0, 1, 2, 4, 6, 8] COMBINATION : f64[5, 2x1]\n"
      "%3 = output %2 [0:5] : f64[5, 2x1]\n";
  const auto classes = [](std::string text, const std::string& combination) {
    const std::string place = "COMBINATION";
    text.replace(text.find(place), place.size(), combination);
    const auto samples = text.substr(text.find("[0:") + 3, 1);
    return iso_classes(program_of("vecc program 1 f64 samples " + samples +
                                  "\nparameter \"x\" [2, 2x1] = {1, 2, 3, 4}\n"
                                  "%0 = weight \"x\" : f64[2, 2x1]\n" +
                                  text),
                       2);
  };
  using Classes = std::vector<std::uint32_t>;
  for (const std::string combination : {"sum", "elproduct"}) {
    EXPECT_EQ(classes(most, combination), (Classes{0, 1, 0, 1, 2, 2, 3})) << combination;
    EXPECT_EQ(classes(few, combination), (Classes{0, 1, 2, 2, 3})) << combination;
  }
  EXPECT_EQ(classes(most, "avg"), (Classes{0, 1, 0, 1, 2, 2, 0}));
  EXPECT_EQ(classes(few, "avg"), (Classes{0, 1, 2, 2, 0}));
  EXPECT_EQ(classes(most, "max"), (Classes{0, 1, 0, 1, 2, 3, 0}));
  EXPECT_EQ(classes(few, "max"), (Classes{0, 1, 2, 3, 0}));
  EXPECT_EQ(classes(most, "elmax"), (Classes{0, 1, 0, 1, 2, 2, 0}));
  EXPECT_EQ(classes(few, "elmin"), (Classes{0, 1, 2, 2, 0}));
}

// Of columns: a share is its own member's, of all members of the segment in any order.
TEST(IsoFunctions, a_softmax_of_columns_is_that_of_each_entry) {
  for (const std::string shape : {"2x1", "40x1"}) {  // by their entries, and by a hash of them
    const std::string rows = "f64[9, " + shape + "]\n";
    const Program program = program_of("vecc program 1 f64 samples 9\nparameter \"x\" [2, " +
                                       shape + "]\n%0 = weight \"x\" : f64[2, " + shape +
                                       "]\n%1 = gather %0 [0, 1, 1, 0, 0, 0, 1, 0, 1] : " + rows +
                                       "%2 = segment %1 [0, 2, 4, 6, 7, 8, 9] softmax : " + rows +
                                       "%3 = output %2 [0:9] : " + rows);
    // Of two equal members each has a half, of one member it is 1.
    EXPECT_EQ(iso_classes(program, 2), (std::vector<std::uint32_t>{0, 1, 1, 0, 2, 2, 3, 3, 3}))
        << shape;
  }
}

// As many members as segments, but not one each: a gradient by segment has no row a member.
TEST(IsoFunctions, gradients_of_segments_are_of_their_segments) {
  const std::string rows = "f64[4, 1]\n";
  const Program program = program_of(
      "vecc program 1 f64 samples 4\nparameter \"w\" [3, 1]\n"
      "%0 = weight \"w\" : f64[3, 1]\n"
      "%1 = gather %0 [0, 1, 2, 2] : " +
      rows + "%2 = vjp $0 of segment %1 [0, 2, 3, 3, 4] sum : " + rows +
      "%3 = output %2 [0:4] : " + rows);
  const std::vector<std::uint32_t> classes = iso_classes(program, 2);
  EXPECT_NE(classes[2], classes[3]);
  EXPECT_EQ(unequal_rows_of_a_class(program, 1), "");
}

// In any order, and products with zero are none, but where the other side may be infinite.
TEST(IsoFunctions, weight_gradients_are_known_by_what_is_multiplied) {
  const Program program = program_of(R"(vecc program 1 f64 samples 6
parameter "x" [3, 2x1] = {1, 2, 3, 4, 5, 6}
%0 = weight "x" : f64[3, 2x1]
%1 = fact {0, 0} : f64[1, 2x1]
%2 = concat %0, %1 : f64[4, 2x1]
%3 = gather %2 [0, 1, 1, 0, 0, 2, 3, 0, 3] : f64[9, 2x1]
%4 = transform %2 inverse : f64[4, 2x1]
%5 = concat %2, %4 : f64[8, 2x1]
%6 = gather %5 [1, 2, 2, 1, 1, 1, 1, 3, 4] : f64[9, 2x1]
%7 = contract %3, %6 [0, 0, 1, 1, 2, 2, 3, 3, 5] : f64[6, 2x2]
%8 = fact {0, 0, 0, 0} : f64[1, 2x2]
%9 = map elproduct($1, $0) %7, %8 : f64[6, 2x2]
%10 = output %9 [0:6] : f64[6, 2x2]
)");
  EXPECT_EQ(iso_classes(program, 7), (std::vector<std::uint32_t>{0, 0, 1, 2, 2, 3}));
  EXPECT_EQ(iso_classes(program, 9), (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1}));
}

// A random Program of every op and form: rows of one class are equal.
TEST(IsoSoundness, rows_of_a_class_are_equal_in_random_programs) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomSource random(seed);
    const auto ops = 1 + static_cast<std::uint32_t>(seed % 30);
    const Program program =
        seed % 2 == 0 ? random_program(random, ops) : random_row_number_program(random, ops);
    EXPECT_EQ(unequal_rows_of_a_class(program, seed), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace vecc::test
