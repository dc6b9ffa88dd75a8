#include "tools/import/sql/trained_columns.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tools/import/load/load_errors.h"
#include "tools/import/models/data_vocabularies.h"
#include "vecc/graph_io.h"

namespace vecc::tools::sql {

using Json = nlohmann::json;

namespace {

constexpr int kFormat = 1;

// The names of NULL and unknown have brackets; a value that begins with one gets another.
std::string name_of_value(const std::string& value) {
  return value.starts_with('(') ? "(" + value : value;
}

Json names_of(const Table& table, const std::vector<std::uint32_t>& columns) {
  Json names = Json::array();
  for (const std::uint32_t c : columns) names.push_back(table.columns[c].name);
  return names;
}

// Of the tables that the template reaches: another database need not have the rest.
Json keys_json(const Schema& schema, const SqlTemplate& model) {
  Json keys = Json::array();
  for (std::size_t t = 0; t < schema.tables.size(); ++t) {
    const Table& table = schema.tables[t];
    if (!model.tables[t].is_reached || table.primary_key.empty()) continue;
    keys.push_back({{"table", table.name}, {"columns", names_of(table, table.primary_key)}});
  }
  return keys;
}

Json foreign_keys_json(const Schema& schema, const SqlTemplate& model) {
  Json keys = Json::array();
  for (std::size_t k = 0; k < schema.foreign_keys.size(); ++k) {
    if (model.links[k].empty()) continue;
    const ForeignKey& key = schema.foreign_keys[k];
    keys.push_back({{"table", schema.tables[key.table].name},
                    {"columns", names_of(schema.tables[key.table], key.columns)},
                    {"parent", schema.tables[key.parent].name},
                    {"parent_columns", names_of(schema.tables[key.parent], key.parent_columns)}});
  }
  return keys;
}

std::string text_of(const Schema& schema, const TrainedColumns& trained,
                    const TrainedOptions& options, const SqlTemplate& model) {
  const Json json{
      {"format", kFormat},
      {"target", options.target},
      {"table", schema.tables[trained.target.table].name},
      {"column", trained.target.column
                     ? schema.tables[trained.target.table].columns[*trained.target.column].name
                     : ""},
      {"other", trained.target.other ? schema.tables[*trained.target.other].name : ""},
      {"classes", trained.target.classes},
      {"mean", trained.target.mean},
      {"deviation", trained.target.deviation},
      {"times", options.times},
      {"split",
       {{"seed", options.split.seed},
        {"valid", options.split.valid},
        {"test", options.split.test},
        {"column", options.split.column}}},
      {"hops", options.model.hops},
      {"dim", options.model.dim},
      {"aggregation", options.model.aggregation},
      {"keys", keys_json(schema, model)},
      {"foreign_keys", foreign_keys_json(schema, model)},
      {"columns", columns_json(schema, trained.codes)},
      {"template", trained.template_text},
      {"user_template", trained.user_template}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::uint32_t whole_number(const Json& json, std::int64_t least, std::int64_t most) {
  if (!json.is_number_integer()) throw std::invalid_argument("no whole number");
  const auto number = json.get<std::int64_t>();
  if (number < least || number > most) throw std::invalid_argument("out of range");
  return static_cast<std::uint32_t>(number);
}

TrainedSplit split_of(const Json& json) {
  TrainedSplit split;
  if (!json.contains("split")) return split;
  const Json& from = json.at("split");
  if (!from.at("seed").is_number_integer()) throw std::invalid_argument("seed");
  split.is_known = true;
  split.seed = from.at("seed").get<std::int64_t>();
  split.valid = whole_number(from.at("valid"), 0, 49);
  split.test = whole_number(from.at("test"), 0, 49);
  split.column = from.at("column").get<std::string>();
  return split;
}

Errors foreign_text(const std::string& place) {
  return {ErrorCode::BadTable, place, "has no description of a database that vecc wrote"};
}

// Calls `take(json)`: what it throws is a text of another program.
template <class Take>
auto with_json(const std::string& text, const std::string& place, Take&& take)
    -> decltype(take(Json())) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format").get<int>() != kFormat) {
      return Errors(ErrorCode::UnknownSchema, place,
                    found_expected("format " + json.at("format").dump(),
                                   "format " + std::to_string(kFormat) + ": made by another vecc"));
    }
    return take(json);
  } catch (const std::exception&) {
    return foreign_text(place);
  }
}

Result<std::uint32_t> find_table(const Schema& schema, const std::string& name,
                                 const std::string& place) {
  const std::uint32_t table = schema.find(name);
  if (table != Table::npos) return table;
  return Errors(ErrorCode::DanglingReference, place,
                "was trained with table " + quote(name) + ", which the database lacks");
}

Result<std::vector<std::uint32_t>> find_columns(const Table& table, const Json& names,
                                                const std::string& place) {
  std::vector<std::uint32_t> columns;
  for (const Json& name : names) {
    columns.push_back(table.find(name.get<std::string>()));
    if (columns.back() != Table::npos) continue;
    return Errors(ErrorCode::DanglingReference, place,
                  "was trained with column " + quote(table.name + "." + name.get<std::string>()) +
                      ", which the database lacks");
  }
  if (columns.empty()) throw std::invalid_argument("a key without columns");
  return columns;
}

Result<void> apply_keys(const Json& json, const std::string& place, Schema& schema) {
  for (Table& table : schema.tables) table.primary_key.clear();
  for (const Json& entry : json.at("keys")) {
    VECC_TRY(const std::uint32_t t, find_table(schema, entry.at("table"), place));
    VECC_TRY(schema.tables[t].primary_key,
             find_columns(schema.tables[t], entry.at("columns"), place));
  }
  schema.foreign_keys.clear();
  for (const Json& entry : json.at("foreign_keys")) {
    ForeignKey key;
    VECC_TRY(key.table, find_table(schema, entry.at("table"), place));
    VECC_TRY(key.parent, find_table(schema, entry.at("parent"), place));
    VECC_TRY(key.columns, find_columns(schema.tables[key.table], entry.at("columns"), place));
    VECC_TRY(key.parent_columns,
             find_columns(schema.tables[key.parent], entry.at("parent_columns"), place));
    if (key.columns.size() != key.parent_columns.size()) throw std::invalid_argument("sides");
    schema.foreign_keys.push_back(std::move(key));
  }
  return {};
}

}  // namespace

