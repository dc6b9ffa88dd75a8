// Parameters and states between runs and between executables, on every backend.
#include <cstring>

#include "tests/train/train_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<double>;

Program parsed(std::string_view text) {
  Program program = value_of(parse_program(text, "test"));
  EXPECT_TRUE(verify(program));
  return program;
}

constexpr std::string_view kCounter =
    "vecc program 1 f64 samples 0\n"
    "parameter \"w\" [3, 1] = {1, 2, 3}\n"
    "%0 = weight \"w\" : f64[3, 1]\n"
    "%1 = state \"s\" = 0.5 : f64[3, 1]\n"
    "%2 = map sum($0, $1) %0, %1 : f64[3, 1]\n"
    "%3 = update %1, %2 : f64[3, 1]\n"
    "%4 = map elproduct($0, 2) %0 : f64[3, 1]\n"
    "%5 = update %0, %4 : f64[3, 1]\n";

TEST(Storage, StatesAndUpdatedParametersOutliveARun) {
  const Program program = parsed(kCounter);
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, program);
    expect_ok(executable->run());
    expect_near(value_of(executable->state("s")), {1.5, 2.5, 3.5});
    expect_near(value_of(executable->parameter(0)), {2, 4, 6});
    expect_ok(executable->run());
    expect_near(value_of(executable->state("s")), {3.5, 6.5, 9.5});
    expect_near(value_of(executable->parameter(0)), {4, 8, 12});
    EXPECT_EQ(program.parameters()[0].values.doubles(),
              Numbers({1, 2, 3}));  // the Program's own stay
  });
}

TEST(Storage, StatesAreSetAndReadByName) {
  const Program program = parsed(kCounter);
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, program);
    expect_ok(executable->set_state("s", Numbers{7, 8, 9}));
    expect_near(value_of(executable->state("s")), {7, 8, 9});
    expect_ok(executable->run());
    expect_near(value_of(executable->state("s")), {8, 10, 12});
    EXPECT_EQ(executable->set_state("s", Numbers{7}).error().text(),
              "state \"s\": error: 1 values, expected 3 [E050]");
    EXPECT_EQ(executable->state("t").error().text(),
              std::string(backend.name()) + ": error: no state \"t\" in the program [E050]");
  });
}

// Each update takes what the other's target was before the run.
TEST(Storage, UpdatesStoreWhatWasThereBeforeAnyOfThem) {
  const Program program = parsed(
      "vecc program 1 f64 samples 2\n"
      "%0 = state \"a\" = 1 : f64[2, 1]\n"
      "%1 = state \"b\" = 2 : f64[2, 1]\n"
      "%2 = update %0, %1 : f64[2, 1]\n"
      "%3 = update %1, %0 : f64[2, 1]\n"
      "%4 = output %0 [0:2] : f64[2, 1]\n");
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, program);
    expect_ok(executable->run());
    expect_near(value_of(executable->state("a")), {2, 2});
    expect_near(value_of(executable->state("b")), {1, 1});
    // The output is what the run computed, not what it stored.
    EXPECT_EQ(value_of(executable->outputs())[0].value, Numbers{1});
    expect_ok(executable->run());
    expect_near(value_of(executable->state("a")), {1, 1});
    EXPECT_EQ(value_of(executable->outputs())[0].value, Numbers{2});
  });
}

TEST(Storage, OnlyListedRowsAreWritten) {
  for (const std::string rows : {"[3, 0, 3]", "[1:4]", "[0:5:2]"}) {
    SCOPED_TRACE(rows);
    const Program program = parsed(
        "vecc program 1 f64 samples 0\n"
        "%0 = state \"s\" = 0 : f64[5, 2x1]\n"
        "%1 = fact {1, 2, 3, 4, 5, 6} : f64[3, 2x1]\n"
        "%2 = update %0, %1 " +
        rows + " : f64[3, 2x1]\n");
    const Numbers expected = rows == "[3, 0, 3]" ? Numbers{3, 4, 0, 0, 0, 0, 5, 6, 0, 0}
                             : rows == "[1:4]"   ? Numbers{0, 0, 1, 2, 3, 4, 5, 6, 0, 0}
                                                 : Numbers{1, 2, 0, 0, 3, 4, 0, 0, 5, 6};
    on_each_backend([&](const Backend& backend) {
      const auto executable = compile_on(backend, program);
      expect_ok(executable->run());
      expect_near(value_of(executable->state("s")), expected);
    });
  }
}

TEST(Storage, AStepOfOneExecutableIsSeenByOthers) {
  const Program program = parsed(kCounter);
  const Program reader = parsed(
      "vecc program 1 f64 samples 3\n"
      "parameter \"w\" [3, 1]\n"  // no values of its own
      "%0 = weight \"w\" : f64[3, 1]\n"
      "%1 = output %0 [0:3] : f64[3, 1]\n");
  on_each_backend([&](const Backend& backend) {
    const auto first = compile_on(backend, program);
    expect_ok(first->run());
    ExecutionOptions shared;
    shared.storage = first->storage();
    const auto second = compile_on(backend, program, shared);
    const auto third = compile_on(backend, reader, shared);
    EXPECT_EQ(third->bytes(), 0u);  // nothing is copied
    expect_ok(second->run());
    expect_near(value_of(first->parameter(0)), {4, 8, 12});
    expect_near(value_of(first->state("s")), {3.5, 6.5, 9.5});
    expect_ok(third->run());
    EXPECT_EQ(value_of(third->outputs())[2].value, Numbers{12});
    expect_ok(third->set_parameter(0, Numbers{0, 0, 1}));
    expect_ok(first->run());
    expect_near(value_of(second->state("s")), {3.5, 6.5, 10.5});
  });
}

