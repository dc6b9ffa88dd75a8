#include "tools/import/sql/draw_database.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tools/common/flowchart.h"
#include "tools/import/load/load_errors.h"

namespace vecc::tools::sql {
namespace {

constexpr std::size_t kMostColumns = 24;  // of a table; the rest is counted

bool is_in(const std::vector<std::uint32_t>& columns, std::uint32_t column) {
  return std::ranges::find(columns, column) != columns.end();
}

class SchemaPicture {
 public:
  SchemaPicture(const Schema& schema, const TrainedColumns& trained, const SqlTemplate& model,
                const SampleTable& samples)
      : schema_(schema), trained_(trained), model_(model), samples_(samples) {}

  std::string draw() {
    Flowchart chart;
    for (std::uint32_t t = 0; t < schema_.tables.size(); ++t) chart.add_node(lines_of(t));
    for (const ForeignKey& key : schema_.foreign_keys) {
      std::string names;
      for (const std::uint32_t c : key.columns) {
        names += (names.empty() ? "" : ", ") + schema_.tables[key.table].columns[c].name;
      }
      chart.add_edge(key.table, key.parent, names);
    }
    return chart.text();
  }

 private:
  std::vector<std::string> lines_of(std::uint32_t t) const {
    const Table& table = schema_.tables[t];
    std::vector<std::string> lines{table.name};
    if (!model_.tables[t].is_reached) return {table.name, "(left out: no key leads to it)"};
    const std::size_t shown = std::min(kMostColumns, table.columns.size());
    for (std::uint32_t c = 0; c < shown; ++c) {
      lines.push_back(table.columns[c].name + ": " + words_of({t, c}));
    }
    if (shown < table.columns.size()) {
      lines.push_back("and " + count_of(table.columns.size() - shown, "column") + " more");
    }
    return lines;
  }

  std::string words_of(TableColumn at) const {
    if (samples_.column && samples_.table == at.table && *samples_.column == at.column) {
      return trained_.target.is_class
                 ? "the target, " + std::to_string(trained_.target.classes.size()) + " classes"
                 : "the target, a number";
    }
    std::string words = key_words(at);
    if (samples_.table == at.table && samples_.split_column == at.column) words = "the split";
    const auto code = std::ranges::find_if(trained_.codes, [&](const ColumnCode& each) {
      return each.at.table == at.table && each.at.column == at.column;
    });
    const bool is_feature = code != trained_.codes.end() && code->kind != ColumnKind::Out;
    if (is_feature || words.empty()) {
      words += words.empty() ? "" : ", ";
      words += is_feature ? std::string(name_of(code->kind)) : "left out";
      if (is_feature && code->kind == ColumnKind::Category) {
        words += " of " + count_of(code->values.size(), "value");
      }
    }
    if (samples_.times[at.table] == at.column) words += ", when the row came";
    return words;
  }

  std::string key_words(TableColumn at) const {
    if (is_in(schema_.tables[at.table].primary_key, at.column)) return "key";
    for (const ForeignKey& key : schema_.foreign_keys) {
      if (key.table == at.table && is_in(key.columns, at.column)) {
        return "key of " + schema_.tables[key.parent].name;
      }
    }
    return {};
  }

  const Schema& schema_;
  const TrainedColumns& trained_;
  const SqlTemplate& model_;
  const SampleTable& samples_;
};

using PredicateName = std::pair<std::string, std::uint32_t>;

PredicateName name_of(const language::Predicate& predicate) {
  return {predicate.name, predicate.arity};
}

class TemplatePicture {
 public:
  explicit TemplatePicture(const language::Template& rules) : rules_(rules) {
    for (const language::Rule& rule : rules.rules) heads_.insert(name_of(rule.head.predicate));
    for (const language::PredicateMetadata& each : rules.predicates) {
      for (const language::MetadataEntry& entry : each.metadata) {
        if (entry.key.text != "transformation") continue;
        functions_[name_of(each.predicate)] = entry.word.whole();
      }
    }
  }

  std::string draw() {
    for (const language::Rule& rule : rules_.rules) draw_rule(rule);
    return chart_.text();
  }

 private:
  void draw_rule(const language::Rule& rule) {
    std::string label;
    const auto add_word = [&label](const std::string& word) {
      label += (label.empty() ? "" : ", ") + word;
    };
    for (const language::Atom& literal : rule.body) {
      const language::Predicate& predicate = literal.predicate;
      const bool denies = literal.negation == language::Negation::Hard;
      if (predicate.hidden || predicate.special || denies) {
        add_word((denies ? "no " : "") + predicate.name);
      }
    }
    for (const language::MetadataEntry& entry : rule.metadata) {
      if (entry.key.text == "aggregation") add_word(entry.word.whole());
    }
    for (const language::Atom& literal : rule.body) {
      const language::Predicate& predicate = literal.predicate;
      const bool denies = literal.negation == language::Negation::Hard;
      if (predicate.hidden || predicate.special || denies) continue;
      const Flowchart::Node from = node_of(predicate);
      chart_.add_edge(from, node_of(rule.head.predicate), label);
    }
  }

  Flowchart::Node node_of(const language::Predicate& predicate) {
    const PredicateName name = name_of(predicate);
    const auto known = nodes_.find(name);
    if (known != nodes_.end()) return known->second;
    std::vector<std::string> lines{predicate.name};
    const auto function = functions_.find(name);
    if (function != functions_.end()) lines.push_back(function->second);
    const Flowchart::Node node = chart_.add_node(
        lines, heads_.contains(name) ? Flowchart::Shape::Box : Flowchart::Shape::Round);
    nodes_.emplace(name, node);
    return node;
  }

  const language::Template& rules_;
  std::set<PredicateName> heads_;
  std::map<PredicateName, std::string> functions_;
  std::map<PredicateName, Flowchart::Node> nodes_;
  Flowchart chart_;
};

}  // namespace

std::string draw_schema(const Schema& schema, const TrainedColumns& trained,
                        const SqlTemplate& model, const SampleTable& samples) {
  return SchemaPicture(schema, trained, model, samples).draw();
}

std::string draw_template(const language::Template& rules) {
  return TemplatePicture(rules).draw();
}

}  // namespace vecc::tools::sql
