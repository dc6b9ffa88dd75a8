#include "tools/ground/language/print.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "tools/ground/language/lexer.h"

namespace vecc::tools::language {
namespace {

// The shortest text that is the same number, as the grammar has numbers: `1.0e-05`, never `1e-05`.
template <class Real>
std::string text_of_real(Real number) {
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  std::string text(buffer.data(), end);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

std::string join(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) {
    if (!text.empty()) text += ',';
    text += text_of_real(number);
  }
  return text;
}

template <class Node>
std::string join_all(const std::vector<Node>& nodes) {
  std::string text;
  for (const Node& node : nodes) {
    if (!text.empty()) text += ", ";
    text += text_of(node);
  }
  return text;
}

std::string marked(const Predicate& predicate) {
  return std::string(predicate.hidden ? "*" : "") + (predicate.special ? "@" : "") + predicate.name;
}

std::string text_of(const MetadataEntry& entry) {
  const std::string key = entry.key.text + "=";
  switch (entry.kind) {
    case MetadataEntry::Kind::Word: return key + entry.word.whole();
    case MetadataEntry::Kind::WeightName: return key + "$" + entry.word.text;
    case MetadataEntry::Kind::Value: break;
  }
  return key + text_of(entry.value);
}

// In quotes where it is no name.
std::string text_of_constant(const std::string& text) {
  const Source source = source_of("", text);
  const Token token = Lexer(source).next();
  if (token.kind == TokenKind::Name && token.text == text) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string text_of_shape(const Shape& shape) {
  if (shape.is_scalar()) return "{1}";
  return "{" + std::to_string(shape.rows()) + "," + std::to_string(shape.cols()) + "}";
}

}  // namespace

std::string text_of(const Term& term) {
  const std::string text = term.kind == Term::Kind::Name ? text_of_constant(term.text) : term.text;
  return term.type.empty() ? text : term.type + ":" + text;
}

std::string text_of(const Value& value) {
  if (!value.has_values) return text_of_shape(value.shape);
  if (value.shape.is_scalar()) return text_of_real(static_cast<float>(value.values.front()));
  if (value.shape.cols() == 1) return "[" + join(value.values) + "]";
  std::string text = "[";
  const std::span<const double> values = value.values;
  for (std::size_t row = 0; row < value.shape.rows(); ++row) {
    if (row > 0) text += ' ';
    text += "[" + join(values.subspan(row * value.shape.cols(), value.shape.cols())) + "]";
  }
  return text + "]";
}

std::string text_of(const Weight& weight) {
  const std::string value = text_of(weight.value);
  const std::string name = weight.name.empty() ? "" : "$" + weight.name + "=";
  return name + (weight.fixed ? "<" + value + ">" : value);
}

std::string text_of(const Predicate& predicate) {
  return marked(predicate) + "/" + std::to_string(predicate.arity);
}

std::string text_of(const Atom& atom) {
  std::string text;
  if (atom.weight) text += text_of(*atom.weight) + " ";
  if (atom.negation == Negation::Hard) text += '!';
  if (atom.negation == Negation::Soft) text += '~';
  if (atom.function) text += "^" + atom.function->whole() + " ";
  text += marked(atom.predicate);
  return atom.terms.empty() ? text : text + "(" + join_all(atom.terms) + ")";
}

std::string text_of(const Metadata& metadata) {
  std::string text;
  for (const MetadataEntry& entry : metadata) {
    if (!text.empty()) text += ", ";
    text += text_of(entry);
  }
  return "[" + text + "]";
}

std::string text_of(const Rule& rule) {
  std::string text = text_of(rule.head) + " :- " + join_all(rule.body);
  if (rule.offset) text += ", " + text_of(*rule.offset);
  text += '.';
  return rule.metadata.empty() ? text : text + " " + text_of(rule.metadata);
}

std::string text_of(const Template& parsed) {
  std::string text;
  // Behind a rule it would be the rule's.
  for (const TemplateMetadata& line : parsed.metadata) text += text_of(line.metadata) + "\n";
  for (const Rule& rule : parsed.rules) text += text_of(rule) + "\n";
  for (const Atom& fact : parsed.facts) text += text_of(fact) + ".\n";
  for (const Conjunction& line : parsed.constraints) text += join_all(line.atoms) + ".\n";
  for (const PredicateOffset& line : parsed.offsets) {
    text += text_of(line.predicate) + " " + text_of(line.weight) + "\n";
  }
  for (const PredicateMetadata& line : parsed.predicates) {
    text += text_of(line.predicate) + " " + text_of(line.metadata) + "\n";
  }
  for (const WeightMetadata& line : parsed.weights) {
    text += "$" + line.weight.text + " " + text_of(line.metadata) + "\n";
  }
  return text;
}

std::string text_of(const Example& example) {
  std::string text;
  if (!example.queries.empty()) text += join_all(example.queries) + " :- ";
  if (!example.facts.empty()) text += join_all(example.facts);
  for (const Rule& rule : example.rules) text += " " + text_of(rule) + " ";
  return text + ".";
}

std::string text_of(const Query& query) {
  return (query.id ? text_of(*query.id) + " :- " : "") + join_all(query.atoms) + ".";
}

}  // namespace vecc::tools::language
