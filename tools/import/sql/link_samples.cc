#include "tools/import/sql/link_samples.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tools/import/load/load_errors.h"
#include "tools/import/load/splitmix.h"
#include "tools/import/sql/row_index.h"

namespace vecc::tools::sql {
namespace {

// The rows that links lead to.
struct OtherRows {
  RowIndex index;
  std::vector<std::string> keys;
  std::vector<double> times;  // empty: always there

  [[nodiscard]] bool is_there(std::uint32_t row, double time) const {
    return times.empty() || times[row] <= time;  // NaN: never
  }
};

Result<OtherRows> read_rows(const SourceDatabase& database, const Schema& schema,
                            const SampleTable& samples) {
  const Table& table = schema.tables[*samples.other];
  OtherRows rows;
  VECC_TRY(rows.index, RowIndex::build(database, schema, *samples.other, table.primary_key));
  std::vector<std::string> columns{table.columns[table.primary_key.front()].name};
  const auto time = samples.times[*samples.other];
  if (time) columns.push_back(table.columns[*time].name);
  VECC_TRY_VOID(database.scan(table.name, columns, [&](SqlRow values) -> Result<void> {
    rows.keys.push_back(text_of(values[0]));
    constexpr double kNever = std::numeric_limits<double>::quiet_NaN();
    if (time) rows.times.push_back(time_of(values[1]).value_or(kNever));
    return {};
  }));
  return rows;
}

class LinkExpansion {
 public:
  LinkExpansion(const SampleOptions& options, const OtherRows& rows, const std::string& table)
      : options_(options), rows_(rows), table_(table) {}

  Result<void> expand(const RowSample& line) {
    std::vector<std::uint32_t> positives;
    if (line.value) {
      VECC_TRY(positives, find_rows(line));
    }
    for (const std::uint32_t row : positives) add(line, row, Role::Positive);
    for (const std::uint32_t row : others(line, positives)) {
      add(line, row, line.value ? Role::Negative : Role::Unspecified);
    }
    ++group_;
    return {};
  }

  std::vector<RowSample> take() { return std::move(samples_); }

 private:
  // Rising, each once.
  Result<std::vector<std::uint32_t>> find_rows(const RowSample& line) const {
    std::vector<std::uint32_t> found;
    std::string_view rest = *line.value;
    while (true) {
      const std::size_t bar = rest.find('|');
      SqlValue key;
      key.text = rest.substr(0, bar);
      key.kind = key.text.empty() ? SqlValue::Kind::Null : SqlValue::Kind::Text;
      const auto row = rows_.index.find(std::span(&key, 1));
      if (!row) {
        return Errors(ErrorCode::DanglingReference, escape_terminal(line.id),
                      found_expected(key.text, "keys of table " + escape_terminal(table_) +
                                                   ", with | between them"));
      }
      found.push_back(*row);
      if (bar == std::string_view::npos) break;
      rest.remove_prefix(bar + 1);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // Rising; those that are not drawn are as likely as those that are.
  std::vector<std::uint32_t> others(const RowSample& line,
                                    const std::vector<std::uint32_t>& positives) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < rows_.keys.size(); ++row) {
      const bool is_positive = std::ranges::binary_search(positives, row);
      if (!is_positive && rows_.is_there(row, *line.time)) rows.push_back(row);
    }
    const std::uint32_t all = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t asked = line.split == Split::Train
                                    ? options_.negatives
                                    : (options_.candidates == 0 ? all : options_.candidates);
    const std::size_t count = line.value ? std::min<std::size_t>(asked, rows.size()) : rows.size();
    if (count == rows.size()) return rows;
    std::uint64_t seed = mix_bits(static_cast<std::uint64_t>(options_.seed) + 1);
    for (const char c : line.id) seed = mix_bits(seed ^ static_cast<unsigned char>(c));
    SplitMix random(static_cast<std::int64_t>(seed));
    for (std::size_t i = 0; i < count; ++i) {  // Fisher and Yates, of the first ones
      std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
    }
    rows.resize(count);
    std::ranges::sort(rows);
    return rows;
  }

  void add(const RowSample& line, std::uint32_t row, Role role) {
    RowSample sample;
    sample.row = line.row;
    sample.id = line.id + " -> " + table_ + ":" + rows_.keys[row];
    sample.time = line.time;
    sample.split = line.split;
    sample.other = row;
    sample.group = group_;
    sample.role = role;
    samples_.push_back(std::move(sample));
  }

  const SampleOptions& options_;
  const OtherRows& rows_;
  const std::string& table_;
  std::vector<RowSample> samples_;
  std::uint32_t group_ = 0;
};

}  // namespace

Result<void> expand_links(const SourceDatabase& database, const Schema& schema,
                          const SampleOptions& options, SampleTable& samples) {
  VECC_TRY(const OtherRows rows, read_rows(database, schema, samples));
  LinkExpansion expansion(options, rows, schema.tables[*samples.other].name);
  for (const RowSample& line : samples.samples) VECC_TRY_VOID(expansion.expand(line));
  samples.samples = expansion.take();
  if (!samples.samples.empty()) return {};
  return Errors(ErrorCode::BadSample, database.name(), "no row is there for links to lead to");
}

}  // namespace vecc::tools::sql
