// vecc learn and vecc predict DATABASE as a user sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;
using Json = nlohmann::json;

class Learn : public testing::Test {
 protected:
  std::string folder = test_folder();
  std::string temporary = test_folder();
  std::string shop = make_database(folder, "shop.db", shop_sql(200));
  std::string model = folder + "/model.vecc";
  std::string target = "customers.churn";
  std::string epochs = "60";

  [[nodiscard]] Command command(const Words& words, const Words& more) const {
    Command command;
    command.tool = "vecc";
    command.arguments = words;
    command.environment = {"TMPDIR=" + temporary};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    return command;
  }
  [[nodiscard]] Command learning(const Words& more) const {
    return command({"learn", shop, "--target=" + target, "-o", model, "--backend=interpreter",
                    "--dim=8", "--epochs=" + epochs, "--lr=0.02"},
                   more);
  }
  [[nodiscard]] Finished learn(const Words& more = {}) const { return check(run(learning(more))); }
  [[nodiscard]] Finished predict(const std::string& database, const Words& more = {}) const {
    return check(run(command({"predict", model, database, "--backend=interpreter"}, more)));
  }
  // What no run may leave.
  [[nodiscard]] Finished check(Finished done) const {
    EXPECT_FALSE(has_control_characters(done.err)) << done.err;
    EXPECT_THAT(list_folder(temporary), IsEmpty());
    return done;
  }
};

TEST_F(Learn, FromADatabaseToPredictions) {
  const Finished learned = learn({"--json"});
  ASSERT_EQ(learned.code, 0) << learned.err;
  const auto json = Json::parse(learned.out);
  EXPECT_GT(json["metrics"]["test"]["accuracy"].get<double>(), 0.75);
  EXPECT_EQ(json["metrics"].size(), 3u);
  EXPECT_THAT(list_folder(folder), ElementsAre("model.html", "model.vecc", "shop.db"));
  EXPECT_THAT(read_text(folder + "/model.html"), AllOf(HasSubstr("<svg"), HasSubstr("loss")));
  const std::string later = make_database(folder, "later.db",
                                          shop_sql(20) +
                                              "UPDATE customers SET city = 'Ostrava';"
                                              "ALTER TABLE customers DROP COLUMN churn;"
                                              "CREATE TABLE more (x INTEGER);");
  const Finished predicted = predict(later, {"--json"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  const auto rows = Json::parse(predicted.out)["predictions"];
  ASSERT_EQ(rows.size(), 20u);
  EXPECT_EQ(rows[19]["sample"], "customers:19");
  EXPECT_THAT(predict(later).out, StartsWith("sample\tclass\tp(0)\tp(1)\ncustomers:0\t"));
}

// A model is the weights of the graph that vecc-import makes of the same rows.
TEST_F(Learn, PredictionsAreThoseOfTheGraph) {
  ASSERT_EQ(learn().code, 0);
  const std::string graph = folder + "/shop.pb";
  const Finished imported =
      run_tool("vecc-import", {"sql", shop, "--target=customers.churn", "--dim=8", "-o", graph});
  ASSERT_EQ(imported.code, 0) << imported.err;
  const Finished weights =
      run_vecc({"predict", graph, "--load-weights=" + model, "--backend=interpreter"});
  const Finished rows = predict(shop);
  EXPECT_EQ(rows.code, 0) << rows.err;
  EXPECT_EQ(rows.out, weights.out);
  EXPECT_EQ(learn().out, learn().out);
}

TEST_F(Learn, TheTemplateIsTheUsers) {
  const Finished printed = learn({"--print-template"});
  ASSERT_EQ(printed.code, 0) << printed.err;
  std::string text = printed.out;
  const std::string last = "h2_customers(X), {1}";
  ASSERT_NE(text.find(last), std::string::npos) << text;
  text.replace(text.find(last), last.size(), "h1_customers(X), {1}");
  write_text(folder + "/mine.txt", text);
  const std::string option = "--template=" + folder + "/mine.txt";
  EXPECT_EQ(learn({option, "--print-template"}).out, text);
  const Finished learned = learn({option});
  ASSERT_EQ(learned.code, 0) << learned.err;
  EXPECT_EQ(predict(shop).code, 0);
  // Without the second hop no product is read.
  EXPECT_THAT(run_vecc({"weights", "show", model}).out, Not(HasSubstr("w_value_products")));
  write_text(folder + "/mine.txt", "predict(X) :- {1,3} row_customers(X).\n");
  const Finished refused = learn({option});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("mine.txt: line 1"));
}

TEST_F(Learn, TheShippedDatabase) {
  shop = std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/shop.db";
  const Finished learned = learn({"--json"});
  ASSERT_EQ(learned.code, 0) << learned.err;
  EXPECT_GT(Json::parse(learned.out)["metrics"]["test"]["auroc"].get<double>(), 0.85);
  EXPECT_THAT(learned.err, HasSubstr("note: 20 samples left out: no target"));
}

TEST_F(Learn, ATaskOfTimes) {
  shop = make_database(folder, "races.db", races_sql(12, 24));
  const Finished learned = check(
      run(command({"learn", shop, "--target=starts.points", "--time=starts.day",
                   "--time=results.day", "--time=races.day", "-o", model, "--backend=interpreter",
                   "--epochs=150", "--early-stop=150", "--no-page", "--json"},
                  {})));
  ASSERT_EQ(learned.code, 0) << learned.err;
  EXPECT_GT(Json::parse(learned.out)["metrics"]["test"]["r2"].get<double>(), 0.5);
  EXPECT_THAT(list_folder(folder), Not(Contains("model.html")));
  const Finished predicted = predict(shop);
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, StartsWith("sample\tvalue\nstarts:0\t"));
}

