// Weights that are written as they are read: a source that fails, or that changes meanwhile, leaves
// the file of before.
#include "vecc/weight_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/graph_io/temporary_folder.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

// Two numbers, the second of which is another one from the `changes`-th reading on; a reading from
// `fails` on ends between them.
class UnsteadySource final : public WeightSource {
 public:
  UnsteadySource(int changes, int fails) : changes_(changes), fails_(fails) {}
  [[nodiscard]] const std::vector<MetadataEntry>& metadata() const override { return metadata_; }
  [[nodiscard]] const std::vector<TensorHeader>& tensors() const override { return tensors_; }
  [[nodiscard]] Result<void> read(std::size_t /*tensor*/, const TakeBytes& take) const override {
    const int reading = readings_++;
    VECC_TRY_VOID(take(std::string(8, 'a')));
    if (reading >= fails_) return Errors(ErrorCode::FileUnreadable, "there", "is gone");
    return take(std::string(8, reading >= changes_ ? 'c' : 'b'));
  }

 private:
  int changes_;
  int fails_;
  mutable int readings_ = 0;
  std::vector<MetadataEntry> metadata_;
  std::vector<TensorHeader> tensors_{{"w", ElementType::F64, {2}}};
};

constexpr int kNever = 100;

// That no weights are written, and no file but those of before is left.
void expect_refused(const UnsteadySource& source, ErrorCode code) {
  const TemporaryFolder folder;
  const std::string path = folder.path("w.safetensors");
  ASSERT_TRUE(write_weights(UnsteadySource(kNever, kNever), {{"of", "before"}}, path));
  const auto written = write_weights(source, {}, path);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().list().front().code, code);
  const auto read = read_weights(path);
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->metadata.size(), 1u);
  EXPECT_EQ(read->metadata.front().second, "before");
  const std::filesystem::directory_iterator files(folder.path("."));
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(WeightSource, that_fails_leaves_the_file_of_before) {
  expect_refused(UnsteadySource(kNever, 0), ErrorCode::FileUnreadable);
  expect_refused(UnsteadySource(kNever, 1), ErrorCode::FileUnreadable);
}

TEST(WeightSource, that_changes_meanwhile_leaves_the_file_of_before) {
  expect_refused(UnsteadySource(1, kNever), ErrorCode::UnreadWeights);
}

}  // namespace
}  // namespace vecc::test
