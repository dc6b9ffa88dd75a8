#include "tools/import/sql/column_code.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tools/import/load/load_errors.h"
#include "tools/import/sql/text_features.h"

namespace vecc::tools::sql {
namespace {

constexpr double kDay = 86'400;

constexpr std::array<std::pair<ColumnKind, std::string_view>, 6> kKinds{{
    {ColumnKind::Out, "out"},
    {ColumnKind::Number, "number"},
    {ColumnKind::Boolean, "boolean"},
    {ColumnKind::Time, "time"},
    {ColumnKind::Category, "category"},
    {ColumnKind::Text, "text"},
}};

bool says(const std::string& type, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (type.find(word) != std::string::npos) return true;
  }
  return false;
}

// The next number of exactly `digits` digits, taken from the text.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return {};
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return {};
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// `12:30[:15[.5]][Z]` in seconds.
std::optional<double> parse_clock(std::string_view text) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ":")) return {};
  const auto minute = take_digits(text, 2);
  if (!minute || *hour > 23 || *minute > 59) return {};
  double seconds = *hour * 3600.0 + *minute * 60.0;
  if (take(text, ":")) {
    const auto second = take_digits(text, 2);
    if (!second || *second > 60) return {};
    seconds += *second;
    if (take(text, ".")) {
      while (take_digits(text, 1)) {
      }
    }
  }
  take(text, "Z");
  if (!text.empty()) return {};
  return seconds;
}

std::optional<double> parse_time(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return {};
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return {};
  const auto day = take_digits(text, 2);
  if (!day) return {};
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  const double days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (text.empty()) return days * kDay;
  if (!take(text, " T")) return {};
  const auto clock = parse_clock(text);
  if (!clock) return {};
  return days * kDay + *clock;
}

void add_circle(double part, std::vector<double>& out) {
  out.push_back(std::sin(2 * std::numbers::pi * part));
  out.push_back(std::cos(2 * std::numbers::pi * part));
}

void add_calendar(double seconds, std::vector<double>& out) {
  const double days = seconds / kDay;
  add_circle(days / 365.2425, out);
  add_circle((days + 3) / 7, out);  // 1970 began on a Thursday
  add_circle(days - std::floor(days), out);
}

// As SQLite writes it: `0.1`, `1.0e+20`, `-Inf`.
std::string real_text(double x) {
  if (std::isinf(x)) return x < 0 ? "-Inf" : "Inf";
  std::string text = fmt::format("{:.15g}", x);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

void measure(double x, std::uint64_t& count, double& mean, double& squares) {
  ++count;
  const double step = x - mean;
  mean += step / static_cast<double>(count);
  squares += step * (x - mean);
}

double deviation_of(std::uint64_t count, double squares) {
  const double deviation = count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
  return deviation > 0 && std::isfinite(deviation) ? deviation : 1;
}

}  // namespace

std::uint32_t ColumnCode::width() const {
  switch (kind) {
    case ColumnKind::Number:
    case ColumnKind::Boolean: return 2;
    case ColumnKind::Time: return 8;
    case ColumnKind::Text: return kTextEntries + 1;
    case ColumnKind::Out:
    case ColumnKind::Category: break;
  }
  return 0;
}

std::string_view name_of(ColumnKind kind) {
  for (const auto& [id, name] : kKinds) {
    if (id == kind) return name;
  }
  return {};
}

std::optional<ColumnKind> parse_column_kind(std::string_view name) {
  for (const auto& [id, text] : kKinds) {
    if (text == name) return id;
  }
  return {};
}

std::string_view expected_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::Number: return "a number";
    case ColumnKind::Boolean: return "1, 0, true or false";
    case ColumnKind::Time: return "a date or time, as 2020-01-31 or 2020-01-31 12:30:00";
    case ColumnKind::Out:
    case ColumnKind::Category:
    case ColumnKind::Text: break;
  }
  return "a value";
}

