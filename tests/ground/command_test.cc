// vecc-ground as a user sees it: the real program, odd and bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/tools/process.h"

namespace vecc::test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Files {
  std::string rules;
  std::string facts;
  std::string queries = {};
};

Finished ground(const Files& files, const std::vector<std::string>& more = {},
                const std::string& folder = test_folder()) {
  write_text(folder + "/t.txt", files.rules);
  write_text(folder + "/e.txt", files.facts);
  std::vector<std::string> arguments{folder + "/t.txt", "--facts=" + folder + "/e.txt"};
  if (std::ranges::find(more, "-o") == more.end()) {
    arguments.insert(arguments.end(), {"-o", folder + "/graph.pb"});
  }
  if (!files.queries.empty()) {
    write_text(folder + "/q.txt", files.queries);
    arguments.push_back("--queries=" + folder + "/q.txt");
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  Finished done = run_tool("vecc-ground", arguments);
  EXPECT_FALSE(has_control_characters(done.err)) << done.err;
  return done;
}

void expect_refused(const Files& files, int code, const std::string& message,
                    const std::vector<std::string>& more = {}) {
  const std::string folder = test_folder();
  const Finished done = ground(files, more, folder);
  EXPECT_EQ(done.code, code) << done.err;
  EXPECT_THAT(done.err, HasSubstr(message));
  EXPECT_THAT(list_folder(folder), Not(testing::Contains("graph.pb")));
}

const Files kXor{"h :- {2,2} xy.\n{1,2} xor :- h.\n",
                 "0 xor :- <[0,0]> xy.\n1 xor :- <[0,1]> xy.\n"};

std::string outputs(const std::string& folder) {
  const Finished done = run_vecc({folder + "/graph.pb", "--quiet", "--backend=reference"});
  EXPECT_EQ(done.code, 0) << done.err;
  return done.out;
}

TEST(GroundCommand, GroundsAndRuns) {
  const std::string folder = test_folder();
  const Finished done = ground(kXor, {}, folder);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("14 neurons, 12 edges, 2 samples"));
  EXPECT_THAT(outputs(folder), HasSubstr("s_0:xor\t0\t0\n"));  // tanh(W 0) = 0
}

TEST(GroundCommand, SeedsDecideTheWeightsAndNothingElseDoes) {
  const std::string folder = test_folder();
  const auto bytes = [&](const std::vector<std::string>& more) {
    EXPECT_EQ(ground(kXor, more, folder).code, 0);
    return read_text(folder + "/graph.pb");
  };
  const std::string first = bytes({"--seed=3"});
  EXPECT_EQ(bytes({"--seed=3"}), first);
  EXPECT_NE(bytes({"--seed=4"}), first);
  EXPECT_NE(bytes({"--seed=3", "--init=he"}), first);
}

TEST(GroundCommand, ExplainPrintsTheSqlOfEveryRule) {
  const Finished done =
      ground({"{1} q :- a(X), b(X, y), !c(X).\n", "1 q :- a(x), b(x, y), c(z).\n"}, {"--explain"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("-- {1} q :- a(X), b(X, y), !c(X)."));
  EXPECT_THAT(done.out, HasSubstr("NOT EXISTS (SELECT 1 FROM"));
  EXPECT_THAT(done.out, HasSubstr("-- 1 row\n"));
}

TEST(GroundCommand, NamesAreNeverSql) {
  // Words of SQL, and two names that differ in case alone, which are one table in SQLite.
  const std::string folder = test_folder();
  const Finished done = ground(
      {"{1} select :- table(X), tAble(Y), order(X, Y), drop-table(X, group).\n",
       "1 select :- table(where), tAble(null), order(where, null), drop-table(where, group).\n"},
      {}, folder);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(outputs(folder), HasSubstr("s_0:select\t"));
}

TEST(GroundCommand, ConstantsInQuotes) {
  const std::string folder = test_folder();
  const Finished done =
      ground({"{1} q(X) :- a(X), @neq(X, \"a \\\" \\\\\"), @neq(X, \"plain\").\n",
              "1 q(\"Ox 1, b).\"), 1 q(\"'); DROP TABLE p0_a; --\"), 1 q(plain) :- "
              "a(\"Ox 1, b).\"), a(\"a \\\" \\\\\"), a(plain), a(\"'); DROP TABLE p0_a; --\").\n"},
             {}, folder);
  ASSERT_EQ(done.code, 0) << done.err;
  const std::string out = outputs(folder);
  EXPECT_THAT(out, HasSubstr("q(Ox 1, b).)\t"));
  EXPECT_THAT(out, HasSubstr("q('); DROP TABLE p0_a; --)\t"));
  EXPECT_EQ(std::ranges::count(out, '\n'), 2);
  expect_refused(
      {"q :- a(\"x).\n", "1 q :- a(x).\n"}, 3,
      "t.txt: line 1, column 8: error: found \"\\\"\", expected a variable or a constant");
}

TEST(GroundCommand, ManyConstantsInOneExample) {
  std::string facts;
  for (int i = 0; i < 1'000'000; ++i) {
    facts += (i == 0 ? "e(" : ", e(") + std::to_string(i) + "," + std::to_string(i + 1) + ")";
  }
  const std::string folder = test_folder();
  const Finished done =
      ground({"{1} r(X) :- {1} e(X, Y).\n", facts + ".\n", "1 r(7).\n1 r(999999).\n"}, {}, folder);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("8 neurons"));  // of what is asked for, not of the facts
}

