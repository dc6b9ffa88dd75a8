// Values and files that no schema promises: each a clear error or right, nothing half-written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

class HostileValues : public testing::Test {
 protected:
  [[nodiscard]] Finished import_file(const std::string& path, const Words& more) const {
    Words words{"sql", path, "-o", folder + "/graph.pb"};
    words.insert(words.end(), more.begin(), more.end());
    Finished done = run_tool("vecc-import", words);
    EXPECT_FALSE(has_control_characters(done.err)) << done.err;
    if (done.code != 0) {
      EXPECT_THAT(list_folder(folder), Not(Contains("graph.pb")));
    }
    return done;
  }
  // t: 40 rows, x their numbers, y two classes; c: two rows for each of them, v two categories.
  [[nodiscard]] std::string make(const std::string& more) const {
    std::string sql =
        "CREATE TABLE t (id INTEGER PRIMARY KEY, y TEXT, x INTEGER);"
        "CREATE TABLE c (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t, v TEXT);"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 79) INSERT INTO "
        "c "
        "SELECT i, i % 40, CASE i % 2 WHEN 0 THEN 'p' ELSE 'q' END FROM n;"
        "INSERT INTO t SELECT id, CASE id % 2 WHEN 0 THEN 'a' ELSE 'b' END, id FROM c WHERE id < "
        "40;";
    std::filesystem::remove(folder + "/x.db");
    return make_database(folder, "x.db", sql + more + ";");
  }
  void expect_refused(const std::string& sql, const std::string& message,
                      const std::string& target = "--target=t.y") const {
    const Finished done = import_file(make(sql), {target});
    EXPECT_EQ(done.code, 3) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
  }
  void expect_note(const std::string& sql, const std::string& message) const {
    const Finished done = import_file(make(sql), {"--target=t.y"});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
    const Result<NeuronGraph> graph = read_graph(folder + "/graph.pb");
    EXPECT_TRUE(graph) << graph.error().text();
    std::filesystem::remove(folder + "/graph.pb");
  }

  std::string folder = test_folder();
};

TEST_F(HostileValues, WrongTypesOfFeatures) {
  expect_refused("INSERT INTO t VALUES (100, 'a', 'tall')",
                 "x.db: table t, row 41, column x: error: found \"tall\", expected a number");
  expect_refused("INSERT INTO t VALUES (100, 'a', 9e999)", "found \"Inf\", expected a number");
  expect_note("INSERT INTO t VALUES (100, 'a', x'00')", "column t.x left out: BLOB");
  expect_note("UPDATE t SET x = CASE id % 2 WHEN 0 THEN 1.7e308 ELSE -1.7e308 END",
              "column t.x left out: numbers too large to be standardised");
  expect_note("UPDATE t SET x = -9223372036854775807 - id % 2", "40 samples");
}

TEST_F(HostileValues, WrongTypesOfKeysAreNoRow) {
  expect_note(
      "INSERT INTO c VALUES (100, 'abc', 'p'), (101, x'00ff', 'p'), (102, 1.5, 'p'), (103, NULL, "
      "'p'), (104, '7', 'p'), (105, 7.0, 'p')",
      "note: 3 rows of c.t -> t.id name a row that is not there: read as NULL");
}

TEST_F(HostileValues, WrongTypesOfTargets) {
  expect_refused("INSERT INTO t VALUES (100, x'00', 1)",
                 "x.db: table t, row 41, column y: error: found a BLOB, expected a class or a "
                 "number");
  expect_refused("INSERT INTO t VALUES (100, CAST(x'ff41' AS TEXT), 1)",
                 "expected classes of UTF-8 text");
  expect_refused("UPDATE t SET y = NULL", "no row has a target");
  expect_refused("UPDATE t SET y = 'a'", "has one class, expected two or more");
  expect_refused("DELETE FROM t", "has no rows to predict");
  expect_refused("UPDATE t SET x = 1.7e308 * (id % 2 * 2 - 1)",
                 "numbers too large to be standardised", "--target=t.x");
}

TEST_F(HostileValues, TextsThatAreNotUtf8) {
  expect_refused("UPDATE c SET v = CAST(x'ff41' AS TEXT)",
                 "table c, column v: error: found \"\\xffA\", expected UTF-8 text");
  expect_refused(
      "CREATE TABLE k (id TEXT PRIMARY KEY, y INTEGER);"
      "INSERT INTO k SELECT CAST(x'ff' || id AS TEXT), id % 2 FROM t;",
      "x.db: table k, row 1, column id: error: found \"k:\\xff0\", expected UTF-8 text, which "
      "names the sample",
      "--target=k.y");
  expect_note("UPDATE c SET v = 'a' || char(0) || v", "40 samples");
}

