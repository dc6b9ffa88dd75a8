// Program's own functions: what they compute, what the convenience forms leave out, and the rules
// that text cannot break.
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

Program two_facts() {
  Program program;
  program.fact({1, 2, 3, 4}, 4, Shape());
  program.fact({1, 2, 3, 4}, 2, Shape(2, 1));
  return program;
}

std::string error_of_op(Program program, OpAttributes attributes, Operands operands) {
  const auto added = program.add(std::move(attributes), operands);
  return added ? "" : added.error().text();
}

TEST(Builders, rows_shape_and_dtype_are_computed) {
  Program program(DType::F64);
  const ValueId w = program.fact({1, 2, 3, 4, 5, 6}, 1, Shape(3, 2));
  const ValueId x = program.fact({1, 2, 3, 4}, 2, Shape(2, 1));
  LinearOp lifted;
  lifted.lift_left = {Lift::Kind::Repeat, 2};
  const Op& op = program.op(program.linear(w, x, lifted, "note"));
  EXPECT_EQ(op.rows, 2u);
  EXPECT_EQ(op.shape, Shape(3, 1));
  EXPECT_EQ(op.dtype, DType::F64);
  EXPECT_EQ(op.note.text(), "note");
  EXPECT_EQ(op.kind(), OpKind::Linear);
  EXPECT_EQ(op.size(), 6u);
}

TEST(Builders, a_concat_of_one_is_that_value) {
  Program program = two_facts();
  const ValueId one[] = {1};
  EXPECT_EQ(program.concat(one), 1u);
  EXPECT_EQ(program.ops().size(), 2u);
}

TEST(Builders, a_gather_of_all_rows_in_order_is_that_value) {
  Program program = two_facts();
  EXPECT_EQ(program.gather(0, Index::slice(0, 4)), 0u);
  EXPECT_EQ(program.gather(0, Index::list({0, 1, 2, 3})), 0u);
  EXPECT_EQ(program.gather(0, Index::repeat(4, 1)), 0u);
  EXPECT_EQ(program.ops().size(), 2u);
}

TEST(Builders, a_gather_of_other_rows_is_an_op) {
  Program program = two_facts();
  EXPECT_EQ(program.gather(0, Index::slice(0, 3)), 2u);
  EXPECT_EQ(program.gather(0, Index::list({0, 1, 3, 2})), 3u);
}

TEST(Builders, an_identity_transform_is_that_value) {
  Program program = two_facts();
  EXPECT_EQ(program.transform(1, TransformationSpec()), 1u);
  EXPECT_EQ(program.ops().size(), 2u);
}

TEST(Builders, map_takes_a_tree) {
  Program program = two_facts();
  const ValueId operands[] = {0, 0};
  const ValueId value = program.map(*parse_expr("sum($0, $1)", "test"), operands);
  EXPECT_EQ(program.op(value).rows, 4u);
}

TEST(Builders, map_of_one_row_and_no_rows_has_no_rows) {
  Program program;
  const ValueId operands[] = {program.fact({1}, 1, Shape()), program.fact({}, 0, Shape())};
  const ValueId value = program.map(*parse_expr("sum($0, $1)", "test"), operands);
  EXPECT_EQ(program.op(value).rows, 0u);
}

TEST(Builders, an_ill_formed_op_is_the_callers_bug) {
  Program program = two_facts();
  EXPECT_THROW((void)program.gather(0, Index::slice(1, 4)), InternalError);
  EXPECT_THROW((void)program.linear(1, 1), InternalError);
  EXPECT_THROW((void)program.fact({1}, 2, Shape()), InternalError);
  EXPECT_THROW((void)program.weight(0), InternalError);
  EXPECT_THROW((void)program.concat({}), InternalError);
  EXPECT_EQ(program.ops().size(), 2u);
}

TEST(Builders, bad_operand_that_is_not_before_the_op) {
  EXPECT_EQ(error_of_op(two_facts(), ConcatOp{}, {0, 2}),
            "%2 concat: error: reads %2, which is not before it [E031]");
}

