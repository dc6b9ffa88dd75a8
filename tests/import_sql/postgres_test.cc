// vecc-import sql and vecc learn over a PostgreSQL server that the test starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/import_sql/databases.h"
#include "tests/import_sql/value_texts.h"
#include "tests/tools/process.h"
#include "tools/import/sql/postgres_value.h"
#include "tools/import/sql/source_database.h"

namespace vecc::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Words = std::vector<std::string>;

struct Ended {
  int code = 0;
  std::string out;
};

// A shell's command, with its stdout.
Ended shell(const std::string& command) {
  Ended ended;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ended.out.append(buffer.data(), count);
  }
  ended.code = pclose(pipe);
  return ended;
}

std::string script(const std::string& words) {
  return "bash " VECC_POSTGRES_SERVER " " + words;
}

class Postgres : public testing::Test {
 protected:
  static void SetUpTestSuite() {
#ifndef VECC_READS_POSTGRES
    reason = "built without libpq: apt install libpq-dev";
    return;
#endif
    const Ended started = shell(script("start " + std::to_string(getpid())));
    const bool is_there = WEXITSTATUS(started.code) == 0;
    (is_there ? server : reason) = started.out.substr(0, started.out.find('\n'));
  }
  static void TearDownTestSuite() {
    if (!server.empty()) shell(script("stop " + server));
  }
  void SetUp() override {
    if (server.empty()) GTEST_SKIP() << reason;
    const std::string name = "t" + std::to_string(schemas++);
    schema = name;
    sql("CREATE SCHEMA " + name + ";");
    address = address_with("-csearch_path%3D" + name);
  }

  static std::string address_with(const std::string& options) {
    return "postgresql://vecc:secret@/postgres?host=" + server + "&options=" + options;
  }
  std::string sql(const std::string& text) const {
    const std::string path = folder + "/commands.sql";
    write_text(path, (schema.empty() ? "" : "SET search_path = " + schema + ";\n") + text);
    const Ended ended = shell(script("sql " + server) + " < " + path);
    EXPECT_EQ(ended.code, 0) << text.substr(0, 400);
    std::remove(path.c_str());
    return ended.out;
  }
  // What Postgres calls otherwise; SQLite takes these names, too.
  static std::string portable(std::string text) {
    for (const auto& [from, to] : {std::pair<std::string, std::string>{" BOOLEAN", " INTEGER"},
                                   {" REAL", " DOUBLE PRECISION"}}) {
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
      }
    }
    return text;
  }
  Finished import(const std::string& source, Words more) const {
    more.insert(more.begin(), {"sql", source});
    more.insert(more.end(), {"-o", graph});
    return run_tool("vecc-import", more);
  }
  void expect_nothing_written() const {
    EXPECT_THAT(list_folder(folder), IsEmpty());
  }
  // Waits until vecc waits for a lock, and then ends its session there.
  void end_session() const {
    for (int i = 0; i < 300; ++i) {
      const std::string ended = sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'vecc' "
          "AND wait_event_type = 'Lock';");
      if (ended == "t\n") return;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    ADD_FAILURE() << "vecc never waited";
  }
  // Until it is destroyed a session holds the table, and readers wait.
  std::shared_ptr<void> lock(const std::string& table) const {
    FILE* held = popen((script("sql " + server) + " >/dev/null").c_str(), "w");
    std::fprintf(held, "BEGIN; LOCK TABLE %s.%s;\n", schema.c_str(), table.c_str());
    std::fflush(held);
    for (int i = 0; i < 300; ++i) {
      if (sql("SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock';") != "0\n") break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return {held, [](void* session) { pclose(static_cast<FILE*>(session)); }};
  }

  static inline std::string server;
  static inline std::string reason;
  static inline int schemas = 0;
  std::string folder = test_folder();
  std::string graph = folder + "/graph.pb";
  std::string schema;
  std::string address;
};