void add_trained_columns(const Schema& schema, const TrainedColumns& trained,
                         const TrainedOptions& options, const SqlTemplate& model, Grounder& out) {
  StringColumn text;
  text.push_back(text_of(schema, trained, options, model));
  out.vocabulary(kTrainedDatabase, std::move(text));
  for (const TablePredicates& table : model.tables) {
    for (const CategoryPredicates& category : table.categories) {
      StringColumn names;
      for (const std::string& value : trained.codes[category.code].values) {
        names.push_back(name_of_value(value));
      }
      names.push_back("(NULL)");
      names.push_back("(unknown)");
      out.vocabulary(category.value, std::move(names));
      // A template of the user's may use the values by other weights.
      if (!trained.user_template.empty()) continue;
      out.number_weights(category.value, category.weight, VocabularyUse::Axis::ValueColumn);
    }
  }
  if (!trained.target.is_class) return;
  StringColumn classes;
  for (const std::string& name : trained.target.classes) classes.push_back(name);
  out.vocabulary(vocabulary::kClass, std::move(classes));
  out.number_outputs(vocabulary::kClass);
}

Result<std::string> read_trained_text(const std::string& path, const std::string& place) {
  VECC_TRY(const NeuronGraph graph, read_graph(path));
  for (const Vocabulary& vocabulary : graph.vocabularies) {
    if (vocabulary.name != kTrainedDatabase || vocabulary.names.size() != 1) continue;
    return std::string(vocabulary.names[0]);
  }
  return Errors(ErrorCode::MissingValues, place, "is no graph that vecc-import sql wrote");
}

Result<TrainedOptions> parse_trained_options(const std::string& text, const std::string& place) {
  return with_json(text, place, [](const Json& json) -> Result<TrainedOptions> {
    TrainedOptions options;
    options.target = json.at("target");
    options.times = json.at("times").get<std::vector<std::string>>();
    options.split = split_of(json);
    options.model.hops = whole_number(json.at("hops"), 0, kMaxHops);
    options.model.dim = whole_number(json.at("dim"), 1, kMaxDim);
    options.model.aggregation = json.at("aggregation");
    if (std::ranges::find(kAggregations, options.model.aggregation) == kAggregations.end()) {
      throw std::invalid_argument("aggregation");
    }
    return options;
  });
}

Result<void> apply_trained_keys(const std::string& text, const std::string& place, Schema& schema) {
  return with_json(text, place, [&](const Json& json) { return apply_keys(json, place, schema); });
}

Result<TrainedColumns> parse_trained_columns(const Schema& schema, const std::string& text,
                                             const std::string& place) {
  return with_json(text, place, [&](const Json& json) -> Result<TrainedColumns> {
    TrainedColumns trained;
    VECC_TRY(trained.codes, parse_columns(schema, json.at("columns"), place));
    VECC_TRY(trained.target.table, find_table(schema, json.at("table"), place));
    const std::uint32_t column =
        schema.tables[trained.target.table].find(json.at("column").get<std::string>());
    if (column != Table::npos) trained.target.column = column;
    if (const std::string other = json.at("other"); !other.empty()) {
      VECC_TRY(trained.target.other, find_table(schema, other, place));
    }
    trained.target.classes = json.at("classes").get<std::vector<std::string>>();
    trained.target.is_class = !trained.target.classes.empty();
    trained.target.mean = json.at("mean");
    trained.target.deviation = json.at("deviation");
    if (!std::isfinite(trained.target.mean) || !(trained.target.deviation > 0) ||
        !std::isfinite(trained.target.deviation) || trained.target.classes.size() == 1 ||
        trained.target.classes.size() > kMaxCategories) {
      throw std::invalid_argument("target");
    }
    trained.template_text = json.at("template");
    trained.user_template = json.at("user_template");
    return trained;
  });
}

}  // namespace vecc::tools::sql
