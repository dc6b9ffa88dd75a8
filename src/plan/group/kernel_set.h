// Distinct kernels, found by what they are.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>

#include "vecc/kernel.h"

namespace vecc {

/// Equal kernels have equal hashes.
[[nodiscard]] std::uint64_t hash_of(const Kernel& kernel);

/// Keeps one of each of the kernels that it is asked for, at a place that stays.
template <class Entry>
class KernelSet {
 public:
  /// The entry whose `kernel` is that one; a new one by `make()` if there is none.
  template <class Make>
  Entry& find(const Kernel& kernel, Make&& make) {
    const std::uint64_t hash = hash_of(kernel);
    const auto [newest, is_new] = newest_.try_emplace(hash, nullptr);
    for (Node* node = newest->second; node != nullptr; node = node->next) {
      if (node->entry.kernel == kernel) return node->entry;
    }
    newest->second = &nodes_.emplace_back(make(), newest->second);
    return newest->second->entry;
  }

 private:
  struct Node {
    Node(Entry of, Node* before) : entry(std::move(of)), next(before) {}
    Entry entry;
    Node* next;  // of the same hash
  };
  std::deque<Node> nodes_;
  boost::unordered_flat_map<std::uint64_t, Node*> newest_;  // by hash
};

}  // namespace vecc
