#include "tools/ground/write_network.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <utility>

#include "tools/ground/network_layout.h"

namespace vecc::tools::ground {
namespace {

/// Lists of rules in a group's text, as in the bridge's.
constexpr std::size_t kMostRuleTexts = 100;
constexpr RuleIndex kNoRule = ~RuleIndex{0};

class NetworkWriter {
 public:
  NetworkWriter(const GroundNetwork& network, Grounder& out)
      : n_(network), out_(out), layout_(lay_out(network)) {}

  Result<void> write() {
    VECC_TRY_VOID(check_single_elements());
    write_weights();
    for (const PredicateIndex p : layout_.order) {
      write_facts(p);
      write_rules(p);
      write_aggregations(p);
      write_softmaxes(p);
      write_atoms(p);
      write_negations(p);
    }
    write_samples();
    return {};
  }

 private:
  const RuleSpec& rule(RuleIndex r) const { return n_.program.rules[r]; }

  // NeuraLogic applies the transformation to the 1 that these make of one value; vecc to the value.
  static bool is_one_of_one(const NeuronFunction& function) {
    return info(function.combination).single == CombinationSingle::One &&
           function.transformation.id != Transformation::Identity;
  }

  Result<void> check_single_elements() const {
    Errors errors;
    for (RuleIndex r = 0; r < n_.program.rules.size(); ++r) {
      const bool is_single = rule(r).input_count() == 1 && rule(r).offset == kNoWeight;
      if (!is_single || !is_one_of_one(rule(r).body_function)) continue;
      if (rule(r).body_function.combination == Combination::Count) continue;  // the constant 1
      if (n_.reached.of_head[r].groundings.empty()) continue;
      errors.add(ErrorCode::FunctionDomain, n_.program.place(rule(r).at),
                 "the combination " + rule(r).body_function.text() +
                     " of one literal: say activation=identity");
    }
    for (PredicateIndex p = 0; p < n_.program.predicates.size(); ++p) {
      for (const auto& blocks : layout_.predicates[p].atoms) {
        for (const Block<AtomIndex>& block : blocks) {
          if (!is_one_of_one(block.function) || block.members.empty()) continue;
          errors.add(ErrorCode::FunctionDomain, n_.program.files[0],
                     "the combination of " + n_.program.predicates[p].text() +
                         " may have one value: say transformation=identity");
        }
      }
    }
    if (!errors.empty()) return errors;
    return {};
  }

  void write_weights() {
    weight_ids_.assign(n_.program.weights.size(), kNoWeight);
    for (const WeightIndex index : n_.program.weight_order) {
      const WeightSpec& spec = n_.program.weights[index];
      if (!spec.learnable) {
        weight_ids_[index] = out_.fixed_weight(spec.name, spec.shape, spec.values);
      } else if (spec.values.empty()) {
        weight_ids_[index] = out_.weights(spec.name, spec.shape);
      } else {
        weight_ids_[index] = out_.given_weights(spec.name, spec.shape, 1,
                                                [&](std::uint32_t, std::span<double> values) {
                                                  std::ranges::copy(spec.values, values.begin());
                                                  return true;
                                                });
      }
    }
    fact_weights_.assign(n_.base.values.entries.size(), kNoWeight);
    for (const PredicateIndex p : layout_.order) write_fact_weights(p);
  }

  // Learnable facts of the examples: a table a predicate (and shape), a row a fact.
  void write_fact_weights(PredicateIndex p) {
    std::string name = n_.program.predicates[p].text();
    for (const FactBlock& block : layout_.predicates[p].facts) {
      if (!block.learnable) continue;
      std::vector<FactIndex> own;
      StringColumn names;
      for (const AtomIndex atom : block.atoms) {
        const FactIndex fact = n_.base.atoms[p].fact(atom);
        const WeightIndex weight = n_.base.values.entries[fact].weight;
        if (weight != kNoWeight) {
          fact_weights_[fact] = weight_ids_[weight];
          continue;
        }
        own.push_back(fact);
        names.push_back(n_.program.atom_text(p, n_.base.atoms[p].arguments(atom)));
      }
      if (own.empty()) continue;
      const auto fill = [&](std::uint32_t i, std::span<double> values) {
        const FactValues::Entry& entry = n_.base.values.entries[own[i]];
        if (entry.has_values) std::ranges::copy(n_.base.values.of(entry), values.begin());
        return entry.has_values;
      };
      const WeightId first = out_.given_weights(
          name, block.shape, static_cast<std::uint32_t>(own.size()), fill, &names);
      for (std::size_t i = 0; i < own.size(); ++i) {
        fact_weights_[own[i]] = static_cast<WeightId>(first + i);
      }
      name = n_.program.predicates[p].text() + " " + block.shape.text();
    }
  }

