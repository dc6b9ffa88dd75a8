// Rows that are equal whatever the weights are, and the tables that find them.
#include "optimizer/rewrite/row_classes.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "optimizer/rewrite/tuple_table.h"
#include "src/support/list_threads.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using testing::ElementsAre;

// By row of the last op: the first of its rows in the same class.
std::vector<std::uint32_t> classes_in_last_op(const std::string& text) {
  const auto program = parse_program("vecc program 1 f64 samples 0\n" + text, "test");
  VECC_CHECK(program.has_value(), program.error().text());
  const auto last = static_cast<ValueId>(program->ops().size() - 1);
  const opt::RowClasses classes(*program);
  const opt::RowClasses::View view = classes.of(last);
  std::vector<std::uint32_t> first(program->op(last).rows);
  for (std::uint32_t row = 0; row < first.size(); ++row) {
    while (view[first[row]] != view[row]) ++first[row];
  }
  return first;
}

const std::string kTwoRows =
    "parameter \"x\" [2, 1] = {1, 2}\n"
    "%0 = weight \"x\" : f64[2, 1]\n";

TEST(RowClasses, equal_constants_are_not_compared_but_units_are) {
  EXPECT_THAT(classes_in_last_op("%0 = fact {5, 5} : f64[2, 1]\n"), ElementsAre(0, 1));
  EXPECT_THAT(classes_in_last_op("%0 = fact unit : f64[2, 1]\n"
                                 "%1 = fact unit : f64[1, 1]\n"
                                 "%2 = concat %0, %1 : f64[3, 1]\n"),
              ElementsAre(0, 0, 0));
}

TEST(RowClasses, a_parameter_read_twice_has_the_same_rows) {
  EXPECT_THAT(classes_in_last_op(kTwoRows + "%1 = weight \"x\" : f64[2, 1]\n"
                                            "%2 = concat %0, %1 : f64[4, 1]\n"),
              ElementsAre(0, 1, 0, 1));
}

TEST(RowClasses, equality_goes_through_products_functions_and_sums) {
  EXPECT_THAT(classes_in_last_op(kTwoRows + "%1 = gather %0 [0, 1, 0, 0] : f64[4, 1]\n"
                                            "%2 = gather %0 [1, 0, 1, 0] : f64[4, 1]\n"
                                            "%3 = linear %1, %2 : f64[4, 1]\n"
                                            "%4 = transform %3 tanh : f64[4, 1]\n"
                                            "%5 = gather %4 [0, 1, 1, 2, 3, 3] : f64[6, 1]\n"
                                            "%6 = segment %5 [fixed 2 dim 2] sum : f64[3, 1]\n"),
              ElementsAre(0, 0, 2));
}

TEST(RowClasses, lifts_are_looked_through) {
  EXPECT_THAT(classes_in_last_op(
                  kTwoRows + "%1 = gather %0 [0, 1, 0] : f64[3, 1]\n"
                             "%2 = linear %0 lift(interleave 3), %1 lift(repeat 2) : f64[6, 1]\n"),
              ElementsAre(0, 1, 0, 3, 4, 3));
}

TEST(RowClasses, order_matters_where_the_table_says_so) {
  const std::string pairs = kTwoRows + "%1 = gather %0 [0, 1, 1, 0] : f64[4, 1]\n";
  EXPECT_THAT(classes_in_last_op(pairs + "%2 = segment %1 [fixed 2 dim 2] avg : f64[2, 1]\n"),
              ElementsAre(0, 0));
  EXPECT_THAT(classes_in_last_op(pairs + "%2 = segment %1 [fixed 2 dim 2] max : f64[2, 1]\n"),
              ElementsAre(0, 0));
  EXPECT_THAT(classes_in_last_op(pairs + "%2 = segment %1 [fixed 2 dim 2] concat : f64[2, 2x1]\n"),
              ElementsAre(0, 1));
  EXPECT_TRUE(opt::is_order_free(Combination::Min, Shape::scalar()));
  EXPECT_FALSE(opt::is_order_free(Combination::Min, Shape::column(2)));
}

TEST(RowClasses, segments_of_different_rows_are_different_but_for_empty_ones) {
  const std::string turned = kTwoRows + "%1 = gather %0 [1, 0] : f64[2, 1]\n";
  EXPECT_THAT(classes_in_last_op(kTwoRows + "%1 = segment %0 [0, 0, 1, 1, 2, 2] sum : f64[5, 1]\n"),
              ElementsAre(0, 1, 0, 3, 0));
  EXPECT_THAT(classes_in_last_op(turned + "%2 = segment %1 [0, 1, 1, 2, 2] sum : f64[4, 1]\n"),
              ElementsAre(0, 1, 2, 1));
  EXPECT_THAT(classes_in_last_op(turned + "%2 = segment %1 [0, 1, 2] softmax : f64[2, 1]\n"),
              ElementsAre(0, 1));
}

