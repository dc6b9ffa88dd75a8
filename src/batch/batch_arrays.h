// The index arrays that launches of a batch are looked up by, from both sides, each made once.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "src/batch/batch_plan.h"

namespace vecc {

class BatchArrays {
 public:
  explicit BatchArrays(const Plan& plan) : plan_(plan) {}

  /// Sets the arrays of `of`, which says what the launch was, by what it reads loosened.
  void bind(const Launch& launch, BatchLaunch& of);

 private:
  using Array = std::shared_ptr<const std::vector<std::uint32_t>>;
  // As BatchAccess has them.
  struct ListReaders {
    std::shared_ptr<const InverseIndex> readers;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    bool is_read_once = false;
  };
  [[nodiscard]] static ListReaders readers_of(std::span<const std::uint32_t> list);
  void find_readers(ArrayIndex list, BatchAccess& access);
  void set_owners(ArrayIndex offsets, BatchLaunch& of);
  [[nodiscard]] Array types_of(const Launch& launch) const;

  const Plan& plan_;
  std::map<ArrayIndex, ListReaders> readers_;
  std::map<ArrayIndex, std::pair<Array, std::shared_ptr<const MemberRows>>> owners_;
};

}  // namespace vecc
