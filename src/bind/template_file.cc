// A template as a weight file: its tensors are the weights, its metadata all else (docs/bind.md).
#include "src/bind/template_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "src/bind/template_data.h"
#include "src/weights/file_digest.h"
#include "src/weights/vocabulary_text.h"
#include "vecc/escape.h"

namespace vecc::binding {
namespace {

constexpr std::string_view kFormat = "1";
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 24;

// Numbers, each with a space behind it, and texts with their lengths in front: `12:layer_1/1`.
class Writer {
 public:
  void number(std::uint64_t value) { text_ += std::to_string(value) + ' '; }
  void text(std::string_view value) {
    text_ += std::to_string(value.size()) + ':';
    text_ += value;
  }
  void shape(Shape shape) {
    number(shape.is_scalar() ? 0 : shape.rows());
    number(shape.is_scalar() ? 0 : shape.cols());
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// What is wrong is remembered; from then on all that is read is 0 or empty.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  void fail() {
    failed_ = true;
    rest_ = {};
  }
  std::uint64_t number(std::uint64_t most) { return read(' ', most); }
  // Of things that are written with two bytes at least.
  std::uint64_t count() { return number(rest_.size() / 2); }
  std::string text() {
    const std::uint64_t size = read(':', rest_.size());
    if (size > rest_.size()) fail();
    if (failed_) return {};
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  Shape shape() {
    const std::uint64_t rows = number(kMostElements);
    const std::uint64_t cols = number(kMostElements);
    if ((rows == 0) != (cols == 0) || rows * cols > kMostElements) fail();
    if (failed_ || rows == 0) return {};
    return {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols)};
  }

 private:
  std::uint64_t read(char end, std::uint64_t most) {
    std::uint64_t value = 0;
    const char* const last = rest_.data() + rest_.size();
    const auto [at, error] = std::from_chars(rest_.data(), last, value);
    if (error != std::errc() || at == last || *at != end || value > most) fail();
    if (failed_) return 0;
    rest_.remove_prefix(static_cast<std::size_t>(at - rest_.data()) + 1);
    return value;
  }