TEST(Builders, bad_number_of_operands) {
  EXPECT_EQ(error_of_op(two_facts(), GatherOp{}, {}),
            "%2 gather: error: has 0 operands, expected 1 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), LinearOp{}, {0}),
            "%2 linear: error: has 1 operand, expected 2 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), ConcatOp{}, {}), "%2 concat: error: has no operand [E031]");
  EXPECT_EQ(error_of_op(two_facts(), MapOp{}, {}), "%2 map: error: has no operand [E031]");
  EXPECT_EQ(error_of_op(two_facts(), FactOp{nullptr, 1, Shape(), true}, {0}),
            "%2 fact: error: has 1 operand, expected 0 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), WeightOp{}, {0}),
            "%2 weight: error: has 1 operand, expected 0 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), StateOp{}, {0}),
            "%2 state: error: has 1 operand, expected 0 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), SegmentOp{}, {}),
            "%2 segment: error: has 0 operands, expected 1 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), TransformOp{}, {}),
            "%2 transform: error: has 0 operands, expected 1 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), ContractOp{}, {0}),
            "%2 contract: error: has 1 operand, expected 2 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), UpdateOp{}, {0}),
            "%2 update: error: has 1 operand, expected 2 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), OutputOp{}, {0, 1}),
            "%2 output: error: has 2 operands, expected 1 [E031]");
}

TEST(Builders, bad_fact_values) {
  EXPECT_EQ(error_of_op(Program(), FactOp{nullptr, 1, Shape(), false}, {}),
            "%0 fact: error: has no values [E031]");
  const auto values = SharedNumbers::repeated(1, 1.0);
  EXPECT_EQ(error_of_op(Program(), FactOp{values, 1, Shape(), true}, {}),
            "%0 fact: error: has values, but its rows are units [E031]");
}

TEST(Builders, bad_shape_of_no_elements) {
  const auto none = SharedNumbers::of(std::vector<double>());
  EXPECT_EQ(error_of_op(Program(), FactOp{none, 1, Shape(3, 0), false}, {}),
            "%0 fact: error: a shape with a side of 0 [E031]");
  EXPECT_EQ(error_of_op(Program(), StateOp{"s", 1, Shape(0, 3), 0}, {}),
            "%0 state: error: a shape with a side of 0 [E031]");
  EXPECT_EQ(error_of_op(two_facts(), ContractOp{Index(), 1, Shape(0, 3)}, {0, 0}),
            "%2 contract: error: a weight shape with a side of 0 [E031]");
  TransformOp broadcast;
  broadcast.transformation = {Transformation::Broadcast, 0.01, Shape(0, 2)};
  EXPECT_EQ(error_of_op(two_facts(), broadcast, {0}),
            "%2 transform: error: broadcast to a shape with a side of 0 [E031]");
}

TEST(Builders, bad_row_of_too_many_elements) {
  EXPECT_EQ(error_of_op(Program(), StateOp{"s", 1, Shape(1 << 16, 1 << 16), 0}, {}),
            "%0 state: error: makes rows of 65536x65536, more than 268435456 elements [E044]");
}

TEST(Builders, bad_weight_without_its_parameter) {
  EXPECT_EQ(error_of_op(Program(), WeightOp{0}, {}),
            "%0 weight: error: reads parameter 0, but there are 0 [E031]");
}

TEST(Builders, bad_lift_of_the_kind_none) {
  LinearOp op;
  op.lift_left.times = 2;
  EXPECT_EQ(error_of_op(two_facts(), op, {0, 0}),
            "%2 linear: error: the left operand is lifted 2 times, expected 1 without a lift "
            "[E031]");
}

TEST(Builders, bad_map_without_a_tree) {
  EXPECT_EQ(error_of_op(two_facts(), MapOp{}, {0}), "%2 map: error: has no expression [E031]");
  EXPECT_EQ(error_of_op(two_facts(), MapOp{std::make_shared<const Expr>()}, {0}),
            "%2 map: error: expression: 0 nodes, expected 1 to 65536 [E031]");
}

TEST(Builders, bad_words_of_no_rows) {
  Program program;
  program.fact({}, 0, Shape(2, 1));
  TransformOp op;
  op.transformation.id = Transformation::AtIndex;
  EXPECT_EQ(error_of_op(program, op, {0}), "%1 transform: error: atindex has no words [E031]")
      << "one set of words for all rows is needed to know the shape";
}

TEST(Parameters, bad_parameters) {
  Program program;
  const auto error = [&](Parameter parameter) {
    const auto added = program.add_parameter(std::move(parameter));
    return added ? "" : added.error().text();
  };
  const auto values = SharedNumbers::repeated(3, 1.0);
  EXPECT_EQ(error({"w\n", 3, Shape(), values}), "");
  EXPECT_EQ(error({"w\n", 3, Shape(), values}),
            "parameter \"w\\n\": error: a second parameter of this name [E015]");
  EXPECT_EQ(error({"v", 2, Shape(), values}),
            "parameter \"v\": error: has 3 values, expected 2 rows of 1 [E031]");
  EXPECT_EQ(error({"v", 2, Shape(0, 2), nullptr}),
            "parameter \"v\": error: a shape with a side of 0 [E031]");
  EXPECT_EQ(error({"v", 2, Shape(1 << 20, 1 << 20), nullptr}),
            "parameter \"v\": error: rows of 1048576x1048576, more than 268435456 elements "
            "[E044]");
  EXPECT_EQ(program.parameters().size(), 1u);
}

TEST(Parameters, values_can_be_replaced_by_as_many) {
  Program program;
  ASSERT_TRUE(program.add_parameter({"w", 2, Shape(2, 1), nullptr}).has_value());
  program.set_parameter_values(0, SharedNumbers::repeated(4, 2.0));
  EXPECT_EQ(program.parameters()[0].values[3], 2.0);
  EXPECT_THROW(program.set_parameter_values(0, SharedNumbers::repeated(3, 2.0)), InternalError);
  EXPECT_THROW(program.set_parameter_values(1, nullptr), InternalError);
}

TEST(Segments, count_and_equality) {
  EXPECT_EQ(Segments::ragged({0, 2, 2, 5}).count(5), 3u);
  EXPECT_EQ(Segments::fixed(3).count(12), 4u);
  EXPECT_EQ(Segments::ragged({0, 2}), Segments::ragged({0, 2}));
  EXPECT_FALSE(Segments::ragged({0, 2, 4}) == Segments::fixed(2));
  EXPECT_FALSE(Segments::fixed(2, 1) == Segments::fixed(2, 2));
  EXPECT_THROW((void)Segments::fixed(0), InternalError);
}

}  // namespace
}  // namespace vecc::test
