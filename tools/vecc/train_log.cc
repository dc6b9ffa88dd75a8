#include "train_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kCsv = "csv:";
constexpr std::string_view kJsonl = "jsonl:";

using Fields = std::vector<std::pair<std::string, std::optional<double>>>;

void add_evaluation(Fields& fields, const std::string& prefix,
                    const std::optional<Evaluator::Evaluation>& evaluation) {
  fields.emplace_back(prefix + "loss", evaluation ? std::optional(evaluation->loss) : std::nullopt);
  for (const auto& [name, value] : fields_of(evaluation ? evaluation->metrics : Metrics())) {
    fields.emplace_back(prefix + std::string(name), value);
  }
}

// The same names in the same order for every epoch.
Fields fields_of(const EpochReport& report) {
  Fields fields{{"epoch", static_cast<double>(report.epoch)},
                {"rate", report.rate},
                {"loss", report.loss},
                {"seconds", report.seconds}};
  add_evaluation(fields, "train_", report.training);
  add_evaluation(fields, "validation_", report.validation);
  return fields;
}

std::string csv_header() {
  std::string line;
  for (const auto& [name, value] : fields_of({})) line += (line.empty() ? "" : ",") + name;
  return line + "\n";
}

std::string csv_line(const EpochReport& report) {
  std::string line;
  for (const auto& [name, value] : fields_of(report)) {
    if (name != "epoch") line += ",";
    if (value) line += fmt::format("{}", *value);
  }
  return line + "\n";
}

std::string jsonl_line(const EpochReport& report) {
  nlohmann::ordered_json json;
  for (const auto& [name, value] : fields_of(report)) {
    if (name == "epoch") {
      json[name] = report.epoch;
    } else if (value && std::isfinite(*value)) {
      json[name] = *value;
    }
  }
  return json.dump() + "\n";
}

}  // namespace

struct TrainLog::State {
  std::FILE* file = nullptr;
  std::string path;
  bool csv = false;
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (file != nullptr) std::fclose(file);
  }

  Result<void> write(const std::string& line) const {
    if (std::fputs(line.c_str(), file) >= 0 && std::fflush(file) == 0) return {};
    return Errors(ErrorCode::CannotWrite, escape_terminal(path, 4096),
                  std::generic_category().message(errno));
  }
};

std::string check_log_text(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  const std::string_view kind = std::string_view(text).substr(0, colon + 1);
  if (colon != std::string::npos && (kind == kCsv || kind == kJsonl) && colon + 1 < text.size()) {
    return {};
  }
  return "--log: \"" + text + "\" is neither csv:FILE nor jsonl:FILE";
}

TrainLog::TrainLog(std::unique_ptr<State> state) : state_(std::move(state)) {}
TrainLog::TrainLog(TrainLog&&) noexcept = default;
TrainLog& TrainLog::operator=(TrainLog&&) noexcept = default;
TrainLog::~TrainLog() = default;

Result<TrainLog> TrainLog::open(const std::string& text, bool continues) {
  if (text.empty()) return TrainLog(nullptr);
  auto state = std::make_unique<State>();
  state->csv = text.starts_with(kCsv);
  state->path = text.substr(text.find(':') + 1);
  std::error_code unknown;
  const bool has_lines = continues && std::filesystem::exists(state->path, unknown);
  state->file = std::fopen(state->path.c_str(), has_lines ? "ae" : "we");
  if (state->file == nullptr) {
    return Errors(ErrorCode::CannotWrite, escape_terminal(state->path, 4096),
                  std::generic_category().message(errno));
  }
  if (state->csv && !has_lines) VECC_TRY_VOID(state->write(csv_header()));
  return TrainLog(std::move(state));
}

Result<void> TrainLog::write(const EpochReport& report) {
  if (!state_) return {};
  return state_->write(state_->csv ? csv_line(report) : jsonl_line(report));
}

}  // namespace vecc::tools
