// Databases, models and surroundings that mean harm: a clear error, nothing half-written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"
#include "tools/import/sql/trained_columns.h"

namespace vecc::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;
using Json = nlohmann::json;

TEST(Hostile, AMillionCategories) {
  const std::string folder = test_folder();
  const std::string path = make_database(
      folder, "x.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT, y BOOLEAN);"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999999) "
      "INSERT INTO t SELECT i, 'c' || i, CASE WHEN i < 1000 THEN i % 2 END FROM n;");
  const std::string graph = folder + "/graph.pb";
  const Finished left_out = run_tool("vecc-import", {"sql", path, "--target=t.y", "-o", graph});
  EXPECT_EQ(left_out.code, 0) << left_out.err;
  EXPECT_THAT(left_out.err, HasSubstr("column t.c left out: text: more than 100 values"));
  std::remove(graph.c_str());
  const Finished refused = run_tool("vecc-import", {"sql", path, "--target=t.y", "-o", graph,
                                                    "--column=t.c:category", "--max-categories=4"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("has more than 4 values"));
  EXPECT_THAT(list_folder(folder), ElementsAre("x.db"));
}

TEST(Hostile, NamesAreDataFromDatabaseToPredictions) {
  const std::string folder = test_folder();
  const std::string evil = "a\"b'; DROP TABLE t; --\n\x1b[31m$1:.|";
  const auto quoted = [](std::string name) {
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == '"') name.insert(i++, 1, '"');
    }
    return "\"" + name + "\"";
  };
  std::string sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, y TEXT);CREATE TABLE " + quoted(evil) +
                    " (" + quoted(evil) + " INTEGER REFERENCES t, x TEXT);";
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    const std::string kind = i % 2 == 0 ? "''; DROP" : "p(X) :- q.";
    sql += "INSERT INTO t VALUES (" + n + ", '" + kind + "'); INSERT INTO " + quoted(evil) +
           " VALUES (" + n + ", '" + kind + "');";
  }
  const std::string path = make_database(folder, "x.db", sql);
  const std::string model = folder + "/m.vecc";
  const Finished learned = run_vecc({"learn", path, "--target=t.y", "-o", model,
                                     "--backend=interpreter", "--dim=4", "--lr=0.05", "--json"});
  ASSERT_EQ(learned.code, 0) << learned.err;
  EXPECT_FALSE(has_control_characters(learned.err));
  EXPECT_EQ(Json::parse(learned.out)["metrics"]["test"]["accuracy"], 1.0);
  const Finished predicted = run_vecc({"predict", model, path, "--backend=interpreter"});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, HasSubstr("t:59\tp(X) :- q.\t"));
  EXPECT_FALSE(has_control_characters(read_text(folder + "/m.html")));
}

TEST(Hostile, CyclesOfForeignKeysWithTimes) {
  const std::string folder = test_folder();
  std::string sql =
      "CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b, self INTEGER REFERENCES a, "
      "day INTEGER, y BOOLEAN);"
      "CREATE TABLE b (id INTEGER PRIMARY KEY, c INTEGER REFERENCES c, x REAL);"
      "CREATE TABLE c (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a);";
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    const std::string next = std::to_string((i + 1) % 60);
    sql += "INSERT INTO a VALUES (" + n + ", " + next + ", " + n + ", " + std::to_string(i % 7) +
           ", " + std::to_string(i % 2) + "); INSERT INTO b VALUES (" + n + ", " + next + ", " +
           std::to_string(i % 2) + "); INSERT INTO c VALUES (" + n + ", " + next + ");";
  }
  const std::string path = make_database(folder, "x.db", sql);
  const Finished done =
      run_vecc({"learn", path, "--target=a.y", "--time=a.day", "--hops=5", "--dim=3", "-o",
                folder + "/m.vecc", "--backend=interpreter", "--epochs=3"});
  EXPECT_EQ(done.code, 0) << done.err;
}

