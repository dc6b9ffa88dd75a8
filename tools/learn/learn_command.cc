#include "tools/learn/learn_command.h"

#include <CLI/CLI.hpp>
#include <string>

#include "src/support/enum_names.h"
#include "tools/common/command_paths.h"
#include "tools/common/logging.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/import/sql/sql_options.h"
#include "tools/learn/learn.h"
#include "tools/vecc/commands.h"
#include "tools/vecc/learn_program.h"

namespace vecc::tools {
namespace {

constexpr std::uint64_t kLearnEpochs = 200;

constexpr const char* kLearnFooter = R"(
Examples:
  vecc learn shop.db --target=customers.churn
                                          metrics of train, validation and test samples, the model
                                          in model.vecc, its curves in model.html
  vecc predict model.vecc new.db          what the rows of another database are predicted as
  vecc learn shop.db --target=customers.churn --print-template
                                          the rules that the keys make: to edit, and to give back
  vecc learn shop.db --target=customers.churn --template=edited.txt -o edited.vecc

Metrics go to stdout, a line each. docs/databases.md. Exit codes: those of vecc.)";

struct LearnCommandLine {
  CLI::App app{kLearnDescription, "vecc learn"};
  LearnOptions options;
  std::string device = "auto";
  std::string page;
  bool has_no_page = false;

  LearnCommandLine() {
    app.footer(kLearnFooter);
    sql::add_database_options(app, options.database);
    app.add_option("-o,--output", options.model, "Where to write the model")
        ->type_name("FILE")
        ->capture_default_str();
    app.add_option("--page", page, "Where to write the page; default: beside the model, as .html")
        ->type_name("FILE");
    app.add_flag("--no-page", has_no_page, "No page");
    app.add_flag("--json", options.run.json, "Metrics, times and sizes as one JSON object");
    app.add_option("--init", options.database.common.init, "Initial values of the weights")
        ->check(CLI::IsMember(names_of<Initializer>()).description(""))
        ->type_name(names_text<Initializer>("|"))
        ->capture_default_str();
    add_seed(app, "--seed", options.database.common.seed,
             "Of splits, initial weights and the order of batches");
    options.run.training.loop.epochs = kLearnEpochs;
    add_learn_options(app, options.run, device);
  }
  LearnCommandLine(const LearnCommandLine&) = delete;  // its options are referred to
  LearnCommandLine& operator=(const LearnCommandLine&) = delete;

  /// What does not fit together; empty if all is well.
  std::string finish() {
    const std::int64_t seed = options.database.common.seed;
    options.database.samples.seed = seed;
    options.run.training.options.seed = static_cast<std::uint64_t>(seed);
    options.database.common.quiet = options.run.quiet;
    if (has_no_page && !page.empty()) return "--no-page and --page exclude each other";
    if (!has_no_page) options.page = page.empty() ? page_of_model() : page;
    std::string problem = check_learn_options(app, options.run, device);
    return problem.empty() ? paths().find_conflict() : problem;
  }

 private:
  [[nodiscard]] std::string page_of_model() const {
    const std::string& model = options.model;
    const std::size_t dot = model.rfind('.');
    const std::size_t slash = model.rfind('/');
    const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
    return (has_ending ? model.substr(0, dot) : model) + ".html";
  }

  [[nodiscard]] CommandPaths paths() const {
    CommandPaths paths;
    paths.add_input("the database " + options.database.common.input, options.database.common.input);
    paths.add_input("--task=" + options.database.samples.task, options.database.samples.task);
    paths.add_input("--template=" + options.database.template_path, options.database.template_path);
    paths.add_output("-o " + options.model, options.model);
    paths.add_output("--page=" + options.page, options.page);
    add_train_paths(paths, options.run.training);
    paths.add_stdout();
    return paths;
  }
};

}  // namespace

int learn_main(int argc, char** argv) {
  LearnCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = line.finish();
  if (!problem.empty()) return report_usage("vecc learn", problem);
  set_up_logging(line.options.run.quiet ? "off" : line.options.run.log_level);
  const Result<void> result = learn(line.options);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> learn_command_line() {
  return app_of(std::make_shared<LearnCommandLine>());
}

}  // namespace vecc::tools
