#include "options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "execute_batches.h"
#include "place_checks.h"
#include "src/support/enum_names.h"
#include "tools/common/command_paths.h"
#include "tools/common/idle_seed.h"
#include "tools/common/logging.h"
#include "tools/common/memory_statement.h"
#include "tools/common/number_options.h"
#include "tools/common/place_options.h"
#include "tools/common/precision_option.h"
#include "tools/common/run_tool.h"
#include "tools/common/standard_streams.h"
#include "tools/train_log/train_log.h"
#include "weights_commands.h"

namespace vecc::tools {
namespace {

constexpr std::uint32_t kDefaultLevel = 2;
constexpr const char* kFooter = R"(
Examples:
  vecc graph.pb                           outputs by sample: id, value, target
  vecc graph.pb --json -o outputs.json    the same, with times and sizes, as JSON
  vecc graph.pb --backend=torch --device=cuda --repeat=100
                                          the median, least and p90 time of a forward pass
  vecc graph.pb --backend=cuda --matmul-precision=tf32
                                          wide products on a GPU's tensor cores
  vecc graph.pb --emit=ir                 the tensor program as text
  vecc graph.pb --emit=plan               the kernels that it is compiled to, as text
  vecc graph.pb --emit=plan --target=a100 the same of a GPU that need not be here
  vecc graph.pb --emit=dot | dot -Tsvg    its picture
  vecc graph.pb --emit=stats --json       its sizes
  vecc graph.pb --emit=python -o module   a PyTorch module: module/model.py and its weights
  vecc graph.pb --emit=cpp -o program     its forward pass in C++, to build without vecc
  vecc graph.pb --emit=cuda -o program    the same in CUDA
  vecc graph.pb --time-passes --check     what each pass of the optimizer does, and a proof of it
  vecc graph.pb --init=glorot             weights that the file leaves open get initial values
  vecc graph.pb --backend=reference --gradients=gradients.tsv
                                          derivatives of the outputs by the weights
  vecc graph.pb --save-weights=w.safetensors
                                          its weights in a file
  vecc test.pb --load-weights=w.safetensors
                                          outputs with them of another graph of the template
  vecc graph.pb --train --save-program=model.vecc
                                          the program, for other graphs of the template
  vecc run model.vecc new.pb              their outputs; nothing is compiled
  vecc graph.pb --bind-facts=atom --load-facts=f.safetensors
                                          other values of facts that the program takes as inputs
  vecc graph.pb --train --epochs=200 --lr=0.01 --validate=0.2 --save-weights=w.safetensors
                                          learns the weights
  vecc graph.pb --train --folds=5         cross-validation
  vecc graph.pb --train --emit=html -o page.html
                                          a page with its loss curve and layer graph
  vecc evaluate --help                    loss and metrics of samples with learned weights
  vecc predict --help                     classes and probabilities of samples without labels
  vecc weights --help                     show, diff and convert weight files
  vecc devices                            GPUs, and what each backend lacks

Outputs go to stdout: aligned with a header on a terminal, else separated by tabs; a sample
without a target shows `-`. Reports and errors go to stderr. NO_COLOR is honoured.
Exit codes: 0 ok, 1 internal error, 2 usage, 3 bad input, 4 limit, 5 device or memory, 6 numeric,
130 interrupted.)";

void add_graph_option(CLI::App& app, Options& o) {
  allow_stdin(
      *app.add_option("graph", o.input, "The graph (docs/format.md), plain, gzip or zstd; -: stdin")
           ->required()
           ->type_name("graph.pb"));
  app.add_option_function<std::string>(
         "--group", [&o](const std::string& text) { o.find_groups = text == "auto"; },
         "Groups that become layers. file: those that it has; auto: found by what neurons compute, "
         "for a file that has one group for all of them, or one for each")
      ->check(CLI::IsMember({"file", "auto"}).description(""))
      ->type_name("file|auto")
      ->default_str("file");
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names{"auto", "reference"};
  for (const Backend* backend : backends()) names.emplace_back(backend->name());
  return names;
}

std::string join_names(const std::vector<std::string>& names) {
  std::string result = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) result += "|" + names[i];
  return result;
}

