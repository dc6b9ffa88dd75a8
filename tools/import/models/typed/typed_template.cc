#include "tools/import/models/typed/typed_template.h"

#include <boost/unordered/unordered_flat_set.hpp>
#include <string_view>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

Errors usage(std::string message) {
  return Errors(ErrorCode::Usage, "vecc-import", std::move(message));
}

Result<void> check_dims(const TypedOptions& options, const ImportLimits& limits) {
  if (options.dims.size() < 2) {
    return usage("--dims: fewer than two numbers, expected the features' and one a layer");
  }
  if (options.heads == 0) return usage("--heads=0, expected at least 1");
  for (std::size_t l = 0; l < options.dims.size(); ++l) {
    const std::uint32_t dim = options.dims[l];
    if (dim == 0) return usage("--dims: dimension 0, expected at least 1");
    if (l == 0) continue;
    VECC_TRY_VOID(check_weight(dim, options.dims[l - 1], limits));
    if (dim % options.heads != 0) {
      return usage("--heads=" + std::to_string(options.heads) + " does not divide " +
                   std::to_string(dim) + ", the dimensions of layer " + std::to_string(l));
    }
    if (options.layer_norm && dim == 1) {
      return usage("--norm=layer: layer " + std::to_string(l) +
                   " has dimension 1, which has no variance; expected at least 2");
    }
  }
  return {};
}

Result<void> check_features(const TypedGraph& data, const TypedOptions& options,
                            const ImportLimits& limits) {
  bool found = false;
  for (const NodeFeatures& features : data.features) {
    if (features.dim == 0) continue;
    found = true;
    VECC_TRY_VOID(check_weight(options.dims[0], features.dim, limits));
  }
  if (found) return {};
  return usage("--features=given: the data has no node features; try --features=embedding");
}

Result<void> check_data(const TypedGraph& data, const TypedOptions& options,
                        const ImportLimits& limits) {
  const std::string place = escape_terminal(data.name);
  if (data.node_count == 0) return Errors(ErrorCode::BadTable, place, "has no nodes");
  if (data.relation_count() == 0) return Errors(ErrorCode::BadTable, place, "has no relations");
  boost::unordered_flat_set<std::string_view> names;
  for (std::size_t t = 0; t < data.node_type_names.size(); ++t) {
    if (names.insert(data.node_type_names[t]).second) continue;
    return Errors(ErrorCode::BadTable, place,
                  "two node types are named \"" + escape_terminal(data.node_type_names[t]) + "\"");
  }
  if (options.given_features) VECC_TRY_VOID(check_features(data, options, limits));
  if (options.output == ModelOutput::Softmax && options.dims.back() == 1) {
    return usage("--output-function=softmax: one output; it needs at least two");
  }
  const std::size_t classes = data.label_names.size();
  if (!data.labels.empty() && options.dims.back() != classes) {
    return usage("--dims: the last layer has dimension " + std::to_string(options.dims.back()) +
                 ", but the data has " + std::to_string(classes) + " classes");
  }
  return {};
}

}  // namespace

Result<void> check_weight(std::uint32_t rows, std::uint32_t cols, const ImportLimits& limits) {
  if (std::uint64_t{rows} * cols <= limits.max_value_size) return {};
  return Errors(ErrorCode::LimitShape, "vecc-import",
                "a weight of " + std::to_string(rows) + "x" + std::to_string(cols) +
                    " has more than " + std::to_string(limits.max_value_size) + " elements");
}

TypedTemplate::TypedTemplate(const TypedGraph& data, const TypedOptions& options, Grounder& out)
    : data_(data), options_(options), out_(out) {
  for (const bool inverse : {false, true}) {
    if (inverse && !options.inverse) break;
    for (std::uint32_t r = 0; r < data.relation_count(); ++r) {
      const std::string name(data.relation_names[r]);
      relation_names_.push_back(inverse ? name + "^-1" : name);
    }
  }
  for (std::size_t r = 0; r < relation_names_.size(); ++r) {
    for (std::uint32_t h = 0; h < options.heads; ++h) {
      const std::string name(relation_names_[r]);
      relation_head_names_.push_back(options.heads == 1 ? name : name + "#" + std::to_string(h));
    }
  }
}

Result<TypedTemplate> TypedTemplate::create(const TypedGraph& data, const TypedOptions& options,
                                            Grounder& out) {
  VECC_TRY_VOID(check_dims(options, out.limits()));
  VECC_TRY_VOID(check_data(data, options, out.limits()));
  const std::uint64_t rows =
      std::uint64_t{data.relation_count()} * (options.inverse ? 2 : 1) * options.heads;
  if (rows > out.limits().max_weights) {
    return Errors(ErrorCode::LimitWeights, escape_terminal(data.name),
                  std::to_string(rows) + " relations and heads, the limit of weights is " +
                      std::to_string(out.limits().max_weights));
  }
  add_vocabularies(data, out);
  return TypedTemplate(data, options, out);
}

WeightId TypedTemplate::relation_weights(const std::string& name, Shape shape) const {
  out_.number_weights(vocabulary::kRelation, name, VocabularyUse::Axis::Entry);
  return out_.weights(name, shape, relations(), &relation_names_);
}

WeightId TypedTemplate::relation_head_weights(const std::string& name, Shape shape) const {
  const auto rows = static_cast<std::uint32_t>(relation_head_names_.size());
  out_.number_weights(vocabulary::kRelation, name, VocabularyUse::Axis::Entry, options_.heads);
  return out_.weights(name, shape, rows, &relation_head_names_);
}

WeightId TypedTemplate::type_weights(const std::string& name, Shape shape) const {
  out_.number_weights(vocabulary::kNodeType, name, VocabularyUse::Axis::Entry);
  return out_.weights(name, shape, node_types(), &data_.node_type_names);
}

TransformationSpec TypedTemplate::activation(std::uint32_t layer) const {
  return transform(layer == layers() ? Transformation::Identity : Transformation::Relu);
}

bool TypedTemplate::has_norm_predicate(std::uint32_t layer) const {
  return options_.layer_norm && layer < layers();
}

std::string TypedTemplate::rule_predicate(std::uint32_t layer) const {
  return has_norm_predicate(layer) ? "n" + std::to_string(layer) : layer_name(layer);
}

}  // namespace vecc::tools
