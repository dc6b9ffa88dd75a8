#include "tools/import/models/scores/score_template.h"

#include <algorithm>
#include <utility>

#include "tools/import/models/data_vocabularies.h"
#include "tools/import/models/scores/entity_names.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

Result<void> check_dims(const ScoreOptions& options, const ImportLimits& limits) {
  if (options.dim == 0) {
    return Errors(ErrorCode::Usage, "vecc-import", "--dim=0, expected at least 1");
  }
  const std::uint64_t widest = std::max(options.dim, options.relation_dim);
  if (widest * options.dim <= limits.max_value_size) return {};
  return Errors(ErrorCode::LimitShape, "vecc-import",
                "a matrix of " + std::to_string(widest) + "x" + std::to_string(options.dim) +
                    ": more than " + std::to_string(limits.max_value_size) + " elements");
}

// "H,R,T" has three variables.
std::string predicate_of(const StageSpec& stage) {
  const auto commas = std::count(stage.variables.begin(), stage.variables.end(), ',');
  return stage.name + "/" + std::to_string(commas + 1);
}

// A name as an argument of an atom: in quotes where a reader could not tell its end.
std::string argument_text(const std::string& name) {
  if (!name.empty() && name.find_first_of("(),\"\\") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

// Sample ids, `score(head,relation,tail)`.
class ScoreNames {
 public:
  explicit ScoreNames(const TypedGraph& data) {
    for (std::uint32_t entity = 0; entity < data.node_count; ++entity) {
      entities_.push_back(argument_text(entity_name(data, entity)));
    }
    for (std::size_t r = 0; r < data.relation_names.size(); ++r) {
      relations_.push_back(argument_text(std::string(data.relation_names[r])));
    }
  }
  /// The id of a triple's n-th query, counted from 1: ids are unique, the second is score(a,r,b)~2.
  /// Valid until the next call.
  std::string_view write(const Triple& triple, std::uint32_t n) {
    id_.assign("score(");
    id_.append(entities_[triple.head]).append(",").append(relations_[triple.relation]);
    id_.append(",").append(entities_[triple.tail]).append(")");
    if (n > 1) id_.append("~").append(std::to_string(n));
    return id_;
  }

 private:
  StringColumn entities_;
  StringColumn relations_;
  std::string id_;
};

}  // namespace

std::string row_text(double value, std::uint32_t count) {
  const std::string element = value < 0 ? "-1" : "1";
  if (count == 1) return "<" + element + ">";
  return "<[" + element + (count == 2 ? "," : ",...,") + element + "]>";
}

SingleRule rule_of(const StageSpec& stage) {
  SingleRule rule;
  rule.head = predicate_of(stage);
  rule.text = (stage.weighted_head ? "<-1> " : "") + stage.name + "(" + stage.variables + ") :- " +
              stage.body + ".";
  if (stage.combination != Combination::Sum) {
    rule.text += " [combination=" + std::string(info(stage.combination).text) + "]";
  }
  rule.weighted = stage.weighted;
  rule.body = combine(stage.combination);
  rule.transformation = stage.activation;
  return rule;
}

Result<ScoreTemplate> ScoreTemplate::create(const TypedGraph& data, const ScoreOptions& options,
                                            Grounder& out) {
  VECC_TRY_VOID(check_dims(options, out.limits()));
  VECC_TRY(TripleList list, list_triples(data, options, out.limits()));
  add_vocabularies(data, out);
  return ScoreTemplate(data, options, out, std::move(list));
}

FileId ScoreTemplate::entities(const std::string& name, std::uint32_t dim) {
  const StringColumn* names = data_.node_names.size() > 0 ? &data_.node_names : nullptr;
  out_.number_weights(vocabulary::kEntity, name, VocabularyUse::Axis::Entry);
  const WeightId first = out_.weights(name, value_shape(dim), data_.node_count, names);
  return out_.learnable_facts(name + "/1", first, data_.node_count);
}

FileId ScoreTemplate::relations(const std::string& name, std::uint32_t dim) {
  const WeightId first = relation_weights(name, value_shape(dim));
  return out_.learnable_facts(name + "/1", first, data_.relation_count());
}

WeightId ScoreTemplate::relation_weights(const std::string& name, Shape shape) {
  out_.number_weights(vocabulary::kRelation, name, VocabularyUse::Axis::Entry);
  return out_.weights(name, shape, data_.relation_count(), &data_.relation_names);
}

Result<WeightId> ScoreTemplate::core_tensor(const std::string& name) {
  const std::uint64_t matrix = std::uint64_t{dim()} * dim();  // which create() has checked
  const std::uint64_t most = out_.limits().max_value_size;
  if (matrix * relation_dim() > most) {
    return Errors(ErrorCode::LimitShape, "vecc-import",
                  "a tensor of " + std::to_string(dim()) + "x" + std::to_string(relation_dim()) +
                      "x" + std::to_string(dim()) + ": more than " + std::to_string(most) +
                      " elements");
  }
  return out_.weights(name, weight_shape(static_cast<std::uint32_t>(matrix), relation_dim()));
}

WeightId ScoreTemplate::minus_one() {
  const double value = -1;
  return out_.fixed_weight("minus_one", Shape{}, {&value, 1});
}

WeightId ScoreTemplate::fixed_row(const std::string& name, std::uint32_t count, double value) {
  const std::vector<double> values(count, value);
  return out_.fixed_weight(name, weight_shape(1, count), values);
}

KeyedNeurons ScoreTemplate::head_rows(FileId e) {
  return ground_by_head(
      {"row", "H", "e(H)", false, Combination::Sum, transform(Transformation::Transp)},
      [&](std::uint32_t head, NeuronRow& row) { row.input(e + head); });
}

FileId ScoreTemplate::ground_sum(const std::string& body, FileId column, std::uint32_t dim,
                                 double value) {
  const WeightId row = fixed_row(value < 0 ? "minus_ones" : "ones", dim, value);
  return ground({"score", "H,R,T", row_text(value, dim) + " " + body + "(H,R,T)", true},
                [&](std::uint64_t i, NeuronRow& inputs) { inputs.input(column + i, row); });
}

void ScoreTemplate::add_samples(FileId scores) {
  std::vector<std::uint32_t> queries(triples().size());  // so far, by triple
  ScoreNames names(data_);
  SampleRecord sample;
  for (std::uint32_t query = 0; query < list_.query_count() && !out_.failed(); ++query) {
    const std::uint32_t number = list_.triple[query];
    const std::uint32_t positive = query / (list_.negatives + 1);
    const bool is_positive = query % (list_.negatives + 1) == 0;
    const double target = is_positive ? 1 : 0;
    sample.id = names.write(triples()[number], ++queries[number]);
    sample.output = scores + number;
    sample.group = positive;
    sample.split =
        data_.edge_split.empty() ? Split::Unspecified : data_.edge_split[list_.edge[positive]];
    sample.role = is_positive ? Role::Positive : Role::Negative;
    sample.has_target = options_.logistic;
    if (options_.logistic) sample.target = {&target, 1};
    out_.sample(sample);
  }
}

ScoreTemplate::UsedKeys ScoreTemplate::used_relations() const {
  std::vector<std::uint32_t> is_used(data_.relation_count());
  for (const Triple& triple : triples()) is_used[triple.relation] = 1;
  return number_used(std::move(is_used));
}

ScoreTemplate::UsedKeys ScoreTemplate::used_heads() const {
  std::vector<std::uint32_t> is_used(data_.node_count);
  for (const Triple& triple : triples()) is_used[triple.head] = 1;
  return number_used(std::move(is_used));
}

ScoreTemplate::UsedKeys ScoreTemplate::number_used(std::vector<std::uint32_t> is_used) {
  UsedKeys used{{}, std::move(is_used)};
  for (std::uint32_t key = 0; key < used.row.size(); ++key) {
    if (used.row[key] == 0) continue;
    used.row[key] = static_cast<std::uint32_t>(used.keys.size());
    used.keys.push_back(key);
  }
  return used;
}

}  // namespace vecc::tools