  [[nodiscard]] WeightId weight_id(WeightIndex weight) const {
    return weight == kNoWeight ? kNoWeight : weight_ids_[weight];
  }

  void write_facts(PredicateIndex p) {
    const std::string head = n_.program.predicates[p].text();
    bool continued = false;
    for (const FactBlock& block : layout_.predicates[p].facts) {
      if (std::exchange(continued, true)) out_.continue_group();
      const auto fact_of = [&](std::uint64_t i) { return n_.base.atoms[p].fact(block.atoms[i]); };
      FileId first = 0;
      if (block.learnable) {
        first = out_.learnable_facts(head, block.atoms.size(),
                                     [&](std::uint64_t i) { return fact_weights_[fact_of(i)]; });
      } else {
        first = out_.constant_facts(
            head, block.shape, block.atoms.size(), [&](std::uint64_t i, std::span<double> values) {
              std::ranges::copy(n_.base.values.of(n_.base.values.entries[fact_of(i)]),
                                values.begin());
            });
      }
      check_id(first, layout_.atom_ids[p][block.atoms.front()]);
    }
  }

  void check_id(FileId written, FileId planned) const {
    VECC_CHECK(written == planned || out_.failed(), "neurons stand where they were laid out");
  }

  [[nodiscard]] std::string texts_of(PredicateIndex p) const {
    std::string text;
    std::size_t count = 0;
    for (const RuleIndex r : n_.program.predicates[p].rules) {
      if (n_.reached.of_head[r].groundings.empty()) continue;
      if (++count > kMostRuleTexts) break;
      text += (text.empty() ? "" : "\n") + rule(r).text;
    }
    return text;
  }

  // A group of several functions: one part each. `describe(block, row)` is called for each neuron.
  template <class Member, class Describe>
  void write_blocks(NeuronClass neuron_class, const std::string& head, const std::string& text,
                    const std::vector<Block<Member>>& blocks, Describe&& describe) {
    bool continued = false;
    for (const Block<Member>& block : blocks) {
      if (block.count == 0) continue;
      if (std::exchange(continued, true)) out_.continue_group();
      const GroupSpec spec{neuron_class, head, text, block.function, {}};
      auto next = describe(block);
      check_id(out_.group(spec, block.count, [&](std::uint64_t, NeuronRow& row) { next(row); }),
               block.first);
    }
  }

  // Neuron after neuron of several rules: calls `write(rule, k, row)` for k = 0, 1, ...
  template <class Size, class Write>
  static auto walk_rules(const std::vector<RuleIndex>& rules, Size size, Write write) {
    return [&rules, size, write, at = std::size_t{0}, k = std::size_t{0}](NeuronRow& row) mutable {
      while (k == size(rules[at])) {
        k = 0;
        ++at;
      }
      write(rules[at], k++, row);
    };
  }

  void write_rules(PredicateIndex p) {
    const std::string head = n_.program.predicates[p].text();
    const std::string text = texts_of(p);
    const auto size = [&](RuleIndex r) { return n_.reached.of_head[r].groundings.size(); };
    for (int weighted = 0; weighted < 2; ++weighted) {
      write_blocks(weighted == 1 ? NeuronClass::WeightedRule : NeuronClass::Rule, head, text,
                   layout_.predicates[p].rules[weighted], [&](const Block<RuleIndex>& block) {
                     return walk_rules(block.members, size,
                                       [&](RuleIndex r, std::size_t k, NeuronRow& row) {
                                         write_rule(r, k, row);
                                       });
                   });
    }
  }

