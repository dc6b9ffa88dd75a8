// Tiles in turns: whatever the order, each reads what it would launch by launch.
#include "src/plan/tile_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "src/plan/tile_blocks.h"
#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kGraphs = 100;
constexpr std::uint32_t kGraphNodes = 40;
constexpr std::uint32_t kNodes = kGraphs * kGraphNodes;
constexpr TurnSizes kSizes{1 << 17, 2};

ValueId unset_weight(Program& program, const char* name, std::uint32_t rows, Shape shape) {
  return program.weight(program.add_parameter({name, rows, shape, nullptr}).value());
}

// Neighbours of each node, within its graph of `size` nodes.
std::pair<Index, Segments> graph_neighbours(std::uint32_t size, std::uint64_t seed) {
  RandomSource random(seed);
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    const std::uint32_t count = 1 + random.below(4);
    for (std::uint32_t k = 0; k < count; ++k)
      rows.push_back(node / size * size + random.below(size));
    offsets.push_back(static_cast<std::uint32_t>(rows.size()));
  }
  return {Index::list(std::move(rows)), Segments::ragged(std::move(offsets))};
}

// Layers of messages by the matrices of their types, sums of them, a product with a matrix that all
// rows share, what one layer before has beside it; then the mean of all rows.
Program stacked_layers(std::uint32_t graph_size) {
  Program program;
  ValueId x = unset_weight(program, "x", kNodes, Shape::column(16));
  for (std::uint32_t layer = 0; layer < 3; ++layer) {
    const auto [index, segments] = graph_neighbours(graph_size, layer);
    RandomSource random(layer);
    std::vector<std::uint32_t> types(index.size());
    for (std::uint32_t& type : types) type = random.below(3);
    const std::string name = std::to_string(layer);
    const ValueId matrices = unset_weight(program, ("t" + name).c_str(), 3, Shape(16, 16));
    const ValueId shared = unset_weight(program, ("w" + name).c_str(), 1, Shape(16, 16));
    const ValueId messages = program.linear(program.gather(matrices, Index::list(std::move(types))),
                                            program.gather(x, index));
    const ValueId sums = program.segment(messages, segments, Combination::Sum);
    const ValueId products = program.linear(program.gather(shared, Index::repeat(1, kNodes)), sums);
    const ValueId next = program.transform(products, {.id = Transformation::Tanh, .target = {}});
    const ValueId both = program.concat(std::vector<ValueId>{next, x});
    std::vector<std::uint32_t> pairs;
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      pairs.push_back(node);
      pairs.push_back(kNodes + node);
    }
    x = program.segment(program.gather(both, Index::list(std::move(pairs))), Segments::fixed(2),
                        Combination::Avg);
  }
  program.set_sample_count(kNodes + 1);
  program.output(x, Index::slice(0, kNodes));
  program.output(program.segment(x, Segments::fixed(kNodes), Combination::Avg),
                 Index::slice(kNodes, 1));
  return program;
}

using Versions = std::map<std::uint64_t, std::uint32_t>;  // by element: the launch that stored it

// Elements of one access in a tile, each as it stands in the definition of Launch.
std::vector<std::uint64_t> elements_of(const Plan& plan, const StoredPlaces& places,
                                       std::uint32_t l, std::uint32_t tile, std::size_t a) {
  const Launch& launch = plan.launches[l];
  const Kernel& kernel = plan.kernels[launch.kernel];
  const KernelAccess& access = kernel.accesses[a];
  const AccessBinding& binding = launch.accesses[a];
  const auto first = places.first(binding.buffer);
  std::vector<std::uint64_t> elements;
  if (!first) return elements;
  const auto add_row = [&](std::uint64_t counter) {
    std::uint64_t row = counter;
    if (access.map == RowMap::List) row = (*plan.arrays[binding.list])[counter];
    if (access.map == RowMap::One) row = 0;
    if (access.map == RowMap::Tile) row = launch.tile_types[tile];
    for (std::uint64_t i = 0; i < access.shape.size(); ++i) {
      elements.push_back(*first + binding.first + row * access.shape.size() + i);
    }
  };
  for (std::uint32_t q = launch.tiles[tile]; q < launch.tiles[tile + 1]; ++q) {
    const std::uint32_t r = launch.order == kNone ? q : (*plan.arrays[launch.order])[q];
    if (access.space == KernelSpace::Row) {
      add_row(r);
    } else if (kernel.segments == KernelSegments::Ragged) {
      const auto& offsets = *plan.arrays[launch.offsets];
      for (std::uint32_t e = offsets[r]; e < offsets[r + 1]; ++e) add_row(e);
    } else {
      const bool strided = kernel.segments == KernelSegments::Strided;
      for (std::uint32_t k = 0; k < launch.members; ++k) {
        add_row(strided ? r + k * launch.rows : r * launch.members + k);
      }
    }
  }
  return elements;
}

