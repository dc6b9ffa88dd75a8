#include "vecc/emit_python.h"

#include <array>
#include <cerrno>

#include "src/emit/common/emitted_files.h"
#include "src/emit/python/module_text.h"
#include "src/emit/python/runtime_text.h"
#include "src/program/value_indices.h"
#include "src/support/atomic_folder.h"

namespace vecc {
std::vector<std::string> unsupported_in_python(const Program& program) {
  std::vector<std::string> gaps;
  std::array<std::size_t, kOpKinds> counts{};
  for (const Op& op : program.ops()) ++counts[static_cast<std::size_t>(op.kind())];
  for (const OpKind kind : {OpKind::Contract, OpKind::Vjp, OpKind::State, OpKind::Update}) {
    const std::size_t count = counts[static_cast<std::size_t>(kind)];
    if (count == 0) continue;
    gaps.push_back(
        "op " + std::string(text_of(kind)) + " (" + std::to_string(count) +
        " of them): a module holds a forward pass, whose gradients and steps are torch's");
  }
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    if (op.kind() == OpKind::Update || !has_value_index(op)) continue;  // an update: above
    gaps.push_back(value_index_gap(program, id));
  }
  return gaps;
}

Result<void> emit_python(const Program& program, const std::string& directory,
                         const PythonOptions& options) {
  VECC_CHECK(options.samples.empty() || options.samples.size() == program.sample_count(),
             "a text a sample");
  VECC_TRY(AtomicFolder folder,
           open_emitted_folder("python", unsupported_in_python(program), directory));
  WeightFile own;
  if (!options.weights) {
    VECC_TRY(own, weights_of_program(program));
  }
  const python::Module module = python::module_of(program, options);
  VECC_TRY_VOID(write_weights(options.weights ? *options.weights : own,
                              folder.path() + "/weights.safetensors"));
  VECC_TRY_VOID(write_weights(module.data, folder.path() + "/data.safetensors"));
  const bool has_loss = options.loss.has_value();
  if (!folder.write("README.md", python::readme_text(has_loss)) ||
      !folder.write("model.py", module.text) || !folder.commit()) {
    return write_failure(directory, errno);
  }
  return {};
}

}  // namespace vecc
