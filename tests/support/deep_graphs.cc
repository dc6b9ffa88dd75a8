#include "tests/support/deep_graphs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/graph_builder.h"

namespace vecc::test {
namespace {

const NeuronFunction kCell = function(Combination::Sum, Transformation::Tanh);

}  // namespace

NeuronGraph one_chain(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {.9});
  const GroupIndex cell = b.group("cell");
  NeuronId last = b.fact(b.group("x", NeuronClass::Fact), 1);
  for (std::uint32_t k = 0; k < depth; ++k) last = b.neuron(cell, kCell, {last}, {w});
  b.sample(last);
  return b.build();
}

NeuronGraph chain_of_weights(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight_table("w", depth, Shape(), std::vector<double>(depth, .9));
  const GroupIndex cell = b.group("cell");
  NeuronId last = b.fact(b.group("x", NeuronClass::Fact), 1);
  for (std::uint32_t k = 0; k < depth; ++k) last = b.neuron(cell, kCell, {last}, {w + k});
  b.sample(last);
  return b.build();
}

NeuronGraph levels_summed_up(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight_table("w", depth, Shape(), std::vector<double>(depth, .9));
  const GroupIndex cell = b.group("cell");
  NeuronId last = b.fact(b.group("x", NeuronClass::Fact), 1);
  std::vector<NeuronId> all;
  for (std::uint32_t k = 0; k < depth; ++k) {
    last = b.neuron(cell, kCell, {last}, {w + k});
    all.push_back(last);
  }
  b.sample(b.neuron(b.group("all"), kCell, all));
  return b.build();
}

NeuronGraph chain_of_groups(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {.9});
  NeuronId last = b.fact(b.group("x", NeuronClass::Fact), 1);
  for (std::uint32_t k = 0; k < depth; ++k) {
    last = b.neuron(b.group("h" + std::to_string(k)), kCell, {last}, {w});
  }
  b.sample(last);
  return b.build();
}

NeuronGraph uneven_chains(std::uint32_t depth) {
  constexpr std::uint32_t kChains = 20;
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {.9});
  const GroupIndex facts = b.group("x", NeuronClass::Fact);
  const GroupIndex cell = b.group("cell");
  for (std::uint32_t c = 1; c <= kChains; ++c) {
    NeuronId last = b.fact(facts, 1. / c);
    for (std::uint32_t k = 0; k < depth * c / kChains; ++k) {
      last = b.neuron(cell, kCell, {last}, {w});
    }
    b.sample(last);
  }
  return b.build();
}

NeuronGraph skipping_rows(std::uint32_t depth) {
  constexpr std::uint32_t kWidth = 3;
  GraphBuilder b;
  const WeightId w = b.weight_table("w", 3, Shape(), {.5, .3, .2});
  const GroupIndex cell = b.group("cell");
  const GroupIndex facts = b.group("x", NeuronClass::Fact);
  std::vector<NeuronId> rows;
  for (std::uint32_t c = 0; c < kWidth; ++c) rows.push_back(b.fact(facts, 1. / (c + 1)));
  for (std::uint32_t k = 1; k <= depth; ++k) {
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      const auto at = [&](std::uint32_t row, std::uint32_t column) {
        return rows[row * kWidth + column % kWidth];
      };
      rows.push_back(b.neuron(cell, kCell,
                              {at(k - 1, c), at(k - std::min(k, 2u), c + 1), at(k / 2, c)},
                              {w, w + 1, w + 2}));
    }
  }
  b.sample(rows.back());
  return b.build();
}

NeuronGraph ancestor_levels(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {.9});
  const GroupIndex facts = b.group("parent", NeuronClass::Fact);
  const GroupIndex rule = b.group("anc", NeuronClass::Rule);
  const GroupIndex aggregation = b.group("anc", NeuronClass::Aggregation);
  const GroupIndex atom = b.group("anc", NeuronClass::WeightedAtom);
  NeuronId last = b.fact(facts, .5);
  for (std::uint32_t k = 0; k < depth; ++k) {
    const NeuronId body = b.neuron(rule, kCell, {b.fact(facts, 1. / (k + 1)), last});
    const NeuronId most = b.neuron(aggregation, function(Combination::Max), {body, body});
    last = b.neuron(atom, kCell, {most}, {w});
  }
  b.sample(last);
  return b.build();
}

}  // namespace vecc::test
