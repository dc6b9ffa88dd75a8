// Folders of Parquet files, written and read by a real DuckDB: VECC_DUCKDB, or the one inside
// Python's package `duckdb`. Without either, what needs one is skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/import_sql/databases.h"
#include "tests/import_sql/value_texts.h"
#include "tests/support/found_duckdb.h"
#include "tests/tools/process.h"
#include "tools/duckdb/duckdb_library.h"
#include "tools/import/sql/schema.h"
#include "tools/import/sql/source_database.h"

namespace vecc::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using tools::sql::SourceDatabase;

using Words = std::vector<std::string>;

class Parquet : public testing::Test {
 protected:
  static void SetUpTestSuite() { library_path = use_duckdb(); }
  void SetUp() override {
    if (library_path.empty()) GTEST_SKIP() << "no DuckDB: VECC_DUCKDB, or `pip install duckdb`";
  }

  // Runs SQL in a database of its own, which ends with it.
  static void duckdb(const std::string& sql) {
    const auto library = tools::duckdb::load_library("test", "the test", "skip it");
    ASSERT_TRUE(library) << library.error().text();
    void* database = nullptr;
    void* connection = nullptr;
    ASSERT_EQ(library->open_ext(":memory:", &database, nullptr, nullptr), 0);
    ASSERT_EQ(library->connect(database, &connection), 0);
    tools::duckdb::QueryResult result{};
    EXPECT_EQ(library->query(connection, sql.c_str(), &result), 0)
        << library->result_error(&result);
    library->destroy_result(&result);
    library->disconnect(&connection);
    library->close(&database);
  }
  // `COPY t TO 'folder/t.parquet'`, of each table.
  static std::string copy(const std::string& folder, const Words& tables) {
    std::string sql;
    for (const std::string& table : tables) {
      sql += "COPY " + table + " TO '" + folder + "/" + table + ".parquet' (FORMAT parquet);";
    }
    return sql;
  }

  static Finished import_folder(const std::string& tables, const std::string& graph,
                                const Words& more) {
    Words arguments{"sql", tables, "-o", graph};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Finished done = run_tool("vecc-import", arguments);
    EXPECT_FALSE(has_control_characters(done.err)) << done.err;
    return done;
  }

  inline static std::string library_path;
  std::string tables = test_folder();
  std::string folder = test_folder();
  std::string graph = folder + "/graph.pb";
};

TEST_F(Parquet, TheSameRowsInSqliteMakeTheSameGraph) {
  duckdb(shop_sql(300) + copy(tables, {"customers", "products", "orders"}));
  const Words keys{"--target=customers.churn",
                   "--key=customers.id",
                   "--key=products.sku",
                   "--key=orders.id",
                   "--foreign-key=orders.customer:customers.id",
                   "--foreign-key=orders.product:products.sku"};
  const Finished parquet = import_folder(tables, graph, keys);
  ASSERT_EQ(parquet.code, 0) << parquet.err;
  const std::string shop = make_database(folder, "shop.db", shop_sql(300));
  const Finished sqlite = import_folder(shop, folder + "/sqlite.pb", keys);
  ASSERT_EQ(sqlite.code, 0) << sqlite.err;
  EXPECT_TRUE(read_text(graph) == read_text(folder + "/sqlite.pb"));
}

TEST_F(Parquet, KeysAreThoseOfItsSchema) {
  duckdb(shop_sql(100) + copy(tables, {"customers", "products", "orders"}));
  const std::string sql = shop_sql(100);
  write_text(tables + "/schema.sql", sql.substr(0, sql.find("INSERT")));
  const Finished parquet = import_folder(tables, graph, {"--target=customers.churn"});
  ASSERT_EQ(parquet.code, 0) << parquet.err;
  const std::string shop = make_database(folder, "shop.db", sql);
  const Finished sqlite = import_folder(shop, folder + "/sqlite.pb", {"--target=customers.churn"});
  ASSERT_EQ(sqlite.code, 0) << sqlite.err;
  EXPECT_TRUE(read_text(graph) == read_text(folder + "/sqlite.pb"));
  write_text(tables + "/schema.sql", "CREATE TABLE orders (id INTEGER, absent TEXT);");
  const Finished refused = import_folder(tables, folder + "/no.pb", {"--target=customers.churn"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("declares column \"orders.absent\", which is not there"));
}

TEST_F(Parquet, KeysAreInferredAndTasksAreQueries) {
  duckdb(shop_sql(100) + copy(tables, {"customers", "products", "orders"}));
  const std::string task =
      "--task=SELECT customer, max(shipped), max(state = 'returned') FROM orders WHERE shipped < "
      "'2020-08-01' AND state IS NOT NULL GROUP BY customer ORDER BY customer";
  const Finished done = import_folder(tables, graph,
                                      {"--target=customers", "--infer-keys", "--key=customers.id",
                                       "--key=products.sku", "--time=orders.shipped", task});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("inferred key orders.customer -> customers.id: "));
  EXPECT_THAT(done.err, HasSubstr("inferred key orders.product -> products.sku: "));
}

