#include "tools/import/sql/trained_columns.h"

#include <nlohmann/json.hpp>

#include "tools/import/load/load_errors.h"
#include "tools/import/models/data_vocabularies.h"
#include "vecc/graph_io.h"

namespace vecc::tools::sql {
namespace {

constexpr std::string_view kColumns = "sql columns";
constexpr std::string_view kTarget = "sql target";
constexpr std::string_view kTemplate = "sql template";

void add_text(std::string_view name, const std::string& text, Grounder& out) {
  StringColumn names;
  names.push_back(text);
  out.vocabulary(name, std::move(names));
}

std::string target_text(const Schema& schema, const SqlTarget& target) {
  const Table& table = schema.tables[target.table];
  const nlohmann::json json{{"table", table.name},
                            {"column", target.column ? table.columns[*target.column].name : ""},
                            {"classes", target.classes},
                            {"mean", target.mean},
                            {"deviation", target.deviation}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The names of NULL and unknown have brackets; a value that begins with one gets another.
std::string name_of_value(const std::string& value) {
  return value.starts_with('(') ? "(" + value : value;
}

}  // namespace

void add_trained_columns(const Schema& schema, const TrainedColumns& trained,
                         const SqlTemplate& model, Grounder& out) {
  add_text(kColumns, columns_text(schema, trained.codes), out);
  add_text(kTarget, target_text(schema, trained.target), out);
  add_text(kTemplate, trained.template_text, out);
  for (const TablePredicates& table : model.tables) {
    for (const CategoryPredicates& category : table.categories) {
      StringColumn names;
      for (const std::string& value : trained.codes[category.code].values) {
        names.push_back(name_of_value(value));
      }
      names.push_back("(NULL)");
      names.push_back("(unknown)");
      out.vocabulary(category.value, std::move(names));
      out.number_weights(category.value, category.weight, VocabularyUse::Axis::ValueColumn);
    }
  }
  if (!trained.target.is_class) return;
  StringColumn classes;
  for (const std::string& name : trained.target.classes) classes.push_back(name);
  out.vocabulary(vocabulary::kClass, std::move(classes));
  out.number_outputs(vocabulary::kClass);
}

Result<TrainedColumns> read_trained_columns(const Schema& schema, const std::string& path) {
  VECC_TRY(const NeuronGraph graph, read_graph(path));
  const std::string place = "--like=" + escape_terminal(path, 4096);
  const auto find = [&](std::string_view name) -> std::string {
    for (const Vocabulary& vocabulary : graph.vocabularies) {
      if (vocabulary.name == name) return std::string(vocabulary.names[0]);
    }
    return {};
  };
  TrainedColumns trained;
  if (find(kColumns).empty() || find(kTarget).empty()) {
    return Errors(ErrorCode::MissingValues, place, "is no graph that vecc-import sql wrote");
  }
  VECC_TRY(trained.codes, parse_columns(schema, find(kColumns), place));
  trained.template_text = find(kTemplate);
  try {
    const auto json = nlohmann::json::parse(find(kTarget));
    const std::string table = json.at("table");
    trained.target.table = schema.find(table);
    if (trained.target.table == Table::npos) {
      return Errors(ErrorCode::DanglingReference, place,
                    "was trained for table " + quote(table) + ", which the database lacks");
    }
    const std::string column = json.at("column");
    if (!column.empty()) trained.target.column = schema.tables[trained.target.table].find(column);
    trained.target.classes = json.at("classes").get<std::vector<std::string>>();
    trained.target.is_class = !trained.target.classes.empty();
    trained.target.mean = json.at("mean");
    trained.target.deviation = json.at("deviation");
  } catch (const std::exception&) {
    return Errors(ErrorCode::BadTable, place, "has a target that vecc-import sql did not write");
  }
  return trained;
}

}  // namespace vecc::tools::sql
