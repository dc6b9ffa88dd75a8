// dedup-facts: equal constant rows are stored once.
//
// Rows are equal if their bits are (0.0 and -0.0 differ, a NaN equals itself). Within a fact, equal
// rows become one. Facts of one shape that have a row in common, directly or through a third fact,
// become one fact with the rows of all of them in the order in which they first come: that is fewer
// rows in any case, and what is computed from the common row is then visibly the same. Facts
// without a common row stay apart. Units are merge-units' matter; learnable rows are never merged.
//
//   %0 = fact {2, 5, 2} : f32[3, 1] ; %1 = fact {5, 7} : f32[2, 1]
//   %2 = transform %0 tanh : f32[3, 1] ; %3 = transform %1 tanh : f32[2, 1]
//   =>
//   %0 = fact {2, 5, 7} : f32[3, 1]
//   %1 = gather %0 [0, 1, 0] : f32[3, 1] ; %2 = transform %1 tanh : f32[3, 1]
//   %3 = gather %0 [1:3] : f32[2, 1] ; %4 = transform %3 tanh : f32[2, 1]
#include <map>
#include <numeric>
#include <utility>

#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/distinct_rows.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/row_map.h"

namespace vecc::opt {
namespace {

const FactOp* plain_fact(const Op& op) {
  const auto* fact = std::get_if<FactOp>(&op.attributes);
  return fact && !fact->unit ? fact : nullptr;
}

struct FactRow {
  ValueId fact;
  std::uint32_t row;
};

// The facts of one shape, and their distinct rows.
struct FactsOfShape {
  std::vector<ValueId> facts;
  std::uint64_t rows = 0;         // of all facts
  std::vector<FactRow> distinct;  // by number
};

class FactMerger {
 public:
  explicit FactMerger(const Program& program)
      : program_(program),
        numbers_(program.ops().size()),
        distinct_(program.ops().size()),
        leader_(program.ops().size()) {
    std::iota(leader_.begin(), leader_.end(), 0u);
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const FactOp* fact = plain_fact(program.op(id));
      if (fact == nullptr) continue;
      FactsOfShape& facts = shapes_[fact->shape];
      facts.facts.push_back(id);
      facts.rows += fact->rows;
    }
    for (auto& [shape, facts] : shapes_) {
      if (facts.rows < kNoRow) number_rows(shape.size(), facts);  // more than these stay
    }
  }

  // Rows that are in another fact, or twice in their own.
  [[nodiscard]] std::uint64_t repeated_rows() const { return repeated_; }

  Program run() {
    // By leader: the facts that become one with it, itself first.
    std::map<ValueId, std::vector<ValueId>> groups;
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (plain_fact(program_.op(id))) groups[leader_of(id)].push_back(id);
    }
    Rewriter rewriter(program_);
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (!plain_fact(program_.op(id))) {
        rewriter.copy(id);
      } else if (const auto& group = groups[leader_of(id)]; !repeats(group)) {
        rewriter.copy(id);  // its numbers are not copied
      } else if (leader_of(id) == id) {
        merge(group, rewriter);
      }
    }
    return compose_gathers(rewriter.finish());
  }

 private:
  [[nodiscard]] NumberRow numbers_of(const FactRow& of, std::size_t size) const {
    return std::get<FactOp>(program_.op(of.fact).attributes).values.row(of.row * size);
  }

  // Rows are numbered in the order in which they first come.
  void number_rows(std::size_t size, FactsOfShape& facts) {
    std::vector<FactRow> row_at;
    row_at.reserve(facts.rows);
    for (const ValueId id : facts.facts) {
      const FactOp& fact = *plain_fact(program_.op(id));
      numbers_[id].reserve(fact.rows);
      for (std::uint32_t row = 0; row < fact.rows; ++row) row_at.push_back({id, row});
    }
    const std::vector<std::uint32_t> first =
        first_of_constants(static_cast<std::uint32_t>(facts.rows), size,
                           [&](std::uint32_t i) { return numbers_of(row_at[i], size); });
    std::vector<std::uint32_t> number(first.size());
    for (std::uint32_t i = 0; i < first.size(); ++i) {
      const ValueId id = row_at[i].fact;
      if (first[i] == i) {
        number[i] = static_cast<std::uint32_t>(facts.distinct.size());
        facts.distinct.push_back(row_at[i]);
        ++distinct_[id];
      } else {
        number[i] = number[first[i]];
        join(row_at[first[i]].fact, id);
        ++repeated_;
      }
      numbers_[id].push_back(number[i]);
    }
  }

  // The first fact of those that have rows in common with `id`.
  ValueId leader_of(ValueId id) {
    while (leader_[id] != id) id = leader_[id] = leader_[leader_[id]];
    return id;
  }
  void join(ValueId a, ValueId b) {
    a = leader_of(a);
    b = leader_of(b);
    leader_[std::max(a, b)] = std::min(a, b);
  }

  // Whether a row is in two of these facts, or twice in one.
  [[nodiscard]] bool repeats(const std::vector<ValueId>& facts) const {
    return facts.size() > 1 || distinct_[facts[0]] < numbers_[facts[0]].size();
  }

  // One fact at the place of the first of `facts`.
  void merge(const std::vector<ValueId>& facts, Rewriter& rewriter) {
    const Op& first = program_.op(facts[0]);
    const FactsOfShape& shape = shapes_.find(first.shape)->second;
    NumberColumn values;
    std::uint64_t distinct = 0;
    for (const ValueId fact : facts) distinct += distinct_[fact];
    values.reserve(distinct * first.shape.size());
    std::vector<std::vector<std::uint32_t>> index(facts.size());
    place_.resize(std::max(place_.size(), shape.distinct.size()), kNoRow);
    std::uint32_t rows = 0;
    for (std::size_t k = 0; k < facts.size(); ++k) {
      for (const std::uint32_t number : numbers_[facts[k]]) {
        if (place_[number] == kNoRow) {
          place_[number] = rows++;
          values.append(numbers_of(shape.distinct[number], first.shape.size()), first.shape.size());
        }
        index[k].push_back(place_[number]);
      }
    }
    const ValueId merged = rewriter.to().shared_fact(values.take(), rows, first.shape, first.note);
    for (std::size_t k = 0; k < facts.size(); ++k) {
      for (const std::uint32_t number : numbers_[facts[k]]) place_[number] = kNoRow;
      const Index rows_of_fact = Index::compact(std::move(index[k]));
      rewriter.replace(facts[k], rewriter.gather(merged, rows_of_fact, program_.op(facts[k]).note));
    }
  }

  const Program& program_;
  std::map<Shape, FactsOfShape> shapes_;
  std::vector<std::vector<std::uint32_t>> numbers_;  // by fact and row: its distinct row
  std::vector<std::uint32_t> distinct_;              // by fact: of these the first in the Program
  std::vector<ValueId> leader_;                      // by fact: itself, or one before it
  std::vector<std::uint32_t> place_;                 // by distinct row: in the new fact; scratch
  std::uint64_t repeated_ = 0;
};

}  // namespace

bool dedup_facts(Program& program, PassContext& context) {
  FactMerger merger(program);
  context.count("fact rows dropped", merger.repeated_rows());
  if (merger.repeated_rows() == 0) return false;
  program = merger.run();
  return true;
}

}  // namespace vecc::opt
