#include "tools/import/sql/samples.h"

#include <algorithm>
#include <cctype>

#include "src/support/utf8.h"
#include "tools/import/load/csv_reader.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/text_file.h"
#include "tools/import/sql/link_samples.h"
#include "tools/import/sql/row_index.h"
#include "tools/import/sql/split_samples.h"

namespace vecc::tools::sql {
namespace {

std::optional<Split> parse_split(std::string_view word) {
  if (word == "train") return Split::Train;
  if (word == "valid" || word == "validation" || word == "val") return Split::Validation;
  if (word == "test") return Split::Test;
  return {};
}

std::string id_of(const std::string& table, SqlRow key, std::uint32_t row) {
  std::string id = table + ":";
  if (key.empty()) return id + std::to_string(row + 1);
  for (std::size_t i = 0; i < key.size(); ++i) id += (i > 0 ? "," : "") + text_of(key[i]);
  return id;
}

// Whether --task is a query, and no file of such a name.
bool is_query(std::string_view task) {
  const std::size_t space = task.find_first_of(" \t\n");
  std::string word(task.substr(0, space));
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const bool begins = space != std::string_view::npos && (word == "SELECT" || word == "WITH");
  return begins && !is_file(std::string(task));
}

class SampleReader {
 public:
  SampleReader(const SourceDatabase& database, const Schema& schema, const SampleOptions& options)
      : database_(database), schema_(schema), options_(options) {}

  Result<SampleTable> read() {
    VECC_TRY_VOID(find_times());
    VECC_TRY_VOID(options_.task.empty() ? read_table() : read_task());
    VECC_TRY_VOID(refuse_idle_options());
    if (out_.other) VECC_TRY_VOID(refuse_links_without_key());
    if (out_.samples.empty()) {
      return Errors(
          ErrorCode::BadSample,
          database_.name() + ": table " + escape_terminal(schema_.tables[out_.table].name),
          out_.unlabeled > 0 ? "no row has a target" : "has no rows to predict");
    }
    if (!has_splits_) {
      out_.is_timed ? split_by_time(options_, out_.samples) : split_by_hash(options_, out_.samples);
    }
    const auto trains = [](const RowSample& sample) { return sample.split == Split::Train; };
    if (!options_.keeps_unlabeled && std::ranges::none_of(out_.samples, trains)) {
      return Errors(ErrorCode::BadSample, database_.name(),
                    out_.is_timed && !has_splits_
                        ? "no sample is earlier than those to validate and test with, so none is "
                          "for training: smaller --valid and --test, or say the splits (--split, "
                          "a column \"split\" of --task)"
                        : "no sample is for training: smaller --valid and --test, or other --seed");
    }
    return std::move(out_);
  }

 private:
  // An option that says nothing beside the others.
  Result<void> refuse_idle_options() const {
    if (!out_.other && !options_.link_option.empty()) {
      return usage(options_.link_option +
                   " is of links, --target=TABLE:OTHER, and these samples are none: leave it out");
    }
    if (has_splits_ && !options_.percent_option.empty()) {
      return usage(options_.percent_option + " says nothing beside splits that are given by " +
                   (options_.task.empty() ? "--split" : "--task") + ": leave it out");
    }
    if (!options_.asks_for_split || has_splits_) return {};
    const std::string way_out =
        ": vecc-import sql with the options of the training, and vecc predict GRAPH "
        "--load-weights=MODEL tell them apart";
    if (out_.is_timed) {
      return usage("--split: rows with times are split by all that were there at the training" +
                   way_out + ", as does a column \"split\" of --task");
    }
    if (options_.knows_split) return {};
    return usage("--split: the model does not say how its rows were split" + way_out);
  }

  Result<void> find_times() {
    out_.times.resize(schema_.tables.size());
    for (const std::string& words : options_.times) {
      VECC_TRY(const TableColumn at, find_column(schema_, "--time", words));
      if (out_.times[at.table]) return usage("--time: two columns of one table");
      out_.times[at.table] = at.column;
    }
    out_.is_timed = !options_.times.empty();
    return {};
  }