void add_run_options(CLI::App& app, Options& o, std::string& device) {
  static const std::map<std::string, DType> kDTypes{{"f32", DType::F32}, {"f64", DType::F64}};
  app.add_option("--backend", o.backend,
                 "What runs it. auto: the first that can; reference: the neuron graph itself, "
                 "neuron by neuron in f64")
      ->check(CLI::IsMember(backend_names()).description(""))
      ->type_name(join_names(backend_names()))
      ->capture_default_str();
  app.add_option("--device", device, "Where it runs")
      ->type_name("auto|cpu|cuda[:N]")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--dtype", [&o](const std::string& text) { o.dtype = kDTypes.at(text); },
         "Numbers that the program computes with")
      ->check(CLI::IsMember(kDTypes).description(""))
      ->type_name("f32|f64")
      ->default_str("f32");
  add_optimize_options(app, o.optimize, kDefaultLevel);
  add_whole(app, "--threads", o.threads, {0, 4096}, "CPU threads; 0: as many as the machine has");
  add_unset_whole(app, "--eval-batch-size", o.eval_batch_size, {1, 0xFFFFFFFF},
                  "Outputs and metrics of N samples at a time, in the memory of as many, with "
                  "the same bits (the loss to rounding); default all. Needs --backend=cpu");
  app.add_option_function<std::string>(
         "--torch-reduce",
         [&o](const std::string& text) { o.torch_reduce = parse_torch_reduce(text); },
         "How sums and means over gathered rows run, and the gradients of gathers. segment, "
         "scatter: "
         "write the gathered rows, then add them up; spmm: one sparse product; auto: what costs "
         "least. Needs --backend=torch")
      ->check(CLI::IsMember(names_of<TorchReduce>()).description(""))
      ->type_name(names_text<TorchReduce>("|"))
      ->default_str("auto");
  add_precision_option(app, [&o](MatmulPrecision precision) { o.precision = precision; });
  add_place_options(app, o.places);
  add_host_memory(app, o.host_memory);
}

/// `FILE` or `by-name:FILE`.
void take_load_option(const std::string& text, Options& o) {
  constexpr std::string_view kByName = "by-name:";
  const bool by_name = text.starts_with(kByName);
  o.load_mode = by_name ? LoadMode::ByName : LoadMode::Strict;
  o.load_weights = by_name ? text.substr(kByName.size()) : text;
}

void add_load_option(CLI::App& app, Options& o) {
  app.add_option_function<std::string>(
         "--load-weights", [&o](const std::string& text) { take_load_option(text, o); },
         "Values for the weight tables, by name (safetensors, .npz, .npy). Differences between "
         "file and graph are errors; with by-name: before the path, what only one of them has is "
         "listed and left as it is")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return text.empty() || text == "by-name:" ? "needs a path" : std::string();
          },
          ""))
      ->type_name("[by-name:]FILE");
}

void add_weight_file_options(CLI::App& app, Options& o) {
  add_load_option(app, o);
  app.add_option("--save-weights", o.save_weights,
                 "Write all weight tables as safetensors, with their values after --load-weights, "
                 "--init and --train; with --folds a file each")
      ->check(find_wrong_weights_name)
      ->type_name("FILE");
  app.add_option("--save-program", o.save_program,
                 "Write what graphs of this kind share, with the same weights: groups, functions, "
                 "shapes. vecc run and vecc predict bind other graphs to it, and compile nothing")
      ->type_name("FILE");
}

void add_fact_options(CLI::App& app, Options& o) {
  app.add_option(
         "--bind-facts", o.bind_facts,
         "Compile the facts of these groups (by head predicate) as inputs: no pass looks at "
         "their values, no training step learns them, and --load-facts may set others")
      ->delimiter(',')
      ->type_name("GROUP,...");
  app.add_option("--load-facts", o.load_facts,
                 "Values for the bound facts, all of them: tensors fact/GROUP, a row a fact "
                 "(safetensors, .npz, .npy)")
      ->type_name("FILE");
}

void add_weight_options(CLI::App& app, Options& o) {
  CLI::Option* const init =
      app.add_option_function<std::string>(
             "--init", [&o](const std::string& text) { o.init = parse_initializer(text); },
             "Initial values for the weights that the file has no values of; without it those are "
             "an error")
          ->check(CLI::IsMember(names_of<Initializer>()).description(""))
          ->type_name(names_text<Initializer>("|"));
  add_seed(app, "--init-seed", o.init_seed, "Seed of --init: the same seed, the same weights")
      ->needs(init);
  add_weight_file_options(app, o);
}

