#include "tools/import/sql/row_facts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tools/import/load/load_errors.h"
#include "tools/import/sql/category_words.h"
#include "tools/import/sql/row_columns.h"

namespace vecc::tools::sql {
namespace {

using ground::Constant;
using ground::FactIndex;
using ground::PredicateIndex;

// How long ago, in both directions: the logarithm of days, which tells 1 from 2 as 100 from 200.
double age_of(double moment, double now) {
  const double days = (now - moment) / 86'400;
  return std::copysign(std::log1p(std::abs(days)), days);
}

using At = std::pair<std::uint32_t, std::uint32_t>;  // table, row

// The values of a category, by their numbers.
struct CategoryFacts {
  FactIndex first = 0;  // one-hot vectors, one behind the other
  std::vector<Constant> constants;
};

class RowFactsMaker {
 public:
  RowFactsMaker(const RowFactsInput& input, ground::RuleProgram& program)
      : in_(input), program_(program), reader_(input, out_.base.values) {}

  Result<RowFacts> make() {
    name_predicates();
    categories_.resize(in_.schema.tables.size());
    VECC_TRY_VOID(reader_.index_parents());
    for (std::uint32_t t = 0; t < rows_.size(); ++t) {
      if (!in_.model.tables[t].is_reached) continue;
      VECC_TRY_VOID(reader_.read(t));
      out_.rows += rows_[t].count;
      VECC_TRY_VOID(add_category_values(t));
    }
    reader_.sort_children();
    out_.missing_parents = reader_.missing_parents();
    VECC_TRY_VOID(in_.samples.is_timed ? add_examples() : add_all());
    out_.base.facts_read = facts_;
    return std::move(out_);
  }

 private:
  struct Predicates {
    PredicateIndex row = 0;
    PredicateIndex age = 0;
    std::vector<PredicateIndex> values;
    std::vector<PredicateIndex> links;
  };

  PredicateIndex predicate(const std::string& name, std::uint32_t arity, Shape shape,
                           bool has_value) {
    language::Atom atom;
    atom.predicate.name = name;
    atom.predicate.arity = arity;
    atom.terms.resize(arity);
    if (has_value) {
      atom.weight.emplace();
      atom.weight->fixed = true;
      atom.weight->value.shape = shape;
      atom.weight->value.has_values = true;
      atom.weight->value.values.resize(shape.size());
    }
    out_.data.add_fact(atom);
    return program_.predicate(name, arity);
  }

  void name_predicates() {
    predicates_.resize(in_.schema.tables.size());
    for (std::size_t t = 0; t < predicates_.size(); ++t) {
      const TablePredicates& table = in_.model.tables[t];
      if (!table.is_reached) continue;
      predicates_[t].row = predicate(table.row, 1, vector_shape(table.width), true);
      if (!table.age.empty()) {
        const Shape shape = vector_shape(static_cast<std::uint32_t>(2 * table.ages.size()));
        predicates_[t].age = predicate(table.age, 1, shape, true);
      }
      for (const CategoryPredicates& category : table.categories) {
        const std::uint32_t size = in_.codes[category.code].category_count();
        predicates_[t].values.push_back(predicate(category.value, 1, vector_shape(size), true));
        predicates_[t].links.push_back(predicate(category.link, 2, {}, false));
      }
    }
    for (const std::string& link : in_.model.links) {
      link_predicates_.push_back(link.empty() ? 0 : predicate(link, 2, {}, false));
    }
    language::Atom query;
    query.predicate.name = kPredict;
    const std::uint32_t arity = in_.target.other ? 2 : 1;
    query.predicate.arity = arity;
    query.terms.resize(arity);
    out_.data.add_query(query);
    predict_ = program_.predicate(kPredict, arity);
    if (in_.target.other) candidate_ = predicate(std::string(kCandidate), 2, {}, false);
    for (const auto& spec : program_.predicates) out_.base.atoms.emplace_back(spec.arity);
  }

  Result<void> add_category_values(std::uint32_t t) {
    std::vector<double> one_hot;
    std::vector<CategoryFacts>& of_table = categories_[t];
    for (const CategoryPredicates& category : in_.model.tables[t].categories) {
      const std::uint32_t size = in_.codes[category.code].category_count();
      CategoryFacts& facts = of_table.emplace_back();
      facts.first = static_cast<FactIndex>(out_.base.values.entries.size());
      for (std::string& word : category_words(in_.codes[category.code])) {
        language::Term term;
        term.text = std::move(word);
        facts.constants.push_back(program_.constants.add(term));
      }
      for (std::uint32_t i = 0; i < size; ++i) {
        one_hot.assign(size, 0.0);
        one_hot[i] = 1;
        add_value(out_.base.values, one_hot);
      }
    }
    return {};
  }