  void write_rule(RuleIndex r, std::size_t k, NeuronRow& row) const {
    const std::size_t width = rule(r).input_count();
    const std::size_t begin = n_.reached.of_head[r].groundings[k] * width;
    const std::vector<AtomIndex>& inputs = n_.derived.groundings[r].inputs;
    std::size_t i = 0;
    for (const Literal& literal : rule(r).body) {
      if (!literal.input) continue;
      const std::size_t at = begin + i;
      const FileId through = layout_.through_ids[r][i++];
      if (n_.cut.is_cut(r, at)) continue;
      const FileId id = through == NetworkLayout::kNone
                            ? layout_.atom_ids[literal.predicate][inputs[at]]
                            : through + k;
      row.input(id, weight_id(literal.weight));
    }
    row.offset(weight_id(rule(r).offset));
    write_words(rule(r).body_function.transformation, rule(r).body_words, row);
  }

  static void write_words(const TransformationSpec& function, const Words& words, NeuronRow& row) {
    for (std::uint32_t i = 0; i < word_count(function.id); ++i) row.word(words[i]);
  }

  // Head after head of several rules, those that have a neuron: calls `write(rule, head, row)`.
  template <class HasNeuron, class Write>
  auto walk_heads(const std::vector<RuleIndex>& rules, HasNeuron has_neuron, Write write) const {
    return [this, &rules, has_neuron, write, at = std::size_t{0},
            head = AtomIndex{0}](NeuronRow& row) mutable {
      while (true) {
        const RuleIndex r = rules[at];
        const AtomIndex size = n_.base.atoms[rule(r).head].size();
        while (head < size && !has_neuron(n_, r, head)) ++head;
        if (head < size) return write(r, head++, row);
        head = 0;
        ++at;
      }
    };
  }

  // How many heads before each have a neuron.
  template <class HasNeuron>
  [[nodiscard]] std::vector<std::uint32_t> ranks_of(RuleIndex r, HasNeuron has_neuron) const {
    std::vector<std::uint32_t> ranks(n_.reached.of_head[r].begin.size() - 1);
    std::uint32_t next = 0;
    for (AtomIndex head = 0; head < ranks.size(); ++head) {
      ranks[head] = next;
      next += has_neuron(n_, r, head) ? 1 : 0;
    }
    return ranks;
  }

  void write_aggregations(PredicateIndex p) {
    const auto write = [&](RuleIndex r, AtomIndex head, NeuronRow& row) {
      const std::vector<std::uint32_t>& begin = n_.reached.of_head[r].begin;
      for (std::uint32_t k = begin[head]; k < begin[head + 1]; ++k) {
        const std::uint32_t g = n_.reached.of_head[r].groundings[k];
        for (std::uint32_t i = 0; i < n_.derived.groundings[r].times_of(g); ++i) {
          row.input(layout_.rule_ids[r] + k);
        }
      }
    };
    const std::string head = n_.program.predicates[p].text();
    const std::string text = texts_of(p);
    write_blocks(
        NeuronClass::Aggregation, head, text, layout_.predicates[p].aggregations,
        [&](const Block<RuleIndex>& block) { return walk_heads(block.members, is_read, write); });
    write_blocks(NeuronClass::Aggregation, head, text, layout_.predicates[p].several,
                 [&](const Block<RuleIndex>& block) {
                   return walk_heads(block.members, has_several, write);
                 });
  }

  // A softmax reads the heads of a group, and an entry of it is what a head's atom reads.
  void write_softmaxes(PredicateIndex p) {
    std::vector<std::uint32_t> ranks;
    RuleIndex ranked = kNoRule;
    const auto write = [&](RuleIndex r, std::size_t group, NeuronRow& row) {
      if (std::exchange(ranked, r) != r) ranks = ranks_of(r, has_several);
      for (const AtomIndex head : n_.reached.groups[r].of(group)) {
        row.input(has_several(n_, r, head)
                      ? layout_.several_ids[r] + ranks[head]
                      : layout_.rule_ids[r] + n_.reached.of_head[r].begin[head]);
      }
    };
    const auto size = [&](RuleIndex r) { return n_.reached.groups[r].size(); };
    write_blocks(NeuronClass::SplittableAggregation, n_.program.predicates[p].text(), texts_of(p),
                 layout_.predicates[p].softmaxes, [&](const Block<RuleIndex>& block) {
                   return walk_rules(block.members, size, write);
                 });
    const auto write_entry = [&](RuleIndex r, AtomIndex head, NeuronRow& row) {
      row.input(layout_.softmax_ids[r] + n_.reached.groups[r].of_head[head]);
      row.word(n_.reached.groups[r].position[head]);
    };
    write_blocks(NeuronClass::Atom, "_" + n_.program.predicates[p].text(), "",
                 layout_.predicates[p].entries, [&](const Block<RuleIndex>& block) {
                   return walk_heads(block.members, is_read, write_entry);
                 });
  }