  Result<void> read_table() {
    VECC_TRY_VOID(find_target_column());
    const Table& table = schema_.tables[out_.table];
    const auto time = out_.times[out_.table];
    if (out_.is_timed && !time) {
      return usage("--time: the target's table has to have one: its rows see what is not later");
    }
    std::vector<std::string> columns;
    if (out_.column) columns.push_back(table.columns[*out_.column].name);
    time_at_ = columns.size();
    if (time) columns.push_back(table.columns[*time].name);
    split_at_ = columns.size();
    if (!options_.split.empty()) {
      VECC_TRY(const TableColumn split,
               find_column(schema_, "--split", table.name + "." + options_.split));
      split_ = split.column;
      out_.split_column = split.column;
      has_splits_ = true;
      columns.push_back(options_.split);
    }
    const std::size_t before_key = columns.size();
    for (const std::uint32_t c : table.primary_key) columns.push_back(table.columns[c].name);
    std::uint32_t row = 0;
    return database_.scan(table.name, columns, [&](SqlRow values) -> Result<void> {
      RowSample sample;
      sample.row = row++;
      sample.id = id_of(table.name, values.subspan(before_key), sample.row);
      if (!is_utf8(sample.id)) {
        const std::uint32_t named = table.primary_key.empty() ? 0 : table.primary_key.front();
        return Errors(ErrorCode::BadTable,
                      place_of(database_, schema_, {out_.table, named}, sample.row + 1),
                      found_expected(sample.id,
                                     "UTF-8 text, which names the sample; --key gives "
                                     "rows of a table another name"));
      }
      return take(values, sample);
    });
  }

  Result<void> find_target_column() {
    const auto target = find_column(schema_, "--target", options_.target);
    if (target) {
      out_.table = target->table;
      out_.column = target->column;
      if (!schema_.is_key(out_.table, *out_.column)) return {};
      return usage("--target: " + quote(options_.target) +
                   " is part of a key, which tells it; links to rows are --target=TABLE:OTHER with "
                   "--task");
    }
    const std::string& words = options_.target;
    for (std::size_t dot = words.find('.'); options_.keeps_unlabeled && dot != std::string::npos;
         dot = words.find('.', dot + 1)) {
      out_.table = schema_.find(std::string_view(words).substr(0, dot));
      if (out_.table != Table::npos) return {};
    }
    if (options_.keeps_unlabeled && options_.task.empty()) {
      return usage("--task is missing: the model was trained for " + quote(options_.target) +
                   ", of rows at times that a task says");
    }
    return target.error();
  }

  Result<void> take(SqlRow values, RowSample& sample) {
    const bool has_target = out_.column && values[0].kind != SqlValue::Kind::Null;
    if (!has_target && !options_.keeps_unlabeled) {
      ++out_.unlabeled;
      return {};
    }
    if (has_target && values[0].kind == SqlValue::Kind::Blob) {
      return Errors(ErrorCode::BadTable,
                    place_of(database_, schema_, {out_.table, *out_.column}, sample.row + 1),
                    "found a BLOB, expected a class or a number");
    }
    if (has_target) {
      sample.value = text_of(values[0]);
      sample.number = number_of(values[0]);
    }
    const auto place = [&](std::uint32_t column) {
      return place_of(database_, schema_, {out_.table, column}, sample.row + 1);
    };
    if (const auto time = out_.times[out_.table]) {
      sample.time = time_of(values[time_at_]);
      if (!sample.time) {
        return Errors(ErrorCode::BadTable, place(*time),
                      found_expected(text_of(values[time_at_]), expected_of(ColumnKind::Time)));
      }
    }
    if (has_splits_) {
      const SqlValue& word = values[split_at_];
      const auto split = parse_split(word.text);
      if (!split) {
        return Errors(ErrorCode::BadTable, place(split_),
                      found_expected(text_of(word), "train, valid or test"));
      }
      sample.split = *split;
    }
    out_.samples.push_back(std::move(sample));
    return {};
  }

