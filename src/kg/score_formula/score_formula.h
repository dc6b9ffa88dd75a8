// A score of triples that a user writes as a formula (docs/knowledge-graphs.md):
//
//     r.M: dim x dim
//     r.b: 1
//     dot(h, r.M @ t) + r.b
//
// Its parameters are rows by entity, rows by relation, and numbers that all triples share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/kg/score_formula/term.h"
#include "vecc/error.h"

namespace vecc::kg {

/// What a parameter is one of: each entity, each relation, or one for all triples.
enum class ParameterOwner : std::uint8_t { Entity, Relation, Shared };

struct ScoreParameter {
  std::string name;  ///< also of its table: e, e.b, r, r.M, W
  ParameterOwner owner = ParameterOwner::Shared;
  Shape shape;
  std::uint32_t begin = 0;  ///< its first number in the owner's row
};

/// Which row an input of the score is read from.
enum class ScoreRole : std::uint8_t { Head, Tail, Relation, Shared };
struct ScoreInput {
  ScoreRole role = ScoreRole::Head;
  std::uint32_t parameter = 0;
};

struct ScoreDims {
  std::uint32_t dim = 0;           ///< `dim`: numbers of e
  std::uint32_t relation_dim = 0;  ///< `relation_dim`: numbers of r

  bool operator==(const ScoreDims&) const = default;
};

struct ScoreFormula {
  std::string text;
  ScoreDims dims;
  std::vector<ScoreParameter> parameters;  ///< of entities, of relations, shared ones
  std::vector<ScoreInput> inputs;          ///< of `score`
  TermPtr score;                           ///< a scalar
  std::uint32_t entity_width = 0;          ///< numbers of a row
  std::uint32_t relation_width = 0;        ///< may be 0
  std::uint32_t shared_width = 0;          ///< may be 0

  /// Numbers of a row of the owner.
  [[nodiscard]] std::uint32_t width_of(ParameterOwner owner) const;
};

/// Added to the squares under a root, so that its derivative at 0 is 0: below any square that a
/// float of an embedding has.
inline constexpr double kRootFloor = 0x1p-120;

/// Lines of a formula, without declarations.
inline constexpr std::size_t kMostScoreLines = 5;
inline constexpr std::size_t kMostScoreNodes = 4096;
/// Bytes of a text: what is nested as deep as that fits a thread's stack.
inline constexpr std::size_t kMostScoreBytes = std::size_t{1} << 13;

/// Errors, with the line and the column behind `place`: ProgramSyntax (also of a name that is not
/// there), UnknownFunction, FanIn, ParameterRange, ShapeMismatch, FunctionDomain, LimitShape.
[[nodiscard]] Result<ScoreFormula> parse_score_formula(std::string_view text, const ScoreDims& dims,
                                                       std::string_view place);

/// TuckER (Balazevic et al. 2019): the core tensor W times h, r and t.
[[nodiscard]] std::string_view tucker_text();

}  // namespace vecc::kg
