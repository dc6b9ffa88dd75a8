// vecc weights show FILE | diff A B | convert A B.safetensors
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tools/common/data_sink.h"
#include "vecc/weights.h"

namespace vecc::tools {

/// `argv[0]` is "weights". Returns the exit code; diff's is 1 where the files differ.
[[nodiscard]] int weights_main(int argc, char** argv);
/// Its command line, for pages and completions.
[[nodiscard]] std::shared_ptr<CLI::App> weights_command_line();

/// What is wrong with the name of a file of weights to write: empty, or that it ends as NumPy's do,
/// which are only read.
[[nodiscard]] std::string find_wrong_weights_name(const std::string& path);

/// A line a tensor on stdout: name, dtype, shape, min, max, mean and norm (the root of the sum of
/// squares; `-` where there is no element). Error: CannotWrite.
[[nodiscard]] Result<void> show_weights(const WeightFile& file, bool json);

/// A line a tensor of `a` or `b` on stdout: name, the largest absolute and relative difference (of
/// the larger magnitude), and what differs in words. Returns whether nothing differs: the same
/// names, shapes and numbers (NaN equals NaN, 0 equals -0), whatever their types. Error:
/// CannotWrite.
[[nodiscard]] Result<bool> diff_weights(const WeightFile& a, const WeightFile& b, bool json);

/// Lines of cells, the first one the header: aligned on a terminal, else separated by tabs and, as
/// the columns of a command are always the same, without the header; `keeps_header`: they are not.
[[nodiscard]] Result<void> print_table(const std::vector<std::vector<std::string>>& lines,
                                       bool keeps_header = false);

}  // namespace vecc::tools
