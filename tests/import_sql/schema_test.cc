// Schemas as values: declared, given and inferred keys.
#include "tools/import/sql/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"

namespace vecc::tools::sql {
namespace {

using test::make_database;
using test::test_folder;
using testing::HasSubstr;

Result<Schema> schema_of(const std::string& statements) {
  VECC_TRY(const SourceDatabase database,
           SourceDatabase::open(make_database(test_folder(), "s.db", statements)));
  return read_schema(database);
}

TEST(Schema, DeclaredKeysAreRead) {
  const auto schema = schema_of(
      "CREATE TABLE a (x INTEGER, y TEXT, PRIMARY KEY (y, x));"
      "CREATE TABLE b (id INTEGER PRIMARY KEY, p TEXT, q INTEGER, up INTEGER REFERENCES B(ID), "
      "FOREIGN KEY (p, q) REFERENCES A);");
  ASSERT_TRUE(schema) << schema.error().text();
  EXPECT_EQ(schema->text(),
            "table a: 2 columns, key a.y,a.x\n"
            "table b: 4 columns, key b.id\n"
            "key b.up -> b.id\n"
            "key b.p,b.q -> a.y,a.x\n");
}

TEST(Schema, GeneratedColumnsAreColumns) {
  const auto schema = schema_of(
      "CREATE TABLE a (id INTEGER PRIMARY KEY, x REAL, y REAL GENERATED ALWAYS AS (2 * x), "
      "up INTEGER AS (id / 2) STORED REFERENCES a);");
  ASSERT_TRUE(schema) << schema.error().text();
  EXPECT_EQ(schema->text(), "table a: 4 columns, key a.id\nkey a.up -> a.id\n");
  EXPECT_EQ(schema->tables[0].columns[2].name, "y");
  EXPECT_EQ(schema->tables[0].columns[2].type, "REAL");
}

TEST(Schema, NamesAreDataAndNeverSql) {
  const std::string evil = "x\"; DROP TABLE t; --";
  const auto schema = schema_of(
      "CREATE TABLE \"x\"\"; DROP TABLE t; --\" (\"a'b\" INTEGER, \"c.d\" "
      "TEXT);CREATE TABLE t (\"select\" INTEGER);");
  ASSERT_TRUE(schema) << schema.error().text();
  ASSERT_EQ(schema->tables.size(), 2u);
  EXPECT_EQ(schema->tables[1].name, evil);
  EXPECT_EQ(schema->tables[1].columns[0].name, "a'b");
  const auto found = find_column(*schema, "--target", evil + ".c.d");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->column, 1u);
}

TEST(Schema, AParentThatIsNotThereIsRefused) {
  const auto schema = schema_of("CREATE TABLE b (x INTEGER REFERENCES gone(id));");
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().text(),
            "s.db: table b: error: declares a foreign key to \"gone\", which is no table with such "
            "a key [E012]");
}

TEST(Schema, GivenKeys) {
  auto schema = schema_of("CREATE TABLE a (x INT, y INT); CREATE TABLE b (p INT, q INT);");
  ASSERT_TRUE(schema);
  ASSERT_TRUE(add_foreign_key(*schema, "b.p,b.q:a.x,a.y"));
  ASSERT_TRUE(add_foreign_key(*schema, "b.p,b.q:a.x,a.y"));
  ASSERT_EQ(schema->foreign_keys.size(), 1u);
  EXPECT_EQ(schema->text_of(schema->foreign_keys[0]), "b.p,b.q -> a.x,a.y");
  EXPECT_TRUE(schema->is_key(0, 1));
  const auto error = [&](const std::string& words) {
    return add_foreign_key(*schema, words).error().text();
  };
  EXPECT_THAT(error("b.p"), HasSubstr("expected TABLE.COLUMN:PARENT.COLUMN"));
  EXPECT_THAT(error("b.p:a.x,a.y"), HasSubstr("expected as many on both sides"));
  EXPECT_THAT(error("c.p:a.x"), HasSubstr("the tables are a, b"));
  EXPECT_THAT(error("b.z:a.x"), HasSubstr("the columns of b are p, q"));
  EXPECT_THAT(error("b.p,a.x:a.x,a.y"), HasSubstr("two tables"));
}

TEST(Schema, InferredKeysAreReported) {
  const std::string path = make_database(
      test_folder(), "s.db",
      "CREATE TABLE shops (id INT, name TEXT); CREATE TABLE visits (id INT, shop_id INT);"
      "CREATE TABLE bills (shop_id INT, visit_id INT);"
      "INSERT INTO shops VALUES (1, 'a'), (2, 'b'); INSERT INTO visits VALUES (7, 1), (8, NULL);"
      "INSERT INTO bills VALUES (1, 7), (3, 8);");
  const auto database = SourceDatabase::open(path);
  ASSERT_TRUE(database);
  auto schema = read_schema(*database);
  ASSERT_TRUE(schema);
  const auto report = infer_keys(*database, *schema);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(*report,
            "inferred key bills.shop_id -> shops.id: not taken: 1 of 2 values are not there; "
            "--foreign-key takes it nevertheless\n"
            "inferred key visits.shop_id -> shops.id: 1 value, all of them there\n"
            "inferred key bills.visit_id -> visits.id: 2 values, all of them there\n");
  EXPECT_EQ(schema->foreign_keys.size(), 2u);
}

}  // namespace
}  // namespace vecc::tools::sql