TEST_F(Postgres, AGraphIsThatOfSQLite) {
  const std::string shop = portable(shop_sql(120));
  sql(shop);
  const std::string file = make_database(test_folder(), "shop.db", shop);
  const Words words{"--target=customers.churn", "--time=orders.shipped", "--quiet",
                    "--task=SELECT customer, max(shipped), max(CASE WHEN state = 'returned' THEN 1 "
                    "ELSE 0 END) FROM orders WHERE shipped < '2020-08-01' GROUP BY customer ORDER "
                    "BY customer"};
  for (const bool has_task : {false, true}) {
    Words more = words;
    if (has_task) more.front() = "--target=customers";
    if (!has_task) more.erase(more.begin() + 1, more.end());
    const Finished ours = import(address, more);
    ASSERT_EQ(ours.code, 0) << ours.err;
    const std::string bytes = read_text(graph);
    const Finished theirs = import(file, more);
    ASSERT_EQ(theirs.code, 0) << theirs.err;
    EXPECT_TRUE(bytes == read_text(graph)) << has_task;
  }
}

TEST_F(Postgres, KeysAreDeclaredOrInferred) {
  sql("CREATE TABLE b (x integer, y text, PRIMARY KEY (y, x));"
      "CREATE TABLE a (id bigint PRIMARY KEY, z integer, dropped integer, y text, up bigint "
      "REFERENCES a, label boolean, FOREIGN KEY (y, z) REFERENCES b);"
      "ALTER TABLE a DROP COLUMN dropped; CREATE VIEW v AS SELECT * FROM a;"
      "CREATE TABLE events (a_id text, at timestamptz) PARTITION BY RANGE (at);"
      "CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');"
      "INSERT INTO b SELECT i, 'y' FROM generate_series(0, 9) AS i;"
      "INSERT INTO a SELECT i, i % 10, 'y', NULL, i % 2 = 0 FROM generate_series(0, 59) AS i;"
      "INSERT INTO events SELECT i::text, '2020-03-01' FROM generate_series(0, 59) AS i;");
  const Finished found = import(address, {"--target=a.label", "--infer-keys", "--explain"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("table b: 2 columns, key b.y,b.x\n"), HasSubstr("key a.up -> a.id\n"),
                    HasSubstr("key a.y,a.z -> b.y,b.x\n"), Not(HasSubstr("table v")),
                    Not(HasSubstr("table events_1"))));
  EXPECT_THAT(found.err,
              HasSubstr("inferred key events.a_id -> a.id: 60 values, all of them there"));
}

TEST_F(Postgres, ValuesOfEachType) {
  sql("CREATE TYPE mood AS ENUM ('fine', 'bad'); CREATE TABLE t (a boolean, b smallint, c numeric, "
      "d "
      "numeric, e real, f double precision, g char(5), h timestamptz, i timestamp, j date, k json, "
      "l "
      "uuid, m mood, n integer[], o bytea, p text, q numeric, r double precision);"
      "INSERT INTO t VALUES (true, -3, 12, 0.1, 0.5, 1e300, 'ab', '2020-01-31 12:30:00+02', "
      "'2020-01-31 12:30:00.5', '2020-01-31', '{\"a\": 1}', "
      "'00000000-0000-0000-0000-000000000001', 'bad', '{1,2}', '\\x00ff', NULL, "
      "123456789012345678901, 'NaN');");
  auto opened = tools::sql::SourceDatabase::open(address);
  ASSERT_TRUE(opened) << opened.error().text();
  const auto read = texts_of_values(*opened, "SELECT * FROM t");
  ASSERT_TRUE(read) << read.error().text();
  const Words& seen = *read;
  ASSERT_EQ(seen.size(), 18u);
  EXPECT_THAT(Words(seen.begin(), seen.begin() + 5),
              ElementsAre("i1", "i-3", "i12", "r0.100000", "r0.500000"));
  EXPECT_THAT(Words(seen.begin() + 6, seen.end()),
              ElementsAre("tab", "t2020-01-31 10:30:00", "t2020-01-31 12:30:00.5", "t2020-01-31",
                          "t{\"a\": 1}", "t00000000-0000-0000-0000-000000000001", "tbad", "blob",
                          "blob", "null", "r123456789012345683968.000000", "tNaN"));
}

