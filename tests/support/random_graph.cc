#include "tests/support/random_graph.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "tests/support/graph_builder.h"
#include "tests/support/random_neuron.h"

namespace vecc::test {
namespace {

constexpr int kAttempts = 20;

// Grows a graph neuron by neuron, inputs before their readers; finish() then gives ids in another
// order.
class RandomGraphGrower {
 public:
  explicit RandomGraphGrower(const RandomGraphOptions& options)
      : options_(options), random_(options.seed), weights_(options.exact) {}

  void add_facts();
  void add_group();
  void add_attention();
  void add_recursion();
  RandomGraph finish();

 private:
  std::uint32_t new_group(NeuronClass neuron_class);
  void add_fact(std::uint32_t group, FactKind kind, Shape shape);
  /// A neuron of the group after the template; whether one could be drawn.
  bool add_neuron(std::uint32_t group, const NeuronTemplate& pattern,
                  const std::vector<std::uint32_t>& inputs = {});
  std::vector<std::uint32_t> draw_order();
  void add_weights(GraphBuilder& builder);
  std::vector<GroupIndex> add_groups(GraphBuilder& builder);
  void add_samples(GraphBuilder& builder, const std::vector<NeuronId>& ids);

  RandomGraphOptions options_;
  RandomSource random_;
  WeightPool weights_;
  NeuronPool pool_;
  std::vector<NeuronClass> groups_;
};

std::uint32_t RandomGraphGrower::new_group(NeuronClass neuron_class) {
  groups_.push_back(neuron_class);
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

void RandomGraphGrower::add_fact(std::uint32_t group, FactKind kind, Shape shape) {
  DrawnNeuron neuron;
  neuron.group = group;
  neuron.fact = kind;
  if (kind == FactKind::Unit) {
    neuron.value = track_exact(Shape(), {1.0});
  } else if (kind == FactKind::Learnable) {
    neuron.weights = {weights_.draw(shape, random_)};
    neuron.value = weights_.value(neuron.weights[0]);
  } else {
    neuron.value = draw_value(shape, options_.exact || random_.chance(0.3), random_);
    neuron.value.exact = options_.exact;  // else a constant like others, whole or not
    neuron.declared = shape;
  }
  pool_.add(std::move(neuron));
}

void RandomGraphGrower::add_facts() {
  const std::vector<FactKind> kinds = {FactKind::Constant, FactKind::Constant, FactKind::Learnable,
                                       FactKind::Unit};
  std::uint32_t left = std::max(options_.facts, 1u);
  add_fact(new_group(NeuronClass::Fact), FactKind::Constant, Shape());
  while (--left > 0) {
    const std::uint32_t group = random_.chance(0.4)
                                    ? random_.below(groups_.size())  // a group that mixes facts
                                    : new_group(NeuronClass::Fact);
    const FactKind kind = random_.pick(kinds);
    const std::uint32_t rows = random_.between(1, options_.side);
    const std::uint32_t cols = random_.between(1, options_.side);
    const std::vector<Shape> shapes = {Shape(), Shape::column(rows), Shape::column(rows),
                                       Shape::row(cols), Shape(rows, cols)};
    const Shape shape = random_.pick(shapes);
    const std::uint32_t count = std::min(left, random_.between(1, 4));
    for (std::uint32_t i = 0; i < count; ++i) add_fact(group, kind, shape);
    left -= count - 1;
  }
}

bool RandomGraphGrower::add_neuron(std::uint32_t group, const NeuronTemplate& pattern,
                                   const std::vector<std::uint32_t>& inputs) {
  auto neuron = draw_neuron(pattern, pool_, weights_, random_, inputs);
  if (!neuron) return false;
  neuron->group = group;
  pool_.add(std::move(*neuron));
  return true;
}

void RandomGraphGrower::add_group() {
  const std::vector<NeuronClass> classes = {NeuronClass::Rule,         NeuronClass::WeightedRule,
                                            NeuronClass::Aggregation,  NeuronClass::Atom,
                                            NeuronClass::WeightedAtom, NeuronClass::Negation};
  const std::uint32_t group = new_group(random_.pick(classes));
  const bool mixes = random_.chance(0.2);
  std::uint32_t left = random_.chance(0.15) ? 1 : random_.between(1, options_.neurons);
  for (int attempt = 0; attempt < kAttempts && left > 0; ++attempt) {
    const NeuronTemplate pattern = draw_template(pool_, weights_, random_);
    const std::uint32_t wanted = mixes ? random_.between(1, left) : left;
    for (std::uint32_t i = 0; i < wanted; ++i) {
      if (add_neuron(group, pattern)) {
        --left;
      } else if (random_.chance(0.3)) {
        break;
      }
    }
    if (!mixes && left < wanted) return;
  }
}

// softmax(agg_terms): one SplittableAggregation over scalars, and atoms that read its members.
void RandomGraphGrower::add_attention() {
  NeuronTemplate scores;
  scores.function = function(random_.chance(0.7) ? Combination::Softmax : Combination::Sparsemax);
  scores.literals = {{.input = Shape(), .weight = std::nullopt, .shared = kNoWeight}};
  scores.variable_fan_in = true;
  const std::uint32_t group = new_group(NeuronClass::SplittableAggregation);
  const std::uint32_t readers = new_group(NeuronClass::Atom);
  for (std::uint32_t i = random_.between(1, options_.neurons); i > 0; --i) {
    if (!add_neuron(group, scores)) continue;
    const auto softmax = static_cast<std::uint32_t>(pool_.neurons().size() - 1);
    NeuronTemplate member;
    member.function = function(Combination::Sum, Transformation::AtIndex);
    const Shape shape = pool_.neurons()[softmax].value.shape;
    member.literals = {{.input = shape, .weight = std::nullopt, .shared = kNoWeight}};
    for (std::uint64_t k = 0; k < shape.size(); ++k) add_neuron(readers, member, {softmax});
  }
}

// One to three groups whose neurons read each other's, a step at a time: a strong component.
void RandomGraphGrower::add_recursion() {
  if (options_.depth == 0) return;
  const std::vector<Transformation> squashing =
      options_.exact
          ? std::vector{Transformation::Signum, Transformation::Relu, Transformation::Identity}
          : std::vector{Transformation::Tanh, Transformation::Sigmoid, Transformation::Relu,
                        Transformation::Identity};
  const std::vector<Combination> reducing = {Combination::Sum, Combination::Avg, Combination::Max,
                                             Combination::Min, Combination::ElProduct};
  const std::uint32_t start = pool_.draw(random_);
  const Shape state = pool_.neurons()[start].value.shape;
  std::vector<std::uint32_t> groups;
  std::vector<NeuronTemplate> patterns;
  for (std::uint32_t i = random_.between(1, 3); i > 0; --i) {
    groups.push_back(new_group(NeuronClass::WeightedRule));
    NeuronTemplate pattern;
    pattern.function = function(random_.pick(reducing), random_.pick(squashing));
    const bool scales = state.is_scalar() || random_.chance(0.3);
    const Shape weight = scales ? Shape() : Shape(state.rows(), state.rows());
    for (std::uint32_t k = random_.between(1, 3); k > 0; --k) {
      pattern.literals.push_back(
          {.input = state,
           .weight = random_.chance(0.7) ? std::optional(weight) : std::nullopt,
           .shared = kNoWeight});
      if (pattern.literals.back().weight) {
        pattern.literals.back().shared = weights_.draw(weight, random_);
      }
    }
    if (random_.chance(0.3)) pattern.offset = state;
    patterns.push_back(std::move(pattern));
  }
  std::vector<std::uint32_t> states = {start};
  std::size_t latest = 0;
  for (std::uint32_t step = 0; step < options_.depth; ++step) {
    const std::size_t end = states.size();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::uint32_t i = random_.between(1, 2); i > 0; --i) {
        std::vector<std::uint32_t> inputs;
        for (std::size_t k = 0; k < patterns[g].literals.size(); ++k) {
          const std::size_t from = k == 0 || random_.chance(0.7) ? latest : 0;  // else a skip
          inputs.push_back(states[from + random_.below(end - from)]);
        }
        if (add_neuron(groups[g], patterns[g], inputs)) {
          states.push_back(static_cast<std::uint32_t>(pool_.neurons().size() - 1));
        }
      }
    }
    if (states.size() > end) latest = end;
  }
}

// The drawn neurons in the order of their ids: as grown, by group, or any.
std::vector<std::uint32_t> RandomGraphGrower::draw_order() {
  std::vector<std::uint32_t> order(pool_.neurons().size());
  std::iota(order.begin(), order.end(), 0u);
  const std::uint32_t kind = random_.below(4);
  if (kind == 0) return order;
  if (kind == 1) {
    random_.shuffle(order);
    return order;
  }
  std::vector<std::uint32_t> rank(groups_.size());
  std::iota(rank.begin(), rank.end(), 0u);
  random_.shuffle(rank);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank[pool_.neurons()[a].group] < rank[pool_.neurons()[b].group];
  });
  return order;
}

