#include "tools/import/sql/import_database.h"

#include <fmt/format.h>

#include "src/support/quantity_text.h"
#include "tools/common/command_paths.h"
#include "tools/common/data_sink.h"
#include "tools/ground/ground_files.h"
#include "tools/ground/language/check.h"
#include "tools/ground/language/parse.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/text_file.h"
#include "tools/import/sql/draw_database.h"
#include "tools/import/sql/row_facts.h"
#include "tools/import/sql/trained_columns.h"

namespace vecc::tools::sql {
namespace {

// The kind that --column says of a column. Error Usage.
Result<std::vector<std::vector<std::optional<ColumnKind>>>> read_kinds(
    const Schema& schema, const std::vector<std::string>& words) {
  std::vector<std::vector<std::optional<ColumnKind>>> kinds(schema.tables.size());
  for (std::size_t t = 0; t < kinds.size(); ++t) kinds[t].resize(schema.tables[t].columns.size());
  for (const std::string& word : words) {
    const std::size_t colon = word.rfind(':');
    const auto kind = parse_column_kind(
        colon == std::string::npos ? "" : std::string_view(word).substr(colon + 1));
    if (!kind) {
      return usage("--column: found " + quote(word) +
                   ", expected TABLE.COLUMN:number|boolean|time|category|text|out");
    }
    VECC_TRY(const TableColumn at, find_column(schema, "--column", word.substr(0, colon)));
    kinds[at.table][at.column] = kind;
  }
  return kinds;
}

class DatabaseImport {
 public:
  DatabaseImport(const ImportDatabaseOptions& options, Stages& stages)
      : o_(options), stages_(stages) {}

  Result<void> run() {
    VECC_TRY_VOID(check_paths());
    VECC_TRY(const SourceDatabase database, stages_.run("load", [&](ProgressLine&) {
      return SourceDatabase::open(o_.common.input);
    }));
    VECC_TRY_VOID(read_keys(database));
    VECC_TRY_VOID(stages_.run("columns", [&](ProgressLine&) { return measure(database); }));
    stages_.describe(fmt::format("{}, {}, {}", text_of_count(schema_.tables.size(), "table"),
                                 text_of_count(schema_.foreign_keys.size(), "foreign key"),
                                 text_of_count(samples_.samples.size(), "sample")));
    SqlModelOptions model_options = o_.model;
    model_options.has_ages = samples_.is_timed;
    model_ = make_template(schema_, trained_.codes, trained_.target, model_options);
    VECC_TRY_VOID(check_template());
    if (o_.explains) VECC_TRY_VOID(write_data("", explanation()));
    if (o_.picture != Picture::None) return draw();
    if (o_.prints_template) return write_data("", grounded_.bytes);
    return ground(database);
  }

 private:
  Result<void> check_paths() const {
    if (o_.only_prints()) return {};
    if (o_.common.output.empty()) return usage("-o is missing: the graph to write");
    CommandPaths paths;
    const auto add_input = [&](const std::string& option, const std::string& path) {
      if (!path.empty()) paths.add_input(option + " " + path, path);
    };
    add_input("--task", o_.samples.task);
    add_input("--like", o_.common.like);
    add_input("--template", o_.template_path);
    paths.add_output("-o " + o_.common.output, o_.common.output);
    const std::string problem = paths.find_conflict();
    return problem.empty() ? Result<void>() : usage(problem);
  }

  void note(const std::string& words) const {
    if (!o_.common.quiet) fmt::print(stderr, "{}", words);
  }

  Result<void> read_keys(const SourceDatabase& database) {
    VECC_TRY(schema_, read_schema(database));
    if (!o_.trained.empty()) return apply_trained_keys(o_.trained, o_.trained_place, schema_);
    for (const std::string& words : o_.keys) {
      VECC_TRY_VOID(add_key(schema_, words));
    }
    for (const std::string& words : o_.foreign_keys) {
      VECC_TRY_VOID(add_foreign_key(schema_, words));
    }
    if (o_.infer_keys) {
      VECC_TRY(const std::string report, infer_keys(database, schema_));
      note(report);
    }
    return {};
  }