  Result<void> read_task() {
    VECC_TRY_VOID(find_task_tables());
    if (!out_.is_timed) {
      return usage(
          "--task: say which tables have times, as --time=orders.date: a sample sees the "
          "rows up to its own");
    }
    const Table& table = schema_.tables[out_.table];
    if (table.primary_key.size() != 1) {
      return usage("--task: table " + escape_terminal(table.name) +
                   " has no key of one column; --key=TABLE.COLUMN declares one");
    }
    VECC_TRY(const RowIndex index,
             RowIndex::build(database_, schema_, out_.table, table.primary_key));
    return is_query(options_.task) ? read_task_query(index) : read_task_file(index);
  }

  Result<void> read_task_file(const RowIndex& index) {
    VECC_TRY(const TextFile file, read_text_file(options_.task, "key,time,target"));
    const Text text = file.text();
    LoadErrors errors;
    CsvReader reader(text, errors);
    if (!reader.next()) return errors.errors();
    VECC_TRY_VOID(find_task_columns(text, reader.fields()));
    const std::size_t width = reader.fields().size();
    while (reader.next()) {
      const Place place{text.name, reader.line()};
      if (reader.fields().size() != width) {
        return Errors(ErrorCode::BadTable, place.text(), "has another number of fields");
      }
      VECC_TRY_VOID(take_task(reader.fields(), index, place));
    }
    if (!errors.empty()) return errors.errors();
    return {};
  }

  // Key, time, target and perhaps split, by place: as part of another query nothing but rows can
  // come of it.
  Result<void> read_task_query(const RowIndex& index) {
    std::string_view query = options_.task;
    while (query.ends_with(';') || query.ends_with(' ') || query.ends_with('\n')) {
      query.remove_suffix(1);
    }
    task_key_ = 0;
    task_time_ = 1;
    std::uint64_t row = 0;
    std::vector<std::string> texts;
    return database_.query(
        "SELECT * FROM (" + std::string(query) + "\n) AS task", [&](SqlRow values) -> Result<void> {
          task_target_ = values.size() > 2 ? 2 : -1;
          task_split_ = values.size() > 3 ? 3 : -1;
          has_splits_ = task_split_ >= 0;
          const bool lacks_target = task_target_ < 0 && !options_.keeps_unlabeled;
          if (values.size() < 2 || values.size() > 4 || lacks_target) {
            return usage("--task: found a query of " + count_of(values.size(), "column") +
                         ", expected key, time, target and perhaps split");
          }
          texts.clear();
          for (const SqlValue& value : values) texts.push_back(text_of(value));
          const std::vector<std::string_view> fields(texts.begin(), texts.end());
          return take_task(fields, index, Place{"--task", ++row, 0, {}, {}, "row"});
        });
  }

  // TABLE or TABLE:OTHER, at the colon that makes both names known.
  Result<void> find_task_tables() {
    const std::string_view words = options_.target;
    out_.table = schema_.find(words);
    for (std::size_t colon = words.find(':');
         out_.table == Table::npos && colon != std::string_view::npos;
         colon = words.find(':', colon + 1)) {
      const std::uint32_t other = schema_.find(words.substr(colon + 1));
      if (other == Table::npos) continue;
      out_.table = schema_.find(words.substr(0, colon));
      out_.other = other;
    }
    if (out_.table != Table::npos) return {};
    if (options_.keeps_unlabeled) {
      return usage("--task: the model was trained for " + quote(options_.target) +
                   " of each row, without a task");
    }
    return usage("--target: found " + quote(options_.target) +
                 ", expected the table whose rows --task names, or TABLE:OTHER for links");
  }

