#include "tools/ground/rule_query.h"

#include <fmt/format.h>

#include <algorithm>

namespace vecc::tools::ground {
namespace {

constexpr std::string_view kExamples = "examples";

std::string column(std::uint32_t argument) {
  return "c" + std::to_string(argument);
}

// How many rows a join that begins with one literal would visit, by what is known of the tables.
class JoinOrder {
 public:
  JoinOrder(const RuleSpec& rule, const TableSizes& sizes) : rule_(rule), sizes_(sizes) {
    for (std::size_t i = 0; i < rule.body.size(); ++i) {
      if (rule.body[i].special == Special::None && !rule.body[i].negated) joined_.push_back(i);
    }
  }

  struct Walk {
    std::vector<std::size_t> order;
    double cost = 0;
  };

  [[nodiscard]] Walk choose(std::optional<std::size_t> first) const {
    if (first) return from(*first);
    Walk best;
    for (const std::size_t i : joined_) {
      Walk walk = from(i);
      if (best.order.empty() || walk.cost < best.cost) best = std::move(walk);
    }
    return best;
  }

 private:
  // Rows of a literal's table for one row of those before it, as if arguments were independent.
  [[nodiscard]] double matches(const Literal& literal, const std::vector<bool>& bound,
                               bool is_first) const {
    const auto rows = static_cast<double>(sizes_.rows[literal.predicate]);
    const auto examples = static_cast<double>(sizes_.examples);
    const std::vector<std::uint64_t>& distinct = sizes_.distinct[literal.predicate];
    double keys = is_first ? 1 : examples;
    std::size_t known = 0;
    for (std::size_t k = 0; k < literal.arguments.size(); ++k) {
      const Argument a = literal.arguments[k];
      if (a.is_variable && !bound[a.index]) continue;
      ++known;
      keys *= std::max(static_cast<double>(distinct[k]) / examples, 1.0);
    }
    if (known == literal.arguments.size() && !is_first) return std::min(rows / examples, 1.0);
    return std::max(rows, 1.0) / std::min(keys, std::max(rows, 1.0));
  }

  [[nodiscard]] Walk from(std::size_t first) const {
    Walk walk;
    std::vector<bool> bound(rule_.variables.size(), false);
    std::vector<std::size_t> left = joined_;
    double rows = 1;
    std::size_t next = first;
    while (true) {
      const Literal& literal = rule_.body[next];
      rows *= matches(literal, bound, walk.order.empty());
      walk.cost += rows;
      walk.order.push_back(next);
      for (const Argument a : literal.arguments) {
        if (a.is_variable) bound[a.index] = true;
      }
      std::erase(left, next);
      if (left.empty()) return walk;
      next = *std::ranges::min_element(
          left, {}, [&](std::size_t i) { return matches(rule_.body[i], bound, false); });
    }
  }

  const RuleSpec& rule_;
  const TableSizes& sizes_;
  std::vector<std::size_t> joined_;
};

class QueryText {
 public:
  QueryText(const RuleProgram& program, const RuleSpec& rule, SqlEngine engine, RuleQuery& out)
      : program_(program), rule_(rule), engine_(engine), out_(out), place_(rule.variables.size()) {}

  void write(const std::vector<std::size_t>& order) {
    for (const std::size_t i : order) join(i);
    if (order.empty()) from_ = fmt::format("{} AS t", kExamples);
    example_ = order.empty() ? "t.e" : fmt::format("t{}.e", order.front());
    for (const Literal& literal : rule_.body) {
      if (literal.special != Special::None) {
        add(special_text(literal), literal.negated);
      } else if (literal.negated) {
        add(absence_text(literal), false);
      }
    }
    out_.sql = "SELECT " + select_text() + " FROM " + from_;
    if (!where_.empty()) out_.sql += " WHERE " + where_;
    if (engine_ == SqlEngine::DuckDb) out_.sql += " ORDER BY " + order_text(order);
  }

 private:
  void add(const std::string& condition, bool negated) {
    if (condition.empty()) return;
    where_ += where_.empty() ? "" : " AND ";
    where_ += negated ? "NOT (" + condition + ")" : condition;
  }

  [[nodiscard]] std::string text_of(Argument argument) const {
    return argument.is_variable ? place_[argument.index] : std::to_string(argument.index);
  }

