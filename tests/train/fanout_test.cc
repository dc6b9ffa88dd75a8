// Sampled members: a step is that of the graph which has only the drawn members.
#include "vecc/fanout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "src/train/draw_members.h"
#include "tests/support/graph_builder.h"
#include "tests/train/fanout_check.h"

namespace vecc::test {
namespace {

// Layers h(X) = relu(W mean of h(Y) + V h(X)) over a random graph of nodes, all of them samples;
// the recursive one has a single group of each kind.
class Network {
 public:
  struct Aggregation {
    NeuronId neuron = 0;
    GraphBuilder::Inputs members;
    std::uint32_t level = 0;
  };
  static constexpr std::uint32_t kNodes = 30;

  Network(Combination combination, std::uint32_t layers, bool is_recursive,
          std::uint32_t degrees = 8, std::uint32_t count = kNodes)
      : count_(count) {
    const WeightId embeddings = b.weight_table("e", count, Shape(3, 1), values_of_table());
    const GroupIndex facts = b.group("e", NeuronClass::Fact);
    std::vector<NeuronId> nodes;
    for (std::uint32_t n = 0; n < count_; ++n) {
      nodes.push_back(b.learnable_fact(facts, embeddings + n));
    }
    find_neighbours(degrees);
    for (std::uint32_t layer = 1; layer <= layers; ++layer) {
      if (layer == 1 || !is_recursive) add_groups(layer);
      nodes = add_layer(combination, nodes, layers + 1 - layer);
    }
    for (std::uint32_t n = 0; n < count_; ++n) {
      b.sample(nodes[n], Shape(3, 1), {std::sin(n), std::cos(n), 0.1 * n});
    }
  }

  [[nodiscard]] NeuronGraph graph() const { return b.build(); }
  /// The graph in which aggregations have those members that run `run` draws.
  [[nodiscard]] NeuronGraph drawn(const Fanout& fanout, std::uint64_t seed, std::uint64_t run) {
    std::vector<std::uint32_t> places;
    for (const Aggregation& each : aggregations) {
      const auto n = static_cast<std::uint32_t>(each.members.size());
      const std::uint32_t k =
          fanout.members[std::min<std::size_t>(each.level, fanout.members.size()) - 1];
      training::draw_members(seed, run, each.neuron, n, k, places);
      GraphBuilder::Inputs inputs;
      for (const std::uint32_t place : places) inputs.push_back(each.members[place]);
      GraphBuilder::Weights weights;
      if (fanout.scales_sums && n > k) {
        weights.assign(inputs.size(), scale(static_cast<double>(n) / k));
      }
      b.set_inputs(each.neuron, inputs, weights);
    }
    NeuronGraph graph = b.build();
    for (const Aggregation& each : aggregations) b.set_inputs(each.neuron, each.members);
    return graph;
  }

  GraphBuilder b;
  std::vector<Aggregation> aggregations;

 private:
  [[nodiscard]] std::vector<double> values_of_table() const {
    std::vector<double> values;
    for (std::uint32_t i = 0; i < count_ * 3; ++i) values.push_back(std::sin(1.7 * i));
    return values;
  }
  // Node n has n % degrees of them.
  void find_neighbours(std::uint32_t degrees) {
    std::uint32_t state = 5;
    neighbours_.resize(count_);
    for (std::uint32_t n = 0; n < count_; ++n) {
      for (std::uint32_t k = 0; k < n % degrees; ++k) {
        state = state * 1664525 + 1013904223;
        neighbours_[n].push_back((state >> 16) % count_);
      }
    }
  }
  void add_groups(std::uint32_t layer) {
    const std::string name = "h" + std::to_string(layer);
    rules_ = b.group(name, NeuronClass::WeightedRule);
    means_ = b.group(name, NeuronClass::Aggregation);
    atoms_ = b.group(name, NeuronClass::Atom);
    w_ = b.weight(name + ".W", Shape(3, 3), {.5, -.1, .2, .3, .4, -.6, .1, .2, .7});
    v_ = b.weight(name + ".V", Shape(3, 3), {.2, .1, -.2, .3, -.4, .1, .5, .2, .3});
  }
  std::vector<NeuronId> add_layer(Combination combination, const std::vector<NeuronId>& nodes,
                                  std::uint32_t level) {
    std::vector<NeuronId> next;
    for (std::uint32_t n = 0; n < count_; ++n) {
      GraphBuilder::Inputs members;
      for (const std::uint32_t other : neighbours_[n]) {
        members.push_back(b.neuron(rules_, function(Combination::Sum), {nodes[other]}, {w_}));
      }
      const NeuronId own = b.neuron(rules_, function(Combination::Sum), {nodes[n]}, {v_});
      GraphBuilder::Inputs parts{own};
      if (!members.empty()) {
        parts.push_back(b.neuron(means_, function(combination), members));
        aggregations.push_back({parts.back(), members, level});
      }
      next.push_back(b.neuron(atoms_, function(Combination::Sum, Transformation::Tanh), parts));
    }
    return next;
  }
  WeightId scale(double value) {
    for (const auto& [known, weight] : scales_) {
      if (known == value) return weight;
    }
    const std::string name = "scale " + std::to_string(scales_.size());
    scales_.emplace_back(value, b.weight(name, Shape(), {value}, /*learnable=*/false));
    return scales_.back().second;
  }