std::optional<double> number_of(const SqlValue& value) {
  if (value.kind == SqlValue::Kind::Integer || value.kind == SqlValue::Kind::Real) {
    if (!std::isfinite(value.real)) return {};
    return value.real;
  }
  if (value.kind != SqlValue::Kind::Text || value.text.empty()) return {};
  double number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto parsed = std::from_chars(value.text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(number)) return {};
  return number;
}

std::optional<double> time_of(const SqlValue& value) {
  if (value.kind == SqlValue::Kind::Text) return parse_time(value.text);
  return number_of(value);
}

std::optional<bool> boolean_of(const SqlValue& value) {
  if (value.kind == SqlValue::Kind::Null || value.kind == SqlValue::Kind::Blob) return {};
  std::string text = text_of(value);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view yes : {"1", "true", "t", "yes", "y"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "false", "f", "no", "n"}) {
    if (text == no) return false;
  }
  return {};
}

std::string text_of(const SqlValue& value) {
  if (value.kind == SqlValue::Kind::Integer) return std::to_string(value.integer);
  if (value.kind == SqlValue::Kind::Real) {
    if (value.real == std::floor(value.real) && std::abs(value.real) < 1e15) {
      return std::to_string(static_cast<std::int64_t>(value.real));
    }
    if (value.text.empty()) return real_text(value.real);
  }
  return std::string(value.text);
}

bool encode(const ColumnCode& code, const SqlValue& value, std::vector<double>& out) {
  if (code.width() == 0) return true;
  const std::size_t begin = out.size();
  if (value.kind == SqlValue::Kind::Null) {
    out.resize(begin + code.width());
    out.back() = 1;
    return true;
  }
  if (code.kind == ColumnKind::Boolean) {
    const auto truth = boolean_of(value);
    if (!truth) return false;
    out.push_back(*truth ? 1 : -1);
  } else if (code.kind == ColumnKind::Text) {
    if (value.kind == SqlValue::Kind::Blob) return false;
    add_text_features(value.text, kTextEntries, out);
  } else {
    const auto number = code.kind == ColumnKind::Time ? time_of(value) : number_of(value);
    if (!number) return false;
    out.push_back((*number - code.mean) / code.deviation);
    if (code.kind == ColumnKind::Time) add_calendar(*number, out);
  }
  out.push_back(0);
  return true;
}

CategoryNumbers::CategoryNumbers(const ColumnCode& code) : null_(code.null_category()) {
  for (std::uint32_t i = 0; i < code.values.size(); ++i) numbers_[code.values[i]] = i;
}

std::uint32_t CategoryNumbers::of(const SqlValue& value) const {
  if (value.kind == SqlValue::Kind::Null) return null_;
  const auto found = numbers_.find(text_of(value));
  return found == numbers_.end() ? null_ + 1 : found->second;
}

void ColumnStatistics::add(const SqlValue& value) {
  if (value.kind == SqlValue::Kind::Null) return;
  ++count_;
  if (value.kind == SqlValue::Kind::Blob) {
    ++blobs_;
    return;
  }
  const bool is_text = value.kind == SqlValue::Kind::Text;
  if (!is_text) ++numbers_;
  if (is_text && value.text.find(' ') != std::string_view::npos) ++phrases_;
  if (boolean_of(value)) ++booleans_;
  if (const auto x = number_of(value)) measure(*x, measured_, mean_, squares_);
  if (const auto x = time_of(value)) {
    if (is_text) ++dates_;
    measure(*x, time_measured_, time_mean_, time_squares_);
  }
  if (values_.size() > max_categories_) return;
  ++values_[text_of(value)];
}

