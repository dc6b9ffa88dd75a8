// The numbers that files give: weights, and facts that are inputs.
#pragma once

#include <string>
#include <vector>

#include "src/emit/native/runtime/data_file.h"

namespace vecc::emitted {

/// By weight (tables.h): its values. Every difference between the files and what the program was
/// written for is in the Failure that is thrown. `facts` is not read if no weight is a fact.
[[nodiscard]] std::vector<std::vector<double>> read_weights(const DataFile& data,
                                                            const std::string& weights,
                                                            const std::string& facts);

/// Whether files may give it facts.
[[nodiscard]] bool has_facts(const DataFile& data);

}  // namespace vecc::emitted