  Constant constant(std::uint32_t number) {
    while (constants_.size() <= number) {
      language::Term term;
      term.kind = language::Term::Kind::Integer;
      term.text = std::to_string(constants_.size());
      constants_.push_back(program_.constants.add(term));
    }
    return constants_[number];
  }

  void add_atom(PredicateIndex predicate, std::initializer_list<std::uint32_t> row,
                FactIndex value) {
    ++facts_;
    const auto [atom, is_new] =
        out_.base.atoms[predicate].add(std::span<const std::uint32_t>(row.begin(), row.size()));
    if (is_new) out_.base.atoms[predicate].set_fact(atom, value);
  }

  // The same of an atom that is not there yet.
  void append_atom(PredicateIndex predicate, std::initializer_list<std::uint32_t> row,
                   FactIndex value) {
    ++facts_;
    ground::AtomTable& atoms = out_.base.atoms[predicate];
    atoms.set_fact(atoms.append(std::span<const std::uint32_t>(row.begin(), row.size())), value);
  }

  // Each row once an example.
  void add_row(std::uint32_t example, std::uint32_t t, std::uint32_t row) {
    const RowColumns& rows = rows_[t];
    const Predicates& of = predicates_[t];
    append_atom(of.row, {example, constant(row)}, rows.first_value + row);
    for (std::size_t i = 0; i < of.values.size(); ++i) {
      const std::uint32_t category = rows.categories[i][row];
      const CategoryFacts& facts = categories_[t][i];
      const Constant value = facts.constants[category];
      add_atom(of.values[i], {example, value}, facts.first + category);
      append_atom(of.links[i], {example, constant(row), value}, ground::kUnvalued);
    }
  }

  // A row has another age in each example.
  void add_ages(std::uint32_t example, const RowSample& sample, std::uint32_t t,
                std::uint32_t row) {
    const std::size_t count = in_.model.tables[t].ages.size();
    if (count == 0) return;
    ages_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const double moment = rows_[t].moments[row * count + i];
      ages_.push_back(std::isnan(moment) ? 0 : age_of(moment, *sample.time));
      ages_.push_back(std::isnan(moment) ? 1 : 0);
    }
    append_atom(predicates_[t].age, {example, constant(row)}, add_value(out_.base.values, ages_));
  }

  void add_link(std::uint32_t example, std::size_t key, std::uint32_t row) {
    add_atom(link_predicates_[key], {example, constant(row), constant(links_[key].parent[row])},
             ground::kUnvalued);
  }

  Result<void> add_all() {
    out_.base.examples = 1;
    for (std::uint32_t t = 0; t < rows_.size(); ++t) {
      for (std::uint32_t row = 0; row < rows_[t].count; ++row) add_row(0, t, row);
    }
    for (std::size_t k = 0; k < links_.size(); ++k) {
      for (std::uint32_t row = 0; row < links_[k].parent.size(); ++row) {
        const std::uint32_t parent = links_[k].parent[row];
        if (parent == kNoRow) continue;
        append_atom(link_predicates_[k], {0, constant(row), constant(parent)}, ground::kUnvalued);
      }
    }
    for (const RowSample& sample : in_.samples.samples) VECC_TRY_VOID(add_query(0, sample));
    return {};
  }

  // The samples of one line of a link task see the same rows: they are one example.
  [[nodiscard]] std::size_t end_of_example(std::size_t begin) const {
    const auto& samples = in_.samples.samples;
    std::size_t end = begin + 1;
    while (in_.target.other && end < samples.size() && samples[end].group == samples[begin].group) {
      ++end;
    }
    return end;
  }

  Result<void> add_examples() {
    const auto& samples = in_.samples.samples;
    for (std::size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
      end = end_of_example(begin);
      const std::uint32_t example = out_.base.examples++;
      own_.clear();
      own_.emplace(in_.samples.table, samples[begin].row);
      for (std::size_t i = begin; i < end; ++i) {
        if (samples[i].other) own_.emplace(*in_.target.other, *samples[i].other);
      }
      add_neighborhood(example, samples[begin]);
      for (std::size_t i = begin; i < end; ++i) VECC_TRY_VOID(add_query(example, samples[i]));
      if (facts_ > in_.max_facts) {
        return Errors(ErrorCode::LimitNeurons, "vecc-import sql",
                      "the samples see more than " + count_of(in_.max_facts, "fact") +
                          ": fewer --hops, or --max-neurons");
      }
    }
    return {};
  }

  // NaN, a row without a time, is never seen.
  [[nodiscard]] bool sees(const RowSample& sample, std::uint32_t t, std::uint32_t row) const {
    return rows_[t].times.empty() || rows_[t].times[row] <= *sample.time;
  }

