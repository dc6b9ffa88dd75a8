// The index arrays that launches of a batch are looked up by, from both sides, each made once.
#pragma once

#include <map>
#include <memory>
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
  [[nodiscard]] std::shared_ptr<const InverseIndex> readers_of(ArrayIndex list, std::uint32_t rows);
  void set_owners(ArrayIndex offsets, BatchLaunch& of);
  [[nodiscard]] Array types_of(const Launch& launch) const;

  const Plan& plan_;
  std::map<std::pair<ArrayIndex, std::uint32_t>, std::shared_ptr<const InverseIndex>> readers_;
  std::map<ArrayIndex, std::pair<Array, std::shared_ptr<const MemberRows>>> owners_;
};

}  // namespace vecc
