#include "vecc/error.h"

#include <cstdio>

namespace vecc {
namespace {

struct ErrorInfo {
  ErrorCode code;
  ExitCode exit;
  std::string_view title;
};

constexpr ErrorInfo kErrors[] = {
#define VECC_ERROR(enumerator, number, exit, title) {ErrorCode::enumerator, ExitCode::exit, title},
#include "vecc/error_codes.def"
#undef VECC_ERROR
};

const ErrorInfo& info_of(ErrorCode code) {
  for (const ErrorInfo& info : kErrors) {
    if (info.code == code) return info;
  }
  fail_check("known error code", __FILE__, __LINE__, std::to_string(static_cast<int>(code)));
}

}  // namespace

ExitCode exit_code_of(ErrorCode code) {
  return info_of(code).exit;
}
std::string_view title_of(ErrorCode code) {
  return info_of(code).title;
}

Errors::Errors() = default;
Errors::Errors(ErrorCode code, std::string place, std::string message) {
  add(code, std::move(place), std::move(message));
}
Errors::Errors(const Errors&) = default;
Errors::Errors(Errors&&) noexcept = default;
Errors& Errors::operator=(const Errors&) = default;
Errors& Errors::operator=(Errors&&) noexcept = default;
Errors::~Errors() = default;

void Errors::add(ErrorCode code, std::string place, std::string message) {
  diagnostics_.push_back({code, std::move(place), std::move(message)});
}

Errors Errors::in(std::string_view prefix) const {
  Errors result = *this;
  for (Diagnostic& d : result.diagnostics_) {
    d.place = std::string(prefix) + (d.place.empty() ? "" : ": " + d.place);
  }
  return result;
}

ExitCode Errors::exit_code() const {
  return diagnostics_.empty() ? ExitCode::Internal : exit_code_of(diagnostics_.front().code);
}

std::string Errors::text() const {
  std::string result;
  for (const Diagnostic& d : diagnostics_) {
    char number[16];
    std::snprintf(number, sizeof number, " [E%03d]", static_cast<int>(d.code));
    if (!result.empty()) result += '\n';
    if (!d.place.empty()) result += d.place + ": ";
    result += "error: " + d.message + number;
  }
  if (omitted_ > 0) result += "\n... and " + std::to_string(omitted_) + " more errors";
  return result;
}

void throw_unread_errors(const Errors& errors) {
  throw InternalError("value() of a failed Result: " + errors.text());
}

void fail_check(const char* condition, const char* file, int line, const std::string& message) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) +
                      ": check failed: " + condition + ": " + message);
}

}  // namespace vecc
