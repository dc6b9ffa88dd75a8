// --log: TensorBoard's files, and logs that --resume continues.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "event_reader.h"
#include "process.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string xor_path() {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/xor.pb";
}

Finished train_xor(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {xor_path(), "--train", "--backend=interpreter"});
  return run_vecc(std::move(arguments));
}

std::vector<std::string> rows_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Six epochs, of which a checkpoint has four behind it: what a crash after the sixth leaves.
// `log` has the text of --log in it.
class ContinuedLog : public testing::Test {
 protected:
  void train_six_epochs(const std::string& log) {
    const Finished result =
        train_xor({"--epochs=4", "--checkpoint=" + folder_ + "/run", "--log=" + log});
    ASSERT_EQ(result.code, 0) << result.err;
    write_text(folder_ + "/four", read_text(folder_ + "/run/last.safetensors"));
    ASSERT_EQ(resume(6, log).code, 0);
    write_text(folder_ + "/run/last.safetensors", read_text(folder_ + "/four"));
  }
  Finished resume(int epochs, const std::string& log) {
    return train_xor({"--epochs=" + std::to_string(epochs), "--checkpoint=" + folder_ + "/run",
                      "--resume", "--log=" + log});
  }
  [[nodiscard]] std::string path() const { return folder_ + "/log"; }

  const std::string folder_ = test_folder();
};

// The first column but its header.
std::vector<std::string> epochs_of_csv(const std::string& path) {
  std::vector<std::string> epochs;
  for (const std::string& line : rows_of(read_text(path))) {
    epochs.push_back(line.substr(0, line.find(',')));
  }
  EXPECT_EQ(epochs.at(0), "epoch");
  epochs.erase(epochs.begin());
  return epochs;
}

TEST_F(ContinuedLog, a_csv_log_has_each_epoch_once) {
  train_six_epochs("csv:" + path());
  const std::vector<std::string> before = rows_of(read_text(path()));
  ASSERT_EQ(resume(8, "csv:" + path()).code, 0);
  EXPECT_THAT(epochs_of_csv(path()), ElementsAre("1", "2", "3", "4", "5", "6", "7", "8"));
  const std::vector<std::string> after = rows_of(read_text(path()));
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 5, after.begin()));
}

TEST_F(ContinuedLog, a_jsonl_log_has_each_epoch_once) {
  train_six_epochs("jsonl:" + path());
  ASSERT_EQ(resume(8, "jsonl:" + path()).code, 0);
  const std::vector<std::string> lines = rows_of(read_text(path()));
  ASSERT_EQ(lines.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(json::parse(lines[i]).at("epoch"), i + 1);
}

TEST_F(ContinuedLog, an_unfinished_last_line_goes) {
  train_six_epochs("csv:" + path());
  const std::string whole = read_text(path());
  write_text(path(), whole.substr(0, whole.size() - 10));
  ASSERT_EQ(resume(7, "csv:" + path()).code, 0);
  EXPECT_THAT(epochs_of_csv(path()), ElementsAre("1", "2", "3", "4", "5", "6", "7"));
}

TEST_F(ContinuedLog, begins_anew_where_there_is_no_checkpoint) {
  train_six_epochs("csv:" + path());
  ASSERT_EQ(train_xor({"--epochs=2", "--checkpoint=" + folder_ + "/other", "--resume",
                       "--log=csv:" + path()})
                .code,
            0);
  EXPECT_THAT(epochs_of_csv(path()), ElementsAre("1", "2"));
}

TEST_F(ContinuedLog, another_file_is_refused_and_stays) {
  train_six_epochs("csv:" + path());
  const std::string log = read_text(path());
  const std::string epoch_one = rows_of(log).at(1) + "\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a letter\nto somebody\n", "line 1: error: is not the header of a log of training"},
      {"a letter", "line 1: error: is not the header"},
      {log + "7,a,letter\n", "line 8: error: is not an epoch"},
      {log + "a letter", "line 8: error: is not an epoch"},
      {log + epoch_one, "line 8: error: is epoch 1 after epoch 6"},
  };
  for (const auto& [text, words] : cases) {
    write_text(path(), text);
    const Finished result = resume(8, "csv:" + path());
    EXPECT_EQ(result.code, 3) << words;
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_THAT(result.err, HasSubstr(path() + ": line "));
    EXPECT_EQ(read_text(path()), text) << words;
    EXPECT_EQ(read_text(folder_ + "/run/last.safetensors"), read_text(folder_ + "/four"));
  }
}