TEST_F(Postgres, ColumnsOfArraysAreLeftOut) {
  sql("CREATE TABLE t (id integer PRIMARY KEY, tags text[], y boolean);"
      "INSERT INTO t SELECT i, ARRAY['a'], i % 2 = 0 FROM generate_series(0, 59) AS i;");
  const Finished left_out = import(address, {"--target=t.y"});
  EXPECT_EQ(left_out.code, 0) << left_out.err;
  EXPECT_THAT(left_out.err, HasSubstr("column t.tags left out"));
  std::remove(graph.c_str());
  const Finished taken = import(address, {"--target=t.y", "--column=t.tags:category"});
  EXPECT_EQ(taken.code, 0) << taken.err;
  std::remove(graph.c_str());
  const Finished refused = import(address, {"--target=t.y", "--column=t.tags:number"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("tags"));
  expect_nothing_written();
}

TEST_F(Postgres, LearnsAndPredictsAndShowsNoPassword) {
  sql(portable(shop_sql(200)));
  const std::string model = folder + "/model.vecc";
  const Finished learned = run_vecc(
      {"learn", address, "--target=customers.churn", "--epochs=60", "-o", model, "--json"});
  ASSERT_EQ(learned.code, 0) << learned.err;
  EXPECT_GT(nlohmann::json::parse(learned.out)["metrics"]["test"]["auroc"].get<double>(), 0.8);
  const Finished predicted = run_vecc({"predict", model, address});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, HasSubstr("customers:199\t"));
  const std::string page = read_text(folder + "/model.html");
  for (const std::string& text :
       {learned.out, learned.err, predicted.err, page, read_text(model)}) {
    EXPECT_THAT(text, Not(HasSubstr("secret")));
  }
  EXPECT_THAT(page, HasSubstr("postgresql://vecc@/postgres"));
}

