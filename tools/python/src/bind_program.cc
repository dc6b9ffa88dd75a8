// _core.Program.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <span>

#include "errors.h"
#include "program.h"
#include "src/support/enum_names.h"
#include "tools/train_log/epoch_fields.h"
#include "vecc/step_inputs.h"

namespace vecc::python_package {
namespace {

template <class T>
nb::object run_to_array(CompiledGraph& self, Shape shape) {
  const std::size_t samples = self.program().sample_count();
  const std::size_t elements = samples * shape.size();
  auto values = std::make_unique_for_overwrite<T[]>(elements);
  without_lock([&] { take(self.run_into(std::span<T>(values.get(), elements))); });
  return array_of(std::move(values), array_shape(samples, shape));
}

nb::object run(CompiledGraph& self) {
  if (const auto shape = self.output_shape()) {
    return self.program().dtype() == DType::F32 ? run_to_array<float>(self, *shape)
                                                : run_to_array<double>(self, *shape);
  }
  const auto outputs = without_lock([&] { return take(self.run()); });
  std::vector<ShapedValue> values;
  values.reserve(outputs.size());
  for (const auto& output : outputs) values.push_back({output.shape, output.value});
  return stack_values(values, self.program().dtype());
}

// Of all learnable tables; zeros where no output reads one.
nb::dict gradients(CompiledGraph& self, std::optional<Column<double>> of_outputs) {
  std::vector<double> directions;
  if (of_outputs) directions.assign(of_outputs->data(), of_outputs->data() + of_outputs->size());
  auto by_parameter = without_lock([&] { return take(self.gradients(std::move(directions))); });
  nb::dict result;
  for (const WeightTable& table : self.graph().weight_tables) {
    if (!table.learnable || is_step_input(table.name)) continue;
    std::vector<double> gradient(table.count * table.shape.size());
    for (std::size_t p = 0; p < by_parameter.size(); ++p) {
      const bool is_it = self.program().parameters()[p].name == table.name;
      if (is_it) gradient = std::move(by_parameter[p]);
    }
    result[nb::cast(table.name)] = table_array(table, std::move(gradient));
  }
  return result;
}

nb::dict program_weights(CompiledGraph& self) {
  return table_arrays(without_lock([&] {
    const auto guard = self.lock();
    return self.tables();
  }));
}

// `train_accuracy`, as the logs call it.
nb::dict epoch_dict(const EpochReport& report) {
  nb::dict result;
  result["epoch"] = report.epoch;
  for (const tools::EpochField& field : tools::fields_of(report)) {
    if (!field.value) continue;
    const std::string side(field.side);
    result[nb::cast(side + (side.empty() ? "" : "_") + std::string(field.name))] = *field.value;
  }
  return result;
}

// What Python raises in a callback, or on Ctrl-C, ends the training; it is raised again after it.
class PythonCalls {
 public:
  explicit PythonCalls(const nb::callable& observe) : observe_(observe) {}

  [[nodiscard]] TrainCalls calls() {
    return {[this](const EpochReport& report) {
              guarded([&] { observe_(epoch_dict(report)); });
              return Result<void>();
            },
            [this] {
              guarded([] {
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
              });
              return raised_.has_value();
            }};
  }
  void raise_again() {
    if (raised_) throw std::move(*raised_);
  }

 private:
  template <class Body>
  void guarded(Body&& body) {
    const nb::gil_scoped_acquire lock;
    if (raised_) return;
    try {
      body();
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
    }
  }

  const nb::callable& observe_;
  std::optional<nb::python_error> raised_;
};

std::string text_of(TrainEnd end) {
  switch (end) {
    case TrainEnd::Done: return "done";
    case TrainEnd::EarlyStop: return "early stop";
    case TrainEnd::Interrupted: return "interrupted";
  }
  return {};
}

nb::dict train(CompiledGraph& self, const Words& words, const nb::callable& observe) {
  const tools::Options options = parse_words(words);
  PythonCalls python(observe);
  const auto [summary, batches] =
      without_lock([&] { return take(self.train(options, python.calls())); });
  python.raise_again();
  nb::dict result;
  result["end"] = text_of(summary.end);
  result["epochs"] = summary.epochs;
  result["best_epoch"] = summary.best_epoch;
  result["seconds"] = summary.step_seconds;
  result["batch"] = std::string(batches.way);
  result["batch_bytes"] = batches.bytes.values + batches.bytes.arrays;
  return result;
}

// Metrics by their names, as the logs call them.
nb::dict evaluate_program(CompiledGraph& self, const std::optional<std::string>& split,
                          const std::optional<std::string>& loss, std::uint32_t batch_size) {
  const auto chosen = split_of(split);
  const auto asked = loss_of(loss);
  const tools::SampleEvaluation found =
      without_lock([&] { return take(self.evaluate(chosen, asked, batch_size)); });
  nb::dict result;
  result["samples"] = found.evaluation.metrics.samples;
  result["loss"] = found.evaluation.loss;
  for (const auto& [name, value] : values_of(found.evaluation.metrics)) {
    result[nb::cast(std::string(name))] = value;
  }
  return result;
}

nb::dict predict_program(CompiledGraph& self, const std::optional<std::string>& split,
                         const std::optional<std::string>& loss) {
  const auto chosen = split_of(split);
  const auto asked = loss_of(loss);
  return predictions_dict(without_lock([&] { return take(self.predict(chosen, asked)); }),
                          self.graph());
}

void set_weights(CompiledGraph& self, const std::vector<NamedArray>& arrays) {
  without_lock([&] { take(self.set_weights(arrays)); });
}
void load_weights(CompiledGraph& self, const std::string& path, bool by_name) {
  const LoadMode mode = by_name ? LoadMode::ByName : LoadMode::Strict;
  without_lock([&] { take(self.load_weights(path, mode)); });
}
void save_weights(CompiledGraph& self, const std::string& path) {
  without_lock([&] { take(self.save_weights(path)); });
}
void emit(CompiledGraph& self, const Words& words) {
  const tools::Options options = parse_words(words);
  without_lock([&] { take(self.emit(options)); });
}

nb::dict sizes(const CompiledGraph& self) {
  const ProgramStatistics counted = statistics(self.program());
  nb::dict result;
  result["ops"] = counted.ops;
  result["rows"] = counted.rows;
  result["value_bytes"] = counted.value_bytes;
  result["index_bytes"] = counted.index_bytes;
  result["parameter_bytes"] = counted.parameter_bytes;
  return result;
}

}  // namespace

std::optional<tools::SplitChoice> split_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto split = tools::parse_split(*text);
  if (!split) raise_usage("split", *text + " is none of " + names_text<tools::SplitChoice>(", "));
  return split;
}

