// Running vecc-import and vecc one after the other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/process.h"

namespace vecc::test {

inline Finished run_import(std::vector<std::string> arguments) {
  Command command;
  command.tool = "vecc-import";
  command.arguments = std::move(arguments);
  return run(command);
}

/// The TUDataset that the project ships.
inline std::string molecules_folder() {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/molecules";
}

/// The numbers of one line of outputs, without its id and target.
inline std::vector<std::vector<double>> outputs_of(const std::string& text) {
  std::vector<std::vector<double>> outputs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find('\t') + 1;
    std::string values = line.substr(begin, line.find('\t', begin) - begin);
    for (char& c : values)
      c = std::string_view("0123456789.+-einfa").find(c) != std::string_view::npos ? c : ' ';
    std::istringstream numbers(values);
    outputs.emplace_back();
    for (std::string number; numbers >> number;) outputs.back().push_back(std::stod(number));
  }
  return outputs;
}

/// Runs a graph by `backend` and returns its outputs; a failure of the test if it does not run.
inline std::vector<std::vector<double>> run_graph(const std::string& graph,
                                                  const std::string& backend) {
  std::vector<std::string> arguments{graph, "--quiet", "--backend=" + backend};
  if (backend != "reference") arguments.emplace_back("--dtype=f64");
  const Finished done = run_vecc(arguments);
  EXPECT_EQ(done.code, 0) << backend << ": " << done.err;
  return outputs_of(done.out);
}

/// The reference, and every backend that runs here, give the same outputs; returns them.
inline std::vector<std::vector<double>> check_backends(const std::string& graph) {
  const auto expected = run_graph(graph, "reference");
  for (const char* backend : {"auto", "interpreter"}) {
    const auto found = run_graph(graph, backend);
    EXPECT_EQ(found.size(), expected.size()) << backend;
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
      EXPECT_EQ(found[i].size(), expected[i].size()) << backend;
      for (std::size_t k = 0; k < std::min(found[i].size(), expected[i].size()); ++k) {
        EXPECT_NEAR(found[i][k], expected[i][k], 1e-11) << backend << ", sample " << i;
      }
    }
  }
  return expected;
}

}  // namespace vecc::test
