#include "vecc/template.h"

#include <algorithm>
#include <fstream>
#include <new>
#include <utility>

#include "src/bind/graph_binder.h"
#include "src/bind/template_file.h"
#include "src/weights/safetensors_header.h"
#include "src/weights/table_rows.h"
#include "vecc/escape.h"

namespace vecc {

Result<Template> Template::of(const NeuronGraph& graph, const TemplateOptions& options) {
  VECC_TRY(auto data, binding::make_template_data(graph, options.dtype, options.loss));
  return Template(std::make_shared<const binding::TemplateData>(std::move(data)));
}

Result<Template> Template::read(const std::string& path, const WeightLimits& limits) {
  VECC_TRY(const WeightFile file, read_weights(path, limits));
  VECC_TRY(auto data, binding::template_of(file, escape_terminal(path, 4096)));
  return Template(std::make_shared<const binding::TemplateData>(std::move(data)));
}

Result<Template> Template::read_bytes(std::string_view bytes, std::string_view name) {
  VECC_TRY(const WeightFile file, read_weights_bytes(bytes, name));
  VECC_TRY(auto data, binding::template_of(file, escape_terminal(name, 4096)));
  return Template(std::make_shared<const binding::TemplateData>(std::move(data)));
}

bool Template::looks_like_one(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(4096, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const bool is_ours =
      begin.size() > 8 && std::string_view(begin).substr(8).starts_with(weights::kChecksumMark);
  return is_ours && begin.find(binding::kTemplateFormatKey) != std::string::npos;
}

Result<void> Template::write(const std::string& path) const {
  VECC_TRY(const WeightFile file, binding::file_of(*data_));
  return write_weights(file, path);
}

DType Template::dtype() const {
  return data_->dtype;
}

const std::string& Template::loss() const {
  return data_->loss;
}

const NeuronGraph& Template::weights() const {
  return data_->weights;
}

Result<Template> Template::with_weights(std::span<const WeightTable> tables) const {
  auto data = std::make_shared<binding::TemplateData>(*data_);
  for (WeightTable& table : data->weights.weight_tables) {
    const auto found = std::ranges::find(tables, table.name, &WeightTable::name);
    if (found == tables.end() || found->values.size() != table.values.size()) {
      return Errors(ErrorCode::WeightsDiffer, weights::describe_weights(table),
                    "has no values of its shape");
    }
    table.values = found->values;
  }
  return Template(std::move(data));
}

Result<void> Template::give_weights(NeuronGraph& graph) const {
  binding::RecipeBook book(data_->dtype, data_->functions);
  VECC_TRY_VOID(binding::GraphBinder(*data_, book).find_recipes(graph));
  VECC_TRY(WeightFile file, weights_of(data_->weights));
  VECC_TRY([[maybe_unused]] const LoadReport report,
           load_weights(graph, std::move(file), LoadMode::ByName));
  return {};
}

BoundGraph::BoundGraph() : launches_(std::make_unique<binding::RowLaunches>()) {}
BoundGraph::BoundGraph(BoundGraph&&) noexcept = default;
BoundGraph& BoundGraph::operator=(BoundGraph&&) noexcept = default;
BoundGraph::~BoundGraph() = default;

std::uint64_t BoundGraph::sample_count() const {
  return launches_->outputs.size();
}

std::uint64_t BoundGraph::launch_count() const {
  return launches_->used;
}

std::uint64_t BoundGraph::bytes() const {
  std::uint64_t bytes = launches_->values.size();
  for (const binding::RowLaunch& launch : launches_->launches) {
    for (const auto& list : launch.lists) bytes += list.size() * sizeof(std::uint32_t);
    bytes += (launch.offsets.size() + launch.words.size()) * sizeof(std::uint32_t);
  }
  return bytes;
}

Result<void> TemplateProgram::bind(const NeuronGraph& graph, BoundGraph& to) {
  const NeuronGraph* const one = &graph;
  return bind(std::span(&one, 1), to);
}

}  // namespace vecc
