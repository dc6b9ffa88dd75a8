// Damaged checkpoints, and files that are of another training: none is gone on from.
#include "src/train/checkpoint.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "src/support/temporary_folder.h"
#include "src/support/whole_file.h"
#include "tests/support/weight_bytes.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

WeightFile training(double weight) {
  return {{{"epoch", "4"}, {"batch", "1"}, {"step", "5"}},
          {{"w", ElementType::F64, {3}, bytes_as<double>({weight, 2, 0.5})},
           {"state/m w", ElementType::F64, {3}, bytes_as<double>({0.1, 0.2, 0.3})}}};
}

// One that has its file.
class OwnSource : public WeightSource {
 public:
  explicit OwnSource(WeightFile file) : file_(std::move(file)), source_(file_) {}
  [[nodiscard]] const std::vector<MetadataEntry>& metadata() const override {
    return source_.metadata();
  }
  [[nodiscard]] const std::vector<TensorHeader>& tensors() const override {
    return source_.tensors();
  }
  [[nodiscard]] Result<void> read(std::size_t tensor, const TakeBytes& take) const override {
    return source_.read(tensor, take);
  }

 private:
  const WeightFile file_;
  WeightFileSource source_;
};

OwnSource source(double weight) {
  return OwnSource(training(weight));
}

class Checkpoints : public ::testing::Test {
 protected:
  Checkpoints() {
    EXPECT_TRUE(checkpoint_.open());
    EXPECT_TRUE(checkpoint_.write_best(source(1), best_));
    EXPECT_TRUE(checkpoint_.write_last(source(2), last_));
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return root_.path() + "/" + name;
  }
  [[nodiscard]] training::CheckpointFolder folder(const std::string& name,
                                                  const std::string& settings = "seed 1") const {
    return {path(name), settings, {}};
  }
  // Reads `file` with every bit changed, and cut to every length.
  template <class Read>
  void expect_refused(const std::string& file, const Read& read) {
    const std::string whole = *read_whole_file(file);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      std::ofstream(file, std::ios::binary) << damaged;
      EXPECT_FALSE(read()) << "bit " << bit;
    }
    for (std::size_t size = 0; size < whole.size(); ++size) {
      std::ofstream(file, std::ios::binary) << whole.substr(0, size);
      EXPECT_FALSE(read()) << size;
    }
    ASSERT_TRUE(write_whole_file(file, whole));
    EXPECT_TRUE(read());
  }

  TemporaryFolder root_ = TemporaryFolder::create(fs::temp_directory_path(), "vecc-test").value();
  training::LoopState best_{3, 0.25, 3};
  training::LoopState last_{3, 0.25, 4};
  training::CheckpointFolder checkpoint_ = folder("run");
};

TEST_F(Checkpoints, are_read_as_they_were_written) {
  const auto last = checkpoint_.read_last();
  ASSERT_TRUE(last && *last);
  const WeightFile file = *read_all(*(*last)->source);
  EXPECT_EQ(file.tensors, training(2).tensors);
  for (const MetadataEntry& entry : training(2).metadata) {
    EXPECT_THAT(file.metadata, ::testing::Contains(entry));
  }
  EXPECT_EQ((*last)->state.finished_epochs, 4u);
  const auto best = checkpoint_.read_best(last_);
  ASSERT_TRUE(best) << best.error().text();
  EXPECT_EQ(read_all(**best)->tensors, training(1).tensors);
}

// A tensor is read when it is asked for.
TEST_F(Checkpoints, that_become_shorter_are_an_error_where_they_are_read) {
  const auto last = checkpoint_.read_last();
  ASSERT_TRUE(last && *last);
  fs::resize_file(path("run/last.safetensors"), fs::file_size(path("run/last.safetensors")) - 1);
  const auto take = [](std::string_view) { return Result<void>(); };
  EXPECT_TRUE((*last)->source->read(0, take));
  EXPECT_THAT((*last)->source->read(1, take).error().text(),
              HasSubstr("last.safetensors: error: has become shorter than its"));
}

TEST_F(Checkpoints, no_damage_of_the_last_is_gone_on_from) {
  expect_refused(path("run/last.safetensors"), [&] { return checkpoint_.read_last().has_value(); });
}

TEST_F(Checkpoints, no_damage_of_the_best_is_taken) {
  expect_refused(path("run/best.safetensors"),
                 [&] { return checkpoint_.read_best(last_).has_value(); });
}

TEST_F(Checkpoints, damage_names_file_digests_and_the_way_out) {
  const std::string file = path("run/last.safetensors");
  std::string bytes = *read_whole_file(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  ASSERT_TRUE(write_whole_file(file, bytes));
  const std::string text = checkpoint_.read_last().error().text();
  EXPECT_THAT(text, ::testing::StartsWith(file + ": error: its bytes have the CRC-32 "));
  EXPECT_THAT(text, HasSubstr(", expected "));
  EXPECT_THAT(text, HasSubstr("train anew (without --resume"));
  EXPECT_THAT(text, HasSubstr("[E007]"));
}

TEST_F(Checkpoints, files_that_change_places_are_refused) {
  fs::rename(path("run/last.safetensors"), path("x"));
  fs::rename(path("run/best.safetensors"), path("run/last.safetensors"));
  fs::rename(path("x"), path("run/best.safetensors"));
  // The best is a state of the training as well, but the other file is not its best.
  const auto last = checkpoint_.read_last();
  ASSERT_TRUE(last && *last);
  EXPECT_THAT(checkpoint_.read_best((*last)->state).error().text(),
              HasSubstr("has the weights of epoch 4, expected those of epoch 3"));
}

TEST_F(Checkpoints, a_best_of_another_training_is_refused) {
  const training::CheckpointFolder other = folder("other", "seed 2");
  ASSERT_TRUE(other.open());
  ASSERT_TRUE(other.write_best(source(9), best_));
  fs::copy_file(path("other/best.safetensors"), path("run/best.safetensors"),
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(checkpoint_.read_best(last_).error().text(), HasSubstr("other settings: seed 2"));
  ASSERT_TRUE(checkpoint_.write_best(source(9), {3, 0.5, 3}));  // another loss
  EXPECT_FALSE(checkpoint_.read_best(last_));
  ASSERT_TRUE(checkpoint_.write_best(source(9), {2, 0.5, 2}));  // an earlier one
  EXPECT_FALSE(checkpoint_.read_best(last_));
}

// A kill between the two files.
TEST_F(Checkpoints, a_best_that_is_ahead_will_be_made_again) {
  ASSERT_TRUE(checkpoint_.write_best(source(9), {5, 0.125, 5}));
  EXPECT_TRUE(checkpoint_.read_best(last_));
}

TEST_F(Checkpoints, weights_without_a_checksum_are_no_checkpoint) {
  const std::string file = path("run/last.safetensors");
  std::string bytes = *read_whole_file(file);
  bytes.replace(bytes.find("vecc.crc32"), 10, "other.text");
  ASSERT_TRUE(write_whole_file(file, bytes));
  EXPECT_THAT(checkpoint_.read_last().error().text(), HasSubstr("states no CRC-32"));
}

}  // namespace
}  // namespace vecc::test
