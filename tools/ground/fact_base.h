// What the examples say: their atoms with values, and the queries over them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/ground/atom_table.h"
#include "tools/ground/rule_program.h"
#include "vecc/neuron_graph.h"
#include "vecc/shape.h"

namespace vecc::tools::ground {

/// The values of facts; value 0 is that of all unvalued ones: the scalar 1.
struct FactValues {
  struct Entry {
    Shape shape;
    bool learnable = false;
    bool has_values = true;
    std::uint64_t begin = 0;         ///< in `values`
    WeightIndex weight = kNoWeight;  ///< learnable: the template's, or the fact's own
    bool shared = false;             ///< a fact of the template: one neuron for all examples
  };
  std::vector<Entry> entries{{Shape{}, false, true, 0, kNoWeight, false}};
  std::vector<double> values{1.0};

  [[nodiscard]] std::span<const double> of(const Entry& entry) const {
    return std::span(values).subspan(entry.begin, entry.shape.size());
  }
};

/// A query over one example; its variables stand for every atom that rules derive.
struct QuerySpec {
  std::string id;  ///< as NeuraLogic names samples: "s_0:q(x)"
  std::uint32_t example = 0;
  PredicateIndex predicate = 0;
  std::vector<Argument> arguments;
  double importance = 1;
  std::optional<language::Value> target;
  Split split = Split::Unspecified;
  std::uint32_t group = kNoGroup;
  Role role = Role::Unspecified;
};

struct FactBase {
  std::uint32_t examples = 0;
  std::vector<AtomTable> atoms;  ///< one a predicate of the program
  FactValues values;
  std::vector<QuerySpec> queries;
  std::uint64_t facts_read = 0;
};

}  // namespace vecc::tools::ground