ColumnKind ColumnStatistics::choose(std::string& why) const {
  if (count_ == 0) {
    why = "no values in the training rows";
  } else if (blobs_ > 0) {
    why = "BLOB";
  } else if (booleans_ == count_ && (says(type_, {"BOOL"}) || values_.size() == 2)) {
    return ColumnKind::Boolean;
  } else if (dates_ == count_ || says(type_, {"DATE", "TIME"})) {
    return ColumnKind::Time;
  } else if (numbers_ == count_ || says(type_, {"INT", "REAL", "FLOA", "DOUB", "NUM", "DEC"})) {
    return ColumnKind::Number;
  } else if (values_.size() <= max_categories_ &&
             (values_.size() <= 2 || values_.size() * 2 <= count_)) {
    return ColumnKind::Category;
  } else if (phrases_ * 2 > count_) {
    return ColumnKind::Text;
  } else if (values_.size() > max_categories_) {
    why = fmt::format("text: more than {} values (--max-categories)", max_categories_);
  } else {
    why = fmt::format("text: {} values in {} rows", values_.size(), count_);
  }
  return ColumnKind::Out;
}

ColumnCode ColumnStatistics::code(std::optional<ColumnKind> kind) const {
  ColumnCode code;
  code.at = at_;
  code.why = "as --column says";
  code.kind = kind ? *kind : choose(code.why);
  const bool is_number = code.kind == ColumnKind::Number && !std::isfinite(squares_);
  if (is_number || (code.kind == ColumnKind::Time && !std::isfinite(time_squares_))) {
    code.kind = ColumnKind::Out;
    code.why = "numbers too large to be standardised";
  }
  if (code.kind == ColumnKind::Category) {
    for (const auto& [value, count] : values_) code.values.push_back(value);
  } else if (code.kind == ColumnKind::Number) {
    code.mean = mean_;
    code.deviation = deviation_of(measured_, squares_);
  } else if (code.kind == ColumnKind::Time) {
    code.mean = time_mean_;
    code.deviation = deviation_of(time_measured_, time_squares_);
  }
  return code;
}

nlohmann::json columns_json(const Schema& schema, const std::vector<ColumnCode>& codes) {
  auto list = nlohmann::json::array();
  for (const ColumnCode& code : codes) {
    const Table& table = schema.tables[code.at.table];
    nlohmann::json entry{{"table", table.name},
                         {"column", table.columns[code.at.column].name},
                         {"kind", name_of(code.kind)}};
    if (code.kind == ColumnKind::Number || code.kind == ColumnKind::Time) {
      entry["mean"] = code.mean;
      entry["deviation"] = code.deviation;
    }
    if (code.kind == ColumnKind::Category) entry["values"] = code.values;
    list.push_back(std::move(entry));
  }
  return list;
}

Result<std::vector<ColumnCode>> parse_columns(const Schema& schema, const nlohmann::json& list,
                                              const std::string& place) {
  std::vector<ColumnCode> codes;
  for (const auto& entry : list) {
    ColumnCode code;
    const auto kind = parse_column_kind(entry.at("kind").get<std::string>());
    if (!kind) throw std::invalid_argument("kind");
    code.kind = *kind;
    if (code.kind == ColumnKind::Out) continue;  // read by nothing: it need not be there
    const std::string table = entry.at("table");
    const std::string column = entry.at("column");
    code.at.table = schema.find(table);
    if (code.at.table != Table::npos) code.at.column = schema.tables[code.at.table].find(column);
    if (code.at.table == Table::npos || code.at.column == Table::npos) {
      return Errors(
          ErrorCode::DanglingReference, place,
          "was trained with column " + quote(table + "." + column) + ", which the database lacks");
    }
    code.mean = entry.value("mean", 0.0);
    code.deviation = entry.value("deviation", 1.0);
    code.values = entry.value("values", std::vector<std::string>());
    if (!std::isfinite(code.mean) || !std::isfinite(code.deviation) || code.deviation <= 0 ||
        code.values.size() > kMaxCategories) {
      throw std::invalid_argument("statistics");
    }
    codes.push_back(std::move(code));
  }
  return codes;
}

}  // namespace vecc::tools::sql
