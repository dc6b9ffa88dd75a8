// Small graph files for the tools.
#pragma once

#include <string>

namespace vecc::test {

/// Facts 1, 2 and the column [3, 4]; samples (id, output, target):
///   "sum"     sum(0.5 * 1, 2) = 2.5                      1
///   "avg"     avg(1, 2) = 1.5                            none
///   "vector"  [[1, 0], [0, 2]] * [3, 4] = [3, 8]         [3, 7]
/// Returns the path.
std::string write_small_graph(const std::string& folder);
/// A table "open" of two scalar weights without values, and a weight "given" of 2. Samples
/// "first" open[0] * 1 and "both" open[1] * 3 + given * 3.
std::string write_open_graph(const std::string& folder);
/// A table "table" of three scalar weights, 1, 1 and 0. Samples avg(table[0], 0, 0) and
/// sqrt(table[2]); nothing reads table[1].
std::string write_thirds_graph(const std::string& folder);
/// Samples "nan" (log of -1) and "infinity" (inverse of 0).
std::string write_not_finite_graph(const std::string& folder);
/// Names that try to break every output: newlines, quotes, comment ends, terminal escapes, markup.
/// They hold the word `evil`. Samples evil0 and evil1, both 1; facts 1.
std::string write_hostile_graph(const std::string& folder);
/// A weight 0.5 in a table of this name, times a fact, which is 3: sample "half", 1.5, of target 1.
std::string write_named_table_graph(const std::string& folder, const std::string& table);
/// `count` samples of two layers, sum and tanh, each neuron in a group of its own.
std::string write_ungrouped_graph(const std::string& folder, unsigned count);
/// `count` samples.
std::string write_wide_graph(const std::string& folder, unsigned count);

}  // namespace vecc::test
