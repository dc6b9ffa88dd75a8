// Damaged checkpoints and weights: vecc goes on from none of them, and leaves them as they are.
#include <gmock/gmock.h>

#include <cstdlib>

#include "process.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class VeccCheckpoint : public ::testing::Test {
 protected:
  static std::string graph() {
    return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/xor.pb";
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] Finished train(const std::string& run, int epochs,
                               const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{graph(),
                                       "--train",
                                       "--backend=interpreter",
                                       "--validate=0.25",
                                       "--early-stop=50",
                                       "--checkpoint-every=3",
                                       "--epochs=" + std::to_string(epochs),
                                       "--checkpoint=" + path(run),
                                       "--save-weights=" + path(run + ".st")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_vecc(arguments);
  }
  // The training goes on neither from these bytes nor over them.
  void expect_refused(const std::string& file, const std::string& bytes, const std::string& what) {
    write_text(file, bytes);
    const Finished result = train("run", 20, {"--resume"});
    EXPECT_EQ(result.code, 3) << what << ": " << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr(file), HasSubstr("without --resume"))) << what;
    EXPECT_EQ(read_text(file), bytes) << what;
  }
  void expect_every_damage_refused(const std::string& file) {
    const std::string whole = read_text(file);
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t at = whole.size() * i / 16 + i % 7;
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << i % 8);
      expect_refused(file, damaged,
                     "bit " + std::to_string(i % 8) + " of byte " + std::to_string(at));
      if (i % 4 == 0) expect_refused(file, whole.substr(0, at), "cut to " + std::to_string(at));
    }
    write_text(file, whole);
  }

  std::string folder_ = test_folder();
};

TEST_F(VeccCheckpoint, no_damage_is_gone_on_from) {
  ASSERT_EQ(train("run", 10).code, 0);
  expect_every_damage_refused(path("run/last.safetensors"));
  expect_every_damage_refused(path("run/best.safetensors"));
  const Finished result = train("run", 20, {"--resume"});
  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(train("whole", 20).code, 0);
  EXPECT_EQ(read_text(path("run.st")), read_text(path("whole.st")));
}

TEST_F(VeccCheckpoint, a_training_that_stopped_early_has_ended) {
  std::vector<std::string> arguments{graph(),
                                     "--train",
                                     "--backend=interpreter",
                                     "--validate=0.5",
                                     "--early-stop=3",
                                     "--epochs=500",
                                     "--lr=0.5",
                                     "--log-every=2",
                                     "--checkpoint=" + path("run"),
                                     "--save-weights=" + path("run.st")};
  const Finished first = run_vecc(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  ASSERT_THAT(first.err, HasSubstr("stopped early"));
  const std::string weights = read_text(path("run.st"));
  const std::string last = read_text(path("run/last.safetensors"));
  arguments.emplace_back("--resume");
  for (int again = 0; again < 2; ++again) {
    const Finished result = run_vecc(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("stopped early"));
    EXPECT_EQ(result.out, first.out);
    EXPECT_EQ(read_text(path("run.st")), weights);
    EXPECT_EQ(read_text(path("run/last.safetensors")), last);
  }
}

// Files whose checksum fits, and whose numbers are of no training.
TEST_F(VeccCheckpoint, a_position_that_no_training_has_is_refused) {
  const std::vector<std::string> batches{"--batch-size=1"};
  ASSERT_EQ(train("run", 10, batches).code, 0);
  const std::string file = path("run/last.safetensors");
  const auto good = read_weights(file);
  ASSERT_TRUE(good) << good.error().text();
  const std::string largest = "18446744073709551615";
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"batch", "4"},
                                                        {"batch", "2"},
                                                        {"batch", largest},
                                                        {"batch", "4294967295"},
                                                        {"step", "0"},
                                                        {"step", largest},
                                                        {"epoch", largest},
                                                        {"epoch", "4"},
                                                        {"finished_epochs", "9"},
                                                        {"finished_epochs", "3"},
                                                        {"counted", "-1"},
                                                        {"best_epoch", "11"},
                                                        {"best_epoch", largest},
                                                        {"best_loss", "nan"}}) {
    WeightFile changed = *good;
    for (auto& [name, text] : changed.metadata) {
      if (name == key) text = value;
    }
    ASSERT_TRUE(write_weights(changed, file));
    std::vector<std::string> more = batches;
    more.emplace_back("--resume");
    const Finished result = train("run", 20, more);
    EXPECT_EQ(result.code, 3) << key << "=" << value << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr("is no checkpoint of")) << key << "=" << value;
  }
}

TEST_F(VeccCheckpoint, files_of_another_training_are_refused) {
  ASSERT_EQ(train("run", 10).code, 0);
  ASSERT_EQ(train("other", 10, {"--lr=0.05"}).code, 0);
  for (const std::string name : {"last.safetensors", "best.safetensors"}) {
    const std::string whole = read_text(path("run/" + name));
    write_text(path("run/" + name), read_text(path("other/" + name)));
    const Finished result = train("run", 20, {"--resume"});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, AllOf(HasSubstr(path("run/" + name)), HasSubstr("other settings"),
                                  HasSubstr("[E027]")));
    write_text(path("run/" + name), whole);
  }
}

TEST_F(VeccCheckpoint, damaged_weights_are_not_loaded) {
  ASSERT_EQ(train("run", 3).code, 0);
  std::string bytes = read_text(path("run.st"));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_text(path("run.st"), bytes);
  const Finished result = run_vecc({graph(), "--load-weights=" + path("run.st")});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr(path("run.st") + ": error: its bytes have the CRC-32 "),
                                HasSubstr(", expected "), HasSubstr("copy or write it again"),
                                HasSubstr("[E007]")));
}

}  // namespace
}  // namespace vecc::test
