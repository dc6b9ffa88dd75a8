// vecc-import sql as a user sees it: the real programs over databases with a known signal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

Finished import_sql(const std::string& folder, const std::string& database, const Words& more,
                    const std::string& graph = "graph.pb") {
  Words arguments{"sql", database, "-o", folder + "/" + graph};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Finished done = run_tool("vecc-import", arguments);
  EXPECT_FALSE(has_control_characters(done.err)) << done.err;
  return done;
}

// A metric of the test split, after training on the others. Leaves w.safetensors in the folder.
double test_metric(const std::string& folder, const std::string& metric) {
  const std::string weights = folder + "/w.safetensors";
  const Finished trained =
      run_vecc({folder + "/graph.pb", "--train", "--epochs=150", "--lr=0.01", "--quiet",
                "--backend=interpreter", "--save-weights=" + weights});
  EXPECT_EQ(trained.code, 0) << trained.err;
  const Finished done = run_vecc({"evaluate", folder + "/graph.pb", "--load-weights=" + weights,
                                  "--split=test", "--backend=interpreter", "--json", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  if (json.is_discarded()) return -1;
  return json["metrics"].value(metric, -1.0);
}

void expect_refused(const std::string& sql, int code, const std::string& message,
                    const Words& more) {
  const std::string folder = test_folder();
  const Finished done = import_sql(folder, make_database(folder, "x.db", sql), more);
  EXPECT_EQ(done.code, code) << done.err;
  EXPECT_THAT(done.err, HasSubstr(message));
  EXPECT_THAT(list_folder(folder), Not(Contains("graph.pb")));
}

TEST(ImportSql, Shop) {
  const std::string folder = test_folder();
  const std::string path = make_database(folder, "shop.db", shop_sql(300));
  const Finished done = import_sql(folder, path, {"--target=customers.churn"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, Not(HasSubstr("left out")));
  EXPECT_GT(test_metric(folder, "accuracy"), 0.8);
}

TEST(ImportSql, Citations) {
  const std::string folder = test_folder();
  const std::string path = make_database(folder, "papers.db", citations_sql(300));
  const Finished done = import_sql(folder, path, {"--target=papers.field"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_GT(test_metric(folder, "accuracy"), 0.8);
}

TEST(ImportSql, RacesOverTime) {
  const std::string folder = test_folder();
  const std::string path = make_database(folder, "races.db", races_sql(12, 24));
  const Finished done = import_sql(
      folder, path,
      {"--target=starts.points", "--time=starts.day", "--time=results.day", "--time=races.day"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_GT(test_metric(folder, "r2"), 0.7);
}

TEST(ImportSql, TheFutureIsNotSeen) {
  const std::string folder = test_folder();
  const std::string path = make_database(folder, "future.db", future_sql(300));
  ASSERT_EQ(import_sql(folder, path, {"--target=users.target"}).code, 0);
  EXPECT_GT(test_metric(folder, "accuracy"), 0.9);  // without times it would be found
  const Finished done =
      import_sql(folder, path, {"--target=users.target", "--time=users.seen", "--time=events.day"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_LT(test_metric(folder, "accuracy"), 0.75);
}

// What says the splits is one value in the rows to train on, and another in those to test with.
TEST(ImportSql, AColumnOfSplitsIsNoFeature) {
  const std::string folder = test_folder();
  std::string sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, x REAL, y BOOLEAN, part TEXT);";
  for (int i = 0; i < 40; ++i) {
    sql += "INSERT INTO t VALUES (" + std::to_string(i) + ", " + std::to_string(i % 5) + ", " +
           std::to_string(i % 2) + ", '" + (i % 4 == 0 ? "test" : "train") + "');";
  }
  const std::string path = make_database(folder, "x.db", sql);
  const auto explained = [&](const Words& more) {
    Words options{"--target=t.y", "--split=part", "--explain"};
    options.insert(options.end(), more.begin(), more.end());
    const Finished done = import_sql(folder, path, options);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  };
  EXPECT_THAT(explained({}), Not(HasSubstr("part")));
  EXPECT_THAT(explained({"--column=t.part:category"}), HasSubstr("column t.part: category"));
  Words draw{"sql", path, "--target=t.y", "--split=part", "--draw=schema"};
  EXPECT_THAT(run_tool("vecc-import", draw).out, HasSubstr("<br>part: the split\"]"));
}

// What came after the last row to train on tells neither means nor categories.
TEST(ImportSql, StatisticsAreThoseOfTheTraining) {
  const std::string folder = test_folder();
  std::string sql =
      "CREATE TABLE users (id INTEGER PRIMARY KEY, seen INTEGER, age REAL, y BOOLEAN);"
      "CREATE TABLE events (user INTEGER REFERENCES users, day INTEGER, x REAL, kind TEXT);";
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    sql += "INSERT INTO users VALUES (" + n + ", " + n + ", " + std::to_string(i % 9) + ", " +
           std::to_string(i % 2) + "); INSERT INTO events VALUES (" + n + ", " + n + ", " +
           std::to_string(i % 5) + ", '" + (i % 3 == 0 ? "a" : "b") + "');";
  }
  const auto columns = [&](const std::string& change) {
    const std::string path = make_database(folder, "x.db", sql + change);
    const Finished done = import_sql(
        folder, path, {"--target=users.y", "--time=users.seen", "--time=events.day", "--explain"});
    EXPECT_EQ(done.code, 0) << done.err;
    std::remove(path.c_str());
    return done.out.substr(0, done.out.find("h0_"));
  };
  const std::string before = columns("");
  EXPECT_THAT(before, HasSubstr("column events.x: number, mean 1.89286"));
  // The first 28 are to train on: 15 and 15 percent are not.
  EXPECT_EQ(columns("UPDATE users SET age = 1e6 WHERE seen > 27;"
                    "UPDATE events SET x = 1e6, kind = 'late' WHERE day > 27;"),
            before);
  EXPECT_NE(columns("UPDATE users SET age = 1e6 WHERE seen > 26;"), before);
  EXPECT_NE(columns("UPDATE events SET x = 1e6 WHERE day > 26;"), before);
  EXPECT_NE(columns("UPDATE events SET kind = 'late' WHERE day > 26;"), before);
}

TEST(ImportSql, ATaskFileSaysRowsTimesAndTargets) {
  const std::string folder = test_folder();
  const std::string path =
      make_database(folder, "t.db",
                    "CREATE TABLE u (id INTEGER PRIMARY KEY);"
                    "CREATE TABLE e (u INTEGER REFERENCES u, day DATE, x REAL);"
                    "INSERT INTO u VALUES (1), (2);"
                    "INSERT INTO e VALUES (1, '2020-01-01', 1), (1, "
                    "'2020-03-01', 2), (1, NULL, 9), (2, '2020-02-01', 3);");
  write_text(folder + "/task.csv",
             "u,time,target,split\n1,2020-01-31,yes,train\n1,2020-03-01,no,train\n2,2020-01-31,no,"
             "test\n");
  const Words options{"--target=u", "--task=" + folder + "/task.csv", "--time=e.day", "--hops=1"};
  const Finished done = import_sql(folder, path, options);
  ASSERT_EQ(done.code, 0) << done.err;
  const auto graph = read_graph(folder + "/graph.pb");
  ASSERT_TRUE(graph);
  ASSERT_EQ(graph->samples.size(), 3u);
  EXPECT_EQ(graph->samples[2].split, Split::Test);
  EXPECT_EQ(graph->sample_ids[0], "u:1 at 2020-01-31");
  // One event, two, none: the NULL of a time is never seen.
  std::uint64_t events = 0;
  for (const auto& group : graph->groups) {
    if (group.head_predicate == "row_e/1") events += group.neuron_count;
  }
  EXPECT_EQ(events, 3u);
  write_text(folder + "/task.csv", "u,time,target\n3,2020-01-31,yes\n");
  const std::string query =
      "--task=WITH t AS (SELECT 1 AS u, '2020-01-31' AS time, 'yes', 'train' UNION ALL SELECT 1, "
      "'2020-03-01', 'no', 'train' UNION ALL SELECT 2, '2020-01-31', 'no', 'test') SELECT * FROM t "
      "-- end;";
  const std::string bytes = read_text(folder + "/graph.pb");
  const Finished queried =
      import_sql(folder, path, {options[0], query, options[2], options[3]}, "query.pb");
  ASSERT_EQ(queried.code, 0) << queried.err;
  EXPECT_EQ(read_text(folder + "/query.pb"), bytes);
  const auto refused = [&](const std::string& task) {
    return import_sql(folder, path, {options[0], "--task=" + task, options[2]}, "other.pb").err;
  };
  EXPECT_THAT(refused("SELECT 1"), HasSubstr("--task: found a query of 1 column, expected key"));
  EXPECT_THAT(refused("SELECT 7, '2020-01-31', 'no'"), HasSubstr("--task: row 1: error: found"));
  EXPECT_THAT(refused("SELECT 1; DELETE FROM u"), HasSubstr("syntax error"));
  EXPECT_THAT(refused("SELECT 1) ; DELETE FROM u; --"), HasSubstr("a query of 1 column"));
  const Finished unknown = import_sql(folder, path, options, "other.pb");
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("task.csv: line 2: error: found \"3\", expected the key"));
}

TEST(ImportSql, LaterRowsAreReadAsThoseOfTheTraining) {
  const std::string folder = test_folder();
  const std::string path = make_database(folder, "shop.db", shop_sql(200));
  ASSERT_EQ(import_sql(folder, path, {"--target=customers.churn"}).code, 0);
  EXPECT_GT(test_metric(folder, "accuracy"), 0.7);
  const std::string later = make_database(
      folder, "later.db",
      shop_sql(20) + "UPDATE customers SET churn = NULL; UPDATE customers SET city = 'Ostrava';");
  const Finished done = import_sql(
      folder, later, {"--target=customers.churn", "--like=" + folder + "/graph.pb"}, "later.pb");
  ASSERT_EQ(done.code, 0) << done.err;
  const Finished predicted =
      run_vecc({"predict", folder + "/later.pb", "--load-weights=" + folder + "/w.safetensors"});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, HasSubstr("customers:19"));
  const Finished other = import_sql(
      folder, later, {"--target=customers.churn", "--dim=3", "--like=" + folder + "/graph.pb"},
      "other.pb");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("the graph has another template"));
  const auto like = [&](const std::string& target, const Words& more) {
    Words options{"--target=" + target, "--like=" + folder + "/graph.pb"};
    options.insert(options.end(), more.begin(), more.end());
    const Finished refused = import_sql(folder, later, options, "other.pb");
    EXPECT_EQ(refused.code, 2);
    return refused.err;
  };
  EXPECT_THAT(like("customers.age", {}), HasSubstr("trained for another --target"));
  EXPECT_THAT(like("customers.churn", {"--column=customers.age:out"}),
              HasSubstr("the graph of --like says the kinds"));
}

TEST(ImportSql, AFolderOfCsvIsTheSameDatabase) {
  const std::string folder = test_folder();
  std::string users = "id,kind,old\n";
  std::string visits = "user_id,length\n";
  std::string sql =
      "CREATE TABLE users (id INTEGER PRIMARY KEY, kind TEXT, old INTEGER);"
      "CREATE TABLE visits (user_id INTEGER REFERENCES users, length INTEGER);";
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    users += n + (i % 3 == 0 ? ",\"a,\"\"b\"," : ",c,") + std::to_string(i % 2) + "\n";
    visits += n + "," + std::to_string(i * 3) + "\n";
    sql += "INSERT INTO users VALUES (" + n + (i % 3 == 0 ? ", 'a,\"b', " : ", 'c', ") +
           std::to_string(i % 2) + "); INSERT INTO visits VALUES (" + n + ", " +
           std::to_string(i * 3) + ");";
  }
  const std::string csv = test_folder();
  write_text(csv + "/users.csv", users);
  write_text(csv + "/visits.csv", visits);
  const Finished of_csv = import_sql(folder, csv, {"--target=users.old", "--infer-keys"}, "csv.pb");
  ASSERT_EQ(of_csv.code, 0) << of_csv.err;
  EXPECT_THAT(of_csv.err, HasSubstr("visits.user_id -> users.id: 20 values, all of them there"));
  const std::string path = make_database(folder, "x.db", sql);
  ASSERT_EQ(import_sql(folder, path, {"--target=users.old"}, "db.pb").code, 0);
  EXPECT_EQ(read_text(folder + "/csv.pb"), read_text(folder + "/db.pb"));
}

// What is computed by the database is read as what is stored there: features, keys and targets.
TEST(ImportSql, GeneratedColumnsAreReadAsOthers) {
  std::string rows;
  for (int i = 0; i < 60; ++i) {
    rows += "INSERT INTO t (id, x) VALUES (" + std::to_string(i) + ", " +
            std::to_string(i * 7 % 9) + ");";
  }
  const std::string folder = test_folder();
  const std::string table = "CREATE TABLE t (id INTEGER PRIMARY KEY, x REAL, ";
  const std::string generated = make_database(
      folder, "generated.db",
      table +
          "big BOOLEAN AS (x > 4), up INTEGER AS (id / 2) STORED REFERENCES t, y TEXT AS (CASE "
          "WHEN x > 3 THEN 'a' ELSE 'b' END));" +
          rows);
  const std::string stored = make_database(
      folder, "stored.db",
      table + "big BOOLEAN, up INTEGER REFERENCES t, y TEXT);" + rows +
          "UPDATE t SET big = x > 4, up = id / 2, y = CASE WHEN x > 3 THEN 'a' ELSE 'b' END;");
  for (const std::string& path : {generated, stored}) {
    const Finished done = import_sql(folder, path, {"--target=t.y", "--explain"}, "graph.pb");
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("key t.up -> t.id\n"));
    std::filesystem::rename(folder + "/graph.pb", path + ".pb");
  }
  EXPECT_TRUE(read_text(generated + ".pb") == read_text(stored + ".pb"));
}

TEST(ImportSql, ThePrintedTemplateIsOneOfTheLanguage) {
  const std::string folder = test_folder();
  const std::string path = make_database(folder, "shop.db", shop_sql(30));
  const Finished done = run_tool("vecc-import", {"sql", path, "--target=customers.churn",
                                                 "--print-template", "--hops=1", "--dim=4", "-q"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("h1_customers(X) :- {4,4} h0_orders(Y), *key_orders_customer(Y, "
                                  "X). [transformation=identity, aggregation=avg]"));
  EXPECT_THAT(done.out, HasSubstr("predict(X) :- {1,4} h1_customers(X), {1}."));
}

TEST(ImportSql, NamesOfTablesAndColumnsAreData) {
  const std::string folder = test_folder();
  std::string sql =
      "CREATE TABLE \"t\"\"; DROP TABLE u; --\" (\"id'\" INTEGER PRIMARY KEY, \"a\n% b :- c.\" "
      "REAL, \"y z\" INTEGER);"
      "CREATE TABLE u (k INTEGER REFERENCES \"t\"\"; DROP TABLE u; --\", \"select\" TEXT);";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    sql += "INSERT INTO \"t\"\"; DROP TABLE u; --\" VALUES (" + n + ", " + n + ", " +
           std::to_string(i % 2) + "); INSERT INTO u VALUES (" + n + ", '" +
           std::string(i % 2 == 0 ? "x" : "<1> y(Z).") + "');";
  }
  const Finished done = import_sql(folder, make_database(folder, "x.db", sql),
                                   {"--target=t\"; DROP TABLE u; --.y z"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("12 samples"));
}

TEST(ImportSql, CyclesMissingParentsAndEmptyTables) {
  const std::string folder = test_folder();
  std::string sql =
      "CREATE TABLE a (id INTEGER PRIMARY KEY, up INTEGER REFERENCES a, b INTEGER REFERENCES b, y "
      "INTEGER); CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a);"
      "CREATE TABLE c (a INTEGER REFERENCES a, x REAL);";
  for (int i = 0; i < 10; ++i) {
    sql += "INSERT INTO a VALUES (" + std::to_string(i) + ", " + std::to_string((i + 1) % 10) +
           ", " + std::to_string(i + 3) + ", " + std::to_string(i % 2) +
           ");INSERT INTO b VALUES (" + std::to_string(i) + ", " + std::to_string(i) + ");";
  }
  const Finished done =
      import_sql(folder, make_database(folder, "x.db", sql), {"--target=a.y", "--hops=3"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err,
              HasSubstr("note: 3 rows of a.b -> b.id name a row that is not there: read as NULL"));
  EXPECT_THAT(done.err, HasSubstr("column c.x left out: no values"));
}

TEST(ImportSql, WhatCannotBeReadIsRefused) {
  const std::string table =
      "CREATE TABLE t (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER, z TEXT);"
      "INSERT INTO t VALUES (1, 3, 0, 'a'), (2, 'lots', 1, 'b'), (3, 4, 0, 'c');";
  expect_refused(
      table, 3,
      "x.db: table t, row 2, column x: error: found \"lots\", expected a number; --column",
      {"--target=t.y"});
  expect_refused(table, 2, "is part of a key", {"--target=t.id"});
  expect_refused(table, 2, "the columns of t are id, x, y, z", {"--target=t.w"});
  expect_refused(table, 3, "expected classes or a number", {"--target=t.z"});
  expect_refused(table + "CREATE TABLE u (day DATE);", 2, "the target's table has to have one",
                 {"--target=t.y", "--time=u.day"});
  expect_refused("CREATE TABLE t (y INTEGER);", 3, "table t: error: has no rows to predict",
                 {"--target=t.y"});
  expect_refused(
      "CREATE TABLE a (k INT, y INT); CREATE TABLE b (k INT);"
      "INSERT INTO a VALUES (1, 0), (2, 1), (3, 0), (4, 1); INSERT INTO b VALUES (1), (1);",
      3, "x.db: table b, row 2, column k: error: found \"1\" a second time",
      {"--target=a.y", "--foreign-key=a.k:b.k"});
}

TEST(ImportSql, ManyCategoriesAreTextOrRefused) {
  std::string sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT, y INTEGER);";
  for (int i = 0; i < 400; ++i) {
    sql += "INSERT INTO t VALUES (" + std::to_string(i) + ", 'v" + std::to_string(i % 150) + "', " +
           std::to_string(i % 2) + ");";
  }
  const std::string folder = test_folder();
  const Finished done = import_sql(folder, make_database(folder, "x.db", sql), {"--target=t.y"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("column t.x left out: text: more than 100 values"));
  expect_refused(sql, 3, "x.db: table t, column x: error: has more than 100 values",
                 {"--target=t.y", "--column=t.x:category"});
  expect_refused(sql, 3, "table t, row 1, column x: error: found \"v0\", expected a number",
                 {"--target=t.y", "--column=t.x:number"});
}

}  // namespace
}  // namespace vecc::test
