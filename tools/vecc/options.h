// The command line of vecc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/common/emit.h"
#include "tools/common/optimize_options.h"
#include "train_options.h"
#include "vecc/backend.h"
#include "vecc/bind_facts.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/weights.h"

namespace vecc::tools {

/// The program cache.
struct CacheSettings {
  bool use = false;
  double min_seconds = 1;  ///< what was made in less is not kept
  /// Entries have the file's weights, for runs that do not read the file. Others, which may be kept
  /// with any weights, are other entries.
  bool has_weights = true;
};

struct Options {
  std::string input;
  CacheSettings cache;
  bool find_groups = false;      ///< in place of the file's
  std::string backend = "auto";  ///< auto, reference, or a name in backends()
  Device device;
  DType dtype = DType::F32;
  OptimizeSettings optimize;
  std::uint32_t threads = 0;
  std::uint64_t host_memory = 0;  ///< bytes to hold at most; 0: what is free
  std::uint32_t repeat = 1;
  std::uint32_t eval_batch_size = 0;         ///< samples of a forward pass; 0: all at once
  std::optional<TorchReduce> torch_reduce;   ///< if given, the backend is torch
  std::optional<MatmulPrecision> precision;  ///< if given, kernels are CUDA's
  PlaceOptions places;                       ///< with --host-memory, or for one backend
  std::string gradients;                     ///< where to write them; empty: nowhere
  std::optional<Initializer> init;           ///< of weights without values
  std::int64_t init_seed = 0;
  std::string load_weights;  ///< a weight file; empty: none
  LoadMode load_mode = LoadMode::Strict;
  std::string save_weights;             ///< where to write the weights; empty: nowhere
  std::string save_program;             ///< where to write the template; empty: nowhere
  std::vector<std::string> bind_facts;  ///< groups
  std::string load_facts;               ///< a file of bound facts; empty: none
  BoundFacts facts;                     ///< what became of them, when the graph is there
  EmitOptions emit;                     ///< with `path`, also for the outputs
  bool run = false;                     ///< with --emit
  TrainSettings training;
  bool json = false;
  bool quiet = false;
  std::string log_level = "warn";
  ImportLimits limits;
};

/// Fills `options`; a value is the exit code to leave with at once.
[[nodiscard]] std::optional<int> parse_options(int argc, char** argv, Options& options);
/// The same from words, without the program's name, for callers that are no program. Error: Usage,
/// with what parse_options() prints.
[[nodiscard]] Result<Options> parse_option_words(std::vector<std::string> words);
/// Of a command that computes samples of a graph (evaluate, predict): the graph, its weights, what
/// runs it, the loss, limits. `o` and `device` must outlive the parse.
void add_sample_options(CLI::App& app, Options& o, std::string& device);
/// After the parse: what does not fit together; empty if all is well. `output`: the file that the
/// command writes, empty for stdout.
[[nodiscard]] std::string check_sample_options(Options& o, const std::string& device,
                                               const std::string& output);
/// Of a command that learns weights: what runs it, how it learns, limits. `o` and `device` must
/// outlive the parse.
void add_learn_options(CLI::App& app, Options& o, std::string& device);
/// After the parse: what does not fit together; empty if all is well.
[[nodiscard]] std::string check_learn_options(const CLI::App& app, Options& o,
                                              const std::string& device);
/// The command line itself, for pages and completions.
[[nodiscard]] std::shared_ptr<CLI::App> graph_command_line();

}  // namespace vecc::tools