TEST_F(Parquet, ValuesOfEachType) {
  duckdb(
      "SET TimeZone = 'America/New_York';"
      "CREATE TYPE mood AS ENUM ('fine', 'bad');"
      "CREATE TABLE t AS SELECT true AS a, -3::TINYINT AS b, 40000::USMALLINT AS c, "
      "18446744073709551615::UBIGINT AS d, 12::DECIMAL(9, 2) AS e, 0.5::FLOAT AS f, 1e300 AS g, "
      "'NaN'::DOUBLE AS h, 'short' AS i, 'longer than twelve bytes' AS j, 'bad'::mood AS k, "
      "DATE '1960-02-29' AS l, TIMESTAMP '2020-01-31 12:30:00.5' AS m, "
      "TIMESTAMPTZ '2020-01-31 12:30:00+02' AS n, TIMESTAMP_NS '1969-12-31 23:59:59.25' AS o, "
      "TIMESTAMP_S '2020-01-31 00:00:00' AS p, [1, 2] AS q, {'x': 1} AS r, '\\x00'::BLOB AS s, "
      "'00000000-0000-0000-0000-000000000001'::UUID AS t, NULL::INTEGER AS u;" +
      copy(tables, {"t"}));
  auto opened = SourceDatabase::open(tables);
  ASSERT_TRUE(opened) << opened.error().text();
  auto read = texts_of_values(*opened, "SELECT * FROM t");
  ASSERT_TRUE(read) << read.error().text();
  Words& seen = *read;
  ASSERT_EQ(seen.size(), 21u);
  EXPECT_EQ(seen[6].substr(0, 3), "r10");
  seen.erase(seen.begin() + 6);
  EXPECT_THAT(seen,
              ElementsAre("i1", "i-3", "i40000", "r18446744073709551616.000000", "r12.000000",
                          "r0.500000", "tNaN", "tshort", "tlonger than twelve bytes", "tbad",
                          "t1960-02-29", "t2020-01-31 12:30:00.500000", "t2020-01-31 10:30:00",
                          "t1969-12-31 23:59:59.250000", "t2020-01-31 00:00:00", "blob", "blob",
                          "blob", "t00000000-0000-0000-0000-000000000001", "null"));
}

TEST_F(Parquet, RowsComeInTheOrderOfTheFile) {
  duckdb("CREATE TABLE t AS SELECT (i * 7919) % 300007 AS x FROM range(300000) AS r(i);" +
         copy(tables, {"t"}));
  auto opened = SourceDatabase::open(tables);
  ASSERT_TRUE(opened) << opened.error().text();
  std::int64_t row = 0;
  const Words columns{"x"};
  const auto read = opened->scan("t", columns, [&](tools::sql::SqlRow values) -> Result<void> {
    EXPECT_EQ(values[0].integer, row * 7919 % 300007);
    ++row;
    return {};
  });
  EXPECT_TRUE(read);
  EXPECT_EQ(row, 300000);
}

TEST_F(Parquet, NamesAreData) {
  const std::string odd = tables + "/a'b";
  std::filesystem::create_directory(odd);
  const std::string evil = R"("x""; DROP TABLE t; --")";
  duckdb("CREATE TABLE t AS SELECT i AS id, i % 2 = 0 AS y, 'it''s' AS " + evil +
         " FROM range(40) AS r(i); COPY t TO '" + tables + "/a''b/t.parquet';");
  const Finished done = import_folder(odd, graph, {"--target=t.y", "--key=t.id"});
  EXPECT_EQ(done.code, 0) << done.err;
  std::filesystem::rename(odd, tables + "/a*b");
  const Finished pattern = import_folder(tables + "/a*b", graph, {"--target=t.y"});
  EXPECT_EQ(pattern.code, 3);
  EXPECT_THAT(pattern.err, HasSubstr("a pattern to DuckDB: rename it"));
}

TEST_F(Parquet, WhatCannotBeReadIsRefused) {
  write_text(tables + "/a.parquet", "PAR1 and nothing behind it");
  const Finished damaged = import_folder(tables, graph, {"--target=a.b"});
  EXPECT_EQ(damaged.code, 3) << damaged.err;
  EXPECT_THAT(damaged.err, HasSubstr("DuckDB says: "));
  duckdb(
      "CREATE TABLE a AS SELECT i AS id, i % 2 AS y, 1.5::DOUBLE + i AS at FROM range(40) AS "
      "r(i);" +
      copy(tables, {"a"}));
  const auto task = [&](const std::string& query) {
    const Finished done = import_folder(
        tables, graph, {"--target=a", "--key=a.id", "--time=a.at", "--task=" + query});
    EXPECT_EQ(done.code, 3) << done.err;
    return done.err;
  };
  EXPECT_THAT(task("SELECT id, 0.5, y FROM a"), HasSubstr("cast it to BIGINT, DOUBLE or VARCHAR"));
  EXPECT_THAT(task("SELECT id, at, y FROM read_csv('/etc/passwd')"), HasSubstr("DuckDB says: "));
  EXPECT_THAT(task("SELECT id, at, error('no') FROM a"), HasSubstr("DuckDB says: "));
  EXPECT_THAT(list_folder(folder), Not(Contains("graph.pb")));
  EXPECT_THAT(list_folder(tables), ElementsAre("a.parquet"));
}

TEST(ParquetWithoutDuckDb, IsRefusedWithTheWayOut) {
  const std::string folder = test_folder();
  write_text(folder + "/a.parquet", "PAR1");
  const auto refused = [&](const std::string& source) {
    Command command;
    command.tool = "vecc-import";
    command.arguments = {"sql", source, "--target=a.b", "-o", folder + "/graph.pb"};
    command.environment = {"VECC_DUCKDB=/nonexistent/libduckdb.so"};
    const Finished done = run(command);
    EXPECT_NE(done.code, 0);
    return done.err;
  };
  EXPECT_THAT(refused(folder), HasSubstr("/nonexistent/libduckdb.so cannot be used: "));
  EXPECT_THAT(refused(folder), HasSubstr("write each table as CSV"));
  EXPECT_THAT(refused(folder + "/a.parquet"), HasSubstr("give the folder of Parquet files"));
  write_text(folder + "/b.csv", "x\n1\n");
  EXPECT_THAT(refused(folder), HasSubstr("has both *.csv and *.parquet"));
}

}  // namespace
}  // namespace vecc::test