void add_output_options(CLI::App& app, Options& o) {
  add_emit_options(app, o.emit);
  app.add_option("--gradients", o.gradients,
                 "Also write the derivatives of the sum of all elements of all outputs by the "
                 "learnable weights, a line a weight: table, row, values, separated by tabs")
      ->type_name("PATH");
  app.add_flag("--run", o.run,
               "With --emit and -o: run as well, outputs on stdout; a page then has "
               "each op's share of the time");
  app.add_flag("--json", o.json, "Outputs, times and sizes (or stats) as one JSON object");
  app.add_flag("--quiet,-q", o.quiet, "Nothing on stderr but errors");
  add_log_option(app, o.log_level);
}

void add_cache_options(CLI::App& app, CacheSettings& cache) {
  cache.use = true;
  CLI::Option* const none = app.add_flag_callback(
      "--no-cache", [&cache] { cache.use = false; },
      "Neither look for the program in the program cache (docs/program-cache.md), nor keep it "
      "there");
  add_real(app, "--cache-after", cache.min_seconds, RealRange::AtLeastZero,
           "Keep a program, or a training's step, that took so long to make: seconds")
      ->type_name("SECONDS")
      ->excludes(none);
}

void add_limit_options(CLI::App& app, ImportLimits& limits) {
  const auto add = [&app](const char* name, std::uint64_t& value, std::uint64_t most,
                          const char* text) {
    add_whole(app, name, value, {1, most}, text)->group("Limits");
  };
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  constexpr std::uint64_t kMostIds = 0xFFFFFFFE;  // ids are 32 bits wide in memory
  add("--max-neurons", limits.max_neurons, kMostIds, "Neurons of the graph");
  add("--max-edges", limits.max_edges, kMost, "Edges of the graph");
  add_size(app, "--max-input-bytes", limits.max_input_bytes, {1, kMost},
           "Bytes read, decompressed: 64M, 4G")
      ->group("Limits");
  add("--max-weights", limits.max_weights, kMostIds, "Rows of all weight tables");
  add("--max-value-size", limits.max_value_size, kMost, "Elements of one value");
  add("--max-errors", limits.max_errors, kMost, "Errors reported; the rest are counted");
}

std::string check_gradients(const Options& o) {
  if (!o.gradients.empty() && o.emit.kind && !o.run) {
    return "--gradients needs --run beside --emit";
  }
  return {};
}

/// With folds, a file each.
void add_weight_outputs(CommandPaths& paths, const Options& o) {
  if (o.save_weights.empty()) return;
  const std::string name = "--save-weights=" + o.save_weights;
  if (o.training.folds == 0) return paths.add_output(name, o.save_weights);
  for (std::uint32_t k = 1; k <= o.training.folds; ++k) {
    paths.add_output(name, path_of_fold(o.save_weights, k));
  }
}

CommandPaths paths_of(const Options& o) {
  CommandPaths paths;
  paths.add_input("--load-weights=" + o.load_weights, o.load_weights);
  paths.add_input("--load-facts=" + o.load_facts, o.load_facts);
  add_emit_output(paths, o.emit);
  paths.add_output("--gradients=" + o.gradients, o.gradients);
  add_weight_outputs(paths, o);
  paths.add_output("--save-program=" + o.save_program, o.save_program);
  add_train_paths(paths, o.training);
  return paths;
}

/// Of a program that reads a graph and, if it `prints`, writes to stdout.
std::string check_graph_paths(const Options& o, CommandPaths paths, bool prints) {
  paths.add_input("the graph " + o.input, o.input);
  if (prints) paths.add_stdout();
  return paths.find_conflict();
}

std::string check_groups(const Options& o) {
  if (!o.find_groups || o.save_program.empty()) return {};
  return "--group=auto: --save-program knows the groups of a new graph by the names that its file "
         "gives them; leave one of both out";
}

std::string check_facts(const Options& o) {
  if (o.bind_facts.empty()) return {};
  if (!o.save_program.empty()) {
    return "--bind-facts: --save-program takes the facts of each new graph as they are";
  }
  if (o.emit.kind == EmitKind::Python) {
    return "--bind-facts: a module of Python has facts as constants; --emit=cpp and --emit=cuda "
           "have "
           "them as inputs";
  }
  if (!o.training.validate_file.empty()) {
    return "--bind-facts: --validate=FILE has facts of its own under the same names; validate on a "
           "fraction of the samples";
  }
  return {};
}

