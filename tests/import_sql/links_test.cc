// Link tasks as a user sees them: which products a customer buys next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"
#include "tools/import/load/splitmix.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using testing::HasSubstr;

using Words = std::vector<std::string>;

// Everybody buys products of one kind: what was bought tells what will be.
class Links : public testing::Test {
 protected:
  std::string folder = test_folder();
  std::string task = "customer,time,target\n";
  std::string database;
  Words options{"--target=customers:products", "--task=" + folder + "/task.csv",
                "--time=orders.day"};

  void SetUp() override {
    tools::SplitMix random(7);
    std::string sql =
        "CREATE TABLE customers (id INTEGER PRIMARY KEY);"
        "CREATE TABLE products (sku TEXT PRIMARY KEY, kind TEXT);"
        "CREATE TABLE orders (customer INTEGER REFERENCES customers, product TEXT REFERENCES "
        "products, day INTEGER);";
    const auto sku = [](std::uint64_t p) { return "p" + std::to_string(p); };
    for (std::uint64_t p = 0; p < 40; ++p) {
      sql +=
          "INSERT INTO products VALUES ('" + sku(p) + "', 'kind " + std::to_string(p % 4) + "');";
    }
    for (int c = 0; c < 120; ++c) {
      const std::uint64_t kind = random.below(4);
      const auto product = [&] { return sku(kind + 4 * random.below(10)); };
      const std::string customer = std::to_string(c);
      sql += "INSERT INTO customers VALUES (" + customer + ");";
      for (int i = 0; i < 4; ++i) {
        sql += "INSERT INTO orders VALUES (" + customer + ", '" + product() + "', " +
               std::to_string(i) + ");";
      }
      task += customer + "," + std::to_string(10 + c) + "," + product() + "|" + product() + "\n";
    }
    write_text(folder + "/task.csv", task);
    database = make_database(folder, "shop.db", sql);
  }

  [[nodiscard]] Finished import(const Words& more) const {
    Words words{"sql", database, "-o", folder + "/graph.pb", "--quiet"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), more.begin(), more.end());
    return run_tool("vecc-import", words);
  }
};

