#include "src/train/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <vector>

#include "vecc/escape.h"

namespace vecc {
namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr const char* kSettings = "settings";
constexpr const char* kBestEpoch = "best_epoch";
constexpr const char* kBestLoss = "best_loss";
constexpr const char* kFinished = "finished_epochs";

std::string best_path(const std::string& folder) {
  return folder + "/best.safetensors";
}

// Takes an entry out of the metadata: what is left is the trainer's.
std::optional<std::string> take_metadata(WeightFile& file, std::string_view name) {
  const auto found = std::ranges::find(file.metadata, name,
                                       [](const auto& m) { return std::string_view(m.first); });
  if (found == file.metadata.end()) return std::nullopt;
  std::string value = std::move(found->second);
  file.metadata.erase(found);
  return value;
}

// The shortest text that reads back as the same number.
std::string text_of_number(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

template <class Number>
bool parse_number(const std::optional<std::string>& text, Number& number) {
  if (!text) return false;
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

// The items of `a, b, c` that are not in `other`, of which there may be many.
std::string items_beside(std::string_view items, std::string_view other) {
  constexpr std::string_view kComma = ", ";
  const auto list = [&](std::string_view text) {
    std::vector<std::string_view> result;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(kComma), text.size());
      result.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + kComma.size(), text.size()));
    }
    return result;
  };
  const std::vector<std::string_view> others = list(other);
  std::string result;
  for (const std::string_view item : list(items)) {
    if (std::ranges::find(others, item) != others.end()) continue;
    result += (result.empty() ? "" : ", ") + escape_terminal(item, 300);
  }
  return result;
}

}  // namespace

std::string checkpoint_path(const std::string& folder) {
  return folder + "/last.safetensors";
}

Result<void> CheckpointFolder::open() const {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (!failed) return {};
  return Errors(ErrorCode::CannotWrite, escape_terminal(folder_, kMaxPath), failed.message());
}

Result<void> CheckpointFolder::write_last(WeightFile file, const LoopState& state) const {
  file.metadata.insert(file.metadata.end(), metadata_.begin(), metadata_.end());
  file.metadata.emplace_back(kSettings, settings_);
  file.metadata.emplace_back(kBestEpoch, std::to_string(state.best_epoch));
  file.metadata.emplace_back(kBestLoss, text_of_number(state.best_loss));
  file.metadata.emplace_back(kFinished, std::to_string(state.finished_epochs));
  return write_weights(file, checkpoint_path(folder_));
}

Result<void> CheckpointFolder::write_best(WeightFile file) const {
  file.metadata.insert(file.metadata.end(), metadata_.begin(), metadata_.end());
  return write_weights(file, best_path(folder_));
}

Result<std::optional<CheckpointFolder::Last>> CheckpointFolder::read_last() const {
  const std::string path = checkpoint_path(folder_);
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) && !unknown) return std::optional<Last>();
  VECC_TRY(WeightFile file, read_weights(path));
  const auto refuse = [&](std::string message) {
    return Errors(ErrorCode::WeightsDiffer, escape_terminal(path, kMaxPath), std::move(message));
  };
  Last last;
  const auto settings = take_metadata(file, kSettings);
  if (!parse_number(take_metadata(file, kBestEpoch), last.state.best_epoch) ||
      !parse_number(take_metadata(file, kBestLoss), last.state.best_loss) ||
      !parse_number(take_metadata(file, kFinished), last.state.finished_epochs) || !settings) {
    return refuse("is no checkpoint of a training");
  }
  for (const auto& [key, value] : metadata_) {
    const auto theirs = take_metadata(file, key);
    if (!theirs || *theirs == value) continue;
    return refuse("is of a training with other " + key + ": " + escape_terminal(*theirs, 300) +
                  "; now: " + escape_terminal(value, 300));
  }
  if (*settings != settings_) {
    return refuse("is of a training with other settings: " + items_beside(*settings, settings_) +
                  "; now: " + items_beside(settings_, *settings));
  }
  last.file = std::move(file);
  return std::optional<Last>(std::move(last));
}

Result<WeightFile> CheckpointFolder::read_best() const {
  return read_weights(best_path(folder_));
}

}  // namespace vecc
