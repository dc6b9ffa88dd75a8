// What samples are predicted: a number, or classes.
#include <algorithm>

#include "src/support/utf8.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/sql/samples.h"

namespace vecc::tools::sql {

Result<SqlTarget> find_target(const Schema& schema, const SampleTable& samples,
                              std::optional<ColumnKind> kind, std::uint64_t max_categories) {
  SqlTarget target;
  target.table = samples.table;
  target.column = samples.column;
  target.other = samples.other;
  if (target.other) return target;
  // A task's targets are texts of numbers, or of classes.
  Column column;
  if (samples.column) column = schema.tables[samples.table].columns[*samples.column];
  ColumnStatistics all({}, column, max_categories);
  ColumnStatistics train({}, column, max_categories);
  for (const RowSample& sample : samples.samples) {
    if (!sample.value) continue;
    SqlValue value;
    value.kind = sample.number ? SqlValue::Kind::Real : SqlValue::Kind::Text;
    value.real = sample.number.value_or(0);
    value.text = *sample.value;
    all.add(value);
    if (sample.split == Split::Train) train.add(value);
  }
  const ColumnCode code = all.code(kind);
  const auto refuse = [&](const std::string& message) {
    return Errors(ErrorCode::BadSample, "--target", message);
  };
  if (code.kind == ColumnKind::Number) {
    const ColumnCode numbers = train.code(ColumnKind::Number);
    target.mean = numbers.mean;
    target.deviation = numbers.deviation;
    return target;
  }
  const bool is_text = code.kind == ColumnKind::Text;
  if (code.kind == ColumnKind::Out || code.kind == ColumnKind::Time || is_text) {
    return refuse("is " +
                  (is_text            ? std::string("text")
                   : code.why.empty() ? std::string("a time")
                                      : code.why) +
                  ": expected classes or a number; --column=TABLE.COLUMN:category says that it "
                  "has classes");
  }
  target.is_class = true;
  target.classes = all.code(ColumnKind::Category).values;
  if (target.classes.size() < 2) return refuse("has one class, expected two or more");
  for (const std::string& name : target.classes) {
    if (!is_utf8(name)) return refuse(found_expected(name, "classes of UTF-8 text"));
  }
  if (target.classes.size() > max_categories) {
    return refuse("has more than " + count_of(max_categories, "class") + ": --max-categories");
  }
  return target;
}

bool is_known_target(const SqlTarget& target, const RowSample& sample) {
  if (!target.is_class) return sample.number.has_value();
  return std::ranges::find(target.classes, *sample.value) != target.classes.end();
}

Errors unknown_target(const SqlTarget& target, const RowSample& sample, const std::string& place) {
  const std::string& found = *sample.value;
  if (!target.is_class) {
    return Errors(ErrorCode::BadSample, place,
                  found_expected(found, "a number, as the targets are"));
  }
  constexpr std::size_t kShown = 20;
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, target.classes.size()); ++i) {
    names += (i == 0 ? "" : ", ") + quote(target.classes[i]);
  }
  if (target.classes.size() > kShown) names += ", ...";
  return Errors(ErrorCode::DanglingReference, place,
                found_expected(found, "a class of the training (" + names +
                                          "), or NULL in rows without a target"));
}

}  // namespace vecc::tools::sql