  std::string_view rest_;
  bool failed_ = false;
};

void write_function(const NeuronFunction& function, Writer& to) {
  to.text(info(function.combination).text);
  to.number(static_cast<std::uint64_t>(std::int64_t{function.axis} + 1));
  to.text(function.expr ? function.expr->text() : "");
  to.text(text_of(function.transformation));
}

Result<NeuronFunction> read_function(Reader& from) {
  NeuronFunction function;
  const auto combination = parse_combination(from.text());
  if (!combination) from.fail();
  function.combination = combination.value_or(Combination::Sum);
  function.axis = static_cast<int>(from.number(1)) - 1;
  const std::string expr = from.text();
  const std::string then = from.text();
  if (expr.empty() == (function.combination == Combination::FunctionGraph)) from.fail();
  if (from.failed()) return function;
  if (!expr.empty()) {
    VECC_TRY(Expr parsed, parse_expr(expr, "function"));
    VECC_TRY_VOID(check_expr(parsed, "function"));
    function.expr = std::make_shared<const Expr>(std::move(parsed));
  }
  VECC_TRY(function.transformation, parse_transformation_spec(then, "function"));
  return function;
}

void write_signature(const Signature& signature, Writer& to) {
  to.number(signature.function);
  to.number(signature.any_count ? 1 : 0);
  to.number(signature.has_declared ? 1 : 0);
  to.shape(signature.declared);
  for (const std::uint32_t word : signature.words) to.number(word);
  to.number(signature.elements.size());
  for (const RowElement& element : signature.elements) {
    to.number((element.has_weight ? 1u : 0u) + (element.has_input ? 2u : 0u));
    if (element.has_weight) to.shape(element.weight);
    if (element.has_input) to.shape(element.input);
  }
}

Signature read_signature(Reader& from, std::uint64_t functions) {
  Signature signature;
  if (functions == 0) from.fail();
  signature.function = static_cast<std::uint32_t>(from.number(functions - 1));
  signature.any_count = from.number(1) == 1;
  signature.has_declared = from.number(1) == 1;
  signature.declared = from.shape();
  for (std::uint32_t& word : signature.words) {
    word = static_cast<std::uint32_t>(from.number(kToEnd));
  }
  const std::uint64_t count = from.count();
  if (signature.any_count && count != 1) from.fail();
  for (std::uint64_t k = 0; k < count && !from.failed(); ++k) {
    const std::uint64_t parts = from.number(3);
    if (parts == 0) from.fail();
    RowElement element;
    element.has_weight = (parts & 1) != 0;
    element.has_input = (parts & 2) != 0;
    if (element.has_weight) element.weight = from.shape();
    if (element.has_input) element.input = from.shape();
    signature.elements.push_back(element);
  }
  return signature;
}

void write_group(const TemplateGroup& group, Writer& to) {
  to.number(static_cast<std::uint64_t>(group.neuron_class));
  to.text(group.head);
  to.text(group.rule);
  to.number(group.entries.size());
  for (const GroupEntry& entry : group.entries) {
    to.number(static_cast<std::uint64_t>(entry.fact));
    to.shape(entry.shape);
    to.number(entry.function);
    to.number(entry.rank);
  }
}

TemplateGroup read_group(Reader& from, std::uint64_t functions) {
  TemplateGroup group;
  constexpr auto kLastClass = static_cast<std::uint64_t>(NeuronClass::SplittableAggregation);
  constexpr auto kLastFact = static_cast<std::uint64_t>(FactKind::Learnable);
  group.neuron_class = static_cast<NeuronClass>(from.number(kLastClass));
  group.head = from.text();
  group.rule = from.text();
  const std::uint64_t count = from.count();
  for (std::uint64_t e = 0; e < count && !from.failed(); ++e) {
    GroupEntry entry;
    entry.fact = static_cast<FactKind>(from.number(kLastFact));
    entry.shape = from.shape();
    entry.function = static_cast<std::uint32_t>(from.number(kMostElements));
    entry.rank = static_cast<std::uint32_t>(from.number(kMostRanks));
    if (entry.fact == FactKind::NotAFact && entry.function >= functions) from.fail();
    group.entries.push_back(entry);
  }
  return group;
}

void write_table(const WeightTable& table, Writer& to) {
  to.text(table.name);
  to.shape(table.shape);
  to.number(table.count);
  to.number(table.learnable ? 1 : 0);
}

WeightTable read_table(Reader& from) {
  WeightTable table;
  table.name = from.text();
  table.shape = from.shape();
  table.count = static_cast<std::uint32_t>(from.number(kNoWeight - 1));
  table.learnable = from.number(1) == 1;
  return table;
}

Errors damaged(const std::string& place, const std::string& what) {
  return Errors(ErrorCode::BadWeightFile, place, "is a saved program whose " + what);
}

Result<void> read_values(const WeightFile& file, const std::string& place, TemplateData& data) {
  std::vector<WeightTable>& tables = data.weights.weight_tables;
  if (tables.size() != file.tensors.size()) return damaged(place, "weights are not its tables");
  std::uint64_t weights = 0;
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    WeightTable& table = tables[t];
    const auto found = std::ranges::find(file.tensors, table.name, &WeightTensor::name);
    if (found == file.tensors.end() || found->shape != tensor_shape(table) ||
        !is_float(found->type)) {
      return damaged(place, "weight table \"" + escape_terminal(table.name) + "\" has no values");
    }
    table.values = numbers_of(*found);
    table.has_values = true;
    table.first = static_cast<WeightId>(weights);
    weights += table.count;
    if (weights >= kNoWeight) return damaged(place, "weights are too many");
    if (!table.values.visit([](auto values) {
          return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
        })) {
      return Errors(
          ErrorCode::NotFinite, place,
          "weight table \"" + escape_terminal(table.name) + "\" has a number that is not finite");
    }
    data.weights.table_of_weight.resize(weights, t);
  }
  return {};
}

// A table's row names are saved as a vocabulary of its own.
void restore_row_names(NeuronGraph& weights) {
  for (WeightTable& table : weights.weight_tables) {
    const auto found = std::ranges::find_if(weights.vocabularies, [&](const Vocabulary& of) {
      return of.name == "rows of " + table.name && of.names.size() == table.count;
    });
    if (found == weights.vocabularies.end()) continue;
    table.row_names = std::move(found->names);
    weights.vocabularies.erase(found);
  }
}

// Names that are too many for a header are left out of a weight file, where nothing rests on them.
Result<void> check_names(const WeightFile& file) {
  const std::string* text = weights::find_entry(file, weights::kVocabulariesKey);
  if (text == nullptr) return {};
  const auto saved = weights::parse_vocabularies(*text);
  for (const Vocabulary& vocabulary : saved.value_or(std::vector<Vocabulary>())) {
    if (vocabulary.names.size() > 0) continue;
    return Errors(ErrorCode::LimitBytes, "vocabulary \"" + escape_terminal(vocabulary.name) + "\"",
                  "has more names than a saved program has room for");
  }
  return {};
}

Result<TemplateData> read_text(const WeightFile& file, std::string_view text,
                               const std::string& place) {
  Reader from(text);
  TemplateData data;
  data.dtype = from.number(1) == 1 ? DType::F64 : DType::F32;
  data.loss = from.text();
  for (std::uint64_t left = from.count(); left > 0 && !from.failed(); --left) {
    auto function = read_function(from);
    if (!function) return function.error().in(place);
    data.functions.push_back(std::move(*function));
  }
  const std::uint64_t functions = data.functions.size();
  for (std::uint64_t left = from.count(); left > 0 && !from.failed(); --left) {
    data.groups.push_back(read_group(from, functions));
  }
  for (std::uint64_t left = from.count(); left > 0 && !from.failed(); --left) {
    data.signatures.push_back(read_signature(from, functions));
  }
  for (std::uint64_t left = from.count(); left > 0 && !from.failed(); --left) {
    data.weights.weight_tables.push_back(read_table(from));
  }
  if (from.failed() || !from.at_end()) return damaged(place, "template does not parse");
  VECC_TRY_VOID(read_values(file, place, data));
  if (const std::string* known = weights::find_entry(file, weights::kVocabulariesKey)) {
    auto vocabularies = weights::parse_vocabularies(*known);
    if (!vocabularies) return damaged(place, "vocabularies do not parse");
    data.weights.vocabularies = std::move(*vocabularies);
    restore_row_names(data.weights);
  }
  return data;
}

}  // namespace

