#include "tests/import_sql/value_texts.h"

namespace vecc::test {
namespace {

using tools::sql::SqlValue;

std::string text_with_kind(const SqlValue& value) {
  switch (value.kind) {
    case SqlValue::Kind::Null: return "null";
    case SqlValue::Kind::Integer: return "i" + std::to_string(value.integer);
    case SqlValue::Kind::Real: return "r" + std::to_string(value.real);
    case SqlValue::Kind::Text: return "t" + std::string(value.text);
    case SqlValue::Kind::Blob: return "blob";
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> texts_of_values(const tools::sql::SourceDatabase& database,
                                                 const std::string& query) {
  std::vector<std::string> texts;
  VECC_TRY_VOID(database.query(query, [&](tools::sql::SqlRow row) -> Result<void> {
    for (const SqlValue& value : row) texts.push_back(text_with_kind(value));
    return {};
  }));
  return texts;
}

}  // namespace vecc::test