TEST(RowClasses, a_softmax_row_is_its_segment_and_its_member) {
  EXPECT_THAT(classes_in_last_op(kTwoRows + "%1 = gather %0 [0, 1, 1, 0, 1, 1] : f64[6, 1]\n"
                                            "%2 = segment %1 [0, 2, 4, 6] softmax : f64[6, 1]\n"),
              ElementsAre(0, 1, 1, 0, 4, 4));
}

TEST(RowClasses, rows_of_different_ops_and_words_are_different) {
  EXPECT_THAT(classes_in_last_op(kTwoRows + "%1 = transform %0 tanh : f64[2, 1]\n"
                                            "%2 = transform %0 tanh : f64[2, 1]\n"
                                            "%3 = concat %1, %2 : f64[4, 1]\n"),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(classes_in_last_op("parameter \"x\" [1, 3x1] = {1, 2, 3}\n"
                                 "%0 = weight \"x\" : f64[1, 3x1]\n"
                                 "%1 = gather %0 [0, 0, 0] : f64[3, 3x1]\n"
                                 "%2 = transform %1 atindex [2, 0, 2] : f64[3, 1]\n"),
              ElementsAre(0, 1, 0));
}

// Typed products, sums of two in any order, a function of two values: so many rows that a team
// tells them apart, of each kind many equal ones.
Program many_equal_rows() {
  constexpr std::uint32_t kManyRows = 150000;
  const auto spread = [](std::uint64_t factor, std::uint32_t below) {
    std::vector<std::uint32_t> rows(kManyRows);
    for (std::uint32_t i = 0; i < kManyRows; ++i) {
      rows[i] = static_cast<std::uint32_t>(i * factor % below);
    }
    return Index::list(std::move(rows));
  };
  Program program;
  const auto x = program.add_parameter({"x", 1009, Shape::column(2), nullptr});
  const auto w = program.add_parameter({"w", 7, Shape(2, 2), nullptr});
  VECC_CHECK(x && w, "parameters");
  const ValueId products = program.linear(program.gather(program.weight(*w), spread(11, 7)),
                                          program.gather(program.weight(*x), spread(13, 101)));
  const ValueId sums = program.segment(products, Segments::fixed(2), Combination::Sum);
  const ValueId others = program.gather(program.weight(*x), spread(29, 1009));
  const auto expr = parse_expr("elproduct($0, $1)", "test");
  VECC_CHECK(expr.has_value(), "an expression");
  program.map(*expr, std::vector<ValueId>{products, others});
  program.transform(sums, {.id = Transformation::Tanh, .target = {}});
  return program;
}

TEST(RowClasses, are_the_same_for_any_number_of_threads) {
  const Program program = many_equal_rows();
  const opt::RowClasses one(program);
  std::uint64_t merged = 0;
  for (const std::uint32_t threads : {2u, 5u}) {
    const ListThreads scope(threads);
    const opt::RowClasses many(program);
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      for (std::uint32_t row = 0; row < program.op(id).rows; ++row) {
        ASSERT_EQ(one.of(id)[row], many.of(id)[row]) << "%" << id << ", row " << row;
        merged += row > 0 && one.of(id)[row] < one.of(id)[row - 1] ? 1 : 0;
      }
    }
  }
  EXPECT_GT(merged, 0u);
}

TEST(RowClasses, of_few_are_the_same_or_none) {
  const Program program = many_equal_rows();
  const opt::RowClasses all(program);
  std::uint64_t elements = 0;
  std::vector<bool> met(all.size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    if (op.kind() == OpKind::Gather) continue;
    for (std::uint32_t row = 0; row < op.rows; ++row) {
      if (!met[all.of(id)[row]]) elements += op.shape.size();
      met[all.of(id)[row]] = true;
    }
  }
  EXPECT_FALSE(opt::RowClasses::of_few(program, elements - 1).has_value());
  const auto few = opt::RowClasses::of_few(program, elements);
  ASSERT_TRUE(few.has_value());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    for (std::uint32_t row = 0; row < program.op(id).rows; ++row) {
      ASSERT_EQ(few->of(id)[row], all.of(id)[row]) << "%" << id;
    }
  }
}

TEST(TupleTable, numbers_lists_in_the_order_in_which_they_come) {
  opt::TupleTable table;
  const auto number = [&](std::vector<std::uint32_t> list) { return table.number_of(list); };
  EXPECT_EQ(number({1, 2}), 0u);
  EXPECT_EQ(number({}), 1u);
  EXPECT_EQ(number({1}), 2u);
  EXPECT_EQ(number({2, 1}), 3u);
  EXPECT_EQ(number({1, 2}), 0u);
  EXPECT_THAT(table.tuple(3), ElementsAre(2, 1));
}

TEST(TupleTable, keeps_its_numbers_when_it_grows) {
  constexpr std::uint32_t kLists = 100000;
  opt::TupleTable table;
  for (const int round : {0, 1}) {
    for (std::uint32_t i = 0; i < kLists; ++i) {
      const std::vector<std::uint32_t> list{i % 100, i / 100};
      ASSERT_EQ(table.number_of(list), i) << round;
    }
  }
  EXPECT_EQ(table.size(), kLists);
}

}  // namespace
}  // namespace vecc::test
