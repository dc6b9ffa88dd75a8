#include "tools/kg/kg_model.h"

#include <algorithm>
#include <utility>

#include "src/kg/embeddings_file.h"
#include "src/kg/formula_file.h"
#include "src/kg/ranks.h"
#include "tools/common/suggest.h"
#include "tools/import/load/line_reader.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/loaders.h"
#include "tools/import/load/text_checks.h"
#include "tools/import/load/text_file.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kInverseEnding = "^-1";
constexpr std::size_t kMostSuggested = 100000;  // names that a misspelt one is compared with

// What messages call the names of one kind.
struct NameKind {
  std::string_view noun;    ///< "entity"
  std::string_view plural;  ///< "entities"
};
constexpr NameKind kEntity{"entity", "entities"};
constexpr NameKind kRelation{"relation", "relations"};

Result<StringColumn> read_names(const std::string& path, std::uint32_t count,
                                const NameKind& kind) {
  const std::string expected = "a name a line, of each " + std::string(kind.noun);
  VECC_TRY(const TextFile file, read_text_file(path, expected));
  LoadErrors errors;
  if (!check_names_text(file.text(), expected, errors)) return errors.errors();
  StringColumn names;
  LineReader lines(file.bytes);
  while (lines.next()) names.push_back(lines.line());
  if (names.size() == count) return names;
  return Errors(ErrorCode::BadTable, file.name,
                "has " + std::to_string(names.size()) + " names, but the weights " +
                    std::to_string(count) + " " + std::string(kind.plural));
}

// The weights' own names, or those of a file.
Result<NameTable> make_names(const StringColumn& own, const std::string& path, std::uint32_t count,
                             const NameKind& kind, const std::string& weights) {
  StringColumn names = own;
  if (!path.empty()) {
    VECC_TRY(names, read_names(path, count, kind));
  } else if (own.size() == 0) {
    return Errors(ErrorCode::Usage, escape_terminal(weights, 4096),
                  "has no names of " + std::string(kind.plural) + "; --" +
                      std::string(kind.plural) + "=FILE gives them, a line each");
  }
  NameTable table;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (table.add(names[i]) == i) continue;
    return Errors(ErrorCode::DuplicateName, escape_terminal(path.empty() ? weights : path, 4096),
                  "names two " + std::string(kind.plural) + " " + quote(names[i]));
  }
  return table;
}

Result<std::uint32_t> find_name(const NameTable& names, std::string_view name,
                                const std::string& place, const NameKind& kind) {
  if (const auto found = names.find(name)) return *found;
  std::string message = "the weights know no " + std::string(kind.noun) + " " + quote(name);
  if (names.size() <= kMostSuggested) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < names.size(); ++i) all.emplace_back(names.names()[i]);
    if (const auto meant = nearest_name(name, all))
      message += "; did you mean " + quote(*meant) + "?";
  }
  return Errors(ErrorCode::Usage, place, message);
}

// By number of the data set: the model's number. Names that it lacks are errors.
std::vector<std::uint32_t> match_names(const StringColumn& data, const NameTable& model,
                                       const NameKind& kind, const std::string& name,
                                       LoadErrors& errors) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto found = model.find(data[i]);
    numbers.push_back(found.value_or(0));
    if (found) continue;
    errors.add(ErrorCode::WeightsDiffer, {name}, [&] {
      return "has the " + std::string(kind.noun) + " " + quote(data[i]) +
             ", of which the weights know nothing";
    });
  }
  return numbers;
}

// The score that the options and the file say, which must not be two.
Result<kg::StatedScore> score_of(const KgModelOptions& options, const WeightFile& file) {
  const std::string place = escape_terminal(options.weights, 4096);
  auto stated = kg::stated_score(file);
  if (!stated) return stated.error().in(place);
  if (options.model.empty() && !*stated) {
    return Errors(ErrorCode::Usage, place,
                  "does not say which score it is of; --model= says it: " +
                      kg::list_score_models() + ", tucker");
  }
  kg::StatedScore score = stated->value_or(kg::StatedScore());
  if (!options.model.empty()) {
    const auto asked = kg::parse_score_model(options.model == kTucker ? "formula" : options.model);
    if (!asked) {
      return Errors(ErrorCode::Usage, "--model",
                    "found " + quote(options.model) + ", expected one of " +
                        kg::list_score_models() + ", tucker");
    }
    if (*stated && score.model != *asked) {
      return Errors(ErrorCode::WeightsDiffer, place,
                    "says that it is of " + std::string(kg::info_of(score.model).name) +
                        ", found --model=" + options.model);
    }
    score.model = *asked;
  }
  if (options.p != 0 && score.model != kg::ScoreModel::TransE) {
    return Errors(ErrorCode::Usage, "--p",
                  "says nothing to --model=" + std::string(kg::info_of(score.model).name) +
                      ": it is of transe");
  }
  if (options.p != 0 && *stated && score.p != options.p) {
    return Errors(ErrorCode::WeightsDiffer, place,
                  "says that its norm has p = " + std::to_string(score.p) +
                      ", found --p=" + std::to_string(options.p));
  }
  if (options.p != 0) score.p = options.p;
  return score;
}

