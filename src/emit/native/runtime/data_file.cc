#include "src/emit/native/runtime/data_file.h"

#include "src/emit/native/runtime/digest.h"
#include "src/emit/native/runtime/failure.h"
#include "src/emit/native/runtime/kernels.h"

namespace vecc::emitted {

DataFile::DataFile(const std::string& path) : file_(path) {
  if (file_.metadata("kernels") != kernel_digest()) {
    throw Failure(ExitCode::BadInput, path, "is the data of another program");
  }
  for (const Tensor& tensor : file_.tensors()) {
    Digest digest;
    digest.add(tensor.data, tensor.bytes());
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(tensor.data) % element_bytes(tensor.type) == 0;
    if (!is_aligned || digest.text() != file_.metadata("digest " + tensor.name)) {
      throw Failure(ExitCode::BadInput, path + ": tensor " + quote(tensor.name), "is damaged");
    }
  }
}

const Tensor& DataFile::checked(std::string_view name) const {
  const Tensor* const tensor = file_.find(name);
  if (tensor == nullptr) {
    throw Failure(ExitCode::BadInput, file_.path(), "has no tensor " + quote(name));
  }
  return *tensor;
}

}  // namespace vecc::emitted