std::string check_folds(const Options& o) {
  const bool needs_one =
      o.emit.kind || !o.gradients.empty() || o.repeat != 1 || !o.save_program.empty();
  if (o.training.folds == 0 || !needs_one) return {};
  return "--folds learns weights once a fold, and there is no one program with them: leave out "
         "--emit, --gradients, --repeat and --save-program";
}

std::string check_precision(const Options& o) {
  if (!o.precision) return {};
  if (o.backend != "cuda" && o.emit.kind != EmitKind::Cuda && o.emit.target_name.empty()) {
    return "--matmul-precision needs --backend=cuda (or --emit=cuda, --target)";
  }
  if (*o.precision != MatmulPrecision::Exact && o.dtype != DType::F32) {
    return "--matmul-precision=" + std::string(text_of(*o.precision)) + " needs --dtype=f32";
  }
  return {};
}

/// What runs it; empty if all is well.
std::string check_run_options(Options& o, const std::string& device) {
  if (std::string problem = check_optimize_settings(o.optimize); !problem.empty()) return problem;
  const Result<Device> parsed = parse_device(device);
  if (!parsed) return "--device: " + parsed.error().list().front().message;
  o.device = *parsed;
  if (o.backend == "reference" && o.device.kind == Device::Kind::Cuda) {
    return "--backend=reference runs on the CPU only";
  }
  if (o.torch_reduce && o.backend != "torch") return "--torch-reduce needs --backend=torch";
  if (o.host_memory > 0 && o.backend != "auto" && o.backend != "cpu") {
    return "--host-memory needs --backend=cpu: others have no tables in files";
  }
  if (std::string problem = check_eval_batches(o); !problem.empty()) return problem;
  if (std::string problem = check_place_options(o); !problem.empty()) return problem;
  return check_precision(o);
}

/// What a run would need, or another kind of output.
std::string check_idle_options(const CLI::App& app, const Options& o) {
  if (o.init == Initializer::Constant) {
    const std::string idle = find_idle_seed(app, "--init-seed", "constant");
    if (!idle.empty()) return idle;
  }
  const bool runs = !o.emit.kind || o.run;
  if (!runs && o.repeat != 1) return "--repeat needs --run beside --emit";
  if (!runs && o.eval_batch_size > 0 && !o.training.train) {
    return "--eval-batch-size needs --run beside --emit";
  }
  if (!runs && o.host_memory > 0 && !o.training.train) {
    return "--host-memory needs --run beside --emit";
  }
  if (!runs && o.json && *o.emit.kind != EmitKind::Stats) {
    return "--json needs --run beside --emit, or --emit=stats";
  }
  if (o.backend == "reference" && o.dtype == DType::F32 && app.get_option("--dtype")->count() > 0) {
    return "--backend=reference computes in f64: leave out --dtype, or name another backend";
  }
  return {};
}

/// What CLI11's own checks do not see; empty if all is well.
std::string check_options(const CLI::App& app, Options& o, const std::string& device) {
  if (std::string problem = check_run_options(o, device); !problem.empty()) return problem;
  if (std::string problem = check_idle_options(app, o); !problem.empty()) return problem;
  o.emit.precision = o.precision.value_or(MatmulPrecision::Exact);
  if (std::string problem = check_emit_options(o.emit); !problem.empty()) return problem;
  if (o.run && (!o.emit.kind || o.emit.path.empty())) {
    return "--run needs --emit and -o: stdout cannot hold both the program and the outputs";
  }
  if (std::string problem = check_groups(o); !problem.empty()) return problem;
  if (std::string problem = check_facts(o); !problem.empty()) return problem;
  if (std::string problem = check_train_settings(app, o.training, o.emit.kind == EmitKind::Python);
      !problem.empty()) {
    return problem;
  }
  if (std::string problem = check_folds(o); !problem.empty()) return problem;
  if (o.training.train && o.backend == "reference") {
    return "--train runs a Program: --backend=interpreter computes in f64 as the reference does";
  }
  return check_gradients(o);
}

