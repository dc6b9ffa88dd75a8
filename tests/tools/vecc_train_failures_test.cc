// vecc --train where nothing can be written: a full disk, a folder that is none. What was there
// stays, and nothing half written is left.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "event_reader.h"
#include "process.h"

namespace vecc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TrainFailures : public testing::Test {
 protected:
  // Arguments of a training beside `more`.
  static Command command(std::vector<std::string> more, std::uint64_t max_file_bytes = 0) {
    Command result;
    result.tool = "vecc";
    result.arguments = {std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/xor.pb", "--train",
                        "--backend=interpreter"};
    result.arguments.insert(result.arguments.end(), more.begin(), more.end());
    result.max_file_bytes = max_file_bytes;
    return result;
  }
  static void expect_cannot_write(const Finished& result, const std::string& path,
                                  const std::string& reason = "") {
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(path));
    EXPECT_THAT(result.err, HasSubstr("[E051]"));
    EXPECT_THAT(result.err, HasSubstr(reason));
  }
  [[nodiscard]] std::string in_folder(const std::string& name) const {
    return folder_ + "/" + name;
  }

  static constexpr const char* kTooLarge = "File too large";
  const std::string folder_ = test_folder();
};

TEST_F(TrainFailures, a_full_disk_keeps_the_old_checkpoint) {
  const std::vector<std::string> options{"--validate=0.25", "--checkpoint=" + in_folder("run"),
                                         "--resume"};
  const auto train = [&](const std::string& epochs, std::uint64_t max_file_bytes) {
    Command result = command(options, max_file_bytes);
    result.arguments.push_back("--epochs=" + epochs);
    return run(result);
  };
  ASSERT_EQ(train("5", 0).code, 0);
  const auto files = list_folder(in_folder("run"));
  EXPECT_THAT(files, ElementsAre("best.safetensors", "last.safetensors"));
  const std::string last = read_text(in_folder("run/last.safetensors"));
  const std::string best = read_text(in_folder("run/best.safetensors"));
  ASSERT_GT(last.size(), 600u);
  expect_cannot_write(train("9", 600), in_folder("run/last.safetensors"), kTooLarge);
  EXPECT_EQ(list_folder(in_folder("run")), files);
  EXPECT_EQ(read_text(in_folder("run/last.safetensors")), last);
  EXPECT_EQ(read_text(in_folder("run/best.safetensors")), best);
  const Finished resumed = train("9", 0);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST_F(TrainFailures, a_first_checkpoint_on_a_full_disk_leaves_an_empty_folder) {
  expect_cannot_write(run(command({"--checkpoint=" + in_folder("run")}, 600)),
                      in_folder("run/last.safetensors"), kTooLarge);
  EXPECT_TRUE(list_folder(in_folder("run")).empty());
}

TEST_F(TrainFailures, a_log_that_fills_the_disk_ends_after_a_whole_line) {
  for (const std::string& format : {std::string("csv"), std::string("jsonl")}) {
    const std::string log = in_folder("log." + format);
    const Finished result = run(command(
        {"--epochs=200", "--checkpoint=" + in_folder(format), "--log=" + format + ":" + log},
        8000));
    expect_cannot_write(result, log, kTooLarge);
    const std::string text = read_text(log);
    EXPECT_LE(text.size(), 8000u);
    EXPECT_GE(text.size(), 7000u);
    EXPECT_EQ(text.back(), '\n');
    // The checkpoint of an epoch before that goes on, and with it the log.
    const Finished resumed =
        run(command({"--epochs=200", "--resume", "--checkpoint=" + in_folder(format),
                     "--log=" + format + ":" + log}));
    EXPECT_EQ(resumed.code, 0) << resumed.err;
  }
}

TEST_F(TrainFailures, an_event_file_that_fills_the_disk_ends_after_a_whole_event) {
  const std::string log = in_folder("events");
  expect_cannot_write(run(command({"--epochs=200", "--log=tensorboard:" + log}, 4000)), log,
                      kTooLarge);
  ASSERT_EQ(list_folder(log).size(), 1u);
  EXPECT_GE(read_events(read_text(log + "/" + list_folder(log).front())).size(), 10u);
}

TEST_F(TrainFailures, logs_on_a_full_device_are_errors) {
  for (const char* log : {"csv:/dev/full", "jsonl:/dev/full"}) {
    expect_cannot_write(run(command({std::string("--log=") + log})), "/dev/full",
                        "No space left on device");
  }
}

TEST_F(TrainFailures, weights_and_pages_on_a_full_disk_keep_the_old_files) {
  write_text(in_folder("w.safetensors"), "old weights");
  expect_cannot_write(
      run(command({"--epochs=3", "--save-weights=" + in_folder("w.safetensors")}, 100)),
      in_folder("w.safetensors"), kTooLarge);
  EXPECT_EQ(read_text(in_folder("w.safetensors")), "old weights");
  write_text(in_folder("page.html"), "old page");
  expect_cannot_write(
      run(command({"--epochs=3", "--emit=html", "-o", in_folder("page.html")}, 1000)),
      in_folder("page.html"), kTooLarge);
  EXPECT_EQ(read_text(in_folder("page.html")), "old page");
  EXPECT_THAT(list_folder(folder_), ElementsAre("page.html", "w.safetensors"));
}

// Known before the first step: these trainings would take days.
TEST_F(TrainFailures, what_cannot_be_written_is_known_before_training) {
  write_text(in_folder("file"), "a file");
  std::vector<std::string> places{in_folder("file"), "/proc", "/sys"};
  for (const std::string& place : places) {
    for (const std::string& option :
         {std::string("--checkpoint="), std::string("--log=csv:"), std::string("--log=jsonl:"),
          std::string("--log=tensorboard:"), std::string("--save-weights="),
          std::string("--gradients="), std::string("-o")}) {
      const std::string path = place + "/under";
      const Finished result = run(command({"--epochs=1000000000", option + path}));
      SCOPED_TRACE(option + path);
      expect_cannot_write(result, path);
    }
  }
  EXPECT_EQ(read_text(in_folder("file")), "a file");
  EXPECT_THAT(list_folder(folder_), ElementsAre("file"));
}

TEST_F(TrainFailures, weights_and_programs_are_no_devices) {
  for (const std::string option : {"--save-weights=", "--save-program="}) {
    const Finished result = run(command({"--epochs=1000000000", option + "/dev/full"}));
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_THAT(result.err,
                HasSubstr("/dev/full: error: is no regular file, expected one or none"));
  }
}

// Looking whether files can be written leaves none.
TEST_F(TrainFailures, a_training_that_fails_leaves_no_output_files) {
  const Finished result =
      run(command({"--optimizer=sgd", "--lr=1e200", "--epochs=20",
                   "--save-weights=" + in_folder("w.safetensors"), "-o", in_folder("outputs"),
                   "--gradients=" + in_folder("gradients")}));
  EXPECT_EQ(result.code, 6) << result.err;
  EXPECT_TRUE(list_folder(folder_).empty());
}

}  // namespace
}  // namespace vecc::test
