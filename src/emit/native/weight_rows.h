// What an emitted program knows of the weights that files give it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/emit/native/runtime/tables.h"
#include "vecc/program.h"
#include "vecc/weights.h"

namespace vecc::emit {

struct WeightRows {
  std::vector<emitted::WeightRow> rows;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< names, digests of row names

  /// All tensors of a file; `fixed`: names of those that may not differ.
  void add(const WeightFile& file, bool is_fact, const std::vector<std::string>& fixed);
  /// By parameter of the Program; each is one of the rows.
  [[nodiscard]] std::vector<std::uint64_t> of_parameters(const Program& program) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace vecc::emit
