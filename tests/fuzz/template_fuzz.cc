// Any bytes as a template, as examples and as queries: what is accepted prints to a text that is
// read as the same, and is checked.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/ground/language/check.h"
#include "tools/ground/language/parse.h"
#include "tools/ground/language/print.h"

namespace {

using namespace vecc::tools::language;

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
bool succeeds(const vecc::Result<T>& result) {
  if (result) return true;
  require(!result.error().list().empty());
  (void)result.error().text();
  return false;
}

// Small, so that the limits are met.
Limits small_limits() {
  Limits limits;
  limits.max_terms = 64;
  limits.max_atoms = 256;
  limits.max_value_size = 256;
  limits.max_word = 64;
  return limits;
}

void check_weight(const std::optional<Weight>& weight) {
  if (!weight) return;
  const Value& value = weight->value;
  require(value.shape.size() <= small_limits().max_value_size);
  require(value.values.size() == (value.has_values ? value.shape.size() : 0));
}

void check_atoms(const std::vector<Atom>& atoms) {
  for (const Atom& atom : atoms) {
    require(atom.at.line > 0 && atom.at.column > 0);
    require(atom.terms.size() == atom.predicate.arity);
    check_weight(atom.weight);
  }
}

void read_template(std::string_view bytes, DataPredicates& data) {
  const auto parsed = parse_template({"t", bytes}, small_limits());
  if (!succeeds(parsed)) return;
  for (const Rule& rule : parsed->rules) {
    check_atoms({rule.head});
    check_atoms(rule.body);
    check_weight(rule.offset);
  }
  check_atoms(parsed->facts);
  const std::string text = text_of(*parsed);
  // Shapes print longer than they were written.
  const auto again = parse_template({"t", text});
  require(again && text_of(*again) == text);
  if (!succeeds(check_template(*parsed))) return;
  (void)succeeds(check_data(*parsed, {}, data));
}

void read_samples(std::string_view bytes, DataPredicates& data) {
  const auto examples = parse_examples({"e", bytes}, small_limits());
  if (succeeds(examples)) {
    for (const Example& example : examples->examples) {
      check_atoms(example.facts);
      check_atoms(example.queries);
      for (const Atom& fact : example.facts) data.add_fact(fact);
      for (const Atom& query : example.queries) data.add_query(query);
    }
  }
  const auto queries = parse_queries({"q", bytes}, small_limits());
  if (!succeeds(queries)) return;
  std::string text;
  for (const Query& query : queries->queries) {
    check_atoms(query.atoms);
    text += text_of(query) + "\n";
  }
  const auto again = parse_queries({"q", text});
  require(again && again->named == queries->named);
  require(again->queries.size() == queries->queries.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The record separator 1e stands between the template and the samples.
  const std::size_t end = bytes.find('\x1e');
  DataPredicates predicates;
  read_samples(bytes.substr(end == std::string_view::npos ? 0 : end + 1), predicates);
  read_template(bytes.substr(0, end), predicates);
  return 0;
}