Result<WeightFile> file_of(const TemplateData& data) {
  VECC_TRY(WeightFile file, weights_of(data.weights));
  VECC_TRY_VOID(check_names(file));
  Writer to;
  to.number(data.dtype == DType::F64 ? 1 : 0);
  to.text(data.loss);
  to.number(data.functions.size());
  for (const NeuronFunction& function : data.functions) write_function(function, to);
  to.number(data.groups.size());
  for (const TemplateGroup& group : data.groups) write_group(group, to);
  to.number(data.signatures.size());
  for (const Signature& signature : data.signatures) write_signature(signature, to);
  to.number(data.weights.weight_tables.size());
  for (const WeightTable& table : data.weights.weight_tables) write_table(table, to);
  file.metadata.insert(file.metadata.begin(),
                       {{std::string(kTemplateFormatKey), std::string(kFormat)},
                        {std::string(kTextKey), to.take()}});
  std::string digest = weights::digest_of(file, kDigestKey);
  file.metadata.emplace_back(kDigestKey, std::move(digest));
  return file;
}

Result<TemplateData> template_of(const WeightFile& file, const std::string& place) {
  const std::string* format = weights::find_entry(file, kTemplateFormatKey);
  const std::string* text = weights::find_entry(file, kTextKey);
  const std::string* digest = weights::find_entry(file, kDigestKey);
  if (format == nullptr) {
    return Errors(ErrorCode::BadWeightFile, place,
                  "is no saved program: vecc GRAPH --save-program=FILE makes one");
  }
  if (*format != kFormat) {
    return Errors(ErrorCode::UnknownSchema, place,
                  "found a saved program of format \"" + escape_terminal(*format, 60) +
                      "\", expected " + std::string(kFormat) + ": another vecc made it");
  }
  if (text == nullptr || digest == nullptr) return damaged(place, "template is not there");
  const std::string found = weights::digest_of(file, kDigestKey);
  if (found != *digest) {
    return Errors(ErrorCode::WrongChecksum, place,
                  "has the digest " + found + ", but states " + escape_terminal(*digest, 60) +
                      ": it was changed after it was saved");
  }
  VECC_TRY(TemplateData data, read_text(file, *text, place));
  // That its neurons can be: what is bound later rests on it.
  RecipeBook book(data.dtype, data.functions);
  for (const Signature& signature : data.signatures) {
    if (const auto added = book.add(signature); !added) return added.error().in(place);
  }
  return data;
}

}  // namespace vecc::binding
