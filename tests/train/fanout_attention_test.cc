// Sampled attention: a softmax over drawn neighbours, and the sum that has its members.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/train/draw_members.h"
#include "tests/support/graph_builder.h"
#include "tests/train/fanout_check.h"

namespace vecc::test {
namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;  // by node

// Node n has n % degrees of them.
Neighbours random_neighbours(std::uint32_t degrees) {
  Neighbours neighbours(30);
  std::uint32_t state = 5;
  for (std::uint32_t n = 0; n < 30; ++n) {
    for (std::uint32_t k = 0; k < n % degrees; ++k) {
      state = state * 1664525 + 1013904223;
      neighbours[n].push_back((state >> 16) % 30);
    }
  }
  return neighbours;
}

// Layers h(X) = tanh(sum over Y of alpha(Y,X) z(Y) + V h(X)), with z(X) = W h(X) and alpha a
// softmax over Y of tanh(a z(X) + c z(Y)); of max and min tanh(max of z(Y) + V h(X)).
class AttentionNetwork {
 public:
  AttentionNetwork(Combination by, std::uint32_t layers,
                   Neighbours neighbours = random_neighbours(8))
      : by_(by),
        layers_(layers),
        count_(static_cast<std::uint32_t>(neighbours.size())),
        neighbours_(std::move(neighbours)) {
    build(neighbours_, softmaxes_);
  }

  [[nodiscard]] NeuronGraph graph() const {
    Softmaxes softmaxes;
    return build(neighbours_, softmaxes);
  }
  /// The graph in which nodes have the neighbours that their softmaxes draw, layer by layer.
  [[nodiscard]] NeuronGraph drawn(const Fanout& fanout, std::uint64_t seed, std::uint64_t run) {
    std::vector<Neighbours> chosen(layers_, Neighbours(count_));
    std::vector<std::uint32_t> places;
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      const std::uint32_t k =
          fanout.members[std::min<std::size_t>(layers_ - layer, fanout.members.size()) - 1];
      for (std::uint32_t n = 0; n < count_; ++n) {
        const auto members = static_cast<std::uint32_t>(neighbours_[n].size());
        training::draw_members(seed, run, softmaxes_[layer][n], members, k, places);
        for (const std::uint32_t place : places) chosen[layer][n].push_back(neighbours_[n][place]);
      }
    }
    Softmaxes softmaxes;
    return build(chosen, softmaxes);
  }

 private:
  using Softmaxes = std::vector<std::vector<NeuronId>>;  // by layer, by node

  NeuronGraph build(const Neighbours& neighbours, Softmaxes& softmaxes) const {
    return build(std::vector<Neighbours>(layers_, neighbours), softmaxes);
  }
  NeuronGraph build(const std::vector<Neighbours>& neighbours, Softmaxes& softmaxes) const {
    GraphBuilder b;
    std::vector<double> values;
    for (std::uint32_t i = 0; i < count_ * 3; ++i) values.push_back(std::sin(1.7 * i));
    const WeightId embeddings = b.weight_table("e", count_, Shape(3, 1), values);
    const GroupIndex facts = b.group("e", NeuronClass::Fact);
    std::vector<NeuronId> nodes;
    for (std::uint32_t n = 0; n < count_; ++n) {
      nodes.push_back(b.learnable_fact(facts, embeddings + n));
    }
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      softmaxes.emplace_back();
      nodes = add_layer(b, layer, neighbours[layer], nodes, softmaxes.back());
    }
    for (std::uint32_t n = 0; n < count_; ++n) {
      b.sample(nodes[n], Shape(3, 1), {std::sin(n), std::cos(n), 0.1 * n});
    }
    return b.build();
  }

  // In an order in which the softmaxes have the same numbers, whichever neighbours there are.
  std::vector<NeuronId> add_layer(GraphBuilder& b, std::uint32_t layer,
                                  const Neighbours& neighbours, const std::vector<NeuronId>& nodes,
                                  std::vector<NeuronId>& softmaxes) const {
    const std::string h = "h" + std::to_string(layer);
    const WeightId w = b.weight(h + ".W", Shape(3, 3), {.5, -.1, .2, .3, .4, -.6, .1, .2, .7});
    const WeightId v = b.weight(h + ".V", Shape(3, 3), {.2, .1, -.2, .3, -.4, .1, .5, .2, .3});
    const WeightId a = b.weight(h + ".a", Shape(1, 3), {.5, -1, 2});
    const WeightId c = b.weight(h + ".c", Shape(1, 3), {2, .4, -1});
    const auto group = [&](const char* name, NeuronClass of) { return b.group(h + name, of); };
    const GroupIndex projections = group(".z", NeuronClass::WeightedRule);
    const GroupIndex scores = group(".s", NeuronClass::WeightedRule);
    const GroupIndex vectors = group(".alpha", NeuronClass::SplittableAggregation);
    const GroupIndex entries = group(".alpha", NeuronClass::Atom);
    const GroupIndex products = group("", NeuronClass::Rule);
    const GroupIndex sums = group("", NeuronClass::Aggregation);
    const GroupIndex own = group("", NeuronClass::WeightedRule);
    const GroupIndex atoms = group("", NeuronClass::Atom);
    std::vector<NeuronId> z;
    for (const NeuronId node : nodes) {
      z.push_back(b.neuron(projections, function(Combination::Sum), {node}, {w}));
    }
    const bool selects = by_ == Combination::Max || by_ == Combination::Min;
    std::vector<NeuronId> next;
    for (std::uint32_t n = 0; n < count_; ++n) {
      GraphBuilder::Inputs members;
      for (const std::uint32_t other : neighbours[n]) {
        if (selects) members.push_back(z[other]);
        if (!selects)
          members.push_back(b.neuron(scores, function(Combination::Sum, Transformation::Tanh),
                                     {z[n], z[other]}, {a, c}));
      }
      GraphBuilder::Inputs parts{b.neuron(own, function(Combination::Sum), {nodes[n]}, {v})};
      softmaxes.push_back(0);
      if (!members.empty()) {
        softmaxes.back() = b.neuron(vectors, function(by_), members);
        GraphBuilder::Inputs terms;
        if (selects) parts.push_back(softmaxes.back());
        for (std::uint32_t k = 0; k < members.size() && !selects; ++k) {
          const NeuronId entry =
              b.neuron(entries, function(Combination::Sum, Transformation::AtIndex),
                       {softmaxes.back()}, {}, kNoWeight, {k});
          terms.push_back(
              b.neuron(products, function(Combination::Product), {z[neighbours[n][k]], entry}));
        }
        if (!selects) parts.push_back(b.neuron(sums, function(Combination::Sum), terms));
      }
      next.push_back(b.neuron(atoms, function(Combination::Sum, Transformation::Tanh), parts));
    }
    return next;
  }

  Combination by_;
  std::uint32_t layers_;
  std::uint32_t count_;
  Neighbours neighbours_;
  Softmaxes softmaxes_;
};