// What vecc-kg export writes is refused as such.
Result<WeightFile> read_kg_weights(const KgModelOptions& options) {
  auto file = read_weights(options.weights, {options.max_bytes});
  if (file) return file;
  const Diagnostic& first = file.error().list().front();
  if (first.code != ErrorCode::UnreadWeights ||
      first.place.find("\"entity_names.npy\"") == std::string::npos) {
    return file;
  }
  return Errors(first.code, escape_terminal(options.weights, 4096),
                "found what vecc-kg export writes for NumPy, with names as text; expected the "
                "weights that it was written from");
}

}  // namespace

Result<KgModel> load_kg_model(const KgModelOptions& options) {
  const bool is_tucker = options.model == kTucker;
  VECC_TRY(WeightFile file, read_kg_weights(options));
  VECC_TRY(const kg::StatedScore score, score_of(options, file));
  const Result<void> named = is_tucker ? kg::name_tucker(file) : Result<void>();
  if (!named) return named.error().in(escape_terminal(options.weights, 4096));
  auto embeddings = kg::read_embeddings(file, score.model, score.p);
  if (!embeddings) return embeddings.error().in(escape_terminal(options.weights, 4096));
  if (is_tucker && embeddings->formula->formula().text != kg::tucker_text()) {
    return Errors(ErrorCode::WeightsDiffer, escape_terminal(options.weights, 4096),
                  "is of another formula than tucker's: --model=formula reads its own");
  }
  KgModel model{std::move(*embeddings), {}, {}};
  const kg::Embeddings& e = model.embeddings;
  VECC_TRY(model.entities,
           make_names(e.entity_names, options.entities, e.entities, kEntity, options.weights));
  VECC_TRY(model.relations, make_names(e.relation_names, options.relations, e.relations, kRelation,
                                       options.weights));
  return model;
}

Result<KgTriples> load_kg_triples(const KgModel& model, const std::string& path,
                                  TripleLayout layout) {
  layout.keeps_repeated = true;
  VECC_TRY(TypedGraph data, load_triples(path, layout));
  LoadErrors errors;
  const std::string name = escape_terminal(data.name);
  const auto entities = match_names(data.node_names, model.entities, kEntity, name, errors);
  const auto relations = match_names(data.relation_names, model.relations, kRelation, name, errors);
  if (!errors.empty()) return errors.errors();
  KgTriples result;
  for (std::size_t i = 0; i < data.edge_count(); ++i) {
    result.triples.push_back(
        {entities[data.source[i]], relations[data.relation[i]], entities[data.target[i]]});
  }
  result.split = std::move(data.edge_split);
  return result;
}

Result<std::uint32_t> find_entity(const KgModel& model, std::string_view name,
                                  const std::string& place) {
  return find_name(model.entities, name, place, kEntity);
}
Result<std::uint32_t> find_relation(const KgModel& model, std::string_view name,
                                    const std::string& place) {
  return find_name(model.relations, name, place, kRelation);
}

std::vector<std::uint32_t> inverse_relations(const NameTable& relations) {
  std::vector<std::uint32_t> inverse;
  const StringColumn& names = relations.names();
  for (std::size_t r = 0; r < names.size(); ++r) {
    const auto found = relations.find(std::string(names[r]) + std::string(kInverseEnding));
    inverse.push_back(found.value_or(kg::kNoInverse));
  }
  for (std::uint32_t r = 0; r < inverse.size(); ++r) {
    if (inverse[r] == kg::kNoInverse || inverse[inverse[r]] != kg::kNoInverse) continue;
    inverse[inverse[r]] = r;
  }
  return inverse;
}

Result<std::vector<std::uint32_t>> choose_inverse(const NameTable& relations,
                                                  std::span<const std::uint32_t> asked,
                                                  const std::string& place) {
  std::vector<std::uint32_t> inverse = inverse_relations(relations);
  const auto has = [&](std::uint32_t relation) { return inverse[relation] != kg::kNoInverse; };
  if (std::ranges::none_of(asked, has)) return std::vector<std::uint32_t>();
  const auto lacks = std::ranges::find_if_not(asked, has);
  if (lacks == asked.end()) return inverse;
  return Errors(ErrorCode::BadSample, place,
                "the weights have inverse relations (NAME^-1), but none of " +
                    quote(relations.names()[*lacks]) +
                    "; --inverse=off asks every relation for heads itself");
}

}  // namespace vecc::tools