// Which launch stored what each tile reads, and in the end what is there.
class TileRuns {
 public:
  explicit TileRuns(const Plan& plan) : plan_(plan), places_(plan) {}

  void run(std::uint32_t launch, std::uint32_t tile) {
    const Kernel& kernel = plan_.kernels[plan_.launches[launch].kernel];
    std::vector<std::uint32_t>& read = reads_[{launch, tile}];
    EXPECT_TRUE(read.empty()) << "a tile twice";
    read.push_back(0);
    for (std::size_t a = 0; a < kernel.accesses.size(); ++a) {
      if (kernel.accesses[a].store) continue;
      for (const auto e : elements_of(plan_, places_, launch, tile, a)) read.push_back(there_[e]);
    }
    for (std::size_t a = 0; a < kernel.accesses.size(); ++a) {
      if (!kernel.accesses[a].store) continue;
      for (const auto e : elements_of(plan_, places_, launch, tile, a)) there_[e] = launch + 1;
    }
  }
  void run_launches() {
    for (std::uint32_t l = 0; l < plan_.launches.size(); ++l) {
      for (std::uint32_t t = 0; t + 1 < plan_.launches[l].tiles.size(); ++t) run(l, t);
    }
  }
  void run(const TileOrder& order, const TileStep& step) {
    for (std::uint32_t t = step.first; t < step.last; ++t) run(step.launch, order.tiles[t]);
  }
  bool operator==(const TileRuns& other) const {
    return reads_ == other.reads_ && there_ == other.there_;
  }

 private:
  const Plan& plan_;
  StoredPlaces places_;
  Versions there_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> reads_;
};

// Each turn by a thread of its own, of which the last one that can goes on: what a step does not
// wait for has not run.
void run_last_first(const TileOrder& order, TileRuns& simulation) {
  std::vector<std::uint32_t> next(order.turns.begin(), order.turns.end() - 1);
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_launch;  // steps
  for (std::uint32_t s = 0; s < order.steps.size(); ++s) {
    of_launch[order.steps[s].launch].push_back(s);
  }
  std::vector<bool> done(order.steps.size(), false);
  const auto can_run = [&](const TileStep& step) {
    for (std::uint32_t w = step.first_wait; w < step.last_wait; ++w) {
      const TileWait& wait = order.waits[w];
      const std::vector<std::uint32_t>& steps = of_launch[wait.launch];
      for (std::uint32_t s = 0; s < wait.steps; ++s) {
        if (!done[steps.at(s)]) return false;
      }
    }
    return true;
  };
  for (std::size_t ran = 0; ran < order.steps.size(); ++ran) {
    bool found = false;
    for (std::size_t turn = next.size(); turn-- > 0 && !found;) {
      if (next[turn] == order.turns[turn + 1] || !can_run(order.steps[next[turn]])) continue;
      simulation.run(order, order.steps[next[turn]]);
      done[next[turn]++] = true;
      found = true;
    }
    ASSERT_TRUE(found) << "all wait";
  }
}

// Of steps in their order; what launches give, one after another.
TileRuns expect_same_as_launches(const Plan& plan, const TileOrder& order) {
  TileRuns launches(plan);
  launches.run_launches();
  TileRuns steps(plan);
  for (const TileStep& step : order.steps) steps.run(order, step);
  EXPECT_TRUE(steps == launches);
  return launches;
}