TEST(Hostile, AFullDiskLeavesNothing) {
  const std::string folder = test_folder();
  const std::string path = make_database(folder, "x.db", shop_sql(100));
  write_text(folder + "/t.txt", "p(X) :- {1} q(X, Y).\n");
  std::string facts;
  for (int i = 0; i < 3000; ++i) facts += "q(a" + std::to_string(i) + ", b), ";
  write_text(folder + "/f.txt", facts + "r(a).\n");
  write_text(folder + "/q.txt", "1.0 p(X).\n");
  const auto files = list_folder(folder);
  const auto fails = [&](const std::string& tool, const Words& words) {
    Command command;
    command.tool = tool;
    command.arguments = words;
    command.max_file_bytes = 2000;
    const Finished done = run(command);
    EXPECT_EQ(done.code, 3) << done.err;
    EXPECT_THAT(done.err, HasSubstr("cannot be written: File too large"));
    EXPECT_EQ(list_folder(folder), files);
  };
  const std::string graph = folder + "/graph.pb";
  fails("vecc-import", {"sql", path, "--target=customers.churn", "-o", graph});
  fails("vecc-ground", {folder + "/t.txt", "--facts=" + folder + "/f.txt",
                        "--queries=" + folder + "/q.txt", "-o", graph});
}

// A text that a stranger wrote, whatever its digest says.
TEST(Hostile, DescriptionsOfDatabasesAreNotTrusted) {
  const std::string good =
      R"({"format": 1, "target": "t.y", "table": "t", "column": "y", "other": "", "classes": [],
          "mean": 0, "deviation": 1, "times": [], "hops": 2, "dim": 16, "aggregation": "avg",
          "keys": [], "foreign_keys": [], "template": "", "user_template": "",
          "columns": [{"table": "t", "column": "x", "kind": "number"}]})";
  tools::sql::Schema schema;
  schema.tables.push_back({"t", {{"y", ""}, {"x", ""}}, {}});
  const auto is_read = [&](const std::string& key, const Json& value) {
    Json json = Json::parse(good);
    if (!key.empty()) json[key] = value;
    const std::string text = json.dump();
    tools::sql::Schema keyed = schema;
    return tools::sql::parse_trained_options(text, "m").has_value() &&
           tools::sql::apply_trained_keys(text, "m", keyed).has_value() &&
           tools::sql::parse_trained_columns(keyed, text, "m").has_value();
  };
  EXPECT_TRUE(is_read("", {}));
  const std::vector<std::pair<std::string, Json>> bad{
      {"format", 2},
      {"format", "1"},
      {"hops", 4'000'000'000},
      {"hops", -1},
      {"dim", 0},
      {"dim", 1.5},
      {"aggregation", "avg]. p(X) :- q(X). ["},
      {"deviation", 0},
      {"mean", "x"},
      {"classes", Json::array({"one"})},
      {"table", "none"},
      {"other", "none"},
      {"times", Json::array({1})},
      {"keys", Json::array({{{"table", "t"}, {"columns", Json::array()}}})},
      {"keys", Json::array({{{"table", "t"}, {"columns", Json::array({"z"})}}})},
      {"foreign_keys", Json::array({{{"table", "t"},
                                     {"columns", {"x"}},
                                     {"parent", "t"},
                                     {"parent_columns", {"x", "y"}}}})},
      {"columns", Json::array({{{"table", "t"}, {"column", "x"}, {"kind", "soul"}}})},
      {"columns", Json::array({{{"table", "t"}, {"column", "z"}, {"kind", "number"}}})},
      {"columns",
       Json::array({{{"table", "t"}, {"column", "x"}, {"kind", "number"}, {"deviation", -1}}})},
      {"columns", 7}};
  for (const auto& [key, value] : bad) EXPECT_FALSE(is_read(key, value)) << key << value.dump();
  EXPECT_FALSE(tools::sql::parse_trained_options("", "m"));
  EXPECT_FALSE(tools::sql::parse_trained_options("[[[[", "m"));
}

}  // namespace
}  // namespace vecc::test
