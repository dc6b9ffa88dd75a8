// Molecules in an SQLite file: what is read, and every error.
#include <gmock/gmock.h>

#include "tests/graph_io/temporary_folder.h"
#include "tests/import_load/load_check.h"
#include "tools/import/load/molecules.h"
#include "tools/import/load/table_rows.h"
#ifdef VECC_HAS_SQLITE
#include <sqlite3.h>
#endif

namespace vecc::tools {
namespace {

using test::errors_of;
using test::TemporaryFolder;
using test::texts_of;
using test::write_file;
using testing::ElementsAre;

#ifdef VECC_HAS_SQLITE

constexpr const char* kTables =
    "CREATE TABLE drugs (id INTEGER PRIMARY KEY, logp REAL, active INTEGER);"
    "CREATE TABLE atoms (id INTEGER PRIMARY KEY, drug_id INTEGER, element TEXT, charge REAL);"
    "CREATE TABLE bonds (id INTEGER PRIMARY KEY, drug_id INTEGER, atom1_id INTEGER,"
    "                    atom2_id INTEGER, bond_type INTEGER);"
    "CREATE TABLE rings (id INTEGER);";
constexpr const char* kRows =
    "INSERT INTO drugs VALUES (10, 0.5, 1), (9, NULL, 0);"
    "INSERT INTO atoms VALUES (20, 10, 'o', 0), (21, 10, 'h', 0), (3, 9, 'c', 0), (22, 10, 'h', 0),"
    "                         (4, 9, 'o', 0);"
    "INSERT INTO bonds VALUES (0, 10, 20, 21, 1), (1, 9, 3, 4, 3), (2, 10, 22, 20, 1);";

// A file made by these statements.
std::string make_file(const TemporaryFolder& folder, const std::string& sql) {
  std::string path = folder.path("m.sqlite");
  std::filesystem::remove(path);
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
  return path;
}

std::string errors_for(const std::string& sql) {
  const TemporaryFolder folder;
  return errors_of(load_molecules(make_file(folder, sql)));
}

void expect_molecules(const Result<Molecules>& molecules) {
  ASSERT_TRUE(molecules) << errors_of(molecules);
  EXPECT_THAT(texts_of(molecules->names), ElementsAre("9", "10"));
  EXPECT_THAT(molecules->active, ElementsAre(false, true));
  EXPECT_THAT(molecules->atom_begin, ElementsAre(0, 2, 5));
  EXPECT_THAT(texts_of(molecules->elements), ElementsAre("c", "h", "o"));
  EXPECT_THAT(molecules->element, ElementsAre(0, 2, 2, 1, 1));
  EXPECT_THAT(molecules->bond_first, ElementsAre(0, 2, 4));
  EXPECT_THAT(molecules->bond_second, ElementsAre(1, 3, 2));
  EXPECT_THAT(molecules->bond_type, ElementsAre(1, 0, 0));
}

TEST(Sqlite, tables_are_read_in_the_order_of_their_rows) {
  const TemporaryFolder folder;
  // An index that holds all columns would give another order.
  expect_molecules(load_molecules(make_file(
      folder,
      std::string(kTables) + kRows + "CREATE INDEX cover ON atoms (element DESC, drug_id, id);")));
}

TEST(Sqlite, views_and_tables_without_row_numbers_will_do) {
  const TemporaryFolder folder;
  expect_molecules(load_molecules(make_file(
      folder,
      "CREATE TABLE molecule (mid INTEGER, mutagenic TEXT);"
      "INSERT INTO molecule VALUES (10, 'yes'), (9, 'no');"
      "CREATE VIEW drugs AS SELECT mid AS id, mutagenic = 'yes' AS active FROM molecule;"
      "CREATE TABLE atoms (id INTEGER PRIMARY KEY, drug_id INTEGER, element TEXT) WITHOUT ROWID;"
      "INSERT INTO atoms VALUES (20, 10, 'o'), (21, 10, 'h'), (3, 9, 'c'), (22, 10, 'h'), (4, 9, "
      "'o');"
      "CREATE TABLE bonds (ID, DRUG_ID, ATOM1_ID, ATOM2_ID, BOND_TYPE);"
      "INSERT INTO bonds VALUES (0, 10, 20, 21, 1.0), (1, 9, 3, 4, '3'), (2, 10, 22, 20, 1);")));
}

TEST(Sqlite, the_file_is_found_by_its_first_bytes_and_not_written) {
  const TemporaryFolder folder;
  const std::string path = make_file(folder, std::string(kTables) + kRows);
  std::filesystem::rename(path, folder.path("no ending?"));
  std::filesystem::permissions(folder.path("no ending?"), std::filesystem::perms::owner_read);
  expect_molecules(load_molecules(folder.path("no ending?")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(BadSqlite, bad_missing_table_or_column) {
  EXPECT_EQ(
      errors_for("CREATE TABLE drug (id, active)"),
      "m.sqlite: table drugs: error: cannot be read: SQLite says: no such table: drugs [E024]");
  EXPECT_EQ(errors_for("CREATE TABLE drugs (id, activity)"),
            "m.sqlite: table drugs: error: cannot be read: SQLite says: no such column: active "
            "[E024]");
}

TEST(BadSqlite, bad_empty_table) {
  EXPECT_EQ(errors_for(kTables), "m.sqlite: table drugs: error: has no rows [E002]");
}

TEST(BadSqlite, bad_values) {
  EXPECT_EQ(errors_for(std::string(kTables) + "INSERT INTO drugs VALUES (1, 0, 2), (2, 0, NULL)"),
            "m.sqlite: table drugs, row 1, column active: error: found \"2\", expected 0 or 1 "
            "[E024]\n"
            "m.sqlite: table drugs, row 2, column active: error: found nothing, expected 0 or 1 "
            "[E024]");
  EXPECT_EQ(errors_for(std::string(kTables) + kRows +
                       "INSERT INTO bonds VALUES (7, 9, 3, 20, 1), (8, 9, 4, 3, 1)"),
            "m.sqlite: table bonds, row 4, column atom2_id: error: atom \"20\" is one of drug "
            "\"10\", expected one of drug \"9\" [E012]\n"
            "m.sqlite: table bonds, row 5: error: atoms \"4\" and \"3\" have a bond in row 2, "
            "expected each bond once [E024]");
}

TEST(BadSqlite, bad_duplicate_id) {
  EXPECT_EQ(errors_for("CREATE TABLE drugs (id, active); INSERT INTO drugs VALUES (1, 0), (1, 1)"),
            "m.sqlite: table drugs, row 2, column id: error: id \"1\" is that of row 1, expected "
            "another one [E011]");
}

TEST(BadSqlite, bad_utf8) {
  EXPECT_EQ(errors_for("CREATE TABLE drugs (id, active);"
                       "INSERT INTO drugs VALUES (CAST(x'6de9' AS TEXT), 0)"),
            "m.sqlite: table drugs, row 1, column id: error: found \"m\\xe9\", expected UTF-8 text "
            "[E024]");
}

TEST(BadSqlite, bad_damaged_file) {
  const TemporaryFolder folder;
  const std::string path = folder.path("m.sqlite");
  write_file(path, std::string("SQLite format 3\0rubbish", 23));
  EXPECT_EQ(
      errors_of(load_molecules(path)),
      path + ": error: cannot be read as a database: SQLite says: file is not a database [E024]");
}

TEST(BadSqlite, bad_truncated_file) {
  const TemporaryFolder folder;
  std::string sql = std::string(kTables) + kRows;
  for (int i = 100; i < 2000; ++i) {
    sql += "INSERT INTO atoms VALUES (" + std::to_string(i) + ", 10, 'c', 0);";
  }
  const std::string path = make_file(folder, "BEGIN;" + sql + "COMMIT;");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(errors_of(load_molecules(path)),
              testing::HasSubstr("SQLite says: database disk image is malformed [E024]"));
}

#else

TEST(BadSqlite, bad_not_built_in) {
  const TemporaryFolder folder;
  const std::string path = folder.path("m.sqlite");
  write_file(path, std::string("SQLite format 3\0", 16));
  EXPECT_EQ(errors_of(load_molecules(path)),
            path +
                ": error: is an SQLite file, and vecc was built without SQLite: install "
                "libsqlite3-dev and configure with -DVECC_SQLITE=ON, or give a folder with "
                "drugs.csv, atoms.csv and bonds.csv [E052]");
}

#endif

}  // namespace
}  // namespace vecc::tools
