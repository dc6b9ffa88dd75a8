#include "tools/import/sql/sql_options.h"

#include <CLI/CLI.hpp>

#include "tools/common/number_options.h"
#include "tools/ground/engine_option.h"

namespace vecc::tools::sql {
namespace {

// That an option was given, whatever its value.
auto note(std::string& given, const char* name) {
  return [&given, name](const std::string&) { given = name; };
}

void add_schema_options(CLI::App& command, ImportDatabaseOptions& o) {
  const auto add_words = [&](const char* name, std::vector<std::string>& words, const char* type,
                             const char* text) {
    command.add_option(name, words, text)->type_name(type)->allow_extra_args(false);
  };
  add_words("--key", o.keys, "T.C[,T.C]", "Names the rows of a table; may be repeated");
  add_words("--foreign-key", o.foreign_keys, "T.C:PARENT.C",
            "Rows that belong together, beside what the database declares; may be repeated");
  command.add_flag("--infer-keys", o.infer_keys,
                   "Foreign keys by the names of columns, where all values fit; prints a report");
  add_words("--column", o.samples.kinds, "T.C:KIND",
            "number, boolean, time, category, text or out, instead of what its values say");
  add_words("--time", o.samples.times, "T.C",
            "When the rows of a table came: a sample sees none that is later; may be repeated");
  command
      .add_option("--task", o.samples.task,
                  "Samples, a CSV file or a query (SELECT ...): a key of the target's table, time, "
                  "target and perhaps split; a "
                  "target of links is a list of keys, a|b")
      ->type_name("FILE|QUERY");
  add_whole(command, "--negatives", o.samples.negatives, {1, 1'000'000},
            "Other rows that a link sample to train on is compared with")
      ->each(note(o.samples.link_option, "--negatives"));
  add_whole(command, "--candidates", o.samples.candidates, {0, 1'000'000},
            "The same of one to validate or test with; 0: all")
      ->each(note(o.samples.link_option, "--candidates"));
  add_whole(command, "--max-categories", o.samples.max_categories, {2, kMaxCategories},
            "Texts of more values are no category");
}

void add_split_options(CLI::App& command, SampleOptions& o) {
  command
      .add_option("--split", o.split,
                  "A column of the target's table that says train, valid or test")
      ->type_name("COLUMN");
  add_whole(command, "--valid", o.valid, {0, 49}, "Percent of the samples, without --split")
      ->each(note(o.percent_option, "--valid"));
  add_whole(command, "--test", o.test, {0, 49}, "Percent of the samples, without --split")
      ->each(note(o.percent_option, "--test"));
}

void add_template_options(CLI::App& command, ImportDatabaseOptions& o) {
  add_whole(command, "--hops", o.model.hops, {0, kMaxHops},
            "Foreign keys between a row and what it sees");
  add_whole(command, "--dim", o.model.dim, {1, kMaxDim}, "Dimension of rows");
  command.add_option("--aggregation", o.model.aggregation, "Of the rows that name a row")
      ->check(CLI::IsMember(std::vector<std::string>(kAggregations.begin(), kAggregations.end()))
                  .description(""))
      ->type_name("avg|sum|max|min")
      ->capture_default_str();
  command
      .add_option("--template", o.template_path,
                  "A template to ground instead of what the keys make, such as one of "
                  "--print-template that was edited")
      ->type_name("FILE");
  CLI::Option* const template_flag =
      command.add_flag("--print-template", o.prints_template,
                       "Print the template that would be grounded, and nothing else");
  CLI::Option* const explain = command.add_flag(
      "--explain", o.explains, "Print schema, columns, template, and each rule's SQL");
  command
      .add_option_function<std::string>(
          "--draw",
          [&o](const std::string& word) {
            o.picture = word == "schema" ? Picture::Schema : Picture::Template;
          },
          "Print a picture of tables and keys, or of the template's rules, and nothing else: text "
          "that Markdown shows as a diagram (Mermaid)")
      ->check(CLI::IsMember({"schema", "template"}).description(""))
      ->type_name("schema|template")
      ->excludes(template_flag)
      ->excludes(explain);
  ground::add_engine(command, o.engine);
}

}  // namespace

void add_database_options(CLI::App& command, ImportDatabaseOptions& options) {
  command
      .add_option("database", options.common.input,
                  "An SQLite file, a folder of CSV files with a line of names or of Parquet files, "
                  "or postgresql://...")
      ->required()
      ->type_name("FILE|DIR|URL");
  command
      .add_option("--target", options.samples.target,
                  "What to predict of each row of a table; with --task the table alone, or "
                  "TABLE:OTHER for links to rows of another table")
      ->required()
      ->type_name("TABLE.COLUMN");
  add_schema_options(command, options);
  add_split_options(command, options.samples);
  add_template_options(command, options);
}

}  // namespace vecc::tools::sql
