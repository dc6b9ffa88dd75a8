// A copy of a training's state that it may go back to: in memory, or in a file that the system
// drops from memory where that is short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/train_loop.h"
#include "vecc/weight_source.h"

namespace vecc::training {

class KeptState final : public WeightSource {
 public:
  /// Before the first copy: copies are in a file, if one is asked for. Errors: those of
  /// map_new_file().
  [[nodiscard]] Result<void> reserve(const KeptCopies& place);
  /// A copy of now in place of the one before. Errors: those of Trainer::save_to(), and of
  /// map_new_file() where a copy is larger than what was reserved; none is there then.
  [[nodiscard]] Result<void> save(Trainer& trainer);
  /// The same of another source. Errors: its own, too.
  [[nodiscard]] Result<void> copy(const WeightSource& source);
  /// None is there; a file stays for the next.
  void clear();

  [[nodiscard]] bool is_there() const { return is_there_; }
  [[nodiscard]] const std::vector<MetadataEntry>& metadata() const override { return metadata_; }
  [[nodiscard]] const std::vector<TensorHeader>& tensors() const override { return tensors_; }
  [[nodiscard]] Result<void> read(std::size_t tensor, const TakeBytes& take) const override;

 private:
  /// Room for the next tensor.
  [[nodiscard]] Result<char*> add(const TensorHeader& tensor);
  [[nodiscard]] Result<void> grow(std::uint64_t bytes);

  std::string folder_;  // of the file; empty: in memory
  std::shared_ptr<std::byte> file_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t used_ = 0;            // of them
  std::vector<std::uint64_t> begin_;  // by tensor: in the file
  std::vector<std::string> held_;     // by tensor, in memory
  std::vector<MetadataEntry> metadata_;
  std::vector<TensorHeader> tensors_;
  bool is_there_ = false;
};

}  // namespace vecc::training
