// The functions at the top of model.py: only those that the module uses.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace vecc::python {

/// In the order in which they stand: each uses only those before it.
enum class Helper : std::uint8_t {
  PassedOn,
  Exp,
  Log,
  Sqrt,
  Inverse,
  Sigmoid,
  Norm,
  Sparsemax,
  EntrySums,
  Select,
  SegmentSum,
  SegmentMean,
  SegmentProduct,
  SegmentWinners,
  SegmentSelect,
  SegmentSelectEntries,
  SegmentSoftmax,
  SegmentSparsemax,
  Product,
  Cosine,
  Draw,
};
inline constexpr std::size_t kHelpers = static_cast<std::size_t>(Helper::Draw) + 1;

class Helpers {
 public:
  /// With what it uses itself.
  void use(Helper helper);
  [[nodiscard]] bool uses(Helper helper) const { return used_[static_cast<std::size_t>(helper)]; }
  /// Their definitions, each after two empty lines.
  [[nodiscard]] std::string text() const;

 private:
  std::array<bool, kHelpers> used_{};
};

}  // namespace vecc::python
