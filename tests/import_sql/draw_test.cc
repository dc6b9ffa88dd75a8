// Pictures of schemas and templates: vecc-import sql --draw, vecc learn --draw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"

namespace vecc::test {
namespace {

using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

constexpr const char* kSchema =
    "CREATE TABLE a (id INTEGER PRIMARY KEY, up INTEGER REFERENCES a, kind TEXT, code TEXT, day "
    "DATE, y BOOLEAN); CREATE TABLE b (a INTEGER REFERENCES a, x REAL); CREATE TABLE c (z REAL);";

std::string rows_sql() {
  std::string sql;
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    sql += "INSERT INTO a VALUES (" + n + ", NULL, '" + (i % 3 == 0 ? "k" : "l") + "', 'code" + n +
           "', '2020-01-" + std::to_string(10 + i % 18) + "', " + std::to_string(i % 2) +
           "); INSERT INTO b VALUES (" + n + ", " + std::to_string(i % 7) + ");";
  }
  return sql;
}

// With no other files, and nothing else on stdout.
std::string drawn(const std::string& sql, const Words& more, const Words& command) {
  const std::string folder = test_folder();
  Words words = command;
  words.push_back(make_database(folder, "x.db", sql));
  words.insert(words.end(), more.begin(), more.end());
  const Finished done = run_tool(command.front() == "sql" ? "vecc-import" : "vecc", words);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(list_folder(folder), testing::ElementsAre("x.db"));
  return done.out;
}

TEST(Draw, ASchema) {
  const Words options{"--target=a.y", "--time=a.day", "--draw=schema"};
  const std::string expected =
      "flowchart LR\n"
      "  n0[\"a<br>id: key<br>up: key of a<br>kind: category of 2 values<br>code: left out<br>"
      "day: time, when the row came<br>y: the target, 2 classes\"]\n"
      "  n1[\"b<br>a: key of a<br>x: number\"]\n"
      "  n2[\"c<br>(left out: no key leads to it)\"]\n"
      "  n0 -->|\"up\"| n0\n"
      "  n1 -->|\"a\"| n0\n";
  EXPECT_EQ(drawn(kSchema + rows_sql(), options, {"sql"}), expected);
  EXPECT_EQ(drawn(kSchema + rows_sql(), options, {"learn"}), expected);
}

TEST(Draw, ATemplateOfTheKeys) {
  const std::string picture =
      drawn(kSchema + rows_sql(), {"--target=a.y", "--hops=1", "--draw=template"}, {"sql"});
  EXPECT_THAT(picture, HasSubstr("flowchart LR\n"));
  EXPECT_THAT(picture, HasSubstr("([\"row_b\"])\n"));
  EXPECT_THAT(picture, HasSubstr("[\"h1_a<br>tanh\"]\n"));
  EXPECT_THAT(picture, HasSubstr("|\"key_b_a, avg\"| "));
  EXPECT_THAT(picture, HasSubstr("[\"predict<br>sigmoid\"]\n"));
}

TEST(Draw, ATemplateOfTheUsers) {
  const std::string folder = test_folder();
  write_text(folder + "/mine.txt",
             "near(X) :- {2,2} row_b(X), !row_b(X), *key_b_a(X, Y).\n"
             "predict(X) :- {1,2} near(Y), *key_b_a(Y, X), {1}. [aggregation=max]\n"
             "predict(X) :- {1,2} near(Y), *key_b_a(Y, X), {1}. [aggregation=max]\n"
             "predict/1 [transformation=sigmoid]\n");
  EXPECT_EQ(
      drawn(kSchema + rows_sql(),
            {"--target=a.y", "--draw=template", "--template=" + folder + "/mine.txt"}, {"sql"}),
      "flowchart LR\n"
      "  n0([\"row_b\"])\n"
      "  n1[\"near\"]\n"
      "  n2[\"predict<br>sigmoid\"]\n"
      "  n0 -->|\"no row_b, key_b_a\"| n1\n"
      "  n1 -->|\"key_b_a, max\"| n2\n");
}

TEST(Draw, OneThingIsPrinted) {
  for (const char* const other : {"--print-template", "--explain"}) {
    const Finished done =
        run_tool("vecc-import", {"sql", "x.db", "--target=a.y", "--draw=schema", other});
    EXPECT_EQ(done.code, 2);
    EXPECT_THAT(done.err, HasSubstr(other + std::string(" excludes --draw")));
  }
}

// Nothing of a name is Mermaid's: no quote, directive, comment, line or tag.
TEST(Draw, NamesAreData) {
  const std::string sql =
      "CREATE TABLE \"%%{init: {}}%% \"\"] --> x\n<script>\" (id INTEGER PRIMARY KEY, \"`a` "
      "#quot;\" "
      "REAL, y BOOLEAN);";
  std::string rows;
  for (int i = 0; i < 40; ++i) {
    rows += "INSERT INTO \"%%{init: {}}%% \"\"] --> x\n<script>\" VALUES (" + std::to_string(i) +
            ", " + std::to_string(i % 5) + ", " + std::to_string(i % 2) + ");";
  }
  EXPECT_EQ(drawn(sql + rows, {"--target=%%{init: {}}%% \"] --> x\n<script>.y", "--draw=schema"},
                  {"sql"}),
            "flowchart LR\n"
            "  n0[\"#37;#37;#123;init: #123;#125;#125;#37;#37; #92;#34;#93; --#62; "
            "x#92;n#60;script#62;<br>id: key<br>#96;a#96; #35;quot#59;: number<br>y: the target, 2 "
            "classes\"]\n");
}

TEST(Draw, WideTablesAreCut) {
  std::string sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, y BOOLEAN";
  for (int i = 0; i < 60; ++i) sql += ", c" + std::to_string(i) + " REAL";
  sql += ");";
  for (int i = 0; i < 40; ++i) {
    sql +=
        "INSERT INTO t (id, y) VALUES (" + std::to_string(i) + ", " + std::to_string(i % 2) + ");";
  }
  const std::string picture = drawn(sql, {"--target=t.y", "--draw=schema"}, {"sql"});
  EXPECT_THAT(picture, HasSubstr("c21: left out<br>and 38 columns more\"]\n"));
  EXPECT_THAT(picture, Not(HasSubstr("c22")));
}

}  // namespace
}  // namespace vecc::test
