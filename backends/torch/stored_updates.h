// Storing what `update` ops made, at the end of a run.
#pragma once

#include <ATen/ATen.h>

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <vector>

#include "backends/torch/device_arrays.h"
#include "vecc/program.h"

namespace vecc::libtorch {

/// The updates of a Program, each with the tensor that it writes in place.
class StoredUpdates {
 public:
  /// Uploads the rows that `update` (an op) writes of `target`: [rows, size], stored.
  void add(const Program& program, ValueId update, at::Tensor target, DeviceArrays& arrays);

  [[nodiscard]] const std::vector<ValueId>& updates() const { return updates_; }
  /// Gives each value of the run that is still there a copy of its own, if it is a view of what an
  /// update is about to overwrite: the host may read it, or another update store it.
  void detach(std::vector<at::Tensor>& values) const;
  /// Writes the rows of updates()[k].
  void store(std::size_t k, const at::Tensor& value) const;

 private:
  struct Target {
    at::Tensor rows;        // a view of all rows, or of the strided ones that are written
    at::Tensor index;       // undefined: all of `rows`
    at::Tensor last_entry;  // of each row of `index`: where its value stands; undefined: in order
  };
  std::vector<ValueId> updates_;
  std::vector<Target> targets_;
  boost::unordered_flat_set<const void*> written_;  // memory
};

}  // namespace vecc::libtorch
