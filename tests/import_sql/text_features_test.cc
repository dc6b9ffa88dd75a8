// Texts as hashed n-grams, and ages at a sample's time: the numbers themselves, and what they tell.
#include "tools/import/sql/text_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"
#include "tools/import/load/splitmix.h"

namespace vecc::test {
namespace {

using testing::Each;
using testing::HasSubstr;

std::vector<double> features(std::string_view text) {
  std::vector<double> out{7};
  tools::sql::add_text_features(text, 32, out);
  EXPECT_EQ(out.size(), 33u);
  EXPECT_EQ(out[0], 7);
  out.erase(out.begin());
  return out;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(TextFeatures, AreUnitVectorsOfWords) {
  const auto text = features("Arrived late");
  EXPECT_NEAR(product(text, text), 1, 1e-12);
  EXPECT_EQ(text, features("  late,ARRIVED!"));
  EXPECT_GT(product(text, features("it arrived later")), 0.5);
  EXPECT_LT(std::abs(product(text, features("as described"))), 0.5);
  EXPECT_THAT(features(""), Each(0));
  EXPECT_THAT(features(" ,.-"), Each(0));
  const auto other = features("\xC5\xBElu\xC5\xA5");
  EXPECT_NEAR(product(other, other), 1, 1e-12);
}

// A trained model depends on these numbers: FNV-1a of late, _la, lat, ate, te_.
TEST(TextFeatures, AreTheSameForEver) {
  std::vector<double> out;
  tools::sql::add_text_features("late", 8, out);
  const double a = 1 / std::sqrt(5.0);
  EXPECT_THAT(out, testing::ElementsAre(0, a, -a, 0, a, -a, 0, -a));
}

double accuracy(const std::string& database, const std::vector<std::string>& more) {
  const std::string folder = test_folder();
  std::vector<std::string> words{"learn",     database, "-o",      folder + "/m.vecc",
                                 "--no-page", "--json", "--quiet", "--backend=interpreter",
                                 "--lr=0.02", "--dim=8"};
  words.insert(words.end(), more.begin(), more.end());
  const Finished done = run_vecc(words);
  EXPECT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  return json.is_discarded() ? -1 : json["metrics"]["test"]["accuracy"].get<double>();
}

TEST(TextColumns, TellWhatTheirWordsTell) {
  const std::string folder = test_folder();
  tools::SplitMix random(5);
  std::string sql = "CREATE TABLE letters (id INTEGER PRIMARY KEY, body TEXT, angry BOOLEAN);";
  for (int i = 0; i < 200; ++i) {
    const bool angry = random.below(2) == 1;
    sql += "INSERT INTO letters VALUES (" + std::to_string(i) + ", 'order " +
           std::to_string(random.below(100000)) + (angry ? " came broken" : " was as expected") +
           "', " + (angry ? "1" : "0") + ");";
  }
  const std::string path = make_database(folder, "letters.db", sql);
  EXPECT_GT(accuracy(path, {"--target=letters.angry"}), 0.9);
  EXPECT_LT(accuracy(path, {"--target=letters.angry", "--column=letters.body:out"}), 0.8);
}

// Who came last week is active: only the sample's own time tells how long ago that was.
TEST(Ages, AreThoseAtTheSamplesTime) {
  const std::string folder = test_folder();
  tools::SplitMix random(6);
  std::string sql =
      "CREATE TABLE users (id INTEGER PRIMARY KEY);"
      "CREATE TABLE visits (user INTEGER REFERENCES users, day INTEGER);";
  std::string task = "user,time,target\n";
  for (int u = 0; u < 300; ++u) {
    const bool active = random.below(2) == 1;
    const std::uint64_t now = 1000 + random.below(1000);
    const std::uint64_t visit = now - (active ? 1 + random.below(7) : 60 + random.below(60));
    const std::string user = std::to_string(u);
    sql += "INSERT INTO users VALUES (" + user + "); INSERT INTO visits VALUES (" + user + ", " +
           std::to_string(visit * 86'400) + ");";
    task += user + "," + std::to_string(now * 86'400) + "," + (active ? "yes" : "no") + "\n";
  }
  write_text(folder + "/task.csv", task);
  const std::string path = make_database(folder, "visits.db", sql);
  EXPECT_GT(accuracy(path, {"--target=users", "--task=" + folder + "/task.csv", "--time=visits.day",
                            "--column=visits.day:time", "--hops=1"}),
            0.9);
}

}  // namespace
}  // namespace vecc::test
