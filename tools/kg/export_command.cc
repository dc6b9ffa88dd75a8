// vecc-kg export
#include <CLI/CLI.hpp>
#include <variant>

#include "src/kg/embeddings_file.h"
#include "src/support/quantity_text.h"
#include "src/support/value_text.h"
#include "src/weights/write_npz.h"
#include "tools/common/command_paths.h"
#include "tools/common/data_sink.h"
#include "tools/common/interrupt.h"
#include "tools/common/logging.h"
#include "tools/common/run_tool.h"
#include "tools/kg/commands.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::uint64_t kMostNameBytes = std::uint64_t{4} << 30;

constexpr const char* kExportFooter = R"(
Examples:
  vecc-kg export w.safetensors -o w.npz
                                          for NumPy: entities [N, dim], entity_names [N], relations,
                                          ...; other commands read w.safetensors
  vecc-kg export w.safetensors -o entities.tsv
                                          a line an entity: its name, then its numbers
  vecc-kg export w.safetensors --of=relations -o relations.tsv

docs/knowledge-graphs.md. Exit codes: those of vecc.)";

struct ExportCommandLine {
  CLI::App app{"Embeddings with their names, as .npz or .tsv.", "vecc-kg export"};
  KgModelOptions model;
  std::string output;
  std::string of = "entities";

  ExportCommandLine() {
    app.footer(kExportFooter);
    add_kg_model_options(app, model);
    app.add_option("-o,--output", output, "Where to write them: .npz or .tsv")
        ->required()
        ->type_name("FILE");
    app.add_option("--of", of, "Of .tsv: whose vectors")
        ->check(CLI::IsMember({"entities", "relations"}).description(""))
        ->type_name("entities|relations")
        ->capture_default_str();
  }
  ExportCommandLine(const ExportCommandLine&) = delete;  // its options are referred to
  ExportCommandLine& operator=(const ExportCommandLine&) = delete;

  [[nodiscard]] bool is_tsv() const { return output.ends_with(".tsv"); }
  /// What does not fit together; empty if all is well.
  [[nodiscard]] std::string finish() const {
    if (!is_tsv() && !output.ends_with(".npz")) {
      return "-o " + escape_terminal(output) + ": expected a name that ends in .npz or .tsv";
    }
    if (!is_tsv() && app.count("--of") > 0) return "--of is for .tsv: an .npz has both";
    CommandPaths paths;
    paths.add_input(model.weights, model.weights);
    paths.add_input("--entities=" + model.entities, model.entities);
    paths.add_input("--relations=" + model.relations, model.relations);
    paths.add_output("-o " + output, output);
    return paths.find_conflict();
  }
};

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// A formula's parameters as the weights have them, each by itself.
void add_parameters(const WeightFile& file, std::vector<weights::NpzArray>& arrays) {
  for (const WeightTensor& tensor : file.tensors) {
    arrays.push_back(
        {tensor.name, tensor.type == ElementType::F32 ? "<f4" : "<f8", tensor.shape, tensor.data});
  }
}

template <class T>
void add_tables(const kg::Embeddings& e, const kg::EmbeddingTables<T>& tables,
                std::vector<weights::NpzArray>& arrays) {
  const std::string type = sizeof(T) == 4 ? "<f4" : "<f8";
  const auto add = [&](const char* name, const std::vector<T>& values,
                       std::vector<std::uint64_t> shape) {
    if (!values.empty()) arrays.push_back({name, type, std::move(shape), bytes_of(values)});
  };
  add("entities", tables.entities, {e.entities, e.dim});
  add("relations", tables.relations, {e.relations, e.relation_dim});
  add("matrices", tables.matrices, {e.relations, e.relation_dim, e.dim});
  add("normals", tables.normals, {e.relations, e.dim});
}

Result<void> check_names(const StringColumn& names, const std::string& path) {
  const std::uint64_t bytes = weights::text_array_bytes(names);
  if (bytes <= kMostNameBytes) return {};
  return Errors(ErrorCode::LimitBytes, escape_terminal(path, 4096),
                "the names as an array of NumPy have " + text_of_bytes(bytes) +
                    ", as all are as long as the longest: more than " +
                    text_of_bytes(kMostNameBytes) + "; -o FILE.tsv has them as they are");
}

Result<void> write_arrays(const KgModel& model, const std::string& path) {
  const StringColumn& entities = model.entities.names();
  const StringColumn& relations = model.relations.names();
  for (const StringColumn* names : {&entities, &relations})
    VECC_TRY_VOID(check_names(*names, path));
  std::string entity_text;
  std::string relation_text;
  std::vector<weights::NpzArray> arrays{
      weights::text_array("entity_names", entities, entity_text),
      weights::text_array("relation_names", relations, relation_text)};
  const kg::Embeddings& e = model.embeddings;
  const WeightFile parameters = e.formula ? kg::weights_of(e) : WeightFile();
  add_parameters(parameters, arrays);
  if (!e.formula) std::visit([&](const auto& tables) { add_tables(e, tables, arrays); }, e.tables);
  const DeferInterrupt whole_file;
  VECC_TRY(DataSink sink, DataSink::open(path));
  weights::write_npz(arrays, [&](std::string_view text) { sink.write(text); });
  return sink.finish();
}

template <class T>
void write_rows(DataSink& sink, const StringColumn& names, const std::vector<T>& values) {
  const std::size_t width = values.size() / names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string line = escape_terminal(names[i], std::string::npos);
    for (std::size_t k = 0; k < width; ++k) {
      line += "\t" + text_of_number(static_cast<double>(values[i * width + k]), sizeof(T) == 4);
    }
    sink.write(line + "\n");
  }
}

Result<void> write_lines(const KgModel& model, const ExportCommandLine& line) {
  const bool is_entities = line.of == "entities";
  const bool has_vectors =
      model.embeddings.formula || !kg::info_of(model.embeddings.model).relations.empty();
  if (!is_entities && !has_vectors) {
    return Errors(ErrorCode::Usage, "--of=relations",
                  std::string(kg::info_of(model.embeddings.model).name) +
                      " has no vectors of relations; -o FILE.npz has its matrices");
  }
  const DeferInterrupt whole_file;
  VECC_TRY(DataSink sink, DataSink::open(line.output));
  std::visit(
      [&](const auto& tables) {
        if (is_entities) {
          write_rows(sink, model.entities.names(), tables.entities);
        } else {
          write_rows(sink, model.relations.names(), tables.relations);
        }
      },
      model.embeddings.tables);
  return sink.finish();
}

Result<void> export_by(const ExportCommandLine& line) {
  VECC_TRY_VOID(check_writable({line.output}));
  VECC_TRY(const KgModel model, load_kg_model(line.model));
  return line.is_tsv() ? write_lines(model, line) : write_arrays(model, line.output);
}

}  // namespace

int export_embeddings_main(int argc, char** argv) {
  ExportCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = line.finish();
  if (!problem.empty()) return report_usage("vecc-kg export", problem);
  set_up_logging("warn");
  const Result<void> result = export_by(line);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> export_embeddings_command_line() {
  return app_of(std::make_shared<ExportCommandLine>());
}

}  // namespace vecc::tools
