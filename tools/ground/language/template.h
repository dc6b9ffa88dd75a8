// The syntax tree of NeuraLogic's language: templates, examples and queries as they were written.
// Values only; what the text means (functions, shapes, defaults) is check.h's.
//
//   template   rules, facts, offsets and metadata of predicates, metadata of weights
//   examples   one structure of facts (and rules) each, with or without the queries over it
//   queries    one line of atoms with targets an example, with or without the example's name
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vecc/shape.h"

namespace vecc::tools::language {

/// Where a node begins. `file` indexes Template::files (0: the file itself, more by `import`);
/// lines and columns (bytes) count from 1.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t file = 0;
  auto operator<=>(const Position&) const = default;
};

/// A word of the text.
struct Word {
  std::string text;
  Position at;
};

/// A function, and what stands in brackets behind its name: `tanh`, `leakyrelu(0.2)`,
/// `slice(1:3, 0:)`, `softmax(J)`, `elproduct(sum($0, $1), $2)`. functions.h says what it means.
struct FunctionCall {
  std::string text;       ///< the name
  std::string arguments;  ///< as written, brackets too, without blanks; "" if none
  Position at;
  [[nodiscard]] std::string whole() const { return text + arguments; }
};

/// `X`, `_`, `atom:X`; `carbon`, `"Ox 1"`, `12`, `-0.5`, `atom:c1`. Two terms are the same iff
/// kind, text and type are: `1` and `1.0` differ, and so do `c1` and `atom:c1` (of which a file has
/// one or the other). `_` is a variable like others: in NeuraLogic two of them in a rule are one. A
/// variable with a type at one place of its rule has it at all.
struct Term {
  enum class Kind : std::uint8_t { Variable, Name, Integer, Decimal };
  Kind kind = Kind::Name;
  std::string text;  ///< as written, without the type and without quotes
  std::string type;  ///< "" if none
  Position at;
  [[nodiscard]] bool is_variable() const { return kind == Kind::Variable; }
};

/// A number, vector, matrix, or the shape alone: `0.5`, `[1, 2]` (a column), `[[1, 2] [3, 4]]`,
/// sparse `[3| 0:1.5]` and `[2,3| 0,1:1.5]`, `{3}` (a column), `{1,3}` (a row), `{2,3}`; `{1}` and
/// `{1,1}` are scalars.
struct Value {
  Shape shape;
  bool has_values = false;     ///< false: to be initialised
  std::vector<double> values;  ///< row-major; a scalar has passed through a 32-bit float,
                               ///< but for Limits::double_scalars
  Position at;
};

/// `0.5`, `<0.5>` (fixed), `$name={3,2}`, `$name=<1.0>`. Weights of one name are one weight, with
/// the value and the kind of the first.
struct Weight {
  std::string name;  ///< "": a weight of its own
  bool fixed = false;
  Value value;
  Position at;
};

enum class Negation : std::uint8_t {
  None,
  Hard,  ///< `!`: true where the atom cannot be derived; no input of the neuron
  Soft,  ///< `~`: an input, through the settings' negation (REVERSE, 1 - x)
};

/// `bond`, `*bond` (hidden: constrains, but is no input), `@alldiff` (special: computed).
/// Two are the same iff name and arity are.
struct Predicate {
  std::string name;  ///< without marks
  std::uint32_t arity = 0;
  bool hidden = false;
  bool special = false;
  Position at;
};

/// `{3,3} relu(*bond(X, Y))`: weight, negation, function, predicate, terms, in this order. A fact's
/// weight is its value (or, if not fixed, its learnable value); a query's is its target.
struct Atom {
  std::optional<Weight> weight;
  Negation negation = Negation::None;
  std::optional<FunctionCall> function;  ///< of this literal alone: PyNeuraLogic's relations
  Predicate predicate;
  std::vector<Term> terms;
  Position at;
};

/// `key = value`: a function or a word (`tanh`, `true`), a weight's name (`$w`) or a value.
struct MetadataEntry {
  Word key;
  enum class Kind : std::uint8_t { Word, WeightName, Value };
  Kind kind = Kind::Word;
  FunctionCall word;  ///< Word, WeightName (without `$`)
  Value value;        ///< Value
};
using Metadata = std::vector<MetadataEntry>;

/// `head :- body, offset. [metadata]`
struct Rule {
  Atom head;  ///< its weight is the rule's
  std::vector<Atom> body;
  std::optional<Weight> offset;
  Metadata metadata;
  std::string text;  ///< as written, without blanks and comments: NeuraLogic's text of it
  Position at;
};

/// `predict/1 {1}`
struct PredicateOffset {
  Predicate predicate;
  Weight weight;
  Position at;
};
/// `predict/1 [transformation=tanh]`
struct PredicateMetadata {
  Predicate predicate;
  Metadata metadata;
  Position at;
};
/// `$w [value=[1,2]]`
struct WeightMetadata {
  Word weight;
  Metadata metadata;
  Position at;
};
/// `[key=value]` on its own.
struct TemplateMetadata {
  Metadata metadata;
  Position at;
};

/// `a(1), b(2).`
struct Conjunction {
  std::vector<Atom> atoms;
  Position at;
};

struct Template {
  std::vector<std::string> files;  ///< names for errors (escaped); [0] is the template itself
  std::vector<Rule> rules;
  std::vector<Atom> facts;               ///< one atom and a dot
  std::vector<Conjunction> constraints;  ///< several: NeuraLogic reads and ignores them
  std::vector<PredicateOffset> offsets;
  std::vector<PredicateMetadata> predicates;
  std::vector<WeightMetadata> weights;
  std::vector<TemplateMetadata> metadata;  ///< NeuraLogic reads and ignores them
};

/// One structure that samples are grounded over: `facts.` or `queries :- facts.` All words up to
/// the dot, with the rules among them.
struct Example {
  std::vector<Atom> queries;  ///< one without a weight alone: a name of queries in the queries file
  std::vector<Atom> facts;
  std::vector<Rule> rules;
  Position at;
};
struct Examples {
  std::string file;      ///< for errors; escaped
  bool labeled = false;  ///< `queries :- facts.`, all of them or none
  std::vector<Example> examples;
};

/// `1.0 predict.`, `id :- 1.0 a(x), 0.0 a(y).`: the queries over one example.
struct Query {
  std::optional<Atom> id;  ///< of the example that it is over; its weight is the importance
  std::vector<Atom> atoms;
  Position at;
};
struct Queries {
  std::string file;    ///< for errors; escaped
  bool named = false;  ///< all have an id, or none
  std::vector<Query> queries;
};

}  // namespace vecc::tools::language