// What no query needs is not even made, so neither memory nor time is that of all there is.
TEST(GroundCommand, OnlyWhatIsAskedForIsGrounded) {
  std::string facts = "a(0)";
  for (int i = 1; i < 5'000; ++i) facts += ", a(" + std::to_string(i) + ")";
  const Finished done =
      ground({"{1} p(X, Y) :- {1} a(X), {1} a(Y).\n{1} q(X) :- {1} p(X, Y), @lt(Y, 3).\n",
              facts + ".\n", "1 q(7).\n"},
             {"--max-groundings=5003"});  // p(7, Y), and three of q(7); p has 25,000,000 of them
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("18 neurons"));
}

TEST(GroundCommand, DeepRecursionIsNoRecursionHere) {
  std::string facts;
  for (int i = 0; i < 20'000; ++i) {
    facts += (i == 0 ? "e(" : ", e(") + std::to_string(i) + "," + std::to_string(i + 1) + ")";
  }
  const Finished done = ground(
      {"r(X) :- {1} e(0, X).\nr(Y) :- {1} r(X), {1} e(X, Y).\n", facts + ".\n", "1 r(20000).\n"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("20,000 groundings"));
}

TEST(GroundCommand, EmptyFilesAreRefused) {
  expect_refused({"", kXor.facts}, 3, "t.txt");
  expect_refused({kXor.rules, ""}, 3, "e.txt");
  expect_refused({kXor.rules, "xy.\n", "% nothing\n"}, 3, "q.txt");
}

TEST(GroundCommand, WhatIsNotThereIsNamed) {
  const Finished done = run_tool("vecc-ground", {"none.txt", "--facts=none.txt", "-o", "x.pb"});
  EXPECT_EQ(done.code, 3);
  EXPECT_THAT(done.err, HasSubstr("none.txt"));
  expect_refused({"{1} q :- nothing(X).\n", "1 q :- a(x).\n"}, 3, "no query follows");
}

TEST(GroundCommand, OutputsHaveLevelsOfCompression) {
  const std::string folder = test_folder();
  std::vector<std::string> files;
  for (const char* const more : {"--threads=1", "--threads=2", "--compression-level=1"}) {
    const Finished done = ground(kXor, {more, "-o", folder + "/g.zst"}, folder);
    EXPECT_EQ(done.code, 0) << done.err;
    files.push_back(read_text(folder + "/g.zst"));
  }
  EXPECT_EQ(files[0], files[1]);
  EXPECT_NE(files[0], files[2]);
  expect_refused(kXor, 2, "--compression-level=3: the output is not compressed",
                 {"--compression-level=3"});
}

TEST(GroundCommand, RulesThatCannotBeGroundedArePlaced) {
  expect_refused({"{1} q(X) :- a(Y).\n", "1 q(x) :- a(x).\n"}, 3, "t.txt: line 1");
  expect_refused({"a(X) :- b(X), !c(X).\nc(X) :- b(X), a(X).\n", "1 a(x) :- b(x).\n"}, 3,
                 "\"c/1\" is negated, and depends on the head of this rule");
  expect_refused({"p(X, Y) :- {1} e(X, Y).\np(X, Y) :- {1} p(Y, X).\n", "1 p(a, b) :- e(a, b).\n"},
                 3, "line 2, column 1: error: a grounding of this rule reads nothing but");
  std::string body = "a(X)";
  for (int i = 0; i < 70; ++i) body += ", a(X)";
  expect_refused({"q :- " + body + ".\n", "1 q :- a(1).\n"}, 3, "found 71 literals in a body");
}

TEST(GroundCommand, ExamplesAndQueriesBelongTogether) {
  expect_refused({"q :- a(X).\n", "a(x).\na(y).\n", "1 q.\n"}, 3,
                 "has 1 line of queries, and e.txt 2 examples");
  expect_refused({"q :- a(X).\n", "a(x).\n"}, 3, "has no queries");
  expect_refused({"q :- a(X).\n", "one :- a(x).\ntwo :- a(y).\n", "three :- 1 q.\n"}, 3,
                 "no example has the name \"three\"");
  expect_refused({"q :- {1} a(X).\n", "1 q :- 0.5 a(x), 0.7 a(x).\n"}, 3,
                 "this fact was given before");
  expect_refused({"q(X) :- {1} a(X).\n", "1 q(t:X) :- a(x).\n"}, 3,
                 "line 1, column 5: error: a query's variable has no type");
}

TEST(GroundCommand, SamplesThatDoNotFollowAreSaidToBeLeftOut) {
  const Finished done =
      ground({"{1} q :- a(X), b(X).\n", "1 q :- a(x), b(x).\n0 q :- a(x), b(y).\n"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("note: 1 sample left out"));
}

TEST(GroundCommand, CyclesAreCutAndCounted) {
  const std::string folder = test_folder();
  const Finished done = ground({"p(X, Y) :- {1} e(X, Y).\np(X, Z) :- {1} e(X, Y), {1} p(Y, Z).\n",
                                "1 p(a, b) :- e(a, b), e(b, a).\n"},
                               {}, folder);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("note: 1 edge that closed cycles left out"));
  EXPECT_THAT(outputs(folder), HasSubstr("s_0:p(a, b)\t"));
}

// The softmax of one head is that of its group, whatever the queries ask for.
TEST(GroundCommand, ASoftmaxOverSomeTermsReadsAllOfItsHeads) {
  const std::string rules =
      "s(X, Y) :- <1> a(X), <1> b(Y), *e(X, Y). [aggregation=softmax(Y), activation=identity]\n"
      "s/2 [activation=identity]\n";
  const std::string facts =
      "<0.5> a(x), <-1> a(y), <0> b(u), <1> b(v), <2> b(w), e(x, u), e(x, v), e(y, v), e(y, w)";
  const std::string folder = test_folder();
  ASSERT_EQ(ground({rules, "1 s(x, v), 1 s(y, w) :- " + facts + ".\n"}, {}, folder).code, 0);
  EXPECT_EQ(outputs(folder),
            "s_b_0:s(x, v)\t0.7310585786300049\t1\n"
            "s_b_0:s(y, w)\t0.7310585786300049\t1\n");
  expect_refused({rules + "b(Y) :- {1} s(X, Y).\n", "1 s(x, v) :- " + facts + ".\n"}, 3,
                 "a softmax over some terms closes a cycle");
  expect_refused({"s(X, Y) :- a(X), b(Y). [aggregation=softmax(Y)]\n",
                  "1 s(x, v) :- [1,2] a(x), [1,2] b(v).\n"},
                 3, "found values of 2x1 under softmax over some terms, expected scalars");
}

TEST(GroundCommand, FunctionsWithParameters) {
  const std::string folder = test_folder();
  const Finished done = ground({"h :- ^slice(1:3) a, b. [combination=elproduct(sum($0, $1), $1), "
                                "activation=leakyrelu(0.5)]\nh/0 [activation=reshape(1x2)]\n"
                                "q :- h. [activation=slice(0:1, 1:2)]\nq/0 [activation=identity]\n",
                                "1 q :- <[5, 1, 2]> a, <[3, -4]> b.\n"},
                               {}, folder);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(outputs(folder), "s_0:q\t[8]\t1\n");  // (2 - 4) * -4
}

TEST(GroundCommand, LimitsHold) {
  const Files pairs{"p(X, Y) :- {1} a(X), {1} a(Y).\nq :- p(X, Y).\n",
                    "1 q :- a(1), a(2), a(3), a(4), a(5).\n"};
  expect_refused(pairs, 4, "more than 20 groundings", {"--max-groundings=20"});
  expect_refused(pairs, 4, "more than 10 neurons", {"--max-neurons=10"});
}

TEST(GroundCommand, NothingIsHalfWritten) {
  const std::string folder = test_folder();
  Command command;
  command.tool = "vecc-ground";
  write_text(folder + "/t.txt", "p(X, Y) :- {1} a(X), {1} a(Y).\nq :- p(X, Y).\n");
  std::string facts = "1 q :- a(0)";
  for (int i = 1; i < 60; ++i) facts += ", a(" + std::to_string(i) + ")";
  write_text(folder + "/e.txt", facts + ".\n");
  command.arguments = {folder + "/t.txt", "--facts=" + folder + "/e.txt", "-o",
                       folder + "/graph.pb"};
  command.max_file_bytes = 4096;
  const Finished done = run(command);
  EXPECT_EQ(done.code, 3) << done.err;
  EXPECT_EQ(list_folder(folder), (std::vector<std::string>{"e.txt", "t.txt"}));
  EXPECT_EQ(run_tool("vecc-ground",
                     {folder + "/t.txt", "--facts=" + folder + "/e.txt", "-o", folder + "/e.txt"})
                .code,
            2);
  EXPECT_EQ(read_text(folder + "/e.txt"), facts + ".\n");
}

}  // namespace
}  // namespace vecc::test
