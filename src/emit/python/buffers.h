// The tensors of data.safetensors: constants, indices, segments.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/emit/python/code.h"
#include "vecc/weights.h"

namespace vecc::python {

class Buffers {
 public:
  using Shape = std::vector<std::uint64_t>;

  /// Numbers that the module computes with; in the file F32 where that is exact, else F64.
  Buffer add_numbers(std::string name, const SharedNumbers& values, Shape shape);
  /// Row numbers: I32 where they fit, else I64. Equal ones are there once, under the first name.
  Buffer add_rows(std::string name, std::span<const std::uint32_t> rows, Shape shape);
  /// The number 1, [1]: what others get their type and device from.
  Buffer one();

  /// Whether two could be rows of one tensor.
  [[nodiscard]] bool are_alike(Buffer a, Buffer b) const;
  /// Those of the list one after another along a new first dimension.
  Buffer stack(std::span<const BufferId> list);

  [[nodiscard]] const std::string& name(Buffer buffer) const { return tensors_[buffer.id].name; }
  [[nodiscard]] std::size_t size() const { return tensors_.size(); }
  /// Moves out those that are used.
  [[nodiscard]] std::vector<WeightTensor> take(const std::vector<bool>& used);

 private:
  /// This tensor, or one that is there and equal.
  Buffer share(WeightTensor tensor);

  std::vector<WeightTensor> tensors_;
  boost::unordered_flat_map<std::size_t, std::vector<BufferId>> tensors_by_hash_;  // shared ones
  std::uint32_t stacks_ = 0;
  std::optional<BufferId> one_;
};

}  // namespace vecc::python