void RandomGraphGrower::add_weights(GraphBuilder& builder) {
  std::uint32_t number = 0;
  for (const WeightPool::Table& table : weights_.tables()) {
    std::vector<std::string> rows;
    for (std::uint32_t w = 0; number % 3 == 2 && w < table.count; ++w) {
      rows.push_back("row \"" + std::to_string(w) + "\"");
    }
    // A name as only a hostile file has it: it is data.
    const std::string name =
        "w" + std::to_string(number) + (number % 5 == 4 ? "\"*/\n\x1b[1m" : "");
    builder.weight_table(name, table.count, table.shape, table.values, table.learnable,
                         std::move(rows));
    ++number;
  }
}

void RandomGraphGrower::add_samples(GraphBuilder& builder, const std::vector<NeuronId>& ids) {
  for (std::uint32_t i = random_.between(1, 6); i > 0; --i) {
    const std::uint32_t output = pool_.draw(random_);
    const Shape shape = pool_.neurons()[output].value.shape;
    const std::uint32_t number =
        random_.chance(0.5)
            ? builder.sample(ids[output])
            : builder.sample(ids[output], shape, std::vector<double>(shape.size(), 0.5));
    Sample& sample = builder.edit_sample(number);
    sample.split = static_cast<Split>(random_.below(4));
    sample.role = static_cast<Role>(random_.below(3));
    if (random_.chance(0.3)) sample.group = random_.below(4);
    sample.weight = random_.chance(0.8) ? 1.0f : 0.25f;
  }
}

