#include "tools/learn/model_file.h"

#include <algorithm>
#include <string_view>

#include "src/weights/file_digest.h"
#include "tools/common/interrupt.h"
#include "tools/import/sql/trained_columns.h"
#include "tools/vecc/model_mark.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kDatabaseKey = "vecc.model.database";
constexpr std::string_view kLossKey = "vecc.model.loss";
constexpr std::string_view kDigestKey = "vecc.model.digest";
constexpr std::string_view kFormat = "1";

std::string_view database_text(const NeuronGraph& graph) {
  const auto found =
      std::ranges::find(graph.vocabularies, sql::kTrainedDatabase, &Vocabulary::name);
  const bool is_there = found != graph.vocabularies.end() && found->names.size() == 1;
  return is_there ? found->names[0] : std::string_view();
}

}  // namespace

Result<std::string> write_model(const NeuronGraph& graph, Loss loss, const std::string& path) {
  const std::string_view database = database_text(graph);
  if (database.empty()) {
    return Errors(ErrorCode::MissingValues, escape_terminal(path, 4096),
                  "the graph is of no database: a model has to say how rows are read");
  }
  VECC_TRY(WeightFile file, weights_of(graph));
  file.metadata.insert(file.metadata.begin(),
                       {{std::string(kModelFormatKey), std::string(kFormat)},
                        {std::string(kDatabaseKey), std::string(database)},
                        {std::string(kLossKey), std::string(text_of(loss))}});
  std::string digest = weights::digest_of(file, kDigestKey);
  file.metadata.emplace_back(kDigestKey, digest);
  const DeferInterrupt whole_file;
  VECC_TRY_VOID(write_weights(file, path));
  return digest;
}

Result<ModelFile> read_model(const std::string& path, const WeightLimits& limits) {
  VECC_TRY(const WeightFile file, read_weights(path, limits));
  const std::string place = escape_terminal(path, 4096);
  const std::string* format = weights::find_entry(file, kModelFormatKey);
  const std::string* database = weights::find_entry(file, kDatabaseKey);
  const std::string* loss = weights::find_entry(file, kLossKey);
  const std::string* digest = weights::find_entry(file, kDigestKey);
  if (format == nullptr) {
    return Errors(ErrorCode::BadWeightFile, place, "is no model: vecc learn makes one");
  }
  if (*format != kFormat) {
    return Errors(ErrorCode::UnknownSchema, place,
                  "found a model of format \"" + escape_terminal(*format, 60) + "\", expected " +
                      std::string(kFormat) + ": another vecc made it");
  }
  const std::optional<Loss> parsed = loss == nullptr ? std::nullopt : parse_loss(*loss);
  if (database == nullptr || !parsed || digest == nullptr) {
    return Errors(ErrorCode::BadWeightFile, place, "is a model that lacks a part");
  }
  const std::string found = weights::digest_of(file, kDigestKey);
  if (found != *digest) {
    return Errors(ErrorCode::WrongChecksum, place,
                  "has the digest " + found + ", but states " + escape_terminal(*digest, 60) +
                      ": it was changed after vecc learn");
  }
  return ModelFile{*database, *parsed, found};
}

}  // namespace vecc::tools
