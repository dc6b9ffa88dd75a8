#include "tools/train_log/train_log.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "tools/train_log/event_log.h"
#include "tools/train_log/line_log.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kCsv = "csv";
constexpr std::string_view kJsonl = "jsonl";
constexpr std::string_view kTensorBoard = "tensorboard";

// `csv:FILE` in two; no path where there is no colon.
std::pair<std::string, std::string> split_text(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string name_of_fold(std::uint32_t fold) {
  return "fold" + std::to_string(fold);
}

}  // namespace

std::string check_log_text(const std::string& text) {
  const auto [kind, path] = split_text(text);
  const bool is_known = kind == kCsv || kind == kJsonl || kind == kTensorBoard;
  if (is_known && !path.empty()) return {};
  return "--log: \"" + text + "\" is none of csv:FILE, jsonl:FILE and tensorboard:DIR";
}

void add_log_paths(CommandPaths& paths, const std::string& name, const std::string& text) {
  const auto [kind, path] = split_text(text);
  if (kind != kTensorBoard) return paths.add_output(name, path);
  paths.add_shared_folder(name, path);
  paths.add_output(name, path + "/events.out.tfevents");  // what TensorBoard takes for one run
}

std::string path_of_fold(const std::string& path, std::uint32_t fold) {
  std::filesystem::path place = path;
  const std::string end = place.extension().string();
  return place.replace_extension("." + name_of_fold(fold) + end).string();
}

std::string log_of_fold(const std::string& text, std::uint32_t fold) {
  const auto [kind, path] = split_text(text);
  if (kind != kTensorBoard) return kind + ":" + path_of_fold(path, fold);
  return kind + ":" + (std::filesystem::path(path) / name_of_fold(fold)).string();
}

Result<std::unique_ptr<EpochLog>> open_log(const std::string& text,
                                           std::optional<std::uint64_t> finished_epochs) {
  const auto [kind, path] = split_text(text);
  if (kind == kTensorBoard) return open_event_log(path, finished_epochs.value_or(0));
  return open_line_log(path, kind == kCsv ? LineFormat::Csv : LineFormat::Jsonl, finished_epochs);
}

Result<void> TrainLogs::open(const std::vector<std::string>& texts,
                             std::optional<std::uint64_t> finished_epochs) {
  logs_.clear();
  for (const std::string& text : texts) {
    VECC_TRY(auto log, open_log(text, finished_epochs));
    logs_.push_back(std::move(log));
  }
  return {};
}

Result<void> TrainLogs::write(const EpochReport& report) {
  for (const auto& log : logs_) VECC_TRY_VOID(log->write(report));
  return {};
}

}  // namespace vecc::tools