  Result<void> refuse_links_without_key() const {
    const Table& other = schema_.tables[*out_.other];
    if (other.primary_key.size() == 1) return {};
    return usage("--target: table " + escape_terminal(other.name) +
                 " has no key of one column; --key=TABLE.COLUMN declares one");
  }

  Result<void> find_task_columns(const Text& text, const std::vector<std::string_view>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      int* known = names[i] == "time"     ? &task_time_
                   : names[i] == "target" ? &task_target_
                   : names[i] == "split"  ? &task_split_
                                          : &task_key_;
      if (*known >= 0) {
        return Errors(ErrorCode::BadTable, Place{text.name, 1}.text(),
                      found_expected(names[i], "a key, time, target and perhaps split, each once"));
      }
      *known = static_cast<int>(i);
    }
    has_splits_ = task_split_ >= 0;
    const bool has_target = task_target_ >= 0 || options_.keeps_unlabeled;
    if (task_key_ >= 0 && task_time_ >= 0 && has_target) return {};
    return Errors(ErrorCode::BadTable, Place{text.name, 1}.text(),
                  "lacks a column: expected a key, time, target and perhaps split");
  }

  static SqlValue text_value(std::string_view text) {
    SqlValue value;
    if (text.empty()) return value;
    value.kind = SqlValue::Kind::Text;
    value.text = text;
    return value;
  }

  Result<void> take_task(const std::vector<std::string_view>& fields, const RowIndex& index,
                         const Place& place) {
    const SqlValue key = text_value(fields[static_cast<std::size_t>(task_key_)]);
    const SqlValue time = text_value(fields[static_cast<std::size_t>(task_time_)]);
    const SqlValue target =
        task_target_ < 0 ? SqlValue() : text_value(fields[static_cast<std::size_t>(task_target_)]);
    const auto row = index.find(std::span(&key, 1));
    if (!row) {
      return Errors(ErrorCode::DanglingReference, place.text(),
                    found_expected(key.text, "the key of a row of the table of --target"));
    }
    RowSample sample;
    sample.row = *row;
    sample.id = schema_.tables[out_.table].name + ":" + std::string(key.text) + " at " +
                std::string(time.text);
    sample.time = time_of(time);
    if (!sample.time && time.kind == SqlValue::Kind::Text) sample.time = number_of(time);
    if (!sample.time) {
      return Errors(ErrorCode::BadTable, place.text(),
                    found_expected(time.text, expected_of(ColumnKind::Time)));
    }
    if (target.kind == SqlValue::Kind::Null && !options_.keeps_unlabeled) {
      ++out_.unlabeled;
      return {};
    }
    if (target.kind != SqlValue::Kind::Null) {
      sample.value = std::string(target.text);
      sample.number = number_of(target);
    }
    if (has_splits_) {
      const auto split = parse_split(fields[static_cast<std::size_t>(task_split_)]);
      if (!split) {
        return Errors(
            ErrorCode::BadTable, place.text(),
            found_expected(fields[static_cast<std::size_t>(task_split_)], "train, valid or test"));
      }
      sample.split = *split;
    }
    out_.samples.push_back(std::move(sample));
    return {};
  }

  const SourceDatabase& database_;
  const Schema& schema_;
  const SampleOptions& options_;
  SampleTable out_;
  bool has_splits_ = false;
  std::uint32_t split_ = 0;
  std::size_t time_at_ = 0;  // of the columns that are read
  std::size_t split_at_ = 0;
  int task_key_ = -1;
  int task_time_ = -1;
  int task_target_ = -1;
  int task_split_ = -1;
};

}  // namespace

Result<SampleTable> read_samples(const SourceDatabase& database, const Schema& schema,
                                 const SampleOptions& options) {
  VECC_TRY(SampleTable samples, SampleReader(database, schema, options).read());
  if (samples.other) VECC_TRY_VOID(expand_links(database, schema, options, samples));
  return samples;
}

}  // namespace vecc::tools::sql