  // How the rows of an earlier import were read; empty: they are the first.
  Result<std::string> earlier_text() const {
    if (!o_.trained.empty() || o_.common.like.empty()) return o_.trained;
    if (!o_.samples.kinds.empty()) return usage("--column: the graph of --like says the kinds");
    VECC_TRY(std::string text, read_trained_text(o_.common.like, like_place()));
    VECC_TRY(const TrainedOptions options, parse_trained_options(text, like_place()));
    if (options.target == o_.samples.target) return text;
    return usage("--like: the graph was trained for another --target");
  }

  std::string like_place() const { return "--like=" + escape_terminal(o_.common.like, 4096); }

  Result<void> measure(const SourceDatabase& database) {
    VECC_TRY(const std::string earlier, earlier_text());
    VECC_TRY(const auto kinds, read_kinds(schema_, o_.samples.kinds));
    SampleOptions sample_options = o_.samples;
    sample_options.keeps_unlabeled = !earlier.empty();
    VECC_TRY(samples_, read_samples(database, schema_, sample_options));
    if (!earlier.empty()) {
      const std::string place = o_.trained.empty() ? like_place() : o_.trained_place;
      VECC_TRY(trained_, parse_trained_columns(schema_, earlier, place));
      return {};
    }
    const auto kind = samples_.column ? kinds[samples_.table][*samples_.column] : std::nullopt;
    VECC_TRY(trained_.target, find_target(schema_, samples_, kind, o_.samples.max_categories));
    VECC_TRY(trained_.codes,
             measure_columns(database, schema_, samples_, kinds, o_.samples.max_categories));
    return {};
  }

  // What is grounded: the user's template, the earlier one, or what the keys make.
  Result<void> choose_template() {
    const bool is_later = !o_.trained.empty() || !o_.common.like.empty();
    if (is_later && trained_.template_text != model_.text) {
      if (!o_.trained.empty()) {
        return Errors(ErrorCode::BadTable, o_.trained_place,
                      "has a template that this vecc does not make of its keys");
      }
      return usage(
          "--like: the graph has another template: give the same --hops, --dim, --aggregation and "
          "keys (--print-template shows it)");
    }
    trained_.template_text = model_.text;
    if (o_.template_path.empty()) {
      grounded_ = {"template",
                   trained_.user_template.empty() ? model_.text : trained_.user_template};
      return {};
    }
    VECC_TRY(grounded_, read_text_file(o_.template_path, "a template"));
    trained_.user_template = grounded_.bytes;
    return {};
  }

  Result<void> check_template() {
    VECC_TRY_VOID(choose_template());
    std::string left_out;
    for (const ColumnCode& code : trained_.codes) {
      if (code.kind != ColumnKind::Out || !model_.tables[code.at.table].is_reached) continue;
      const Table& table = schema_.tables[code.at.table];
      left_out += fmt::format("note: column {}.{} left out: {}\n", escape_terminal(table.name),
                              escape_terminal(table.columns[code.at.column].name),
                              escape_terminal(code.why));
    }
    for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
      if (model_.tables[t].is_reached) continue;
      left_out +=
          fmt::format("note: table {} left out: no key leads to it within {}\n",
                      escape_terminal(schema_.tables[t].name), count_of(o_.model.hops, "hop"));
    }
    if (samples_.unlabeled > 0) {
      left_out += fmt::format("note: {} left out: no target\n",
                              text_of_count(samples_.unlabeled, "sample"));
    }
    note(left_out);
    return {};
  }

