#include "tools/ground/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <thread>

#include "src/support/quantity_text.h"
#include "tools/ground/rule_query.h"
#include "tools/ground/split_rows.h"
#include "tools/ground/sql_database.h"
#include "tools/ground/strata.h"
#include "vecc/escape.h"

namespace vecc::tools::ground {
namespace {

constexpr std::uint64_t kProgressRows = 1 << 14;
constexpr std::size_t kRowsAhead = 64;
constexpr std::uint64_t kPartsAtOnce = 8;  // a thread's, of a recursion
constexpr std::uint32_t kMostThreads = 8;  // more would wait for the one that adds atoms

// Groundings by a hash of head and inputs; which of equal hashes are equal is compared.
class SeenGroundings {
 public:
  /// The number of an equal one, or the next.
  std::uint32_t add(const Groundings& all, AtomIndex head, std::span<const AtomIndex> inputs) {
    std::uint64_t hash = head * 0x9E3779B97F4A7C15ull;
    for (const AtomIndex input : inputs) {
      hash = (hash ^ input) * 0xD6E8FEB86659FD93ull;
      hash ^= hash >> 32;
    }
    const auto next = static_cast<std::uint32_t>(all.size());
    const auto [entry, is_new] = last_.try_emplace(hash, next);
    if (!is_new) {
      for (std::uint32_t at = entry->second; at != kNone; at = before_[at]) {
        const auto known = std::span(all.inputs).subspan(at * inputs.size(), inputs.size());
        if (all.heads[at] == head && std::ranges::equal(known, inputs)) return at;
      }
    }
    before_.resize(next + 1, kNone);
    before_[next] = is_new ? kNone : entry->second;
    entry->second = next;
    return next;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> last_;
  std::vector<std::uint32_t> before_;  // by grounding: the one before with its hash
};

struct PlannedQuery {
  RuleQuery query;
  std::unique_ptr<SqlStatement> statement;
  std::vector<std::unique_ptr<SqlStatement>> parts;  // of query.part_sql, one a thread
  std::optional<std::size_t> delta;  // of query.ranged: the literal whose atoms are new
  std::uint64_t rows = 0;
};

class Derivation {
 public:
  Derivation(const RuleProgram& program, FactBase& base, const DeriveOptions& options,
             SqlDatabase& database, StoredTables& stored)
      : program_(program), base_(base), options_(options), database_(database), stored_(stored) {
    threads_ = options.threads > 0 ? options.threads : std::thread::hardware_concurrency();
    threads_ = database.has_threads() ? std::clamp(threads_, 1u, kMostThreads) : 1;
    out_.groundings.resize(program.rules.size());
    seen_.resize(program.rules.size());
    rows_.resize(program.predicates.size());
    distinct_.resize(program.predicates.size());
    counted_.resize(program.predicates.size());
    fact_of_rule_.resize(program.rules.size(), kNotAFact);
  }

  Result<Derived> run(const std::vector<Stratum>& strata) {
    VECC_TRY_VOID(create_tables());
    for (const Stratum& stratum : strata) {
      VECC_TRY_VOID(stratum.is_recursive ? derive_rounds(stratum) : derive_once(stratum));
    }
    return std::move(out_);
  }

 private:
  Result<void> create_tables() {
    VECC_TRY_VOID(database_.run(tables_sql()));
    for (PredicateIndex p = 0; p < program_.predicates.size(); ++p) store(p);
    return create_examples();
  }

  [[nodiscard]] std::string tables_sql() const {
    std::string sql;
    for (PredicateIndex p = 0; p < program_.predicates.size(); ++p) {
      if (program_.predicates[p].is_read)
        sql += create_table_sql(program_, p, options_.engine) + ";";
    }
    return sql;
  }

  // Rules that join nothing hold in each example.
  Result<void> create_examples() {
    const bool is_read = std::ranges::any_of(program_.rules, [](const RuleSpec& rule) {
      return std::ranges::none_of(rule.body, [](const Literal& literal) {
        return literal.special == Special::None && !literal.negated;
      });
    });
    if (!is_read) return {};
    return database_.run(create_examples_sql(base_.examples, options_.engine));
  }

