// Disjoint sets of rows, each with a weight, and the way back.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace vecc::cuda {

/// Union by weight, without shortening of paths: what was joined last can be undone.
class RowSets {
 public:
  explicit RowSets(std::vector<double> weights)
      : parents_(weights.size()), weights_(std::move(weights)) {
    std::iota(parents_.begin(), parents_.end(), 0u);
  }

  [[nodiscard]] std::uint32_t find(std::uint32_t row) const {
    while (parents_[row] != row) row = parents_[row];
    return row;
  }
  /// The weight of the set that both are in from now on.
  double join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return weights_[a];
    if (weights_[a] < weights_[b]) std::swap(a, b);
    parents_[b] = a;
    joined_.push_back({b, weights_[a]});
    weights_[a] += weights_[b];
    return weights_[a];
  }
  [[nodiscard]] double weight(std::uint32_t set) const { return weights_[set]; }

  /// For undo(): joins so far.
  [[nodiscard]] std::size_t joins() const { return joined_.size(); }
  void undo(std::size_t joins) {
    while (joined_.size() > joins) {
      const auto [child, weight] = joined_.back();
      weights_[parents_[child]] = weight;
      parents_[child] = child;
      joined_.pop_back();
    }
  }

 private:
  struct Joined {
    std::uint32_t child;
    double weight;  // of the parent, before
  };
  std::vector<std::uint32_t> parents_;
  std::vector<double> weights_;
  std::vector<Joined> joined_;
};

}  // namespace vecc::cuda
