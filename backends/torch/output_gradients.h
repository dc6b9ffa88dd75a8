// The gradients that a backward pass starts from, on the device.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "src/program/output_begin.h"
#include "vecc/program.h"

namespace vecc::libtorch {

/// They come by sample and are needed by `output` op, row by row.
class OutputGradients {
 public:
  explicit OutputGradients(const Program& program) {
    const std::vector<std::uint64_t> begin = output_begin(program);
    count_ = begin.back();
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const Op& op = program.op(id);
      const auto* output = std::get_if<OutputOp>(&op.attributes);
      if (output == nullptr) continue;
      Block& block = blocks_.emplace_back();
      block.size = op.shape.size();
      for (std::uint32_t i = 0; i < op.rows; ++i) block.begin.push_back(begin[output->samples[i]]);
      outputs_.push_back(id);
    }
  }

  /// Numbers that a caller gives: one an element of every sample's output.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The `output` ops.
  [[nodiscard]] const std::vector<ValueId>& outputs() const { return outputs_; }
  /// One a `output` op: [rows, size].
  [[nodiscard]] const std::vector<at::Tensor>& tensors() const { return tensors_; }

  /// Copies them to the device, unless they are those of the last time.
  void upload(std::span<const double> gradients, const at::TensorOptions& options) {
    const bool same = !tensors_.empty() && gradients.size() == last_.size() &&
                      std::memcmp(gradients.data(), last_.data(), gradients.size_bytes()) == 0;
    if (same) return;
    tensors_.clear();
    for (const Block& block : blocks_) {
      std::vector<double> rows;
      rows.reserve(block.begin.size() * block.size);
      for (const std::uint64_t at : block.begin) {
        const auto row = gradients.subspan(at, block.size);
        rows.insert(rows.end(), row.begin(), row.end());
      }
      const at::Tensor host = at::from_blob(
          rows.data(),
          {static_cast<std::int64_t>(block.begin.size()), static_cast<std::int64_t>(block.size)},
          at::kDouble);
      tensors_.push_back(host.to(options, /*non_blocking=*/false, /*copy=*/true));
    }
    last_.assign(gradients.begin(), gradients.end());
  }

 private:
  struct Block {
    std::uint64_t size = 0;
    std::vector<std::uint64_t> begin;  // by row: where its gradients begin
  };
  std::vector<Block> blocks_;
  std::vector<ValueId> outputs_;
  std::uint64_t count_ = 0;
  std::vector<double> last_;
  std::vector<at::Tensor> tensors_;
};

}  // namespace vecc::libtorch
