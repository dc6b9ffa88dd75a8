// What the tests of the loaders share.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/load/text_file.h"
#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc::test {

template <class T>
std::string errors_of(const Result<T>& result) {
  return result ? "no error" : result.error().text();
}

inline std::vector<std::string> texts_of(const StringColumn& column) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < column.size(); ++i) texts.emplace_back(column[i]);
  return texts;
}

inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace vecc::test