  void write_atoms(PredicateIndex p) {
    const PredicateSpec& predicate = n_.program.predicates[p];
    const std::string head = predicate.text();
    // By rule of the predicate: how many aggregations are before an atom's.
    std::vector<std::vector<std::uint32_t>> ranks;
    for (const RuleIndex r : predicate.rules) ranks.push_back(ranks_of(r, is_read));
    for (int weighted = 0; weighted < 2; ++weighted) {
      write_blocks(weighted == 1 ? NeuronClass::WeightedAtom : NeuronClass::Atom, head, "",
                   layout_.predicates[p].atoms[weighted], [&](const Block<AtomIndex>& block) {
                     return [&, weighted, at = std::size_t{0}](NeuronRow& row) mutable {
                       const AtomIndex atom = block.members[at++];
                       for (std::size_t i = 0; i < predicate.rules.size(); ++i) {
                         const RuleIndex r = predicate.rules[i];
                         if (n_.reached.of_head[r].of(atom).empty()) continue;
                         row.input(layout_.aggregation_ids[r] + ranks[i][atom],
                                   weight_id(rule(r).weight));
                       }
                       if (weighted == 1) row.offset(weight_id(predicate.offset));
                       write_words(block.function.transformation, predicate.words, row);
                     };
                   });
    }
  }

  void write_negations(PredicateIndex p) {
    write_blocks(NeuronClass::Negation, n_.program.predicates[p].text(), "",
                 layout_.predicates[p].negations, [&](const Block<ThroughLiteral>& block) {
                   return [&, at = std::size_t{0}, k = std::size_t{0}](NeuronRow& row) mutable {
                     while (k == n_.reached.of_head[block.members[at].rule].groundings.size()) {
                       k = 0;
                       ++at;
                     }
                     const ThroughLiteral& literal = block.members[at];
                     const std::size_t width = rule(literal.rule).input_count();
                     const std::size_t g = n_.reached.of_head[literal.rule].groundings[k++];
                     row.input(layout_.atom_ids[p][n_.derived.groundings[literal.rule]
                                                       .inputs[g * width + literal.input]]);
                     write_words(block.function.transformation, literal.words, row);
                   };
                 });
  }

  void write_samples() {
    boost::unordered_flat_map<std::string, std::uint32_t> times;
    boost::unordered_flat_set<std::string> used;
    for (const Output& output : n_.reached.outputs) {
      const QuerySpec& query = n_.base.queries[output.query];
      std::string id = query.id;
      for (std::uint32_t& count = times[query.id]; !used.insert(id).second;) {
        count = count == 0 ? 2 : count + 1;
        id = query.id + " (" + std::to_string(count) + ")";
      }
      SampleRecord record;
      record.id = id;
      record.output = layout_.atom_ids[query.predicate][output.atom];
      record.weight = static_cast<float>(query.importance);
      record.split = query.split;
      record.group = query.group;
      record.role = query.role;
      if (query.target) {
        record.has_target = true;
        record.target_shape = query.target->shape;
        record.target = query.target->values;
      }
      out_.sample(record);
    }
  }

  const GroundNetwork& n_;
  Grounder& out_;
  NetworkLayout layout_;
  std::vector<WeightId> weight_ids_;    // by WeightIndex
  std::vector<WeightId> fact_weights_;  // by FactIndex: of learnable facts
};

}  // namespace

Result<void> write_network(const GroundNetwork& network, Grounder& out) {
  return NetworkWriter(network, out).write();
}

}  // namespace vecc::tools::ground
