#include "src/emit/python/levels.h"

#include <functional>
#include <optional>

namespace vecc::python {
namespace {

constexpr std::size_t kMaxPeriod = 64;
constexpr std::size_t kLeastTimes = 4;

class LevelFinder {
 public:
  LevelFinder(const std::vector<Statement>& statements, const std::vector<std::size_t>& made_at,
              const Buffers& buffers)
      : statements_(statements), made_at_(made_at), buffers_(buffers) {
    for (const Statement& statement : statements) hashes_.push_back(hash_of(statement));
  }

  std::vector<Levels> find() const {
    std::vector<Levels> result;
    for (std::size_t at = 0; at < statements_.size(); at = result.back().end()) {
      result.push_back(find_at(at));
    }
    return result;
  }

 private:
  // Of what is equal in all levels.
  static std::size_t hash_of(const Statement& statement) {
    std::size_t hash = std::hash<std::string>{}(statement.note);
    for (const Token& token : statement.code.tokens()) {
      hash = hash * 0x9E3779B97F4A7C15ull + std::hash<std::string>{}(token.text) +
             token.pieces.size() + static_cast<std::size_t>(token.kind);
    }
    return hash;
  }

  [[nodiscard]] Levels find_at(std::size_t first) const {
    for (std::size_t period = 1; period <= kMaxPeriod; ++period) {
      if (first + period * kLeastTimes > statements_.size()) break;
      const std::size_t times = count_levels(first, period);
      if (times >= kLeastTimes) return {first, period, times};
    }
    return {first, 1, 1};
  }

  [[nodiscard]] std::size_t count_levels(std::size_t first, std::size_t period) const {
    std::size_t next = first + period;  // the first line that does not follow the one before it
    while (next < statements_.size() && follows(next, first, period)) ++next;
    return (next - first) / period;
  }

  // Whether a line of a level is that of the level before, one level on.
  [[nodiscard]] bool follows(std::size_t line, std::size_t first, std::size_t period) const {
    if (hashes_[line] != hashes_[line - period]) return false;
    const Statement& a = statements_[line - period];
    const Statement& b = statements_[line];
    const auto& of_a = a.code.tokens();
    const auto& of_b = b.code.tokens();
    if (a.note != b.note || of_a.size() != of_b.size()) return false;
    const std::size_t level = (line - first) / period;
    for (std::size_t t = 0; t < of_a.size(); ++t) {
      const Token& x = of_a[t];
      const Token& y = of_b[t];
      if (x.kind != y.kind || x.text != y.text || x.pieces.size() != y.pieces.size()) return false;
      if (x.kind == Token::Kind::Buffer && x.id != y.id && !buffers_.are_alike({x.id}, {y.id})) {
        return false;
      }
      if (x.kind == Token::Kind::Name && !moves(x.id, y.id, first, period, level)) return false;
      for (std::size_t p = 0; p < x.pieces.size(); ++p) {
        if (!moves(x.pieces[p], y.pieces[p], first, period, level)) return false;
      }
    }
    return true;
  }

  // Whether the names that level - 1 and `level` read at one place are one name from before the
  // loop, or move on with the levels, from the own one or the one before.
  [[nodiscard]] bool moves(NameId a, NameId b, std::size_t first, std::size_t period,
                           std::size_t level) const {
    const std::size_t x = made_at_[a];
    const std::size_t y = made_at_[b];
    if (x == y) return x < first;
    const std::size_t own = first + (level - 1) * period;  // where a's level begins
    return y == x + period && x + period >= own && x < own + period;
  }

  const std::vector<Statement>& statements_;
  const std::vector<std::size_t>& made_at_;
  const Buffers& buffers_;
  std::vector<std::size_t> hashes_;
};

}  // namespace

std::vector<std::size_t> statements_of_names(const std::vector<Statement>& statements,
                                             std::size_t name_count) {
  std::vector<std::size_t> made_at(name_count, kNoStatement);
  for (std::size_t s = 0; s < statements.size(); ++s) made_at[statements[s].result] = s;
  return made_at;
}

std::vector<Levels> find_levels(const std::vector<Statement>& statements,
                                const std::vector<std::size_t>& made_at, const Buffers& buffers) {
  return LevelFinder(statements, made_at, buffers).find();
}

}  // namespace vecc::python
