// What an executable needs to know of its Program: all but the data, which may be large and which
// the Plan has.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc::native {

struct ProgramOutline {
  struct Value {
    OpKind kind;
    std::uint32_t rows;
    Shape shape;
    [[nodiscard]] std::uint64_t size() const { return rows * shape.size(); }
  };
  struct Output {
    ValueId value;
    Index samples;
  };
  struct State {
    ValueId value;
    std::string name;
  };

  explicit ProgramOutline(const Program& program);

  /// The state of a name. Error: Usage.
  [[nodiscard]] Result<ValueId> find_state(std::string_view name, std::string_view backend) const;

  DType dtype;
  std::uint32_t sample_count;
  std::vector<std::uint64_t> output_begin;  ///< as vecc::output_begin()
  std::vector<Value> values;
  std::vector<Output> outputs;  ///< in the order of their ops
  std::vector<State> states;
  boost::unordered_flat_map<std::string, ValueId> state_of_name;
  std::vector<std::string> parameters;  ///< names
  bool updates;                         ///< whether it has an `update`
};

}  // namespace vecc::native
