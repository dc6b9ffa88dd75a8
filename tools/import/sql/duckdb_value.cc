#include "tools/import/sql/duckdb_value.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

namespace vecc::tools::sql {
namespace {

constexpr std::int64_t kSecondsOfADay = 86'400;

// Days before 1970 and after it that the calendar has.
constexpr std::int64_t kLastDay = std::int64_t{32'000} * 365;

/// `duckdb_string_t`: up to 12 bytes stand behind the length, others where the pointer at the end
/// says.
struct String {
  std::uint32_t length;
  std::uint32_t prefix;
  const char* pointer;
};
constexpr std::uint32_t kInlined = 12;

/// `duckdb_hugeint`
struct HugeInt {
  std::uint64_t lower;
  std::int64_t upper;
};

template <class T>
T at(const void* data, std::uint64_t row) {
  return static_cast<const T*>(data)[row];
}

SqlValue integer(std::int64_t x) {
  SqlValue value;
  value.kind = SqlValue::Kind::Integer;
  value.integer = x;
  value.real = static_cast<double>(x);
  return value;
}

SqlValue real(double x, std::string& text) {
  SqlValue value;
  value.real = x;
  value.kind = SqlValue::Kind::Real;
  if (!std::isfinite(x)) {
    value.kind = SqlValue::Kind::Text;
    text = std::isnan(x) ? "NaN" : (x < 0 ? "-Infinity" : "Infinity");
    value.text = text;
  }
  return value;
}

SqlValue huge(const HugeInt& x, std::string& text) {
  const bool is_small = (x.upper == 0 && x.lower <= std::numeric_limits<std::int64_t>::max()) ||
                        (x.upper == -1 && x.lower > std::numeric_limits<std::int64_t>::max());
  if (is_small) return integer(static_cast<std::int64_t>(x.lower));
  return real(std::ldexp(static_cast<double>(x.upper), 64) + static_cast<double>(x.lower), text);
}

// `2020-01-31`, and `12:30:15.250000` of a time with a day. Infinity is the type's largest value.
SqlValue moment(std::int64_t days, std::int64_t microseconds, bool has_time, std::string& text) {
  const std::chrono::year_month_day day{
      std::chrono::sys_days{std::chrono::days{static_cast<int>(days)}}};
  text =
      fmt::format("{:04}-{:02}-{:02}", int{day.year()}, unsigned{day.month()}, unsigned{day.day()});
  if (has_time) {
    const std::int64_t seconds = microseconds / 1'000'000;
    text += fmt::format(" {:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (microseconds % 1'000'000 != 0) text += fmt::format(".{:06}", microseconds % 1'000'000);
  }
  SqlValue value;
  value.kind = SqlValue::Kind::Text;
  value.text = text;
  return value;
}

SqlValue moment(std::int64_t units, std::int64_t per_second, std::string& text) {
  if (units == std::numeric_limits<std::int64_t>::max() ||
      units <= -std::numeric_limits<std::int64_t>::max()) {
    return real(units < 0 ? -INFINITY : INFINITY, text);
  }
  const std::int64_t day = kSecondsOfADay * per_second;
  std::int64_t days = units / day;
  std::int64_t rest = units % day;
  if (rest < 0) {
    --days;
    rest += day;
  }
  const std::int64_t microseconds =
      per_second > 1'000'000 ? rest / (per_second / 1'000'000) : rest * (1'000'000 / per_second);
  if (days > kLastDay || days < -kLastDay) return integer(days * kSecondsOfADay);
  return moment(days, microseconds, true, text);
}

SqlValue date(std::int32_t days, std::string& text) {
  if (days > kLastDay || days < -kLastDay) return real(days < 0 ? -INFINITY : INFINITY, text);
  return moment(days, 0, false, text);
}

SqlValue words(const void* data, std::uint64_t row, SqlValue::Kind kind) {
  const String* const string = static_cast<const String*>(data) + row;
  SqlValue value;
  value.kind = kind;
  const char* const inlined = reinterpret_cast<const char*>(string) + sizeof(string->length);
  value.text = {string->length <= kInlined ? inlined : string->pointer, string->length};
  return value;
}

}  // namespace

bool is_read(duckdb::Type type) {
  switch (type) {
    case duckdb::Type::Boolean:
    case duckdb::Type::TinyInt:
    case duckdb::Type::SmallInt:
    case duckdb::Type::Integer:
    case duckdb::Type::BigInt:
    case duckdb::Type::UTinyInt:
    case duckdb::Type::USmallInt:
    case duckdb::Type::UInteger:
    case duckdb::Type::UBigInt:
    case duckdb::Type::Float:
    case duckdb::Type::Double:
    case duckdb::Type::Timestamp:
    case duckdb::Type::Date:
    case duckdb::Type::HugeInt:
    case duckdb::Type::Varchar:
    case duckdb::Type::Blob:
    case duckdb::Type::TimestampSeconds:
    case duckdb::Type::TimestampMilliseconds:
    case duckdb::Type::TimestampNanoseconds:
    case duckdb::Type::TimestampZone: return true;
  }
  return false;
}

SqlValue value_at(duckdb::Type type, const void* data, std::uint64_t row, std::string& text) {
  switch (type) {
    case duckdb::Type::Boolean: return integer(at<std::uint8_t>(data, row) != 0 ? 1 : 0);
    case duckdb::Type::TinyInt: return integer(at<std::int8_t>(data, row));
    case duckdb::Type::SmallInt: return integer(at<std::int16_t>(data, row));
    case duckdb::Type::Integer: return integer(at<std::int32_t>(data, row));
    case duckdb::Type::BigInt: return integer(at<std::int64_t>(data, row));
    case duckdb::Type::UTinyInt: return integer(at<std::uint8_t>(data, row));
    case duckdb::Type::USmallInt: return integer(at<std::uint16_t>(data, row));
    case duckdb::Type::UInteger: return integer(at<std::uint32_t>(data, row));
    case duckdb::Type::UBigInt: return huge({at<std::uint64_t>(data, row), 0}, text);
    case duckdb::Type::HugeInt: return huge(at<HugeInt>(data, row), text);
    case duckdb::Type::Float: return real(at<float>(data, row), text);
    case duckdb::Type::Double: return real(at<double>(data, row), text);
    case duckdb::Type::Date: return date(at<std::int32_t>(data, row), text);
    case duckdb::Type::Timestamp:
    case duckdb::Type::TimestampZone: return moment(at<std::int64_t>(data, row), 1'000'000, text);
    case duckdb::Type::TimestampSeconds: return moment(at<std::int64_t>(data, row), 1, text);
    case duckdb::Type::TimestampMilliseconds:
      return moment(at<std::int64_t>(data, row), 1'000, text);
    case duckdb::Type::TimestampNanoseconds:
      return moment(at<std::int64_t>(data, row), 1'000'000'000, text);
    case duckdb::Type::Varchar: return words(data, row, SqlValue::Kind::Text);
    case duckdb::Type::Blob: return words(data, row, SqlValue::Kind::Blob);
  }
  return {};
}

}  // namespace vecc::tools::sql
