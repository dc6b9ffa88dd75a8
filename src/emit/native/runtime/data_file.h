// data.safetensors, checked: what this very program was written with.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/emit/native/runtime/tensor_file.h"

namespace vecc::emitted {

class DataFile {
 public:
  /// Throws Failure.
  explicit DataFile(const std::string& path);

  /// A tensor's elements, or rows of a table (tables.h).
  template <class T>
  [[nodiscard]] std::span<const T> rows(std::string_view name) const {
    const Tensor& tensor = checked(name);
    return {reinterpret_cast<const T*>(tensor.data), tensor.bytes() / sizeof(T)};
  }
  [[nodiscard]] std::string_view metadata(const std::string& key) const {
    return file_.metadata(key);
  }
  /// Whether the program computes in double.
  [[nodiscard]] bool is_double() const { return checked("constants").type == "F64"; }

 private:
  [[nodiscard]] const Tensor& checked(std::string_view name) const;

  TensorFile file_;
};

}  // namespace vecc::emitted
