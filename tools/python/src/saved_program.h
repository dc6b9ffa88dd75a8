// A template with its code as Python holds it: new graphs are bound to it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "graph.h"
#include "tools/vecc/choose_samples.h"
#include "tools/vecc/predictions.h"
#include "vecc/loss.h"
#include "vecc/template.h"

namespace vecc::python_package {

/// Its functions are called without the interpreter's lock, from any thread: one at a time runs.
class SavedProgram {
 public:
  /// Errors: those of Template::compile().
  [[nodiscard]] static Result<std::unique_ptr<SavedProgram>> make(
      Template model, const TemplateCompileOptions& options);

  /// The outputs of the graphs' samples, one graph after another. Errors: those of
  /// TemplateProgram::bind(); Usage (a graph without neurons).
  [[nodiscard]] Result<std::vector<Executable::Output>> run(
      const std::vector<const Graph*>& graphs);
  /// What a graph's samples are predicted as; `split`: none for all; `loss`: none for that of the
  /// training. Errors: those of run() and choose_samples().
  [[nodiscard]] Result<tools::Predictions> predict(const Graph& graph,
                                                   std::optional<tools::SplitChoice> split,
                                                   std::optional<Loss> loss);

  [[nodiscard]] const Template& model() const { return model_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] TemplateProgram::Counts counts();

 private:
  SavedProgram(Template model, std::unique_ptr<TemplateProgram> program, DType dtype)
      : model_(std::move(model)), program_(std::move(program)), dtype_(dtype) {}

  Template model_;
  std::unique_ptr<TemplateProgram> program_;
  DType dtype_;
  BoundGraph bound_;
  std::optional<Program> meaning_;  ///< of the first graph that was predicted: what outputs are
  std::mutex mutex_;
};

void bind_saved_program(nb::module_& module);

}  // namespace vecc::python_package
