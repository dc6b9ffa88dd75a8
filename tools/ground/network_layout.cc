#include "tools/ground/network_layout.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <utility>

#include "tools/ground/strata.h"

namespace vecc::tools::ground {
namespace {

template <class Member>
Block<Member>& block_of(std::vector<Block<Member>>& blocks, const NeuronFunction& function) {
  for (Block<Member>& block : blocks) {
    if (block.function == function) return block;
  }
  return blocks.emplace_back(Block<Member>{function, {}, 0, 0});
}

// The 1 that NeuraLogic makes of one value before it applies the transformation.
NeuronFunction function_of(const RuleSpec& rule) {
  NeuronFunction function = rule.body_function;
  const bool is_single = rule.input_count() == 1 && rule.offset == kNoWeight;
  if (!is_single || function.combination != Combination::Count ||
      function.transformation.id == Transformation::Identity) {
    return function;
  }
  function.combination = Combination::FunctionGraph;
  function.expr = std::make_shared<const Expr>(*parse_expr("1", "1"));
  return function;
}

class Layouter {
 public:
  explicit Layouter(const GroundNetwork& n) : n_(n) {}

  NetworkLayout lay_out() {
    const RuleProgram& program = n_.program;
    out_.predicates.resize(program.predicates.size());
    out_.rule_ids.resize(program.rules.size());
    out_.aggregation_ids.resize(program.rules.size());
    out_.several_ids.resize(program.rules.size());
    out_.softmax_ids.resize(program.rules.size());
    for (const RuleSpec& rule : program.rules) {
      out_.through_ids.emplace_back(rule.input_count(), NetworkLayout::kNone);
    }
    for (const AtomTable& atoms : n_.base.atoms) {
      out_.atom_ids.emplace_back(atoms.size(), NetworkLayout::kNone);
    }
    mark_outputs();
    const std::vector<Stratum> strata = *order_strata(program);
    for (const Stratum& stratum : strata) {
      out_.order.insert(out_.order.end(), stratum.predicates.begin(), stratum.predicates.end());
    }
    for (const PredicateIndex p : out_.order) add_predicate(p);
    return std::move(out_);
  }

 private:
  void mark_outputs() {
    for (const AtomTable& atoms : n_.base.atoms) is_output_.emplace_back(atoms.size(), false);
    for (const Output& output : n_.reached.outputs) {
      is_output_[n_.base.queries[output.query].predicate][output.atom] = true;
    }
  }

  void add_predicate(PredicateIndex p) {
    PredicateLayout& layout = out_.predicates[p];
    first_of_fact_.clear();
    shared_.clear();
    split_atoms(p, layout);
    for (const FactBlock& block : layout.facts) number_atoms(p, block.atoms);
    for (const auto& [atom, first] : shared_) out_.atom_ids[p][atom] = out_.atom_ids[p][first];
    for (const RuleIndex r : n_.program.predicates[p].rules) {
      const RuleSpec& rule = n_.program.rules[r];
      if (n_.reached.of_head[r].groundings.empty()) continue;
      block_of(layout.rules[rule.weighted_body ? 1 : 0], function_of(rule)).members.push_back(r);
      if (rule.over.empty()) {
        block_of(layout.aggregations, rule.aggregation).members.push_back(r);
      } else {
        block_of(layout.several, rule.of_several).members.push_back(r);
        block_of(layout.softmaxes, rule.aggregation).members.push_back(r);
        block_of(layout.entries, entry_function()).members.push_back(r);
      }
    }
    for (auto& blocks : layout.rules) {
      for (Block<RuleIndex>& block : blocks) number_rules(block);
    }
    number_heads(layout.aggregations, out_.aggregation_ids, is_read);
    number_heads(layout.several, out_.several_ids, has_several);
    number_softmaxes(layout.softmaxes);
    number_heads(layout.entries, out_.aggregation_ids, is_read);
    for (auto& blocks : layout.atoms) {
      for (Block<AtomIndex>& block : blocks) {
        block.first = next_;
        block.count = block.members.size();
        number_atoms(p, block.members);
      }
    }
    add_negations(p, layout);
  }

  void split_atoms(PredicateIndex p, PredicateLayout& layout) {
    const PredicateSpec& predicate = n_.program.predicates[p];
    NeuronFunction of_output = predicate.function;
    if (!n_.keep_outputs && !predicate.keeps_output) of_output.transformation = {};
    const std::vector<bool>& reached = n_.reached.atoms[p];
    for (AtomIndex atom = 0; atom < reached.size(); ++atom) {
      if (!reached[atom]) continue;
      bool is_derived = false;
      bool is_weighted = false;
      for (const RuleIndex r : predicate.rules) {
        if (n_.reached.of_head[r].of(atom).empty()) continue;
        is_derived = true;
        is_weighted |= n_.program.rules[r].weight != kNoWeight;
      }
      if (!is_derived) {
        add_fact(n_.base.atoms[p].fact(atom), atom, layout.facts);
      } else {
        block_of(layout.atoms[is_weighted ? 1 : 0],
                 is_output_[p][atom] ? of_output : predicate.function)
            .members.push_back(atom);
      }
    }
  }