  // SQL sees what has been derived.
  void store(PredicateIndex p) {
    stored_[p].publish();
    rows_[p] = stored_[p].size();
  }

  void count_distinct(PredicateIndex p) {
    std::vector<std::uint64_t>& counts = distinct_[p];
    if (!counts.empty() && counted_[p] == rows_[p]) return;
    counted_[p] = rows_[p];
    const AtomTable& atoms = base_.atoms[p];
    counts.assign(program_.predicates[p].arity, 0);
    if (base_.examples == 1) return count_constants(atoms, rows_[p], counts);
    boost::unordered_flat_set<std::uint64_t> seen;
    for (std::uint32_t k = 0; k < counts.size(); ++k) {
      seen.clear();
      for (AtomIndex atom = 0; atom < rows_[p]; ++atom) {
        seen.insert(std::uint64_t{atoms.row(atom)[0]} << 32 | atoms.row(atom)[k + 1]);
      }
      counts[k] = seen.size();
    }
  }

  void count_constants(const AtomTable& atoms, std::uint64_t rows,
                       std::vector<std::uint64_t>& counts) const {
    std::vector<bool> seen;
    for (std::uint32_t k = 0; k < counts.size(); ++k) {
      seen.assign(program_.constants.size(), false);
      for (AtomIndex atom = 0; atom < rows; ++atom) {
        const Constant constant = atoms.row(atom)[k + 1];
        if (seen[constant]) continue;
        seen[constant] = true;
        ++counts[k];
      }
    }
  }

  PlannedQuery plan(RuleIndex r, const std::vector<std::size_t>& ranged,
                    std::optional<std::size_t> delta) {
    const std::optional<std::size_t> first = delta ? std::optional(ranged[*delta]) : std::nullopt;
    for (const Literal& literal : program_.rules[r].body) {
      if (literal.special == Special::None) count_distinct(literal.predicate);
    }
    RuleQuery query = plan_rule(program_, program_.rules[r], ranged, first,
                                {rows_, distinct_, base_.examples}, options_.engine);
    std::unique_ptr<SqlStatement> statement = database_.prepare(query.sql);
    return PlannedQuery{std::move(query), std::move(statement), {}, delta, 0};
  }

  Result<void> derive_once(const Stratum& stratum) {
    for (const RuleIndex r : stratum.rules) {
      PlannedQuery planned = plan(r, {}, {});
      VECC_TRY_VOID(ground(r, planned));
      explain(r, planned);
    }
    for (const PredicateIndex p : stratum.predicates) store(p);
    return {};
  }

  // Round k joins what round k - 1 derived with all there is: with the atoms of earlier rounds
  // before the new one in the body, with new ones, too, behind it; so each grounding comes once.
  Result<void> derive_rounds(const Stratum& stratum) {
    std::vector<std::pair<RuleIndex, PlannedQuery>> queries;
    for (const RuleIndex r : stratum.rules) {
      const std::vector<std::size_t> ranged = recursive_literals(program_.rules[r], stratum);
      if (!ranged.empty()) continue;
      PlannedQuery planned = plan(r, {}, {});
      VECC_TRY_VOID(ground(r, planned));
      explain(r, planned);
    }
    old_.assign(program_.predicates.size(), 0);
    for (const PredicateIndex p : stratum.predicates) store(p);
    for (const RuleIndex r : stratum.rules) {
      const std::vector<std::size_t> ranged = recursive_literals(program_.rules[r], stratum);
      for (std::size_t i = 0; i < ranged.size(); ++i) {
        queries.emplace_back(r, plan(r, ranged, i));
      }
    }
    const auto is_done = [&] {
      return std::ranges::all_of(stratum.predicates,
                                 [&](PredicateIndex p) { return old_[p] == rows_[p]; });
    };
    std::uint64_t rounds = 0;
    for (; !is_done(); ++rounds) {
      for (auto& [r, planned] : queries) VECC_TRY_VOID(ground(r, planned));
      for (const PredicateIndex p : stratum.predicates) old_[p] = rows_[p];
      for (const PredicateIndex p : stratum.predicates) store(p);
    }
    for (const auto& [r, planned] : queries) explain(r, planned);
    if (options_.explain)
      out_.explanation += fmt::format("-- {}\n\n", text_of_count(rounds, "round"));
    return {};
  }