// An executable that records gradients beside one that takes steps.
TEST(Storage, GradientsAreOfTheSharedValues) {
  const Program step = parsed(kCounter);
  const Program squares = parsed(
      "vecc program 1 f64 samples 3\n"
      "parameter \"w\" [3, 1]\n"
      "%0 = weight \"w\" : f64[3, 1]\n"
      "%1 = transform %0 square : f64[3, 1]\n"
      "%2 = output %1 [0:3] : f64[3, 1]\n");
  on_each_backend([&](const Backend& backend) {
    const auto stepper = compile_on(backend, step);
    ExecutionOptions options;
    options.storage = stepper->storage();
    options.gradients = true;
    const auto differentiated = compile_on(backend, squares, options);
    for (const double factor : {1.0, 2.0, 4.0}) {
      expect_ok(differentiated->run());
      expect_ok(differentiated->differentiate(Numbers{1, 1, 1}));
      expect_near(value_of(differentiated->gradient(0)), {2 * factor, 4 * factor, 6 * factor});
      expect_ok(stepper->run());
      // What the run kept is of the values before the step.
      EXPECT_FALSE(differentiated->differentiate(Numbers{1, 1, 1}));
    }
  });
}

TEST(Storage, OwnParametersAreNotShared) {
  const Program program = parsed(kCounter);
  on_each_backend([&](const Backend& backend) {
    const auto first = compile_on(backend, program);
    ExecutionOptions options;
    options.storage = first->storage();
    options.own_parameters = {0};
    const auto second = compile_on(backend, program, options);
    expect_ok(second->run());
    expect_near(value_of(first->parameter(0)), {1, 2, 3});
    expect_near(value_of(second->parameter(0)), {2, 4, 6});
    expect_near(value_of(first->state("s")), {1.5, 2.5, 3.5});
  });
}

TEST(Storage, MismatchesAreListed) {
  const Program program = parsed(kCounter);
  const Program other = parsed(
      "vecc program 1 f64 samples 0\n"
      "parameter \"w\" [2, 1] = {1, 2}\n"
      "parameter \"v\" [2, 1]\n"
      "%0 = weight \"w\" : f64[2, 1]\n"
      "%1 = state \"s\" = 0 : f64[3, 2x1]\n");
  on_each_backend([&](const Backend& backend) {
    const auto first = compile_on(backend, program);
    ExecutionOptions options;
    options.device = device_of(backend);
    options.storage = first->storage();
    const std::string name(backend.name());
    EXPECT_EQ(backend.compile(other, options).error().text(),
              name + ": error: parameter \"w\" is [2, 1], but [3, 1] in the storage [E014]\n" +
                  name + ": error: parameter \"v\" has no values [E023]\n" + name +
                  ": error: state \"s\" is [3, 2x1], but [3, 1] in the storage [E014]");
    for (const Backend* another : backends()) {
      if (another == &backend || !another->available(device_of(*another))) continue;
      options.device = device_of(*another);
      EXPECT_EQ(another->compile(program, options).error().text(),
                std::string(another->name()) + ": error: the storage is of another backend [E050]");
    }
  });
}

TEST(Storage, KeptValuesAreThereAfterTheRun) {
  const Program program = parsed(
      "vecc program 1 f64 samples 1\n"
      "%0 = fact {1, 2, 3, 4} : f64[4, 1]\n"
      "%1 = transform %0 square : f64[4, 1]\n"
      "%2 = gather %1 [3, 0] : f64[2, 1]\n"
      "%3 = segment %2 [0, 2] sum : f64[1, 1]\n"
      "%4 = transform %3 square : f64[1, 1]\n"
      "%5 = output %4 [0:1] : f64[1, 1]\n");
  on_each_backend([&](const Backend& backend) {
    const auto none = compile_on(backend, program);
    expect_ok(none->run());
    EXPECT_FALSE(none->read(3));
    ExecutionOptions options;
    options.kept = {2, 3};
    const auto executable = compile_on(backend, program, options);
    expect_ok(executable->run());
    expect_near(value_of(executable->read(2)), {16, 1});
    expect_near(value_of(executable->read(3)), {17});
    options.kept = {6};
    EXPECT_EQ(backend.compile(program, options).error().text(),
              std::string(backend.name()) + ": error: no %6 to keep [E050]");
  });
}

TEST(Storage, SinglePrecisionStaysSingle) {
  const Program program = parsed(
      "vecc program 1 f32 samples 0\n"
      "parameter \"w\" [1, 1] = {0.1}\n"
      "%0 = weight \"w\" : f32[1, 1]\n"
      "%1 = state \"s\" = 0.1 : f32[1, 1]\n");
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, program);
    const double expected = backend.name() == "interpreter" ? 0.1 : double{0.1F};
    EXPECT_EQ(value_of(executable->parameter(0))[0], expected);
    EXPECT_EQ(value_of(executable->state("s"))[0], expected);
  });
}

TEST(Storage, UpdatesWithGradientsAreRefused) {
  const Program program = parsed(kCounter);
  on_each_backend([&](const Backend& backend) {
    ExecutionOptions options;
    options.gradients = true;
    const std::string name(backend.name());
    EXPECT_EQ(backend.compile(program, options).error().text(),
              name + ": error: %3 update: no gradients of a Program with updates [E061]\n" + name +
                  ": error: %5 update: no gradients of a Program with updates [E061]");
  });
}

}  // namespace
}  // namespace vecc::test