// A user's colour is that of the events before; later ones have the next one.
TEST_F(Learn, ATaskOfClassesOverTime) {
  const std::vector<std::string> colours{"red", "green", "blue"};
  std::string sql =
      "CREATE TABLE users (id INTEGER PRIMARY KEY);"
      "CREATE TABLE events (user INTEGER REFERENCES users, day INTEGER, colour TEXT);";
  std::string task = "user,time,target\n";
  for (std::size_t u = 0; u < 150; ++u) {
    const std::string id = std::to_string(u);
    const std::size_t day = 100 + u;
    const std::size_t kind = (u + u / 4) % 3;
    sql += "INSERT INTO users VALUES (" + id + ");";
    for (std::size_t i = 0; i < 4; ++i) {
      const bool later = i >= 2;
      sql += "INSERT INTO events VALUES (" + id + ", " +
             std::to_string(later ? day + 1 + i : day - i) + ", '" +
             colours[(kind + (later ? 1 : 0)) % 3] + "');";
    }
    task += id + "," + std::to_string(day) + "," + colours[kind] + "\n";
  }
  shop = make_database(folder, "events.db", sql);
  write_text(folder + "/task.csv", task);
  target = "users";
  const Words options{"--task=" + folder + "/task.csv", "--time=events.day", "--json", "--no-page"};
  const Finished learned = learn(options);
  ASSERT_EQ(learned.code, 0) << learned.err;
  const auto metrics = Json::parse(learned.out)["metrics"]["test"];
  EXPECT_GT(metrics["accuracy"].get<double>(), 0.95);
  EXPECT_TRUE(metrics.contains("f1_macro"));
  EXPECT_EQ(metrics["samples"], 23);  // the last 15 percent by time
  const Finished predicted = predict(shop, {options[0]});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, StartsWith("sample\tclass\tp("));
  EXPECT_EQ(learn({options[0], "--time=users.day"}).code, 2);  // no such column
  const Finished without = predict(shop);
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err,
              HasSubstr("vecc predict: error: --task is missing: the model was trained "
                        "for \"users\""));
  write_text(folder + "/task.csv", "user,time,target\n1,7,red\n2,7,blue\n3,7,red\n");
  const Finished at_once = learn({options[0], options[1]});
  EXPECT_EQ(at_once.code, 3);
  EXPECT_THAT(at_once.err, HasSubstr("no sample is earlier than those to validate and test with"));
}

