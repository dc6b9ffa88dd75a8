#include "tools/import/sql/row_columns.h"

#include <algorithm>
#include <numeric>

#include "tools/import/load/load_errors.h"
#include "tools/import/sql/category_words.h"

namespace vecc::tools::sql {

ground::FactIndex add_value(ground::FactValues& store, std::span<const double> values) {
  store.entries.push_back({vector_shape(static_cast<std::uint32_t>(values.size())), false, true,
                           store.values.size(), kNoWeight, false});
  store.values.insert(store.values.end(), values.begin(), values.end());
  return static_cast<ground::FactIndex>(store.entries.size() - 1);
}

// Rows that foreign keys name, by the values of the keys.
Result<void> RowReader::index_parents() {
  const auto& keys = in_.schema.foreign_keys;
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::shared_ptr<const RowIndex>>
      parents;  // by table and columns
  links_.resize(keys.size());
  missing_parents_.resize(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (in_.model.links[k].empty()) continue;
    std::shared_ptr<const RowIndex>& index = parents[{keys[k].parent, keys[k].parent_columns}];
    if (index == nullptr) {
      VECC_TRY(RowIndex built,
               RowIndex::build(in_.database, in_.schema, keys[k].parent, keys[k].parent_columns));
      index = std::make_shared<const RowIndex>(std::move(built));
    }
    links_[k].index = index;
  }
  return {};
}

// What is read of a table's rows: entries, categories, the time, foreign keys.
std::vector<std::string> RowReader::columns_of(std::uint32_t t) const {
  const std::vector<Column>& columns = in_.schema.tables[t].columns;
  std::vector<std::string> names;
  const auto add_code = [&](std::uint32_t code) {
    names.push_back(columns[in_.codes[code].at.column].name);
  };
  for (const std::uint32_t code : in_.model.tables[t].entries) add_code(code);
  for (const CategoryPredicates& category : in_.model.tables[t].categories) {
    add_code(category.code);
  }
  if (const auto time = in_.samples.times[t]) names.push_back(columns[*time].name);
  for (const std::size_t k : keys_of(t)) {
    for (const std::uint32_t c : in_.schema.foreign_keys[k].columns) {
      names.push_back(columns[c].name);
    }
  }
  return names;
}

std::vector<std::size_t> RowReader::keys_of(std::uint32_t t) const {
  std::vector<std::size_t> keys;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const bool is_linked = links_[k].index != nullptr;
    if (is_linked && in_.schema.foreign_keys[k].table == t) keys.push_back(k);
  }
  return keys;
}

Result<void> RowReader::read(std::uint32_t t) {
  const TablePredicates& table = in_.model.tables[t];
  RowColumns& rows = tables_[t];
  rows.first_value = static_cast<ground::FactIndex>(values_.entries.size());
  std::vector<CategoryNumbers> numbers;
  for (const CategoryPredicates& category : table.categories) {
    numbers.emplace_back(in_.codes[category.code]);
  }
  rows.categories.resize(numbers.size());
  const std::vector<std::size_t> keys = keys_of(t);
  const auto take = [&](SqlRow values) -> Result<void> {
    if (++rows.count == kNoRow) {
      return Errors(ErrorCode::LimitRows, in_.schema.tables[t].name, "has too many rows");
    }
    VECC_TRY_VOID(read_entries(t, values));
    values = values.subspan(table.entries.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      rows.categories[i].push_back(numbers[i].of(values[i]));
    }
    values = values.subspan(numbers.size());
    if (in_.samples.times[t]) {
      VECC_TRY_VOID(read_time(t, values.front()));
      values = values.subspan(1);
    }
    for (const std::size_t k : keys) {
      const std::size_t width = in_.schema.foreign_keys[k].columns.size();
      read_link(k, values.first(width));
      values = values.subspan(width);
    }
    return {};
  };
  return in_.database.scan(in_.schema.tables[t].name, columns_of(t), take);
}

Result<void> RowReader::read_entries(std::uint32_t t, SqlRow values) {
  const TablePredicates& table = in_.model.tables[t];
  entries_.assign(1, 1.0);
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const ColumnCode& code = in_.codes[table.entries[i]];
    if (!encode(code, values[i], entries_)) return bad_value(code, values[i], tables_[t].count);
    const bool has_age = !table.age.empty() && code.kind == ColumnKind::Time;
    if (has_age) tables_[t].moments.push_back(time_of(values[i]).value_or(kNever));
  }
  add_value(values_, entries_);
  return {};
}

Result<void> RowReader::read_time(std::uint32_t t, const SqlValue& value) {
  const auto when = time_of(value);
  if (!when && value.kind != SqlValue::Kind::Null) {
    ColumnCode code;
    code.at = {t, *in_.samples.times[t]};
    code.kind = ColumnKind::Time;
    return bad_value(code, value, tables_[t].count);
  }
  tables_[t].times.push_back(when.value_or(kNever));
  return {};
}

void RowReader::read_link(std::size_t k, SqlRow key) {
  const auto parent = links_[k].index->find(key);
  const bool has_null =
      std::ranges::any_of(key, [](const SqlValue& v) { return v.kind == SqlValue::Kind::Null; });
  if (!parent && !has_null) ++missing_parents_[k];
  links_[k].parent.push_back(parent.value_or(kNoRow));
}

Errors RowReader::bad_value(const ColumnCode& code, const SqlValue& value,
                            std::uint64_t row) const {
  return {ErrorCode::BadTable, place_of(in_.database, in_.schema, code.at, row),
          found_expected(text_of(value), expected_of(code.kind)) +
              "; --column=TABLE.COLUMN:category or :out takes it"};
}

void RowReader::sort_children() {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    RowLinks& link = links_[k];
    if (link.index == nullptr) continue;
    link.index.reset();
    link.begin.assign(tables_[in_.schema.foreign_keys[k].parent].count + std::size_t{1}, 0);
    for (const std::uint32_t parent : link.parent) {
      if (parent != kNoRow) ++link.begin[parent + std::size_t{1}];
    }
    std::partial_sum(link.begin.begin(), link.begin.end(), link.begin.begin());
    std::vector<std::uint32_t> next(link.begin.begin(), link.begin.end());
    link.children.resize(link.begin.back());
    for (std::uint32_t row = 0; row < link.parent.size(); ++row) {
      if (link.parent[row] != kNoRow) link.children[next[link.parent[row]]++] = row;
    }
  }
}

}  // namespace vecc::tools::sql
