// vecc predict MODEL DATABASE over rows that the training did not have, and would not take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"

namespace vecc::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

constexpr const char* kAnimals =
    "CREATE TABLE animals (id INTEGER PRIMARY KEY, kind TEXT, size REAL, born DATE, tame BOOLEAN, "
    "y TEXT);";
constexpr const char* kVisits =
    "CREATE TABLE visits (animal INTEGER REFERENCES animals, place TEXT);";

// Animals by their kinds; a kind is of one class: x of cats, y of dogs, z of eels.
std::string rows_sql(const std::string& kinds, int count) {
  std::string sql;
  for (int i = 0; i < count; ++i) {
    const char kind = kinds[static_cast<std::size_t>(i) % kinds.size()];
    const std::string n = std::to_string(i);
    const std::string label = kind == 'x' ? "cat" : kind == 'y' ? "dog" : "eel";
    sql += "INSERT INTO animals (id, kind, size, born, tame, y) VALUES (" + n + ", '" + kind +
           "', " + std::to_string(i % 7) + ", '2020-01-" + std::to_string(10 + i % 18) + "', " +
           std::to_string(i % 2) + ", '" + label + "'); INSERT INTO visits VALUES (" + n + ", 'p" +
           std::to_string(i % 4) + "');";
  }
  return sql;
}

// The rows of a table of predictions, by their samples.
std::map<std::string, Words> rows_of(const std::string& table) {
  std::map<std::string, Words> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string sample;
    std::getline(fields, sample, '\t');
    for (std::string field; std::getline(fields, field, '\t');) rows[sample].push_back(field);
  }
  return rows;
}

class PredictRows : public testing::Test {
 protected:
  void SetUp() override { learn("animals.y", kAnimals + (kVisits + rows_sql("xyz", 60))); }

  void learn(const std::string& target, const std::string& sql) const {
    const std::string path = make_database(folder, "train.db", sql);
    const Finished done =
        run_vecc({"learn", path, "--target=" + target, "-o", model, "--dim=8", "--epochs=150",
                  "--early-stop=150", "--lr=0.03", "--no-page", "--backend=interpreter"});
    EXPECT_EQ(done.code, 0) << done.err;
    std::remove(path.c_str());
  }
  [[nodiscard]] Finished predict(const std::string& sql, const Words& more = {}) const {
    const std::string path = make_database(folder, "new.db", sql);
    Words words{"predict", model, path, "--backend=interpreter"};
    words.insert(words.end(), more.begin(), more.end());
    Finished done = run_vecc(words);
    std::remove(path.c_str());
    return done;
  }
  [[nodiscard]] std::string table(const std::string& sql) const {
    const Finished done = predict(sql);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  }

  std::string folder = test_folder();
  std::string model = folder + "/model.vecc";
};

TEST_F(PredictRows, ClassesHaveTheirNamesInWhateverOrderTheyCome) {
  const std::string out = table(kAnimals + (kVisits + rows_sql("zzyx", 12)));
  EXPECT_THAT(out, StartsWith("sample\tclass\tp(cat)\tp(dog)\tp(eel)\n"));
  const auto rows = rows_of(out);
  ASSERT_EQ(rows.size(), 13u);
  for (int i = 0; i < 12; ++i) {
    const char* const expected = i % 4 == 3 ? "cat" : i % 4 == 2 ? "dog" : "eel";
    EXPECT_EQ(rows.at("animals:" + std::to_string(i))[0], expected) << i;
  }
  const Finished json = predict(kAnimals + (kVisits + rows_sql("y", 2)), {"--json"});
  const auto first = nlohmann::json::parse(json.out)["predictions"][0];
  EXPECT_EQ(first["class"], "dog");
}