// Groups that got a neuron (a file cannot hold an empty one).
std::vector<GroupIndex> RandomGraphGrower::add_groups(GraphBuilder& builder) {
  std::vector<bool> used(groups_.size());
  for (const DrawnNeuron& neuron : pool_.neurons()) used[neuron.group] = true;
  std::vector<GroupIndex> numbers(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!used[g]) continue;
    const std::string head = "p" + std::to_string(g) + (g % 4 == 3 ? "/2 \"<b>\n" : "/2");
    numbers[g] = builder.group(head, groups_[g], g % 2 == 0 ? "" : head + "(X) :- q(X).");
  }
  return numbers;
}

RandomGraph RandomGraphGrower::finish() {
  GraphBuilder builder;
  add_weights(builder);
  const std::vector<GroupIndex> groups = add_groups(builder);
  const std::vector<std::uint32_t> order = draw_order();
  std::vector<NeuronId> ids(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ids[order[i]] = static_cast<NeuronId>(i);
  RandomGraph result;
  const bool named = random_.chance(0.3);
  for (const std::uint32_t drawn : order) {
    const DrawnNeuron& n = pool_.neurons()[drawn];
    const GroupIndex group = groups[n.group];
    switch (n.fact) {
      case FactKind::Unit: builder.unit_fact(group); break;
      case FactKind::Constant: builder.fact(group, n.value.shape, n.value.value()); break;
      case FactKind::Learnable: builder.learnable_fact(group, n.weights[0]); break;
      case FactKind::NotAFact: {
        std::vector<NeuronId> inputs;
        for (const std::uint32_t input : n.inputs) inputs.push_back(ids[input]);
        builder.neuron(group, n.function, std::move(inputs), n.weights, n.offset, n.words,
                       n.declared);
        break;
      }
    }
    result.shapes.push_back(n.value.shape);
    result.values.push_back(n.value.value());
    if (named) builder.name(ids[drawn], "neuron " + std::to_string(drawn));
  }
  add_samples(builder, ids);
  result.graph = builder.build();
  return result;
}

}  // namespace

RandomGraphOptions random_options(std::uint64_t seed) {
  RandomSource random(seed ^ 0x9E3779B97F4A7C15ull);
  RandomGraphOptions options;
  options.seed = seed;
  options.facts = random.between(1, 16);
  options.groups = random.between(1, 10);
  options.neurons = random.between(1, 8);
  options.depth = random.chance(0.3)   ? 0
                  : random.chance(0.7) ? random.between(1, 6)
                                       : random.between(7, 50);
  options.side = random.between(1, 4);
  return options;
}

RandomGraph random_graph(const RandomGraphOptions& options) {
  RandomGraphGrower grower(options);
  RandomSource random(options.seed + 1);
  grower.add_facts();
  // Recursion and attention somewhere among the groups, so that others read their results.
  const std::uint32_t steps = options.groups + 2;
  const std::uint32_t recursion = random.below(steps);
  const std::uint32_t attention = random.below(steps);
  for (std::uint32_t step = 0; step < steps; ++step) {
    if (step == recursion) {
      grower.add_recursion();
    } else if (step == attention) {
      grower.add_attention();
    } else {
      grower.add_group();
    }
  }
  return grower.finish();
}

NeuronGraph with_all_samples(RandomGraph random) {
  NeuronGraph graph = std::move(random.graph);
  graph.samples.clear();
  graph.sample_ids = {};
  graph.target_values.clear();
  for (NeuronId neuron = 0; neuron < random.shapes.size(); ++neuron) {
    Sample sample;
    sample.output = neuron;
    sample.has_target = neuron % 5 != 4;
    sample.target_shape = random.shapes[neuron];
    sample.target_begin = graph.target_values.size();
    graph.samples.push_back(sample);
    for (const double value : random.values[neuron]) graph.target_values.push_back(value + 0.5);
  }
  return graph;
}

}  // namespace vecc::test