  void join(std::size_t i) {
    const Literal& literal = rule_.body[i];
    const std::string name = fmt::format("t{}", i);
    const bool is_first = from_.empty();
    from_ += fmt::format("{}{} AS {}", is_first ? "" : " CROSS JOIN ",
                         table_name(program_, literal.predicate), name);
    if (is_first) first_ = name + ".e";
    if (!is_first) add(fmt::format("{}.e = {}", name, first_), false);
    const auto ranged = std::ranges::find(out_.ranged, i);
    if (ranged != out_.ranged.end()) {
      const auto at = 2 * (ranged - out_.ranged.begin());
      const bool is_sqlite = engine_ == SqlEngine::Sqlite;
      // The + keeps SQLite from walking ids where an index by arguments is far better.
      add(fmt::format("{0}{1}.id >= {2}{3} AND {0}{1}.id < {2}{4}",
                      is_sqlite && !is_first ? "+" : "", name, is_sqlite ? '?' : '$', at + 1,
                      at + 2),
          false);
    }
    for (std::uint32_t k = 0; k < literal.arguments.size(); ++k) {
      const Argument argument = literal.arguments[k];
      const std::string here = fmt::format("{}.{}", name, column(k));
      if (argument.is_variable && place_[argument.index].empty()) {
        place_[argument.index] = here;
        const std::uint32_t type = rule_.variable_types[argument.index];
        if (type != ConstantTable::kNoType)
          add(fmt::format("has_type({}, {}) = 1", here, type), false);
      } else {
        add(here + " = " + text_of(argument), false);
      }
    }
  }

  [[nodiscard]] std::string special_text(const Literal& literal) const {
    const std::vector<Argument>& a = literal.arguments;
    const auto compare = [&](const char* sign) {
      return fmt::format("compare({}, {}) {} 0", text_of(a[0]), text_of(a[1]), sign);
    };
    switch (literal.special) {
      case Special::None:
      case Special::True: return "1 = 1";
      case Special::False: return "1 = 0";
      case Special::Equal: return compare("=");
      case Special::NotEqual: return compare("<>");
      case Special::Less: return compare("<");
      case Special::AtMost: return compare("<=");
      case Special::Greater: return compare(">");
      case Special::AtLeast: return compare(">=");
      case Special::Next: return fmt::format("follows({}, {}) = 1", text_of(a[0]), text_of(a[1]));
      case Special::Sum: return computed_text("is_sum", a);
      case Special::Difference: return computed_text("is_difference", a);
      case Special::Remainder: return computed_text("is_remainder", a);
      case Special::MaxCard: return most_different_text(a);
      case Special::In: return in_text(a);
      case Special::AllDiff: return all_different_text(a);
    }
    return "1 = 1";
  }

  [[nodiscard]] std::string computed_text(const char* name, const std::vector<Argument>& a) const {
    return fmt::format("{}({}, {}, {}) = 1", name, text_of(a[0]), text_of(a[1]), text_of(a[2]));
  }

  [[nodiscard]] std::string most_different_text(const std::vector<Argument>& a) const {
    std::string list;
    for (const Argument argument : a) list += (list.empty() ? "" : ", ") + text_of(argument);
    return "max_card(" + list + ") = 1";
  }

  [[nodiscard]] std::string in_text(const std::vector<Argument>& a) const {
    std::string list;
    for (std::size_t i = 1; i < a.size(); ++i) list += (i == 1 ? "" : ", ") + text_of(a[i]);
    return fmt::format("{} IN ({})", text_of(a[0]), list);
  }

  [[nodiscard]] std::string all_different_text(const std::vector<Argument>& a) const {
    std::string out;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        out += fmt::format("{}{} <> {}", out.empty() ? "" : " AND ", text_of(a[k]), text_of(a[i]));
      }
    }
    return out.empty() ? "1 = 1" : "(" + out + ")";
  }

  [[nodiscard]] std::string absence_text(const Literal& literal) {
    std::string out = fmt::format("NOT EXISTS (SELECT 1 FROM {} AS n WHERE n.e = {}",
                                  table_name(program_, literal.predicate), example_);
    for (std::uint32_t k = 0; k < literal.arguments.size(); ++k) {
      out += fmt::format(" AND n.{} = {}", column(k), text_of(literal.arguments[k]));
    }
    return out + ")";
  }