  void add_fact(FactIndex fact, AtomIndex atom, std::vector<FactBlock>& blocks) {
    const FactValues::Entry& entry = n_.base.values.entries[fact];
    if (entry.shared) {
      const auto [first, is_new] = first_of_fact_.try_emplace(fact, atom);
      if (!is_new) {
        shared_.emplace_back(atom, first->second);
        return;
      }
    }
    for (FactBlock& block : blocks) {
      if (block.learnable != entry.learnable || block.shape != entry.shape) continue;
      block.atoms.push_back(atom);
      return;
    }
    blocks.push_back({entry.learnable, entry.shape, {atom}});
  }

  void number_atoms(PredicateIndex p, const std::vector<AtomIndex>& atoms) {
    for (const AtomIndex atom : atoms) out_.atom_ids[p][atom] = next_++;
  }

  void number_rules(Block<RuleIndex>& block) {
    block.first = next_;
    for (const RuleIndex r : block.members) {
      out_.rule_ids[r] = next_;
      next_ += n_.reached.of_head[r].groundings.size();
    }
    block.count = next_ - block.first;
  }

  static NeuronFunction entry_function() {
    NeuronFunction function;
    function.transformation.id = Transformation::AtIndex;
    return function;
  }

  // A neuron for each head that has one.
  template <class HasNeuron>
  void number_heads(std::vector<Block<RuleIndex>>& blocks, std::vector<FileId>& ids,
                    HasNeuron has_neuron) {
    for (Block<RuleIndex>& block : blocks) {
      block.first = next_;
      for (const RuleIndex r : block.members) {
        ids[r] = next_;
        const auto heads = static_cast<AtomIndex>(n_.reached.of_head[r].begin.size() - 1);
        for (AtomIndex head = 0; head < heads; ++head) next_ += has_neuron(n_, r, head) ? 1 : 0;
      }
      block.count = next_ - block.first;
    }
  }

  void number_softmaxes(std::vector<Block<RuleIndex>>& blocks) {
    for (Block<RuleIndex>& block : blocks) {
      block.first = next_;
      for (const RuleIndex r : block.members) {
        out_.softmax_ids[r] = next_;
        next_ += n_.reached.groups[r].size();
      }
      block.count = next_ - block.first;
    }
  }

  void add_negations(PredicateIndex p, PredicateLayout& layout) {
    for (RuleIndex r = 0; r < n_.program.rules.size(); ++r) {
      if (n_.reached.of_head[r].groundings.empty()) continue;
      std::uint32_t input = 0;
      for (const Literal& literal : n_.program.rules[r].body) {
        if (!literal.input) continue;
        if (literal.through && literal.predicate == p) {
          NeuronFunction function;
          function.transformation = literal.through->spec;
          block_of(layout.negations, function)
              .members.push_back({r, input, literal.through->words});
        }
        ++input;
      }
    }
    for (Block<ThroughLiteral>& block : layout.negations) {
      block.first = next_;
      for (const ThroughLiteral& literal : block.members) {
        out_.through_ids[literal.rule][literal.input] = next_;
        next_ += n_.reached.of_head[literal.rule].groundings.size();
      }
      block.count = next_ - block.first;
    }
  }

  const GroundNetwork& n_;
  NetworkLayout out_;
  std::vector<std::vector<bool>> is_output_;
  // Of one predicate: facts of the template, and what stands for one in other examples.
  boost::unordered_flat_map<FactIndex, AtomIndex> first_of_fact_;
  std::vector<std::pair<AtomIndex, AtomIndex>> shared_;
  FileId next_ = 0;
};

}  // namespace

bool is_read(const GroundNetwork& network, RuleIndex rule, AtomIndex head) {
  return !network.reached.of_head[rule].of(head).empty() &&
         network.reached.atoms[network.program.rules[rule].head][head];
}

bool has_several(const GroundNetwork& network, RuleIndex rule, AtomIndex head) {
  std::uint64_t count = 0;
  for (const std::uint32_t g : network.reached.of_head[rule].of(head)) {
    count += network.derived.groundings[rule].times_of(g);
  }
  return count > 1;
}

NetworkLayout lay_out(const GroundNetwork& network) {
  return Layouter(network).lay_out();
}

}  // namespace vecc::tools::ground
