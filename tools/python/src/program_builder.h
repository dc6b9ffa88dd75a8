// Programs made op by op, without neurons: what vecc.nn lowers models to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chunk.h"
#include "graph.h"
#include "sample_columns.h"
#include "vecc/program.h"

namespace vecc::python_package {

/// Every function checks what it is given as Program::add() does and throws ErrorsRaised; all
/// return the number of a value. Arrays are copied: a Program owns its own.
class ProgramBuilder {
 public:
  /// A learnable table: `count` rows of a shape. Errors: DuplicateName, LimitWeights.
  void table(const std::string& name, std::uint32_t count, const Sides& shape);
  /// The rows of a table; once each: one without has no part in the Program. Errors: Usage (there
  /// is none of that name), DuplicateName.
  ValueId weight(const std::string& table);
  /// A number that every training step sets (step_inputs.h); made when it is first asked for.
  ValueId step_input(const std::string& name);
  /// A scalar for each sample, of those that a training step has (kStepSamples); made when it is
  /// first asked for.
  ValueId step_samples(std::uint32_t count);
  /// The table takes these rows at the end of every training step, and is not learned.
  void update(const std::string& table, ValueId rows);
  /// `rows` constant rows, of 4 or 8 bytes an element; `name`: by which they are placed
  /// (PlaceOptions), or "".
  template <class T>
  ValueId fact(const Column<T>& values, std::uint32_t rows, const Sides& shape,
               const std::string& name);
  ValueId concat(const std::vector<ValueId>& values);
  ValueId gather(ValueId value, const Column<std::uint32_t>& rows);
  /// All rows, `times` times.
  ValueId repeat(ValueId value, std::uint32_t times);
  ValueId linear(ValueId left, ValueId right, bool transpose_left, bool transpose_right);
  /// Of consecutive rows: offsets [segments + 1].
  ValueId segment(ValueId value, const Column<std::uint32_t>& offsets,
                  const std::string& combination);
  ValueId transform(ValueId value, const std::string& function, const Column<std::uint32_t>& words);
  ValueId map(const std::string& expression, const std::vector<ValueId>& values);
  /// Lists are read member after member by gathers (an lstm): no step can leave members out.
  void keep_lists() { reads_lists_ = true; }
  /// Samples: row columns.outputs[i] of `value` is the output of sample i. Once.
  void samples(ValueId value, const SampleColumns& columns);
  /// What the outputs' classes are called.
  void classes(const std::vector<std::string>& names);
  /// The graph, of which only tables and samples are there, with the verified Program. The builder
  /// is then empty.
  [[nodiscard]] Graph build(const std::string& name);

 private:
  ValueId add(OpAttributes attributes, Operands operands, const std::string& note = "");
  // A table that steps set; made when it is first asked for.
  ValueId step_table(const std::string& name, std::uint32_t count, double value);
  [[nodiscard]] std::optional<ValueId> find_weight(const std::string& table) const;

  Program program_{DType::F64};
  NeuronGraph graph_;
  BoundFacts inputs_;
  bool reads_lists_ = false;
  // Layers that go along the same edges share their arrays.
  std::vector<Index> lists_;
  std::vector<Segments> segments_;
};

/// The same ops with values of another type.
[[nodiscard]] Result<Program> with_dtype(const Program& program, DType dtype);

void bind_program_builder(nb::module_& module);
/// Functions of rows by keys.
void bind_row_orders(nb::module_& module);

}  // namespace vecc::python_package
