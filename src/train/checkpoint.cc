#include "src/train/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <vector>

#include "src/weights/safetensors.h"
#include "vecc/escape.h"

namespace vecc::training {
namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr const char* kSettings = "settings";
constexpr const char* kBestEpoch = "best_epoch";
constexpr const char* kBestLoss = "best_loss";
constexpr const char* kFinished = "finished_epochs";

std::string best_path(const std::string& folder) {
  return folder + "/best.safetensors";
}

std::optional<std::string> find_metadata(const WeightSource& file, std::string_view name) {
  const auto found = std::ranges::find(file.metadata(), name,
                                       [](const auto& m) { return std::string_view(m.first); });
  if (found == file.metadata().end()) return std::nullopt;
  return found->second;
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

// The items of `a, b, c` that are not in `other`, of which there may be many, or none.
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
  return result.empty() ? "no more" : result;
}

}  // namespace

}  // namespace vecc::training

namespace vecc {

std::string checkpoint_path(const std::string& folder) {
  return folder + "/last.safetensors";
}

}  // namespace vecc

namespace vecc::training {
namespace {

using Metadata = std::vector<MetadataEntry>;

Metadata complete_metadata(Metadata metadata, const std::string& settings, const LoopState& state) {
  metadata.emplace_back(kSettings, settings);
  metadata.emplace_back(kBestEpoch, std::to_string(state.best_epoch));
  metadata.emplace_back(kBestLoss, text_of_number(state.best_loss));
  metadata.emplace_back(kFinished, std::to_string(state.finished_epochs));
  return metadata;
}

/// A checkpoint of this metadata and these settings, and the state that it was written in.
Result<CheckpointFolder::Last> read_checkpoint(const std::string& path, const Metadata& metadata,
                                               const std::string& settings) {
  const auto refuse = [&](ErrorCode code, std::string message) {
    return Errors(code, escape_terminal(path, kMaxPath), std::move(message));
  };
  auto opened = weights::open_own_weights(path);
  if (!opened) {
    const Diagnostic first = opened.error().list().front();
    return refuse(first.code,
                  first.message +
                      "; go on from a copy of the folder, or train anew (without --resume, or in "
                      "another folder)");
  }
  CheckpointFolder::Last last{std::move(*opened), {}};
  const WeightSource& file = *last.source;
  const auto written_with = find_metadata(file, kSettings);
  if (!parse_number(find_metadata(file, kBestEpoch), last.state.best_epoch) ||
      !parse_number(find_metadata(file, kBestLoss), last.state.best_loss) ||
      !parse_number(find_metadata(file, kFinished), last.state.finished_epochs) || !written_with ||
      last.state.best_epoch > last.state.finished_epochs || std::isnan(last.state.best_loss)) {
    return refuse(ErrorCode::WeightsDiffer, "is no checkpoint of a training");
  }
  for (const auto& [key, value] : metadata) {
    const auto theirs = find_metadata(file, key);
    if (!theirs || *theirs == value) continue;
    return refuse(ErrorCode::WeightsDiffer, "is of a training with other " + key + ": " +
                                                escape_terminal(*theirs, 300) +
                                                "; now: " + escape_terminal(value, 300));
  }
  if (*written_with != settings) {
    return refuse(ErrorCode::WeightsDiffer,
                  "is of a training with other settings: " + items_beside(*written_with, settings) +
                      "; now: " + items_beside(settings, *written_with));
  }
  return last;
}

}  // namespace

}  // namespace vecc::training

namespace vecc {

std::vector<std::string> checkpoint_paths(const std::string& folder) {
  return {checkpoint_path(folder), training::best_path(folder)};
}

}  // namespace vecc

namespace vecc::training {

Result<void> CheckpointFolder::open() const {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (!failed) return {};
  return Errors(ErrorCode::CannotWrite, escape_terminal(folder_, kMaxPath), failed.message());
}

Result<void> CheckpointFolder::write_last(const WeightSource& source,
                                          const LoopState& state) const {
  return write_weights(source, complete_metadata(metadata_, settings_, state),
                       checkpoint_path(folder_));
}

Result<void> CheckpointFolder::write_best(const WeightSource& source,
                                          const LoopState& state) const {
  return write_weights(source, complete_metadata(metadata_, settings_, state), best_path(folder_));
}

Result<std::optional<CheckpointFolder::Last>> CheckpointFolder::read_last() const {
  const std::string path = checkpoint_path(folder_);
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) && !unknown) return std::optional<Last>();
  VECC_TRY(Last last, read_checkpoint(path, metadata_, settings_));
  return std::optional<Last>(std::move(last));
}

Result<std::shared_ptr<const WeightSource>> CheckpointFolder::read_best(
    const LoopState& last) const {
  const std::string path = best_path(folder_);
  VECC_TRY(Last best, read_checkpoint(path, metadata_, settings_));
  const LoopState& state = best.state;
  const bool is_same = state.best_epoch == last.best_epoch && state.best_loss == last.best_loss;
  // A kill came between the two files.
  const bool is_later =
      state.best_epoch > last.finished_epochs && state.best_epoch == state.finished_epochs;
  if (state.best_epoch == state.finished_epochs && (is_same || is_later)) {
    return std::move(best.source);
  }
  return Errors(ErrorCode::WeightsDiffer, escape_terminal(path, kMaxPath),
                "has the weights of epoch " + std::to_string(state.finished_epochs) +
                    ", expected those of epoch " + std::to_string(last.best_epoch) +
                    ", the best of " + escape_terminal(checkpoint_path(folder_), kMaxPath) +
                    ": it is of another training, or another file; put the right one there, or "
                    "train anew (without --resume, or in another folder)");
}

}  // namespace vecc::training
