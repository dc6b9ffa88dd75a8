// What template programs of all backends share: recipes, binding, and reading outputs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/bind/graph_binder.h"
#include "src/bind/recipes.h"
#include "vecc/template.h"

namespace vecc::binding {

/// Binds into RowLaunches on the host; a backend has the code of the book's kernels and runs them.
/// Outputs are read from RowLaunches::values.
class BoundProgram : public TemplateProgram {
 public:
  using TemplateProgram::bind;
  Result<void> bind(std::span<const NeuronGraph* const> graphs, BoundGraph& to) final;
  [[nodiscard]] std::vector<Executable::Output> outputs(const BoundGraph& bound) const final;
  Shape read_output(const BoundGraph& bound, std::uint64_t sample,
                    std::vector<double>& values) const final;

 protected:
  BoundProgram(std::shared_ptr<const TemplateData> data, DType dtype);

  /// Adds the template's recipes to the book, in order. Errors: those of RecipeBook::find().
  [[nodiscard]] Result<void> add_recipes();
  /// After each binding: the book may have more kernels, `launches` are to be run. What it throws
  /// of std::bad_alloc is OutOfMemory.
  [[nodiscard]] virtual Result<void> prepare(RowLaunches& launches) = 0;

  [[nodiscard]] const RecipeBook& book() const { return book_; }

 private:
  std::shared_ptr<const TemplateData> data_;
  RecipeBook book_;
  GraphBinder binder_;
};

}  // namespace vecc::binding