TEST_F(Postgres, NamesAreData) {
  sql("CREATE TABLE \"a\"\"; DROP TABLE t; --\" (\"x'\"\"y\" integer PRIMARY KEY, y text);"
      "INSERT INTO \"a\"\"; DROP TABLE t; --\" SELECT i, CASE i % 2 WHEN 0 THEN ''';' ELSE 'b' END "
      "FROM generate_series(0, 59) AS i; CREATE TABLE t (id integer);");
  const Finished done = import(address, {"--target=a\"; DROP TABLE t; --.y"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sql("SELECT count(*) FROM t;"), "0\n");
}

TEST_F(Postgres, OnlyReads) {
  sql("CREATE TABLE t (id integer PRIMARY KEY, y boolean, day date); CREATE SEQUENCE s;"
      "INSERT INTO t SELECT i, i % 2 = 0, '2020-01-01' FROM generate_series(0, 59) AS i;");
  for (const char* const task :
       {"SELECT id, day, nextval('s') % 2 FROM t", "SELECT 1; DROP TABLE t",
        "SELECT 1) TO '/tmp/x'; --", "WITH d AS (DELETE FROM t RETURNING id) SELECT * FROM d"}) {
    const Finished refused =
        import(address, {"--target=t", "--time=t.day", std::string("--task=") + task});
    EXPECT_EQ(refused.code, 3) << task << refused.err;
    expect_nothing_written();
  }
  EXPECT_EQ(sql("SELECT count(*) FROM t; SELECT last_value FROM s;"), "60\n1\n");
}

TEST_F(Postgres, NoServerNoTableNoRight) {
  const Finished nowhere =
      import("postgresql://vecc:secret@/postgres?host=" + folder, {"--target=t.y"});
  EXPECT_EQ(nowhere.code, 3);
  EXPECT_THAT(nowhere.err, AllOf(HasSubstr("postgresql://vecc@/postgres"), HasSubstr("[E001]"),
                                 HasSubstr("expected a server"), Not(HasSubstr("secret"))));
  const Finished malformed = import("postgresql://[x", {"--target=t.y"});
  EXPECT_EQ(malformed.code, 3);
  const Finished empty = import(address, {"--target=t.y"});
  EXPECT_EQ(empty.code, 3);
  EXPECT_THAT(empty.err, HasSubstr("has no tables"));
  sql("CREATE TABLE t (id integer PRIMARY KEY, y boolean); DROP ROLE IF EXISTS guest; CREATE ROLE "
      "guest "
      "LOGIN; GRANT USAGE ON SCHEMA " +
      schema + " TO guest;");
  std::string guest = address;
  guest.replace(guest.find("vecc:secret"), 11, "guest");
  const Finished denied = import(guest, {"--target=t.y"});
  EXPECT_EQ(denied.code, 3);
  EXPECT_THAT(denied.err, HasSubstr("permission denied for table t"));
  expect_nothing_written();
  sql("DROP OWNED BY guest; DROP ROLE guest;");
}

TEST_F(Postgres, AForeignKeyOutOfTheSearchPath) {
  sql("CREATE SCHEMA IF NOT EXISTS elsewhere; DROP TABLE IF EXISTS elsewhere.p; CREATE TABLE "
      "elsewhere.p (id integer PRIMARY KEY); CREATE TABLE t (id integer PRIMARY KEY, p integer "
      "REFERENCES elsewhere.p, y boolean);");
  const Finished refused = import(address, {"--target=t.y"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("elsewhere.p"), HasSubstr("search path")));
  sql("DROP SCHEMA elsewhere CASCADE;");
}

TEST_F(Postgres, AServerThatGoesAwayAndOneThatTakesTooLong) {
  sql(portable(shop_sql(60)));
  const std::shared_ptr<void> held = lock("orders");
  Finished left;
  std::thread running([&] { left = import(address, {"--target=customers.churn"}); });
  end_session();
  running.join();
  EXPECT_EQ(left.code, 3);
  EXPECT_THAT(left.err,
              AllOf(HasSubstr("postgres: error: the server went away"), HasSubstr("[E001]")));
  const Finished late =
      import(address_with("-csearch_path%3D" + schema + "%20-cstatement_timeout%3D200"),
             {"--target=customers.churn"});
  EXPECT_EQ(late.code, 3);
  EXPECT_THAT(late.err, HasSubstr("canceling statement due to statement timeout"));
  expect_nothing_written();
}

#ifndef VECC_READS_POSTGRES
TEST(PostgresAddress, IsRefusedWithoutLibpq) {
  const std::string address = "postgresql://u:secret@h/d";
  const Finished refused =
      run_tool("vecc-import", {"sql", address, "--target=t.y", "-o", test_folder() + "/g.pb"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("libpq-dev"), HasSubstr("-DVECC_POSTGRES=ON"),
                                 HasSubstr("[E052]"), Not(HasSubstr("secret"))));
}
#endif

TEST(PostgresAddress, IsShownWithoutPasswordAndOptions) {
  using tools::sql::shown_source;
  EXPECT_EQ(shown_source("postgresql://u:p@h:5433/d?password=x"), "postgresql://u@h:5433/d");
  EXPECT_EQ(shown_source("postgres://h:5433/d"), "postgres://h:5433/d");
  EXPECT_EQ(shown_source("postgres://u:p%40@h/d"), "postgres://u@h/d");
  EXPECT_EQ(shown_source("shop:1@x.db?y"), "shop:1@x.db?y");
}

}  // namespace
}  // namespace vecc::test