TEST(Fanout, a_softmax_is_one_of_the_drawn_members) {
  on_each_backend([](const Backend& backend) {
    for (const Combination by : {Combination::Softmax, Combination::Sparsemax}) {
      for (const std::uint32_t size : {0u, 7u}) {
        SCOPED_TRACE(std::string(info(by).text) + ", batches of " + std::to_string(size));
        AttentionNetwork network(by, 2);
        expect_steps_of_drawn_graphs(network, {{3, 2}, false}, batches_of(size), backend);
      }
    }
  });
}

// Kernels reduce so many members in pieces, of most of which a batch draws none.
TEST(Fanout, few_of_thousands_of_members_are_drawn) {
  constexpr std::uint32_t kNodes = 2500;
  Neighbours neighbours(kNodes);
  for (std::uint32_t hub = 0; hub < 3; ++hub) {
    for (std::uint32_t k = 0; k < kNodes; ++k) neighbours[hub].push_back((k * 7 + hub) % kNodes);
  }
  on_each_backend([&](const Backend& backend) {
    for (const Combination by : {Combination::Softmax, Combination::Max, Combination::Min}) {
      SCOPED_TRACE(std::string(info(by).text));
      AttentionNetwork network(by, 1, neighbours);
      expect_steps_of_drawn_graphs(network, {{3}, false}, batches_of(0), backend, 2);
    }
  });
}

TEST(Fanout, of_a_softmax_threads_and_a_resume_change_no_bit) {
  for (const Combination by : {Combination::Softmax, Combination::Max}) {
    expect_bits_of_any_threads_and_of_a_resume(AttentionNetwork(by, 2).graph(), {{3, 2}, false},
                                               Optimizer::Adam);
  }
}

TEST(Fanout, lazy_adam_changes_what_the_drawn_members_of_a_softmax_reach) {
  AttentionNetwork network(Combination::Softmax, 2);
  expect_steps_of_drawn_graphs(network, {{2, 1}, false}, batches_of(3, Optimizer::LazyAdam),
                               *find_backend("cpu"));
}

// Members that were not drawn are infinite where a maximum reads them: they are not named.
TEST(Fanout, what_is_not_finite_is_not_a_member_that_was_not_drawn) {
  SampledGraph sampled =
      value_of(sample_members(AttentionNetwork(Combination::Max, 2).graph(), {{3, 2}, false}));
  sampled.graph.target_values.front() = 1e200;  // whose error is infinite
  const TrainOptions options = batches_of(0);
  const Trained trained(std::move(sampled.graph), true, *find_backend("interpreter"),
                        with_members(options, std::move(sampled.members)));
  const WeightFile good = value_of(trained.trainer->save());
  expect_ok(trained.trainer->step());
  const auto found = value_of(trained.trainer->find_non_finite(good));
  ASSERT_TRUE(found);
  EXPECT_NE(found->op.find("loss: errors"), std::string::npos) << found->op;
}

// What a batch binds are the rows that drawn members reach, backwards too.
TEST(Fanout, a_bound_batch_has_the_drawn_members_of_a_softmax_alone) {
  const auto bytes_with = [&](std::uint32_t k) {
    const AttentionNetwork network(Combination::Softmax, 2, random_neighbours(30));
    SampledGraph sampled = value_of(sample_members(network.graph(), {{k}, false}));
    TrainOptions one = batches_of(1);
    one.shuffle = false;
    const Trained trained(std::move(sampled.graph), true, *find_backend("cpu"),
                          with_members(one, std::move(sampled.members)), 1);
    std::uint64_t bytes = 0;
    for (std::uint32_t n = 0; n < 30; ++n) {
      const BatchReport report = value_of(trained.trainer->batch_report());
      EXPECT_EQ(report.way, "bind");
      bytes += report.bytes.values + report.bytes.arrays;
      expect_ok(trained.trainer->step());
    }
    return bytes;
  };
  const std::uint64_t one = bytes_with(1);
  EXPECT_GT(one, 0u);
  EXPECT_GT(bytes_with(28), 3 * one);
}

}  // namespace
}  // namespace vecc::test