  static std::vector<std::size_t> recursive_literals(const RuleSpec& rule, const Stratum& stratum) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < rule.body.size(); ++i) {
      const Literal& literal = rule.body[i];
      if (literal.special != Special::None || literal.negated) continue;
      if (std::ranges::find(stratum.predicates, literal.predicate) != stratum.predicates.end()) {
        out.push_back(i);
      }
    }
    return out;
  }

  void bind_ranges(const RuleSpec& rule, const PlannedQuery& planned, SqlStatement& statement) {
    for (std::size_t i = 0; i < planned.query.ranged.size(); ++i) {
      const PredicateIndex p = rule.body[planned.query.ranged[i]].predicate;
      const int parameter = static_cast<int>(2 * i) + 1;
      statement.bind(parameter, i == *planned.delta ? static_cast<std::int64_t>(old_[p]) : 0);
      statement.bind(parameter + 1,
                     static_cast<std::int64_t>(i < *planned.delta ? old_[p] : rows_[p]));
    }
  }

  Result<void> ground(RuleIndex r, PlannedQuery& planned) {
    if (const AtomIndex ids = ids_of_part(r, planned); ids > 0) {
      VECC_TRY(const bool is_done, ground_by_threads(r, planned, ids));
      if (is_done) return {};
    }
    bind_ranges(program_.rules[r], planned, *planned.statement);
    while (read_rows(planned)) VECC_TRY_VOID(add_rows(r, planned, words_));
    return planned.statement->check();
  }

  // The ids of the first table that the query begins with.
  [[nodiscard]] std::pair<AtomIndex, AtomIndex> first_ids(RuleIndex r,
                                                          const PlannedQuery& planned) const {
    const PredicateIndex p = program_.rules[r].body[*planned.query.first].predicate;
    return {planned.delta ? static_cast<AtomIndex>(old_[p]) : 0, stored_[p].size()};
  }

  // How many ids are a part of a query that threads share; 0: it is too small, or cannot be split.
  [[nodiscard]] AtomIndex ids_of_part(RuleIndex r, const PlannedQuery& planned) const {
    if (threads_ == 1 || planned.query.part_sql.empty()) return 0;
    const auto [begin, end] = first_ids(r, planned);
    const double of_id = std::max(planned.query.visits_of_id, 1.0);
    const double ids = std::max(static_cast<double>(options_.visits_of_part) / of_id, 1.0);
    return ids * 2 > static_cast<double>(end - begin) ? 0 : static_cast<AtomIndex>(ids);
  }

  // False: there are no threads, and nothing is done. Atoms that a recursion adds are in tables
  // that its queries read: a few parts are read, and then their atoms are added.
  Result<bool> ground_by_threads(RuleIndex r, PlannedQuery& planned, AtomIndex ids_of_part) {
    VECC_TRY_VOID(prepare_parts(r, planned));
    const auto [begin, end] = first_ids(r, planned);
    const std::uint64_t step =
        planned.delta ? std::uint64_t{ids_of_part} * threads_ * kPartsAtOnce : end - begin;
    for (std::uint64_t at = begin; at < end; at += step) {
      SplitRows::Query query;
      for (const auto& statement : planned.parts) query.statements.push_back(statement.get());
      query.parameter = planned.query.part_parameter;
      query.columns = planned.query.columns;
      query.begin = static_cast<AtomIndex>(at);
      query.end = static_cast<AtomIndex>(std::min<std::uint64_t>(at + step, end));
      query.ids_a_part = ids_of_part;
      query.reads_all_first = planned.delta.has_value();
      SplitRows rows(std::move(query));
      if (!rows.has_threads() && at == begin) return false;
      if (!rows.has_threads()) {
        return Errors(ErrorCode::OutOfMemory, "vecc-ground", "the system gives no more threads");
      }
      while (true) {
        VECC_TRY(const std::span<const std::uint32_t> words, rows.next());
        if (words.empty()) break;
        VECC_TRY_VOID(add_rows(r, planned, words));
      }
    }
    return true;
  }