  std::string explanation() const {
    std::string out = schema_.text();
    for (const ColumnCode& code : trained_.codes) {
      const Table& table = schema_.tables[code.at.table];
      out += fmt::format("column {}.{}: {}", escape_terminal(table.name),
                         escape_terminal(table.columns[code.at.column].name), name_of(code.kind));
      if (code.kind == ColumnKind::Number) {
        out += fmt::format(", mean {:.6g}, deviation {:.6g}", code.mean, code.deviation);
      }
      if (code.kind == ColumnKind::Category) {
        out += ", " + count_of(code.values.size(), "value");
      }
      out += "\n";
    }
    return out + grounded_.bytes;
  }

  Result<void> draw() const {
    if (o_.picture == Picture::Schema) {
      return write_data("", draw_schema(schema_, trained_, model_, samples_));
    }
    VECC_TRY(const language::Template parsed, language::parse_template(grounded_.text()));
    return write_data("", draw_template(parsed));
  }

  Result<void> ground(const SourceDatabase& database) {
    VECC_TRY(const language::Template parsed, language::parse_template(grounded_.text()));
    VECC_TRY(const language::Notes notes, language::check_template(parsed));
    for (const std::string& words : notes) note(words + "\n");
    ground::GroundOptions options;
    options.output = o_.common.output;
    options.init = o_.common.init;
    options.seed = o_.common.seed;
    options.quiet = o_.common.quiet;
    options.names_output = !o_.is_temporary;
    options.limits = o_.common.limits;
    options.explain = o_.explains;
    options.engine = o_.engine;
    options.compression = o_.common.compression;
    options.producer = "vecc-import, sql";
    VECC_TRY(ground::RuleProgram program, ground::resolve_template(parsed, options.defaults));
    VECC_TRY(RowFacts facts, stages_.run("rows", [&](ProgressLine&) {
      return make_row_facts({database, schema_, trained_.codes, model_, trained_.target, samples_,
                             o_.model.hops, o_.common.limits.max_neurons, !o_.trained.empty()},
                            program);
    }));
    stages_.describe(fmt::format("{}, {}", text_of_count(facts.rows, "row"),
                                 text_of_count(facts.base.facts_read, "fact")));
    for (std::size_t k = 0; k < facts.missing_parents.size(); ++k) {
      if (facts.missing_parents[k] == 0) continue;
      note(fmt::format("note: {} of {} name a row that is not there: read as NULL\n",
                       count_of(facts.missing_parents[k], "row"),
                       schema_.text_of(schema_.foreign_keys[k])));
    }
    if (facts.unknown_targets > 0) {
      note(fmt::format("note: the targets of {} are none of the training's, as {}: not read\n",
                       count_of(facts.unknown_targets, "row"), quote(facts.unknown_target)));
    }
    return ground::ground_facts(
        options, parsed, program, facts.base, facts.data, stages_, [&](Grounder& out) {
          const SampleOptions& of = o_.samples;
          const TrainedOptions kept{
              of.target, of.times, o_.model, {true, of.seed, of.valid, of.test, of.split}};
          add_trained_columns(schema_, trained_, kept, model_, out);
        });
  }

  const ImportDatabaseOptions& o_;
  Stages& stages_;
  Schema schema_;
  SampleTable samples_;
  TrainedColumns trained_;
  SqlTemplate model_;
  TextFile grounded_;  // the template
};

}  // namespace

Result<void> set_trained(ImportDatabaseOptions& options, std::string text, std::string place) {
  VECC_TRY(const TrainedOptions kept, parse_trained_options(text, place));
  options.samples.target = kept.target;
  options.samples.times = kept.times;
  options.samples.knows_split = kept.split.is_known;
  options.samples.seed = kept.split.seed;
  if (kept.split.is_known && options.samples.asks_for_split) {
    options.samples.valid = kept.split.valid;
    options.samples.test = kept.split.test;
    options.samples.split = kept.split.column;
  }
  options.model = kept.model;
  options.trained = std::move(text);
  options.trained_place = std::move(place);
  return {};
}

Result<void> import_database(const ImportDatabaseOptions& options, Stages& stages) {
  return DatabaseImport(options, stages).run();
}

}  // namespace vecc::tools::sql