std::optional<Loss> loss_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto loss = parse_loss(*text);
  if (!loss) {
    raise_usage("loss", *text + " is none of " + names_text<Loss>(", "));
  }
  return loss;
}

nb::dict predictions_dict(const tools::Predictions& found, const NeuronGraph& graph) {
  const std::vector<std::string> names = sample_names(graph);
  std::vector<std::string> ids;
  std::vector<ShapedValue> values;
  std::vector<std::int64_t> predicted;
  for (std::size_t i = 0; i < found.samples.size(); ++i) {
    ids.push_back(names[found.samples[i]]);
    const std::vector<double>& row = found.values[i];
    const auto size = static_cast<std::uint32_t>(row.size());
    values.push_back({size == 1 ? Shape::scalar() : Shape::column(size), row});
    if (found.classes.empty()) continue;
    predicted.push_back(found.predicted[i] ? std::int64_t{*found.predicted[i]} : -1);
  }
  nb::dict result;
  result["sample_ids"] = ids;
  result["classes"] = found.classes;
  const std::size_t count = predicted.size();
  result["predicted"] = array_of(std::move(predicted), {count});
  result["values"] = stack_values(values, DType::F64);
  return result;
}

std::unique_ptr<CompiledGraph> compile_graph(const Graph& graph, Words words, std::uint64_t runs,
                                             bool runs_later) {
  const tools::Options options = parse_words(std::move(words));
  if (options.backend == "reference") {
    raise_usage("backend",
                "reference evaluates graphs: Graph.evaluate(); interpreter runs programs");
  }
  return without_lock(
      [&] { return take(CompiledGraph::compile(graph, options, runs, runs_later)); });
}

void bind_program(nb::module_& module) {
  nb::class_<CompiledGraph>(module, "Program", "A compiled graph.")
      .def_prop_ro("backend", [](const CompiledGraph& p) { return std::string(p.backend()); })
      .def_prop_ro("device",
                   [](CompiledGraph& p) { return without_lock([&] { return take(p.device()); }); })
      .def_prop_ro("dtype",
                   [](const CompiledGraph& p) { return std::string(text_of(p.program().dtype())); })
      .def_prop_ro("sample_count",
                   [](const CompiledGraph& p) { return p.program().sample_count(); })
      .def_prop_ro("is_cached", [](const CompiledGraph& p) { return p.is_cached(); })
      .def("sizes", sizes)
      .def("sample_ids", [](const CompiledGraph& p) { return sample_names(p.graph()); })
      .def(
          "targets", [](const CompiledGraph& p) { return targets_of(p.graph()); },
          nb::sig("def targets(self) -> " VECC_STACKED " | None"))
      .def("run", run, nb::sig("def run(self) -> " VECC_STACKED))
      .def("gradients", gradients, nb::arg("of_outputs").none())
      .def(
          "time",
          [](CompiledGraph& p, std::uint32_t runs, bool gradients) {
            return without_lock([&] { return take(p.time_runs(runs, gradients)); });
          },
          nb::arg("runs"), nb::arg("gradients"))
      .def("weights", program_weights)
      .def("set_weights", set_weights, nb::arg("arrays"))
      .def("load_weights", load_weights, nb::arg("path"), nb::arg("by_name"))
      .def("save_weights", save_weights, nb::arg("path"))
      .def("train", train, nb::arg("words"), nb::arg("observe"))
      .def("evaluate", evaluate_program, nb::arg("split").none(), nb::arg("loss").none(),
           nb::arg("batch_size") = 0)
      .def("predict", predict_program, nb::arg("split").none(), nb::arg("loss").none())
      .def("saved", [](CompiledGraph& p) { return without_lock([&] { return take(p.saved()); }); })
      .def("emit", emit, nb::arg("words"))
      .def("text", [](CompiledGraph& p) { return without_lock([&] { return p.text(); }); })
      .def("picture", [](CompiledGraph& p) { return without_lock([&] { return p.picture(); }); });
}

}  // namespace vecc::python_package
