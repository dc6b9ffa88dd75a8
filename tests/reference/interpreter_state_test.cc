// Parameters, states and updates over several runs; the backend's border.
#include "tests/reference/interpreter_check.h"

namespace vecc::test {
namespace {

SharedNumbers shared(std::vector<double> values) {
  return SharedNumbers::of(std::move(values));
}

TransformationSpec square() {
  TransformationSpec spec;
  spec.id = Transformation::Square;
  return spec;
}

TEST(InterpreterState, StatesOutliveARun) {
  Program p;
  const ValueId state = add(p, StateOp{"steps", 2, Shape::row(2), 0.5}, {});
  const ValueId one = p.fact({1, 2, 3, 4}, 2, Shape::row(2));
  const ValueId operands[] = {state, one};
  const ValueId next = p.map(parse_expr("sum($0, $1)", "").value(), operands);
  const ValueId update = add(p, UpdateOp{}, {state, next});
  const auto executable = compile_or_throw(p);
  ASSERT_TRUE(executable->run().has_value());
  EXPECT_THAT(executable->read(state).value(), are_near({0.5, 0.5, 0.5, 0.5}));  // as it was read
  EXPECT_THAT(executable->read(update).value(), are_near({1.5, 2.5, 3.5, 4.5}));
  ASSERT_TRUE(executable->run().has_value());
  EXPECT_THAT(executable->read(state).value(), are_near({1.5, 2.5, 3.5, 4.5}));
  EXPECT_THAT(executable->read(update).value(), are_near({2.5, 4.5, 6.5, 8.5}));
  // Another executable begins anew.
  EXPECT_THAT(run_value(p, state), are_near({0.5, 0.5, 0.5, 0.5}));
}

// The update stands before a reader of the weight: that one still reads the old rows.
TEST(InterpreterState, UpdatesAreStoredAfterEveryOtherOp) {
  Program p;
  const auto w = p.add_parameter({"w", 3, Shape(), shared({2, 3, 4})}).value();
  const ValueId weight = p.weight(w);
  const ValueId rows = p.fact({10, 20}, 2, Shape());
  add(p, UpdateOp{Index::list({2, 0})}, {weight, rows});
  const ValueId again = p.weight(w);
  const ValueId reader = p.transform(again, square());
  const auto executable = compile_or_throw(p);
  ASSERT_TRUE(executable->run().has_value());
  EXPECT_THAT(executable->read(reader).value(), are_near({4, 9, 16}));
  ASSERT_TRUE(executable->run().has_value());
  EXPECT_THAT(executable->read(reader).value(), are_near({400, 9, 100}));
  EXPECT_THAT(p.parameters()[w].values.doubles(), are_near({2, 3, 4}));  // the Program's own stay
}

TEST(InterpreterState, ListedRowsAreWrittenInOrder) {
  Program p;
  const ValueId state = add(p, StateOp{"s", 2, Shape(), 0}, {});
  const ValueId rows = p.fact({1, 2, 3}, 3, Shape());
  add(p, UpdateOp{Index::list({1, 0, 1})}, {state, rows});
  const auto executable = compile_or_throw(p);
  ASSERT_TRUE(executable->run().has_value());
  ASSERT_TRUE(executable->run().has_value());
  EXPECT_THAT(executable->read(state).value(), are_near({2, 3}));
}

TEST(Interpreter, SetParameter) {
  Program p;
  const auto w = p.add_parameter({"w", 2, Shape(), shared({2, 3})}).value();
  const ValueId y = p.transform(p.weight(w), square());
  const auto executable = compile_or_throw(p);
  ASSERT_TRUE(executable->set_parameter(w, std::vector<double>{5, 6}).has_value());
  ASSERT_TRUE(executable->run().has_value());
  EXPECT_THAT(executable->read(y).value(), are_near({25, 36}));
  const auto wrong = executable->set_parameter(w, std::vector<double>{5});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().text(), "parameter \"w\": error: 1 values, expected 2 [E050]");
}

TEST(Interpreter, ParametersWithoutValuesAreNamed) {
  Program p;
  p.weight(p.add_parameter({"a", 2, Shape(), nullptr}).value());
  p.weight(p.add_parameter({"b", 2, Shape(), nullptr}).value());
  const auto executable = find_backend("interpreter")->compile(p, {});
  ASSERT_FALSE(executable.has_value());
  EXPECT_EQ(executable.error().text(),
            "interpreter: error: parameter \"a\" has no values [E023]\n"
            "interpreter: error: parameter \"b\" has no values [E023]");
}

TEST(Interpreter, ReleasedValuesSaySo) {
  Program p;
  const ValueId facts = p.fact({1, 2}, 2, Shape());
  const ValueId squares = p.transform(facts, square());
  const ValueId reader = p.transform(p.gather(squares, Index::slice(1, 1)), square());
  p.set_sample_count(1);
  const ValueId output = p.output(reader, Index::slice(0, 1));
  const auto executable = find_backend("interpreter")->compile(p, {}).value();
  ASSERT_TRUE(executable->run().has_value());
  EXPECT_EQ(executable->read(squares).error().text(),
            "interpreter: %1 transform: error: the value was released after its last reader; "
            "compile with keep_values [E050]");
  EXPECT_THAT(executable->read(facts).value(), are_near({1, 2}));
  EXPECT_THAT(executable->read(output).value(), are_near({16}));
  ASSERT_TRUE(executable->run().has_value());
  EXPECT_THAT(executable->read(output).value(), are_near({16}));
}

TEST(Interpreter, BytesStayBetweenRuns) {
  Program p;
  p.weight(p.add_parameter({"w", 2, Shape::row(3), shared({1, 2, 3, 4, 5, 6})}).value());
  const ValueId fact = p.fact({1, 2}, 2, Shape());
  p.gather(fact, Index::list({1, 0, 1}));
  EXPECT_EQ(compile_or_throw(p)->bytes(), 8u * 6 + 8u * 2 + 4u * 3);
}

TEST(Interpreter, RunsOnTheCpuOnly) {
  const Backend* interpreter = find_backend("interpreter");
  ASSERT_NE(interpreter, nullptr);
  EXPECT_TRUE(interpreter->available({}).has_value());
  EXPECT_TRUE(interpreter->available({Device::Kind::Cpu, 0}).has_value());
  const ExecutionOptions cuda{{Device::Kind::Cuda, 1}, 0};
  EXPECT_EQ(interpreter->compile(Program(), cuda).error().text(),
            "interpreter: error: the interpreter runs on the cpu, found device cuda:1 [E062]");
}

TEST(Backends, StandInTheOrderOfAuto) {
  std::vector<std::string_view> names;
  for (const Backend* backend : backends()) names.push_back(backend->name());
  EXPECT_EQ(names, (std::vector<std::string_view>{"cpu", "cuda", "torch", "interpreter"}));
  for (const std::string_view name : names) EXPECT_EQ(find_backend(name)->name(), name);
  EXPECT_EQ(find_backend("nothing"), nullptr);
}

TEST(Backends, CudaIsFirstOnAGpuAndNotTriedOnACpu) {
  const auto all = backends();
  EXPECT_EQ(preferred_backends({Device::Kind::Cpu, 0}),
            (std::vector<const Backend*>{all[0], all[2], all[3]}));
  EXPECT_EQ(preferred_backends({Device::Kind::Cuda, 0}),
            (std::vector<const Backend*>{all[1], all[2], all[0], all[3]}));
}

TEST(Backends, DeviceTexts) {
  EXPECT_EQ(parse_device("auto")->kind, Device::Kind::Auto);
  EXPECT_EQ(parse_device("cpu")->kind, Device::Kind::Cpu);
  EXPECT_EQ(parse_device("cuda")->kind, Device::Kind::Cuda);
  EXPECT_EQ(parse_device("cuda")->index, 0u);
  EXPECT_EQ(parse_device("cuda:12")->kind, Device::Kind::Cuda);
  EXPECT_EQ(parse_device("cuda:12")->index, 12u);
  for (const std::string text :
       {"", "gpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:99999999999", "cpu:0", "CPU"}) {
    EXPECT_EQ(parse_device(text).error().text(),
              "device: error: \"" + text + "\", expected auto, cpu, cuda or cuda:N [E050]");
  }
}

}  // namespace
}  // namespace vecc::test