  void add_neighborhood(std::uint32_t example, const RowSample& sample) {
    std::set<At> seen = own_;
    std::vector<At> ring(own_.begin(), own_.end());
    const auto add = [&](std::uint32_t t, std::uint32_t row) {
      add_row(example, t, row);
      add_ages(example, sample, t, row);
    };
    for (const auto& [t, row] : own_) add(t, row);
    for (std::uint32_t hop = 0; hop < in_.hops; ++hop) {
      std::vector<At> next;
      const auto reach = [&](std::uint32_t t, std::uint32_t row) {
        if (!seen.emplace(t, row).second) return;
        add(t, row);
        next.emplace_back(t, row);
      };
      for (const auto& [t, row] : ring) {
        for (std::size_t k = 0; k < links_.size(); ++k) {
          if (in_.model.links[k].empty()) continue;
          const ForeignKey& key = in_.schema.foreign_keys[k];
          const RowLinks& links = links_[k];
          if (key.table == t && links.parent[row] != kNoRow &&
              is_seen(sample, key.parent, links.parent[row])) {
            add_link(example, k, row);
            reach(key.parent, links.parent[row]);
          }
          for (std::uint32_t i = key.parent == t ? links.begin[row] : 0;
               key.parent == t && i < links.begin[row + std::size_t{1}]; ++i) {
            if (!is_seen(sample, key.table, links.children[i])) continue;
            add_link(example, k, links.children[i]);
            reach(key.table, links.children[i]);
          }
        }
      }
      ring = std::move(next);
    }
  }

  // The sample's own rows are always there.
  [[nodiscard]] bool is_seen(const RowSample& sample, std::uint32_t t, std::uint32_t row) const {
    return own_.contains({t, row}) || sees(sample, t, row);
  }

  Result<void> add_query(std::uint32_t example, const RowSample& sample) {
    ground::QuerySpec query;
    query.id = sample.id;
    query.example = example;
    query.predicate = predict_;
    query.arguments.push_back({false, constant(sample.row)});
    if (sample.other) {
      query.arguments.push_back({false, constant(*sample.other)});
      add_atom(candidate_, {example, constant(sample.row), constant(*sample.other)},
               ground::kUnvalued);
    }
    query.split = sample.split;
    query.group = sample.group;
    query.role = sample.role;
    if (sample.value && in_.ignores_unknown_targets && !is_known_target(in_.target, sample)) {
      if (out_.unknown_targets++ == 0) out_.unknown_target = *sample.value;
    } else if (sample.value) {
      VECC_TRY(query.target, target_of(sample));
    }
    out_.base.queries.push_back(std::move(query));
    return {};
  }

  [[nodiscard]] std::string place_of_target(const RowSample& sample) const {
    if (!in_.samples.column) return escape_terminal(sample.id);
    return place_of(in_.database, in_.schema, {in_.samples.table, *in_.samples.column},
                    sample.row + 1);
  }

  Result<language::Value> target_of(const RowSample& sample) const {
    if (!is_known_target(in_.target, sample)) {
      return unknown_target(in_.target, sample, place_of_target(sample));
    }
    language::Value value;
    value.has_values = true;
    if (!in_.target.is_class) {
      value.values = {*sample.number};
      return value;
    }
    const auto found = std::ranges::find(in_.target.classes, *sample.value);
    const auto number = static_cast<std::size_t>(found - in_.target.classes.begin());
    const std::uint32_t size = in_.target.output_size();
    value.shape = vector_shape(size);
    value.values.assign(size, 0.0);
    if (size == 1) {
      value.values[0] = static_cast<double>(number);
    } else {
      value.values[number] = 1;
    }
    return value;
  }

  const RowFactsInput& in_;
  ground::RuleProgram& program_;
  RowFacts out_;
  RowReader reader_;
  const std::vector<RowColumns>& rows_ = reader_.tables();
  const std::vector<RowLinks>& links_ = reader_.links();
  std::vector<Predicates> predicates_;
  std::vector<PredicateIndex> link_predicates_;
  PredicateIndex predict_ = 0;
  PredicateIndex candidate_ = 0;
  std::set<At> own_;                                    // the rows of an example's samples
  std::vector<std::vector<CategoryFacts>> categories_;  // by table and CategoryPredicates
  std::vector<Constant> constants_;
  std::vector<double> ages_;  // of a row, while it is added
  std::uint64_t facts_ = 0;
};

}  // namespace

Result<RowFacts> make_row_facts(const RowFactsInput& input, ground::RuleProgram& program) {
  return RowFactsMaker(input, program).make();
}

}  // namespace vecc::tools::sql