TEST(TileOrder, ReadsWhatLaunchesStoreOneAfterAnother) {
  const Plan plan = make_plan(stacked_layers(kGraphNodes));
  ASSERT_TRUE(verify(plan));
  const TileOrder order = order_tiles(plan, 0, kSizes);
  ASSERT_FALSE(order.empty());
  const TileRuns launches = expect_same_as_launches(plan, order);
  TileRuns waits(plan);
  run_last_first(order, waits);
  EXPECT_TRUE(waits == launches);
}

TEST(TileOrder, GoesThroughAllLaunchesOfSomeGraphsFirst) {
  PlanOptions options;
  options.keep_values = true;  // no value takes the place of another
  const Plan plan = make_plan(stacked_layers(kGraphNodes), options);
  const TileOrder order = order_tiles(plan, 0, kSizes);
  ASSERT_GT(order.turns.size(), 9u);
  // Of the launches with most tiles: what of them has run when the first ends.
  std::map<std::uint32_t, std::size_t> left;
  for (std::uint32_t l = 0; l < plan.launches.size(); ++l) {
    if (plan.launches[l].tiles.size() > 20) left[l] = plan.launches[l].tiles.size() - 1;
  }
  ASSERT_GT(left.size(), 5u);
  for (const TileStep& step : order.steps) {
    const auto launch = left.find(step.launch);
    if (launch == left.end()) continue;
    launch->second -= step.last - step.first;
    if (launch->second == 0) break;
  }
  const auto is_ahead = [&](const auto& of) {
    return of.second < plan.launches[of.first].tiles.size() / 2;
  };
  EXPECT_GE(std::ranges::count_if(left, is_ahead) * 2, std::ssize(left));
}

// Rows of four types between one another, and the gradient of the matrices of each type, in pieces.
TEST(TileOrder, TakesPiecesOfAllTypesTogether) {
  constexpr std::uint32_t kTypes = 4;
  constexpr std::uint32_t kOfType = 2500;
  constexpr std::uint32_t kRows = kTypes * kOfType;
  Program program;
  const Shape column = Shape::column(32);
  const ValueId x = unset_weight(program, "x", kRows, column);
  const ValueId g = program.transform(unset_weight(program, "g", kRows, column),
                                      {.id = Transformation::Tanh, .target = {}});
  const auto gradient = program.add(
      ContractOp{Index::repeat(kTypes, kOfType), kTypes, Shape(32, 32)}, {g, x}, "gradient");
  ASSERT_TRUE(gradient);
  program.set_sample_count(kTypes);
  program.output(*gradient, Index::slice(0, kTypes));
  const Plan plan = make_plan(program);
  const auto contract = std::ranges::find_if(plan.launches, [](const Launch& launch) {
    return launch.tiles.size() > 2 * kTypes && launch.rows == launch.tiles.size() - 1;
  });
  ASSERT_NE(contract, plan.launches.end());
  const TileBlocks blocks =
      tile_blocks(plan, *contract, StoredPlaces(plan), RowDirection::Ascending, 512);
  const std::uint32_t pieces = contract->rows / kTypes;
  for (std::uint32_t t = 0; t < contract->rows; ++t) {
    EXPECT_EQ(blocks.tiles[t] % pieces, t / kTypes) << "the first pieces of all types first";
  }
  const TileOrder order = order_tiles(plan, 0, kSizes);
  ASSERT_FALSE(order.empty());
  expect_same_as_launches(plan, order);
}

TEST(TileOrder, IsNotWhereEachLaunchWaitsForAllOfTheOneBefore) {
  EXPECT_TRUE(order_tiles(make_plan(stacked_layers(kNodes)), 0, kSizes).empty());
}

TEST(TileOrder, IsNotWhereAllHasRoomInACache) {
  const Plan plan = make_plan(stacked_layers(kGraphNodes));
  EXPECT_TRUE(order_tiles(plan, 0, {std::uint64_t{1} << 30, 2}).empty());
  EXPECT_TRUE(order_tiles(plan, 0, {1 << 17, 1000}).empty()) << "too few turns";
  EXPECT_TRUE(order_tiles(plan, 0, {0, 2}).empty()) << "a GPU's";
}

}  // namespace
}  // namespace vecc::test