  std::uint32_t count_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  GroupIndex rules_ = 0;
  GroupIndex means_ = 0;
  GroupIndex atoms_ = 0;
  WeightId w_ = 0;
  WeightId v_ = 0;
  std::vector<std::pair<double, WeightId>> scales_;
};

TEST(Fanout, a_step_is_that_of_the_graph_with_the_drawn_members) {
  on_each_backend([](const Backend& backend) {
    for (const Combination combination :
         {Combination::Avg, Combination::Sum, Combination::Max, Combination::Min}) {
      for (const bool is_recursive : {false, true}) {
        for (const std::uint32_t size : {0u, 7u}) {
          SCOPED_TRACE(std::string(info(combination).text) + ", batches of " +
                       std::to_string(size) + (is_recursive ? ", recursive" : ""));
          Network network(combination, 3, is_recursive);
          Fanout fanout{{3, 2}, combination == Combination::Sum && size == 0};
          expect_steps_of_drawn_graphs(network, fanout, batches_of(size), backend);
        }
      }
    }
  });
}

TEST(Fanout, lazy_adam_changes_what_drawn_members_reach) {
  for (const Combination combination : {Combination::Avg, Combination::Max}) {
    Network network(combination, 2, false);
    expect_steps_of_drawn_graphs(network, {{2, 1}, false}, batches_of(3, Optimizer::LazyAdam),
                                 *find_backend("cpu"));
  }
}

// One seed: the same bits for any number of threads, and from a checkpoint within an epoch.
TEST(Fanout, threads_and_a_resume_change_no_bit) {
  for (const Optimizer optimizer : {Optimizer::Adam, Optimizer::LazyAdam}) {
    expect_bits_of_any_threads_and_of_a_resume(Network(Combination::Avg, 3, true).graph(),
                                               {{3, 2}, false}, optimizer);
  }
}

// What a batch binds are the rows that drawn members reach, backwards too.
TEST(Fanout, a_bound_batch_has_the_drawn_members_alone) {
  for (const Combination combination : {Combination::Avg, Combination::Max, Combination::Min}) {
    Network network(combination, 3, false, Network::kNodes);
    const auto bytes_with = [&](std::uint32_t k) {
      SampledGraph sampled = value_of(sample_members(network.b.build(), {{k}, false}));
      TrainOptions one = batches_of(1);
      one.shuffle = false;
      const Trained trained(std::move(sampled.graph), true, *find_backend("cpu"),
                            with_members(one, std::move(sampled.members)), 1);
      const std::uint64_t before = trained.trainer->bytes();
      for (std::uint32_t n = 0; n < Network::kNodes; ++n) expect_ok(trained.trainer->step());
      return trained.trainer->bytes() - before;  // the last node has 29 neighbours
    };
    const std::uint64_t one = bytes_with(1);
    EXPECT_GT(one, 0u);
    EXPECT_GT(bytes_with(28), 3 * one);
  }
}

// A step on a graph a hundred times the size reaches as many rows; lazy Adam changes no others.
TEST(Fanout, memory_of_a_step_is_that_of_the_drawn_members) {
  const auto bytes_on = [&](std::uint32_t nodes) {
    Network network(Combination::Avg, 2, false, 8, nodes);
    SampledGraph sampled = value_of(sample_members(network.b.build(), {{3, 2}, false}));
    const Trained trained(
        std::move(sampled.graph), true, *find_backend("cpu"),
        with_members(batches_of(8, Optimizer::LazyAdam), std::move(sampled.members)), 1);
    BatchBytes most;
    for (int step = 0; step < 5; ++step) {
      const BatchReport report = value_of(trained.trainer->batch_report());
      EXPECT_EQ(report.way, "bind");
      most.values = std::max(most.values, report.bytes.values);
      most.arrays = std::max(most.arrays, report.bytes.arrays);
      expect_ok(trained.trainer->step());
    }
    return most;
  };
  const BatchBytes small = bytes_on(300);
  const BatchBytes large = bytes_on(30'000);
  EXPECT_GT(small.values, 8 * 3 * sizeof(double));
  EXPECT_LE(large.values, 2 * small.values);
  EXPECT_LE(large.arrays, 4 * small.arrays);  // 32 bits, not 16
}

TEST(Fanout, what_no_sampled_training_can_have_is_refused) {
  Network network(Combination::Avg, 2, false);
  const SampledGraph sampled = value_of(sample_members(network.b.build(), {{2}, false}));
  VectorizeOptions in_double;
  in_double.dtype = DType::F64;
  const Program program = value_of(vectorize(sampled.graph, in_double)).program;
  const auto refusal = [&](const char* backend, TrainOptions options) {
    const auto made =
        make_trainer(sampled.graph, program, *find_backend(backend), {},
                     with_members(std::move(options), sampled.members), all_samples(sampled.graph));
    return made ? std::string() : made.error().text();
  };
  TrainOptions pairs = batches_of(4);
  pairs.loss.loss = Loss::MarginRanking;
  EXPECT_NE(refusal("cpu", pairs).find("--fanout=2: error: the loss is of pairs"),
            std::string::npos)
      << refusal("cpu", pairs);
  EXPECT_NE(refusal("interpreter", batches_of(4, Optimizer::LazyAdam)).find("lazy-adam"),
            std::string::npos);
}

// Chi-square of which of the 120 sets of 3 of 10 come, by step and by neuron.
TEST(Fanout, each_set_of_members_is_equally_likely) {
  for (const bool by_step : {true, false}) {
    std::map<std::vector<std::uint32_t>, int> sets;
    constexpr int kDraws = 120 * 400;
    std::vector<std::uint32_t> places;
    for (int i = 0; i < kDraws; ++i) {
      training::draw_members(42, by_step ? static_cast<std::uint64_t>(i) : 7,
                             by_step ? 3 : static_cast<NeuronId>(i), 10, 3, places);
      ++sets[places];
    }
    ASSERT_EQ(sets.size(), 120u);
    double chi_square = 0;
    for (const auto& [set, count] : sets) chi_square += (count - 400.0) * (count - 400.0) / 400.0;
    EXPECT_LT(chi_square, 119 + 4 * std::sqrt(2 * 119.0));  // 4 standard deviations
    EXPECT_GT(chi_square, 119 - 4 * std::sqrt(2 * 119.0));
  }
}

// Draws of two steps, of two neurons and of two seeds are independent: of 5 of 10, as many meet as
// by chance.
TEST(Fanout, draws_of_other_steps_neurons_and_seeds_are_others) {
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  for (const int what : {0, 1, 2}) {
    double common = 0;
    constexpr std::uint32_t kDraws = 20000;
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      training::draw_members(1, i, 5, 10, 5, a);
      training::draw_members(what == 0 ? 2 : 1, what == 1 ? i + 1 : i, what == 2 ? 6 : 5, 10, 5, b);
      std::vector<std::uint32_t> both;
      std::ranges::set_intersection(a, b, std::back_inserter(both));
      common += static_cast<double>(both.size());
    }
    // The number in common is hypergeometric: mean 2.5, variance 25/36.
    EXPECT_NEAR(common / kDraws, 2.5, 4 * std::sqrt(25.0 / 36 / kDraws));
  }
}

TEST(Fanout, many_members_are_drawn_alike) {
  std::vector<int> counts(900, 0);
  std::vector<std::uint32_t> places;
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) {
    training::draw_members(9, static_cast<std::uint64_t>(i), 1, 900, 300, places);
    ASSERT_EQ(places.size(), 300u);
    ASSERT_TRUE(std::ranges::is_sorted(places));
    for (const std::uint32_t place : places) ++counts.at(place);
  }
  double chi_square = 0;  // of counts without replacement: variances are less by 1 - 300/900
  for (const int count : counts) {
    chi_square += (count - kDraws / 3.0) * (count - kDraws / 3.0) / (kDraws / 3.0 * 2 / 3);
  }
  EXPECT_NEAR(chi_square, 900, 4 * std::sqrt(2 * 900.0));
  training::draw_members(9, 1, 1, 300, 300, places);
  EXPECT_EQ(places.size(), 300u);
  training::draw_members(9, 1, 1, 0, 300, places);
  EXPECT_TRUE(places.empty());
}

}  // namespace
}  // namespace vecc::test