  Result<void> prepare_parts(RuleIndex r, PlannedQuery& planned) {
    for (std::size_t thread = planned.parts.size(); thread < threads_; ++thread) {
      VECC_TRY(SqlDatabase * database, thread_database(thread));
      planned.parts.push_back(database->prepare(planned.query.part_sql));
    }
    for (const auto& statement : planned.parts) {
      if (planned.delta) bind_ranges(program_.rules[r], planned, *statement);
    }
    return {};
  }

  // Each thread has a connection of its own, over the same atoms.
  Result<SqlDatabase*> thread_database(std::size_t thread) {
    while (thread_databases_.size() <= thread) {
      VECC_TRY(std::unique_ptr<SqlDatabase> database, open_sqlite(program_.constants, stored_));
      VECC_TRY_VOID(database->run(tables_sql()));
      thread_databases_.push_back(std::move(database));
    }
    return thread_databases_[thread].get();
  }

  // Rows of the query, as it gave them. Heads are looked up all over memory, so it fetches ahead.
  Result<void> add_rows(RuleIndex r, PlannedQuery& planned, std::span<const std::uint32_t> words) {
    const RuleSpec& rule = program_.rules[r];
    const std::size_t columns = planned.query.columns;
    const std::size_t input_count = rule.input_count();
    const std::size_t width = rule.head_arguments.size() + 1;
    AtomTable& atoms = base_.atoms[rule.head];
    Groundings& out = out_.groundings[r];
    const FactIndex fact = input_count == 0 ? fact_of(r) : kNotAFact;
    while (!words.empty()) {
      const auto rows = words.first(std::min(words.size(), kRowsAhead * columns));
      words = words.subspan(rows.size());
      fetch_heads(rule, atoms, rows, columns);
      for (std::size_t i = 0; i * columns < rows.size(); ++i) {
        const AtomIndex head = atoms.add(std::span(heads_).subspan(i * width, width)).first;
        if (input_count == 0) {
          atoms.set_fact(head, fact);
          continue;
        }
        const auto inputs = rows.subspan((i + 1) * columns - input_count, input_count);
        if (planned.query.may_repeat && was_seen(r, head, inputs)) continue;
        if (++groundings_ > options_.max_groundings) return too_many(rule);
        out.heads.push_back(head);
        out.inputs.insert(out.inputs.end(), inputs.begin(), inputs.end());
      }
      count_rows(planned, rows.size() / columns);
    }
    return {};
  }

  void fetch_heads(const RuleSpec& rule, const AtomTable& atoms,
                   std::span<const std::uint32_t> rows, std::size_t columns) {
    heads_.clear();
    for (std::size_t begin = 0; begin < rows.size(); begin += columns) {
      const std::size_t head = heads_.size();
      std::size_t column = begin;
      heads_.push_back(rows[column++]);
      for (const Argument argument : rule.head_arguments) {
        heads_.push_back(argument.is_variable ? rows[column++] : argument.index);
      }
      atoms.prefetch(std::span(heads_).subspan(head));
    }
    const std::size_t width = rule.head_arguments.size() + 1;
    for (std::size_t i = 0; i < heads_.size(); i += width) {
      atoms.prefetch_known(std::span(heads_).subspan(i, width));
    }
  }

  void count_rows(PlannedQuery& planned, std::uint64_t rows) {
    planned.rows += rows;
    const std::uint64_t before = rows_read_ / kProgressRows;
    rows_read_ += rows;
    if (rows_read_ / kProgressRows != before && options_.progress) options_.progress(rows_read_);
  }