TEST_F(Links, SamplesAreGroupsOfPositivesAndNegatives) {
  const Finished done = import({"--negatives=3", "--candidates=7"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto graph = read_graph(folder + "/graph.pb");
  ASSERT_TRUE(graph);
  struct Group {
    int positives = 0;
    int negatives = 0;
    Split split = Split::Unspecified;
  };
  std::map<std::uint32_t, Group> groups;
  for (const Sample& sample : graph->samples) {
    EXPECT_FALSE(sample.has_target);
    Group& group = groups[sample.group];
    ++(sample.role == Role::Positive ? group.positives : group.negatives);
    group.split = sample.split;
  }
  ASSERT_EQ(groups.size(), 120u);
  int tests = 0;
  for (const auto& [id, group] : groups) {
    EXPECT_GE(group.positives, 1);
    EXPECT_LE(group.positives, 2);
    EXPECT_EQ(group.negatives, group.split == Split::Train ? 3 : 7);
    tests += group.split == Split::Test ? 1 : 0;
  }
  EXPECT_EQ(tests, 18);  // the last 15 percent by time
  EXPECT_THAT(std::string(graph->sample_ids[0]), HasSubstr("customers:0 at 10 -> products:p"));
  const std::string bytes = read_text(folder + "/graph.pb");
  ASSERT_EQ(import({"--negatives=3", "--candidates=7"}).code, 0);
  EXPECT_EQ(read_text(folder + "/graph.pb"), bytes);
}

TEST_F(Links, WhatWasBoughtTellsWhatWillBe) {
  const std::string model = folder + "/m.vecc";
  Words words{"learn",
              database,
              "-o",
              model,
              "--no-page",
              "--json",
              "--quiet",
              "--dim=8",
              "--candidates=0",
              "--backend=interpreter",
              "--lr=0.02"};
  words.insert(words.end(), options.begin(), options.end());
  const Finished done = run_vecc(words);
  ASSERT_EQ(done.code, 0) << done.err;
  const auto metrics = nlohmann::json::parse(done.out)["metrics"]["test"];
  // Ten of forty products are of the kind: at random 0.05.
  EXPECT_GT(metrics["map@10"].get<double>(), 0.15);
  EXPECT_GT(metrics["recall@10"].get<double>(), 0.8);
  EXPECT_FALSE(metrics.contains("sampled_map@10"));
  // To train on they are compared with drawn ones.
  EXPECT_TRUE(nlohmann::json::parse(done.out)["metrics"]["train"].contains("sampled_map@10"));
  write_text(folder + "/now.csv", "customer,time\n5,500\n");
  const Finished predicted = run_vecc({"predict", model, database, "--task=" + folder + "/now.csv",
                                       "--backend=interpreter", "--quiet"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(std::ranges::count(predicted.out, '\n'), 41);
  EXPECT_THAT(predicted.out, HasSubstr("customers:5 at 500 -> products:p39\t"));
}

// A product that comes later is no negative before, nor predicted.
TEST_F(Links, RowsThatAreNotThereYetAreNoCandidates) {
  std::remove(database.c_str());
  std::string sql =
      "CREATE TABLE customers (id INTEGER PRIMARY KEY);"
      "CREATE TABLE products (sku TEXT PRIMARY KEY, day INTEGER);"
      "CREATE TABLE orders (customer INTEGER REFERENCES customers, product TEXT REFERENCES "
      "products, day INTEGER);";
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    sql += "INSERT INTO customers VALUES (" + n + "); INSERT INTO products VALUES ('p" + n + "', " +
           std::to_string(10 * i) + "); INSERT INTO orders VALUES (" + n + ", 'p0', 1);";
  }
  database = make_database(folder, "shop.db", sql);
  write_text(folder + "/task.csv", "customer,time,target,split\n5,30,p1,train\n6,65,p2,test\n");
  const Finished done = import({"--time=products.day", "--negatives=50", "--candidates=0"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto graph = read_graph(folder + "/graph.pb");
  ASSERT_TRUE(graph);
  std::string ids;
  for (std::size_t s = 0; s < graph->samples.size(); ++s) {
    ids += std::string(graph->sample_ids[s]) + "\n";
  }
  std::string expected;
  for (const char* const product : {"1", "0", "2", "3"}) {
    expected += "customers:5 at 30 -> products:p" + std::string(product) + "\n";
  }
  for (const char* const product : {"2", "0", "1", "3", "4", "5", "6"}) {
    expected += "customers:6 at 65 -> products:p" + std::string(product) + "\n";
  }
  EXPECT_EQ(ids, expected);
}

TEST_F(Links, OptionsOfLinksAreOfNothingElse) {
  for (const char* const option : {"--negatives=3", "--candidates=0"}) {
    const Finished done = run_tool("vecc-import", {"sql", database, "--target=products.kind",
                                                   option, "-o", folder + "/graph.pb"});
    EXPECT_EQ(done.code, 2);
    EXPECT_THAT(done.err, HasSubstr(std::string(option).substr(0, std::string(option).find('=')) +
                                    " is of links, --target=TABLE:OTHER"));
  }
  write_text(folder + "/task.csv", "customer,time,target,split\n5,500,p1,train\n");
  const Finished percents = import({"--test=10"});
  EXPECT_EQ(percents.code, 2);
  EXPECT_THAT(percents.err,
              HasSubstr("--test says nothing beside splits that are given by --task"));
}

TEST_F(Links, WhatIsNotThereIsRefused) {
  write_text(folder + "/task.csv", "customer,time,target,split\n5,500,p1|p99,train\n");
  const Finished unknown = import({});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("customers:5 at 500: error: found \"p99\", expected keys of "
                                     "table products"));
  options[0] = "--target=customers:product";
  const Finished table = import({});
  EXPECT_EQ(table.code, 2);
  EXPECT_THAT(table.err, HasSubstr("or TABLE:OTHER for links"));
  options[0] = "--target=customers:orders";
  EXPECT_THAT(import({}).err, HasSubstr("table orders has no key of one column"));
}

}  // namespace
}  // namespace vecc::test