/// The same of a command that always has a Program.
std::string check_program_options(Options& o, const std::string& device) {
  o.optimize.options.threads = o.threads;
  if (std::string problem = check_run_options(o, device); !problem.empty()) return problem;
  if (o.backend != "reference") return {};
  return "--backend=reference evaluates graphs without a Program: --backend=interpreter computes "
         "in f64 as it does";
}

/// The command line and what its options fill.
struct CommandLine {
  CLI::App app{
      "Compiles a neuron graph into a tensor program, runs the forward pass once and prints the "
      "outputs by sample.",
      "vecc"};
  Options& options;
  std::string device = "auto";

  explicit CommandLine(Options& o) : options(o) {
    app.footer(kFooter);
    add_graph_option(app, o);
    add_run_options(app, o, device);
    add_whole(app, "--repeat", o.repeat, {1, 1'000'000'000},
              "Run N times and print a table of the times");
    add_weight_options(app, o);
    add_fact_options(app, o);
    add_output_options(app, o);
    add_train_options(app, o.training);
    add_cache_options(app, o.cache);
    add_limit_options(app, o.limits);
  }
  CommandLine(const CommandLine&) = delete;  // its options are referred to
  CommandLine& operator=(const CommandLine&) = delete;

  /// Whose it is: the program's, which reads a graph and prints to stdout, or a caller's.
  enum class Owner : std::uint8_t { Program, Caller };
  /// After the parse. What does not fit together; empty if all is well.
  std::string finish(Owner owner) {
    options.emit.json = options.json;
    options.optimize.options.threads = options.threads;
    if (std::string problem = check_options(app, options, device); !problem.empty()) return problem;
    CommandPaths paths = paths_of(options);
    if (owner != Owner::Program) return paths.find_conflict();
    const bool prints = options.emit.path.empty() || options.run;
    return check_graph_paths(options, std::move(paths), prints);
  }
};

}  // namespace

void add_learn_options(CLI::App& app, Options& o, std::string& device) {
  add_run_options(app, o, device);
  o.training.train = true;
  add_learning_options(app, o.training);
  app.add_flag("--quiet,-q", o.quiet, "Nothing on stderr but errors");
  add_log_option(app, o.log_level);
  add_limit_options(app, o.limits);
}

std::string check_learn_options(const CLI::App& app, Options& o, const std::string& device) {
  std::string problem = check_program_options(o, device);
  return problem.empty() ? check_learning_settings(app, o.training) : problem;
}

void add_sample_options(CLI::App& app, Options& o, std::string& device) {
  add_graph_option(app, o);
  add_load_option(app, o);
  add_run_options(app, o, device);
  add_loss_option(app, o.training.loss, "What the weights were trained by, as of vecc --train");
  app.add_flag("--quiet,-q", o.quiet, "Nothing on stderr but errors");
  add_log_option(app, o.log_level);
  add_cache_options(app, o.cache);
  add_limit_options(app, o.limits);
}

std::string check_sample_options(Options& o, const std::string& device, const std::string& output) {
  if (std::string problem = check_program_options(o, device); !problem.empty()) return problem;
  CommandPaths paths = paths_of(o);
  paths.add_output("-o " + output, output);
  return check_graph_paths(o, std::move(paths), output.empty());
}

std::optional<int> parse_options(int argc, char** argv, Options& options) {
  CommandLine line(options);
  if (const auto code = parse_arguments(line.app, argc, argv)) return code;
  const std::string problem = line.finish(CommandLine::Owner::Program);
  if (!problem.empty()) return report_usage("vecc", problem);
  return std::nullopt;
}

std::shared_ptr<CLI::App> graph_command_line() {
  struct Line {
    Options options;
    CommandLine line{options};
    CLI::App& app = line.app;
  };
  const auto line = std::make_shared<Line>();
  return {line, &line->app};
}

Result<Options> parse_option_words(std::vector<std::string> words) {
  Options options;
  CommandLine line(options);
  std::ranges::reverse(words);  // CLI11 takes them from the back
  std::string problem;
  try {
    line.app.parse(std::move(words));
    problem = line.finish(CommandLine::Owner::Caller);
  } catch (const CLI::ParseError& e) {
    problem = e.what();
  }
  if (!problem.empty()) return Errors(ErrorCode::Usage, "vecc", problem);
  return options;
}

}  // namespace vecc::tools