  [[nodiscard]] std::string select_text() {
    std::string out = example_;
    out_.columns = 1;
    std::vector<bool> told(rule_.variables.size(), false);
    for (const Argument argument : rule_.head_arguments) {
      if (!argument.is_variable) continue;
      out += ", " + text_of(argument);
      ++out_.columns;
      told[argument.index] = true;
    }
    for (std::size_t i = 0; i < rule_.body.size(); ++i) {
      if (!rule_.body[i].input) continue;
      out += fmt::format(", t{}.id", i);
      ++out_.columns;
      for (const Argument argument : rule_.body[i].arguments) {
        if (argument.is_variable) told[argument.index] = true;
      }
    }
    out_.may_repeat = std::ranges::find(told, false) != told.end();
    return out;
  }

  // The order in which nested loops find the rows, whatever joins them.
  [[nodiscard]] static std::string order_text(const std::vector<std::size_t>& order) {
    std::string out;
    for (const std::size_t i : order) out += fmt::format("{}t{}.id", out.empty() ? "" : ", ", i);
    return out.empty() ? "t.e" : out;
  }

  const RuleProgram& program_;
  const RuleSpec& rule_;
  SqlEngine engine_;
  RuleQuery& out_;
  std::vector<std::string> place_;  // of variables: `t0.c1`; empty: not bound yet
  std::string from_;
  std::string where_;
  std::string first_;
  std::string example_;
};

// Constants of the first literal lead to its rows by an index, not by ids.
bool can_split(const RuleSpec& rule, const RuleQuery& query, SqlEngine engine) {
  if (engine != SqlEngine::Sqlite || !query.first) return false;
  return std::ranges::all_of(rule.body[*query.first].arguments, &Argument::is_variable);
}

}  // namespace

RuleQuery plan_rule(const RuleProgram& program, const RuleSpec& rule,
                    std::vector<std::size_t> ranged, std::optional<std::size_t> first,
                    const TableSizes& sizes, SqlEngine engine) {
  RuleQuery out;
  out.ranged = std::move(ranged);
  const JoinOrder::Walk walk = JoinOrder(rule, sizes).choose(first);
  QueryText(program, rule, engine, out).write(walk.order);
  if (walk.order.empty()) return out;
  out.first = walk.order.front();
  const std::uint64_t ids = sizes.rows[rule.body[*out.first].predicate];
  out.visits_of_id = walk.cost / static_cast<double>(std::max<std::uint64_t>(ids, 1));
  if (!can_split(rule, out, engine)) return out;
  RuleQuery part;
  part.ranged = out.ranged.empty() ? std::vector{*out.first} : out.ranged;
  const auto at = std::ranges::find(part.ranged, *out.first) - part.ranged.begin();
  out.part_parameter = static_cast<int>(2 * at) + 1;
  QueryText(program, rule, engine, part).write(walk.order);
  out.part_sql = std::move(part.sql);
  return out;
}

std::string table_name(const RuleProgram& program, PredicateIndex predicate) {
  std::string out = "p" + std::to_string(predicate) + "_";
  for (const char c : program.predicates[predicate].name) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += is_plain ? c : '_';
    if (out.size() > 40) break;
  }
  return out;
}

std::string create_table_sql(const RuleProgram& program, PredicateIndex predicate,
                             SqlEngine engine) {
  const std::string name = table_name(program, predicate);
  if (engine == SqlEngine::Sqlite) {
    return fmt::format("CREATE VIRTUAL TABLE {} USING atoms({})", name, predicate);
  }
  return fmt::format("CREATE VIEW {} AS SELECT * FROM atoms({})", name, predicate);
}

std::string create_examples_sql(std::uint64_t examples, SqlEngine engine) {
  if (engine == SqlEngine::DuckDb) {
    return fmt::format("CREATE TABLE {} AS SELECT CAST(range AS UINTEGER) AS e FROM range({})",
                       kExamples, examples);
  }
  return fmt::format(
      "CREATE TABLE {0} (e INTEGER PRIMARY KEY); INSERT INTO {0} WITH RECURSIVE n(e) AS "
      "(SELECT 0 WHERE {1} > 0 UNION ALL SELECT e + 1 FROM n WHERE e + 1 < {1}) SELECT e FROM n",
      kExamples, examples);
}

}  // namespace vecc::tools::ground
