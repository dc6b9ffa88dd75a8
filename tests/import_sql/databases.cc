#include "tests/import_sql/databases.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <vector>

#include "tools/import/load/splitmix.h"

namespace vecc::test {
namespace {

std::string day(int number) {  // of 2020 and the years behind it, 28 days a month
  const int month = number / 28;
  const auto two = [](int n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return "'" + std::to_string(2020 + month / 12) + "-" + two(month % 12 + 1) + "-" +
         two(number % 28 + 1) + "'";
}

std::string row_of(const std::string& table, std::initializer_list<std::string> values) {
  std::string sql = "INSERT INTO " + table + " VALUES (";
  bool first = true;
  for (const std::string& value : values) {
    if (!first) sql += ", ";
    first = false;
    sql += value;
  }
  return sql + ");\n";
}

}  // namespace

std::string make_database(const std::string& folder, const std::string& name,
                          const std::string& sql) {
  std::string path = folder + "/" + name;
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(
      sqlite3_exec(database, ("BEGIN;" + sql + "COMMIT;").c_str(), nullptr, nullptr, &message),
      SQLITE_OK)
      << (message == nullptr ? "" : message);
  sqlite3_free(message);
  sqlite3_close(database);
  return path;
}

std::string shop_sql(int customers) {
  tools::SplitMix random(1);
  std::string sql =
      "CREATE TABLE customers (id INTEGER PRIMARY KEY, age REAL, city TEXT, since DATE, churn "
      "BOOLEAN);\n"
      "CREATE TABLE products (sku TEXT PRIMARY KEY, price REAL);\n"
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers(id), "
      "product TEXT REFERENCES products, state TEXT, shipped DATE, note TEXT);\n";
  for (int p = 0; p < 10; ++p) {
    sql += row_of("products", {"'p" + std::to_string(p) + "'", std::to_string(p * 3 + 1)});
  }
  int order = 0;
  const std::vector<std::string> cities{"'Brno'", "'Praha'", "'Plzen'", "NULL"};
  for (int c = 0; c < customers; ++c) {
    const bool churns = random.below(2) == 1;
    sql += row_of("customers", {std::to_string(c), std::to_string(20 + random.below(50)),
                                cities[random.below(4)], day(static_cast<int>(random.below(300))),
                                churns ? "1" : "0"});
    for (std::uint64_t i = 0, count = 2 + random.below(4); i < count; ++i) {
      const bool returned = random.below(10) < (churns ? 8u : 2u);
      sql += row_of(
          "orders",
          {std::to_string(order), std::to_string(c), "'p" + std::to_string(random.below(10)) + "'",
           returned ? "'returned'" : (random.below(3) == 0 ? "NULL" : "'kept'"),
           random.below(4) == 0 ? "NULL" : day(static_cast<int>(random.below(300))),
           "'note " + std::to_string(order) + "'"});
      ++order;
    }
  }
  return sql;
}

std::string races_sql(int drivers, int races) {
  tools::SplitMix random(2);
  std::string sql =
      "CREATE TABLE drivers (id INTEGER PRIMARY KEY, code TEXT);\n"
      "CREATE TABLE races (id INTEGER PRIMARY KEY, day DATE);\n"
      "CREATE TABLE results (driver INTEGER REFERENCES drivers, race INTEGER REFERENCES races, day "
      "DATE, position REAL, PRIMARY KEY (driver, race));\n"
      "CREATE TABLE starts (id INTEGER PRIMARY KEY, driver INTEGER REFERENCES drivers, day DATE, "
      "points REAL);\n";
  std::vector<double> skill;
  for (int d = 0; d < drivers; ++d) {
    skill.push_back(static_cast<double>(random.below(1000)) / 50);
    sql += row_of("drivers", {std::to_string(d), "'d" + std::to_string(d) + "'"});
  }
  int start = 0;
  for (int r = 0; r < races; ++r) {
    sql += row_of("races", {std::to_string(r), day(r * 2)});
    for (int d = 0; d < drivers; ++d) {
      const double noise = static_cast<double>(random.below(100)) / 50 - 1;
      const double position = skill[static_cast<std::size_t>(d)] + noise;
      sql += row_of("results",
                    {std::to_string(d), std::to_string(r), day(r * 2), std::to_string(position)});
      if (r < 4) continue;
      sql +=
          row_of("starts", {std::to_string(start++), std::to_string(d), day(r * 2 - 1),
                            std::to_string(100 - 4 * skill[static_cast<std::size_t>(d)] + noise)});
    }
  }
  return sql;
}

std::string citations_sql(int papers) {
  tools::SplitMix random(3);
  std::string sql =
      "CREATE TABLE papers (id INTEGER PRIMARY KEY, kind TEXT, topic TEXT, field TEXT);\n"
      "CREATE TABLE cites (source INTEGER REFERENCES papers, target INTEGER REFERENCES papers, "
      "PRIMARY KEY (source, target)) WITHOUT ROWID;\n";
  const std::vector<std::string> fields{"'ai'", "'db'", "'os'"};
  std::vector<std::vector<int>> known(3);
  for (int p = 0; p < papers; ++p) {
    const std::uint64_t f = random.below(3);
    // Every second paper says its topic; the field of the others is what they cite.
    const bool says = p < 12 || random.below(2) == 0;
    sql += row_of("papers", {std::to_string(p), random.below(2) == 0 ? "'long'" : "'short'",
                             says ? fields[f] : "NULL", fields[f]});
    for (int i = 0; i < 4 && !known[f].empty(); ++i) {
      const int target = known[f][random.below(known[f].size())];
      sql += "INSERT OR IGNORE INTO cites VALUES (" + std::to_string(p) + ", " +
             std::to_string(target) + ");\n";
    }
    if (says) known[f].push_back(p);
  }
  return sql;
}

std::string future_sql(int users) {
  tools::SplitMix random(4);
  std::string sql =
      "CREATE TABLE users (id INTEGER PRIMARY KEY, seen DATE, target BOOLEAN);\n"
      "CREATE TABLE events (id INTEGER PRIMARY KEY, user INTEGER REFERENCES users, day DATE, size "
      "REAL);\n";
  int event = 0;
  for (int u = 0; u < users; ++u) {
    const bool target = random.below(2) == 1;
    const int seen = 100 + static_cast<int>(random.below(100));
    sql += row_of("users", {std::to_string(u), day(seen), target ? "1" : "0"});
    for (int i = 0; i < 6; ++i) {
      const bool later = i < 3;
      const int when = later ? seen + 1 + static_cast<int>(random.below(60))
                             : seen - static_cast<int>(random.below(60));
      const double size = static_cast<double>(random.below(100)) / 100;
      sql += row_of("events", {std::to_string(event++), std::to_string(u), day(when),
                               std::to_string(later && target ? 5 + size : size)});
    }
  }
  return sql;
}

}  // namespace vecc::test