// The training had x, y, z, and no NULL: all else is one value, unlike those.
TEST_F(PredictRows, CategoriesThatTheTrainingHadNotAreTheUnknownOne) {
  const std::string rows = kAnimals + (kVisits + rows_sql("x", 3));
  const std::string unknown = table(rows + "UPDATE animals SET kind = 'q';");
  for (const char* const other : {"'never seen'", "''", "7", "x'00ff'", "'X'"}) {
    EXPECT_EQ(table(rows + "UPDATE animals SET kind = " + other + ";"), unknown) << other;
  }
  for (const char* const known : {"'x'", "'y'", "'z'", "NULL"}) {
    EXPECT_NE(table(rows + "UPDATE animals SET kind = " + known + ";"), unknown) << known;
  }
  // Of rows that a key leads to, too.
  EXPECT_EQ(table(rows + "UPDATE visits SET place = 'here';"),
            table(rows + "UPDATE visits SET place = 'there';"));
}

TEST_F(PredictRows, TargetsAreNotNeeded) {
  const std::string rows = kAnimals + (kVisits + rows_sql("zyx", 9));
  const std::string expected = table(rows);
  EXPECT_EQ(table(rows + "ALTER TABLE animals DROP COLUMN y;"), expected);
  EXPECT_EQ(table(rows + "UPDATE animals SET y = NULL;"), expected);
  const Finished others = predict(rows + "UPDATE animals SET y = 'fox' WHERE id > 5;");
  EXPECT_EQ(others.code, 0) << others.err;
  EXPECT_EQ(others.out, expected);
  EXPECT_THAT(others.err, HasSubstr("note: the targets of 3 rows are none of the training's, as "
                                    "\"fox\": not read\n"));
  const Finished quiet = predict(rows + "UPDATE animals SET y = 'fox';", {"--quiet"});
  EXPECT_EQ(quiet.out, expected);
  EXPECT_EQ(quiet.err, "");
}

TEST_F(PredictRows, TargetsThatAreNoNumbersAreNotNeeded) {
  learn("animals.size", kAnimals + (kVisits + rows_sql("xyz", 60)));
  const std::string rows = kAnimals + (kVisits + rows_sql("zyx", 9));
  const std::string expected = table(rows);
  EXPECT_THAT(expected, StartsWith("sample\tvalue\nanimals:0\t"));
  EXPECT_EQ(table(rows + "UPDATE animals SET size = 'unknown yet';"), expected);
}

// The rows of a split are those that were in it when the model was trained.
TEST_F(PredictRows, SplitsAreThoseOfTheTraining) {
  const std::string rows = kAnimals + (kVisits + rows_sql("xyz", 60));
  const std::string path = make_database(folder, "rows.db", rows);
  const std::string by_column =
      make_database(folder, "column.db",
                    rows +
                        "ALTER TABLE animals ADD COLUMN part TEXT; UPDATE animals SET part = "
                        "CASE WHEN id % 4 = 0 THEN 'test' ELSE 'train' END;");
  const std::string graph = folder + "/rows.pb";
  const auto compare = [&](const std::string& database, const Words& options) {
    Words learn{"learn",      database,    "--target=animals.y",    "-o", model,
                "--epochs=2", "--no-page", "--backend=interpreter", "-q"};
    learn.insert(learn.end(), options.begin(), options.end());
    ASSERT_EQ(run_vecc(learn).code, 0);
    Words import{"sql", database, "--target=animals.y", "-q", "-o", graph};
    import.insert(import.end(), options.begin(), options.end());
    ASSERT_EQ(run_tool("vecc-import", import).code, 0);
    const Words more{"--split=test", "-q", "--backend=interpreter"};
    Words of_graph{"predict", graph, "--load-weights=" + model};
    Words of_rows{"predict", model, database};
    for (Words* const words : {&of_graph, &of_rows}) {
      words->insert(words->end(), more.begin(), more.end());
    }
    const Finished expected = run_vecc(of_graph);
    const Finished found = run_vecc(of_rows);
    EXPECT_EQ(found.code, 0) << found.err;
    EXPECT_EQ(found.out, expected.out);
    EXPECT_LT(found.out.size(), run_vecc({"predict", model, database}).out.size());
  };
  compare(path, {});
  compare(path, {"--seed=7"});
  compare(path, {"--valid=5", "--test=40"});
  compare(by_column, {"--split=part"});
  // New rows need no column of splits.
  EXPECT_EQ(predict(rows).code, 0);
  ASSERT_EQ(run_vecc({"learn", path, "--target=animals.y", "--time=animals.born", "-o", model,
                      "--epochs=2", "--no-page", "-q"})
                .code,
            0);
  const Finished timed = predict(rows, {"--split=test"});
  EXPECT_EQ(timed.code, 2);
  EXPECT_THAT(timed.err, HasSubstr("--split: rows with times are split by all that were there"));
}

