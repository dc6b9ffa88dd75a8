#include "src/emit/python/module_text.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/emit/common/emitted_files.h"
#include "src/emit/python/forward_printer.h"
#include "src/emit/python/identifiers.h"
#include "src/emit/python/op_emitter.h"
#include "src/emit/python/output_groups.h"
#include "src/emit/python/runtime_text.h"

namespace vecc::python {
namespace {

std::vector<std::string> attributes_of(const Program& program) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : program.parameters()) names.push_back(parameter.name);
  return attribute_names(names);
}

// What reads the rows of each parameter.
std::vector<std::string> reads_of(const Program& program, std::vector<std::string> attributes) {
  for (std::size_t p = 0; p < attributes.size(); ++p) {
    const Shape shape = program.parameters()[p].shape;
    const bool has_one_side = !shape.is_scalar() && shape.is_vector();
    attributes[p] = "self." + attributes[p] + (has_one_side ? ".flatten(1)" : "");
  }
  return attributes;
}

class ModulePrinter {
 public:
  ModulePrinter(const Program& program, const PythonOptions& options)
      : program_(program),
        options_(options),
        attributes_(attributes_of(program)),
        emitter_(program, reads_of(program, attributes_)) {}

  Module print() {
    std::vector<Statement> statements = emitter_.emit_all();
    emitter_.buffers().one();
    ForwardText forward = print_forward(program_, emitter_, std::move(statements));
    forward.used_buffers[emitter_.buffers().one().id] = true;
    Module module;
    module.data.tensors = emitter_.buffers().take(forward.used_buffers);
    OutputText outputs = print_outputs(program_, forward.outputs, options_.loss);
    for (WeightTensor& tensor : outputs.tensors) module.data.tensors.push_back(std::move(tensor));
    module.data.tensors.push_back(sample_lines(options_.samples, program_.sample_count()));
    module.text = text(forward, outputs);
    return module;
  }

 private:
  [[nodiscard]] std::string text(const ForwardText& forward, const OutputText& outputs) const {
    const bool has_loss = !outputs.loss.empty();
    std::string text = safetensors_text() + emitter_.helpers().text();
    if (has_loss) text += "\n" + loss_functions_text(*options_.loss) + loss_name();
    if (!forward.parts.empty()) {
      text += "\n\nclass Values:\n    \"\"\"What several parts of the forward pass read.\"\"\"\n";
    }
    text += weight_names() + outputs.tables + class_head() + forward.parts;
    text += "    def forward(self):\n        \"\"\"" + outputs.about + "\"\"\"\n" + forward.body +
            outputs.body + outputs.by_sample + outputs.loss + weight_methods_text();
    text += main_text(has_loss, program_.dtype() == DType::F64);
    const bool uses_functional = text.find("F.") != std::string::npos;
    return head_text(uses_functional) + text;
  }

  [[nodiscard]] std::string loss_name() const {
    return "LOSS = \"" + std::string(text_of(options_.loss->loss)) + "\"  # if none is named\n";
  }

  [[nodiscard]] std::string weight_names() const {
    std::string text = "\n\nWEIGHTS = {  # attribute: its name in the graph\n";
    for (std::size_t p = 0; p < attributes_.size(); ++p) {
      text += "    \"" + attributes_[p] + "\": " + string_literal(program_.parameters()[p].name) +
              ",\n";
    }
    return text + "}\nSAMPLE_COUNT = " + std::to_string(program_.sample_count()) + "\n";
  }

  static std::string class_head() {
    return R"py(

class Model(nn.Module):
    def __init__(self, dtype=torch.float32, folder=FOLDER):
        super().__init__()
        weights, self.metadata = read_safetensors(Path(folder) / "weights.safetensors")
        for attribute, name in WEIGHTS.items():
            self.register_parameter(attribute, nn.Parameter(weights[name].to(dtype)))
        data, _ = read_safetensors(Path(folder) / "data.safetensors")
        for name, tensor in data.items():
            if name != "sample_lines":
                tensor = tensor.to(dtype) if tensor.is_floating_point() else tensor.long()
                self.register_buffer(name, tensor, persistent=False)

)py";
  }

  const Program& program_;
  const PythonOptions& options_;
  std::vector<std::string> attributes_;
  OpEmitter emitter_;
};

}  // namespace

Module module_of(const Program& program, const PythonOptions& options) {
  return ModulePrinter(program, options).print();
}

}  // namespace vecc::python