TEST_F(Learn, RefusesWhatDoesNotFitTheModel) {
  ASSERT_EQ(learn().code, 0);
  const auto refuses = [&](const std::string& sql, int code, const std::string& message) {
    const Finished done = predict(make_database(folder, "other.db", sql));
    EXPECT_EQ(done.code, code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
    std::remove((folder + "/other.db").c_str());
  };
  refuses("CREATE TABLE customers (id INTEGER);", 3,
          "model.vecc: error: was trained with table \"orders\", which the database lacks");
  refuses(shop_sql(3) + "ALTER TABLE customers DROP COLUMN age;", 3,
          "was trained with column \"customers.age\"");
  refuses(shop_sql(3) + "UPDATE customers SET age = 'old' WHERE id = 1;", 3,
          "table customers, row 2, column age: error: found \"old\", expected a number");
  EXPECT_EQ(predict(folder + "/none.db").code, 3);
  const Finished task = predict(shop, {"--task=SELECT 1, 2"});
  EXPECT_EQ(task.code, 2);
  EXPECT_THAT(task.err, HasSubstr("--task: the model was trained for \"customers.churn\" of each "
                                  "row, without a task"));
  const Finished alone = run_vecc({"predict", model});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("is a model: whose rows?"));
}

TEST_F(Learn, RefusesModelsThatWereChanged) {
  ASSERT_EQ(learn().code, 0);
  const auto original = read_weights(model);
  ASSERT_TRUE(original);
  const auto refuses = [&](const WeightFile& file, const std::string& message) {
    ASSERT_TRUE(write_weights(file, model));
    const Finished done = predict(shop);
    EXPECT_EQ(done.code, 3) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
  };
  WeightFile file = *original;
  file.tensors[0].data[0] ^= 1;
  refuses(file, "it was changed after vecc learn");
  const auto set = [&](const std::string& key, const std::string& value) {
    file = *original;
    for (auto& [name, text] : file.metadata) {
      if (name == key) text = value;
    }
    return file;
  };
  refuses(set("vecc.model.database", "{}"), "it was changed after vecc learn");
  refuses(set("vecc.model.format", "2"), "found a model of format \"2\", expected 1");
  refuses(set("vecc.model.loss", "love"), "is a model that lacks a part");
  file = *original;
  file.metadata.clear();
  refuses(file, "is no model: vecc learn makes one");
  ASSERT_TRUE(write_weights(*original, model));
  const std::string bytes = read_text(model);
  write_text(model, bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(predict(shop).code, 3);
}

TEST_F(Learn, NothingIsLeftOfARunThatEndsEarly) {
  epochs = "1000000";
  Command interrupted = learning({"--early-stop=1000000"});
  interrupted.interrupt_on = "epoch 1/";
  EXPECT_EQ(check(run(interrupted)).code, 130);
  epochs = "60";
  Command full = learning({});
  full.max_file_bytes = 4096;
  const Finished done = check(run(full));
  EXPECT_EQ(done.code, 3) << done.err;
  EXPECT_THAT(done.err, HasSubstr("graph.pb: error: cannot be written: File too large"));
  model = folder + "/none/model.vecc";
  const Finished absent = learn();
  EXPECT_EQ(absent.code, 3);
  EXPECT_THAT(absent.err, AllOf(HasSubstr("cannot write"), Not(HasSubstr("epoch"))));
  model = shop;
  const Finished database = learn();
  EXPECT_EQ(database.code, 2) << database.err;
  EXPECT_THAT(list_folder(folder), ElementsAre("shop.db"));
}

TEST_F(Learn, SaysWhatTheCommandLineLacks) {
  const Finished without = run_vecc({"learn", shop});
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("--target"));
  target = "customers.chrun";
  const Finished column = learn();
  EXPECT_EQ(column.code, 2);
  EXPECT_THAT(column.err, HasSubstr("vecc learn: error: --target: found \"customers.chrun\""));
  target = "customers.churn";
  EXPECT_EQ(learn({"--loss=crossentropy", "--margin=1"}).code, 2);
}

}  // namespace
}  // namespace vecc::test