// Where targets are kept, to evaluate with, those of the training are named.
TEST_F(PredictRows, TargetsOfAGraphLikeAnotherAreOfItsClasses) {
  const std::string rows = kAnimals + (kVisits + rows_sql("xyz", 60));
  const std::string first = make_database(folder, "a.db", rows);
  const std::string later =
      make_database(folder, "b.db", rows + "UPDATE animals SET y = 'fox' WHERE id = 4;");
  const std::string graph = folder + "/a.pb";
  const Finished done = run_tool("vecc-import", {"sql", first, "--target=animals.y", "-o", graph});
  ASSERT_EQ(done.code, 0) << done.err;
  const Finished refused = run_tool("vecc-import", {"sql", later, "--target=animals.y",
                                                    "--like=" + graph, "-o", folder + "/b.pb"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.err,
            "b.db: table animals, row 5, column y: error: found \"fox\", expected a class of the "
            "training (\"cat\", \"dog\", \"eel\"), or NULL in rows without a target [E012]\n");
  EXPECT_THAT(list_folder(folder), Not(testing::Contains("b.pb")));
}

// What no key of the model leads to, and no column of it, is not read.
TEST_F(PredictRows, TablesAndColumnsThatTheTrainingHadNotAreNotRead) {
  const std::string rows = rows_sql("zyx", 9);
  const std::string expected = table(kAnimals + (kVisits + rows));
  EXPECT_EQ(table("CREATE TABLE aaa (x TEXT, animal INTEGER REFERENCES animals);" +
                  (kVisits + (kAnimals + rows)) +
                  "ALTER TABLE animals ADD COLUMN colour TEXT; UPDATE animals SET colour = 'red';"
                  "INSERT INTO aaa VALUES ('much', 1), ('more', 2);"),
            expected);
  // Columns are found by their names.
  EXPECT_EQ(table("CREATE TABLE animals (y TEXT, tame BOOLEAN, kind TEXT, id INTEGER PRIMARY KEY, "
                  "born DATE, size REAL);" +
                  (kVisits + rows)),
            expected);
}

TEST_F(PredictRows, ValuesOfOtherTypesAreRefusedWithTheirPlace) {
  const std::string rows = kAnimals + (kVisits + rows_sql("xyz", 3));
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"tame = 'maybe'", "column tame: error: found \"maybe\", expected 1, 0, true or false"},
      {"born = 'yesterday'", "column born: error: found \"yesterday\", expected a date or time"},
      {"size = 'big'", "column size: error: found \"big\", expected a number"},
      {"size = x'00'", "column size: error: found "},
      {"size = 9e999", "column size: error: found \"Inf\", expected a number"}};
  for (const auto& [change, message] : wrong) {
    const Finished done = predict(rows + "UPDATE animals SET " + change + " WHERE id = 1;");
    EXPECT_EQ(done.code, 3) << change;
    EXPECT_EQ(done.out, "") << change;
    EXPECT_THAT(done.err, HasSubstr("new.db: table animals, row 2, " + message));
  }
  // A key of another type is none of the parent's: NULL, and counted.
  const Finished key = predict(rows + "UPDATE visits SET animal = 'one' WHERE animal = 1;");
  EXPECT_EQ(key.code, 0) << key.err;
  EXPECT_THAT(key.err, HasSubstr("note: 1 row of visits.animal -> animals.id name"));
  const Finished empty = predict(kAnimals + std::string(kVisits));
  EXPECT_EQ(empty.code, 3);
  EXPECT_THAT(empty.err, HasSubstr("new.db: table animals: error: has no rows to predict"));
}

}  // namespace
}  // namespace vecc::test