  // Whether the rule has this grounding already; where it keeps duplicates, it is counted.
  bool was_seen(RuleIndex r, AtomIndex head, std::span<const AtomIndex> inputs) {
    Groundings& out = out_.groundings[r];
    const std::uint32_t known = seen_[r].add(out, head, inputs);
    if (program_.rules[r].keeps_duplicates) {
      out.times.resize(std::max<std::size_t>(out.times.size(), known + std::size_t{1}), 0);
      ++out.times[known];
    }
    return known < out.size();
  }

  // The next rows of a query, into `words_`.
  bool read_rows(PlannedQuery& planned) {
    words_.clear();
    for (std::size_t n = 0; n < kRowsAhead && planned.statement->step(); ++n) {
      for (std::size_t i = 0; i < planned.query.columns; ++i) {
        const std::int64_t word = planned.statement->column(static_cast<int>(i));
        words_.push_back(static_cast<std::uint32_t>(word));
      }
    }
    return !words_.empty();
  }

  Errors too_many(const RuleSpec& rule) const {
    return Errors(ErrorCode::LimitEdges, program_.place(rule.at),
                  fmt::format("the rules have more than {} groundings; raise --max-groundings or "
                              "ground less",
                              options_.max_groundings));
  }

  // The value of facts that a rule without inputs makes.
  FactIndex fact_of(RuleIndex r) {
    const RuleSpec& rule = program_.rules[r];
    const WeightIndex weight =
        rule.weight != kNoWeight ? rule.weight : program_.predicates[rule.head].offset;
    if (weight == kNoWeight) return kUnvalued;
    if (fact_of_rule_[r] != kNotAFact) return fact_of_rule_[r];
    const WeightSpec& spec = program_.weights[weight];
    FactValues& store = base_.values;
    store.entries.push_back({spec.shape, spec.learnable, true, store.values.size(),
                             spec.learnable ? weight : kNoWeight, false});
    if (!spec.learnable) {
      store.values.insert(store.values.end(), spec.values.begin(), spec.values.end());
    }
    fact_of_rule_[r] = static_cast<FactIndex>(store.entries.size() - 1);
    return fact_of_rule_[r];
  }

  void explain(RuleIndex r, const PlannedQuery& planned) {
    if (!options_.explain) return;
    out_.explanation +=
        fmt::format("-- {}\n{};\n-- {}\n\n", escape_terminal(program_.rules[r].text, 4096),
                    planned.query.sql, text_of_count(planned.rows, "row"));
  }

  const RuleProgram& program_;
  FactBase& base_;
  const DeriveOptions& options_;
  SqlDatabase& database_;
  Derived out_;
  std::vector<SeenGroundings> seen_;
  StoredTables& stored_;             // by predicate: its table
  std::vector<std::uint64_t> rows_;  // by predicate: atoms when this round began
  std::vector<std::uint64_t> old_;   // by predicate: atoms when the round before began
  std::vector<std::vector<std::uint64_t>> distinct_;  // by predicate and argument
  std::vector<std::uint64_t> counted_;  // by predicate: the rows that `distinct_` is of
  std::vector<FactIndex> fact_of_rule_;
  std::uint32_t threads_ = 1;
  std::vector<std::unique_ptr<SqlDatabase>> thread_databases_;
  std::vector<std::uint32_t> words_;  // of the rows that were read
  std::vector<std::uint32_t> heads_;  // of some of them: example, arguments
  std::uint64_t rows_read_ = 0;
  std::uint64_t groundings_ = 0;
};

}  // namespace

Result<Derived> derive(const RuleProgram& program, FactBase& base, const DeriveOptions& options) {
  VECC_TRY(const std::vector<Stratum> strata, order_strata(program));
  StoredTables stored;
  for (PredicateIndex p = 0; p < program.predicates.size(); ++p) {
    stored.emplace_back(base.atoms[p], program.predicates[p].arity, base.examples == 1);
  }
  const auto open = options.engine == SqlEngine::DuckDb ? open_duckdb : open_sqlite;
  VECC_TRY(const std::unique_ptr<SqlDatabase> database, open(program.constants, stored));
  return Derivation(program, base, options, *database, stored).run(strata);
}

}  // namespace vecc::tools::ground