TEST_F(ContinuedLog, another_jsonl_file_is_refused_and_stays) {
  train_six_epochs("jsonl:" + path());
  for (const std::string& text :
       {std::string("{\"epoch\":1}\n"), std::string("{\"name\": \"x\"}\n"), std::string("letter"),
        read_text(path()) + "{\"epoch\":7,\n"}) {
    write_text(path(), text);
    const Finished result = resume(8, "jsonl:" + path());
    EXPECT_EQ(result.code, 3) << text;
    EXPECT_THAT(result.err, HasSubstr("is not an epoch of a log"));
    EXPECT_EQ(read_text(path()), text);
  }
}

std::vector<LoggedEvent> events_of(const std::string& folder, std::size_t file = 0) {
  return read_events(read_text(folder + "/" + list_folder(folder).at(file)));
}

TEST(EventReader, has_the_standard_crc) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
}

TEST(TensorBoardLog, is_a_file_that_tensorboard_looks_for) {
  const std::string folder = test_folder() + "/runs/a";
  ASSERT_EQ(train_xor({"--epochs=1", "--log=tensorboard:" + folder}).code, 0);
  EXPECT_THAT(list_folder(folder),
              ElementsAre(testing::MatchesRegex("events\\.out\\.tfevents\\.[0-9]+\\..+")));
  const std::vector<LoggedEvent> events = events_of(folder);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_TRUE(events[1].starts_session);
  EXPECT_EQ(events[1].step, 1);
}

TEST(TensorBoardLog, has_the_numbers_of_the_other_logs) {
  const std::string folder = test_folder();
  const Finished result =
      train_xor({"--epochs=5", "--validate=0.25", "--log=tensorboard:" + folder + "/events",
                 "--log=jsonl:" + folder + "/log"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<LoggedEvent> events = events_of(folder + "/events");
  const std::vector<std::string> lines = rows_of(read_text(folder + "/log"));
  ASSERT_EQ(events.size(), 2u + 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const LoggedEvent& event = events[2 + i];
    const json line = json::parse(lines[i]);
    EXPECT_EQ(event.step, static_cast<std::int64_t>(i + 1));
    EXPECT_GE(event.wall_time, events[i].wall_time);
    EXPECT_EQ(event.scalars.size(), line.size() - 1);
    for (const auto& [tag, column] : std::vector<std::pair<std::string, std::string>>{
             {"loss/train", "train_loss"},
             {"loss/validation", "validation_loss"},
             {"loss/epoch", "loss"},
             {"accuracy/train", "train_accuracy"},
             {"accuracy/validation", "validation_accuracy"},
             {"rate", "rate"}}) {
      EXPECT_EQ(event.scalars.at(tag), line.at(column).get<float>()) << tag;
    }
  }
}

// TensorBoard reads files in the order of their names and forgets the steps after a start.
TEST_F(ContinuedLog,
       of_tensorboard_is_another_file_that_takes_back_the_steps_after_the_checkpoint) {
  const std::string log = folder_ + "/events";
  train_six_epochs("tensorboard:" + log);
  ASSERT_EQ(resume(8, "tensorboard:" + log).code, 0);
  ASSERT_EQ(list_folder(log).size(), 3u);
  const std::vector<LoggedEvent> last = events_of(log, 2);
  ASSERT_EQ(last.size(), 2u + 4u);
  EXPECT_TRUE(last[1].starts_session);
  EXPECT_EQ(last[1].step, 5);
  EXPECT_EQ(last[2].step, 5);
  EXPECT_EQ(last[2].scalars.at("loss/train"), events_of(log, 1)[2].scalars.at("loss/train"));
}

TEST(TrainLogs, of_folds_are_one_each) {
  const std::string folder = test_folder();
  const Finished result = train_xor({"--epochs=2", "--folds=2", "--log=csv:" + folder + "/a.csv",
                                     "--log=tensorboard:" + folder + "/events"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(list_folder(folder), ElementsAre("a.fold1.csv", "a.fold2.csv", "events"));
  EXPECT_THAT(list_folder(folder + "/events"), ElementsAre("fold1", "fold2"));
}

TEST(TrainLogs, bad_texts_are_wrong_usage) {
  for (const char* text : {"xml:a", "csv:", "a.csv", "tensorboard:"}) {
    const Finished result = train_xor({std::string("--log=") + text});
    EXPECT_EQ(result.code, 2) << text;
    EXPECT_THAT(result.err, HasSubstr("csv:FILE, jsonl:FILE and tensorboard:DIR"));
  }
  EXPECT_EQ(train_xor({"--log=csv:a", "--log=csv:a"}).code, 2);
}

}  // namespace
}  // namespace vecc::test