TEST_F(HostileValues, KeysOfSeveralColumnsAreNotMixedUp) {
  const std::string path = make(
      "CREATE TABLE p (a TEXT, b TEXT, PRIMARY KEY (a, b));"
      "CREATE TABLE q (id INTEGER PRIMARY KEY, a TEXT, b TEXT, y INTEGER, FOREIGN KEY (a, b) "
      "REFERENCES p);"
      "INSERT INTO p VALUES ('x' || char(0), 'y'), ('x', char(0) || 'y');"
      "INSERT INTO q SELECT id, 'x' || char(0), 'y', id % 2 FROM t;");
  const Finished done = import_file(path, {"--target=q.y"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, Not(HasSubstr("not there")));
}

TEST_F(HostileValues, FilesThatAreDamaged) {
  const std::string path = make("");
  const std::string bytes = read_text(path);
  const auto refused = [&](const std::string& text, const std::string& message) {
    write_text(path, text);
    const Finished done = import_file(path, {"--target=t.y"});
    EXPECT_EQ(done.code, 3) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
  };
  refused(bytes.substr(0, bytes.size() / 2), "SQLite says: database disk image is malformed");
  refused(std::string("SQLite format 3\0rubbish", 23), "SQLite says: file is not a database");
  refused("-- MySQL dump 10.13", "SQLite says: file is not a database");
  refused("", "x.db: error: has no tables");
  std::string flipped = bytes;
  for (std::size_t i = 4096; i < flipped.size(); i += 97) flipped[i] ^= 0x55;
  refused(flipped, "SQLite says: database disk image is malformed");
}

TEST_F(HostileValues, TheSchemaOfAFolderDeclaresTablesAndDoesNothingElse) {
  const std::string tables = folder + "/tables";
  std::filesystem::create_directory(tables);
  write_text(tables + "/t.csv", "y,id\na,1\nb,2\na,3\nb,4\na,5\nb,6\na,7\nb,8\n");
  write_text(tables + "/C.csv", "t,v\n1,0.5\n2,0.25\n9,3\n");
  const auto with_schema = [&](const std::string& sql) {
    write_text(tables + "/schema.sql", sql);
    return import_file(tables, {"--target=t.y", "--valid=0", "--test=0", "--explain"});
  };
  const Finished done = with_schema(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, y TEXT CHECK (length(y) = 1), more DATE);"
      "CREATE TABLE c (id INTEGER PRIMARY KEY AUTOINCREMENT, t INTEGER REFERENCES t, v REAL);");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("key c.t -> t.id\n"));
  EXPECT_THAT(done.err, HasSubstr("note: 1 row of c.t -> t.id name a row that is not there"));
  std::filesystem::remove(folder + "/graph.pb");
  const auto refused = [&](const std::string& sql, const std::string& message) {
    const Finished failed = with_schema(sql);
    EXPECT_EQ(failed.code, 3) << failed.err;
    EXPECT_THAT(failed.err, HasSubstr(message));
  };
  refused("ATTACH '" + folder + "/x' AS x;", "SQLite says: not authorized");
  refused("CREATE TABLE t AS SELECT 1 AS id;", "SQLite says: not authorized");
  refused("CREATE TABLE u (id);", "declares table \"U\", which has no file");
  refused("CREATE TABLE t (id);", "has no column named y");
  refused("CREATE TABLE t (id PRIMARY KEY, y UNIQUE);",
          "t.csv: line 4: error: SQLite says: UNIQUE");
  refused("CREATE TABEL t (id);", "SQLite says: near");
  EXPECT_THAT(list_folder(folder), testing::ElementsAre("tables"));
}

TEST_F(HostileValues, NamesThatAreNoWords) {
  const std::string path = make(
      "CREATE TABLE \"\" (\"\" INTEGER PRIMARY KEY, \"a-b\" TEXT, \"a_b\" TEXT, \"A B\" TEXT, "
      "\"row\" REAL, y INTEGER);"
      "CREATE TABLE \"%\" (id INTEGER PRIMARY KEY, \"?1\" INTEGER REFERENCES \"\");"
      "INSERT INTO \"\" SELECT id, y, y, y, x, id % 2 FROM t;"
      "INSERT INTO \"%\" SELECT id, id FROM t;");
  const Finished done = import_file(path, {"--target=.y"});
  EXPECT_EQ(done.code, 0) << done.err;
}

}  // namespace
}  // namespace vecc::test
