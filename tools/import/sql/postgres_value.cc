#include "tools/import/sql/postgres_value.h"

#include <charconv>
#include <cmath>

namespace vecc::tools::sql {
namespace {

// Oids of pg_type, the same in all versions.
constexpr std::uint32_t kBool = 16;
constexpr std::uint32_t kBytea = 17;
constexpr std::uint32_t kInt8 = 20;
constexpr std::uint32_t kInt2 = 21;
constexpr std::uint32_t kInt4 = 23;
constexpr std::uint32_t kOid = 26;
constexpr std::uint32_t kFloat4 = 700;
constexpr std::uint32_t kFloat8 = 701;
constexpr std::uint32_t kCharacters = 1042;
constexpr std::uint32_t kTimestampZone = 1184;
constexpr std::uint32_t kNumeric = 1700;

bool parse(std::string_view text, SqlValue& value) {
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(text.data(), end, whole);
      read.ptr == end && read.ec == std::errc{}) {
    value.kind = SqlValue::Kind::Integer;
    value.integer = whole;
    value.real = static_cast<double>(whole);
    return true;
  }
  double real = 0;
  const auto read = std::from_chars(text.data(), end, real);
  if (read.ptr != end || read.ec != std::errc{} || !std::isfinite(real)) return false;
  value.kind = SqlValue::Kind::Real;
  value.real = real;
  return true;
}

}  // namespace

SqlValue postgres_value(std::string_view text, std::uint32_t type, bool nested) {
  SqlValue value;
  value.kind = nested || type == kBytea ? SqlValue::Kind::Blob : SqlValue::Kind::Text;
  value.text = text;
  switch (type) {
    case kBool:
      value.kind = SqlValue::Kind::Integer;
      value.integer = text == "t" ? 1 : 0;
      value.real = static_cast<double>(value.integer);
      value.text = value.integer == 1 ? "1" : "0";
      break;
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid:
    case kNumeric: parse(text, value); break;
    case kFloat4:
    case kFloat8:
      if (parse(text, value)) value.kind = SqlValue::Kind::Real;
      break;
    case kCharacters: value.text = text.substr(0, text.find_last_not_of(' ') + 1); break;
    case kTimestampZone:
      if (text.ends_with("+00")) value.text = text.substr(0, text.size() - 3);
      break;
    default: break;
  }
  return value;
}

}  // namespace vecc::tools::sql
