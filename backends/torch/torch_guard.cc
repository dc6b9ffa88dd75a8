#include "backends/torch/torch_guard.h"

#include "src/support/free_memory.h"
#include "vecc/escape.h"

namespace vecc::libtorch {
namespace {

std::string first_line(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return escape_terminal(text.substr(0, text.find('\n')), 300);
}

bool is_out_of_memory(const c10::Error& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  // The CPU's allocator throws a plain error.
  const std::string text = error.what_without_backtrace();
  return text.find("DefaultCPUAllocator") != std::string::npos;
}

}  // namespace

TorchWork work_of(const Program& program, ValueId id) {
  const Op& op = program.op(id);
  return {"torch: %" + std::to_string(id) + " " + std::string(text_of(op.kind())),
          op.size() * byte_size(op.dtype)};
}

Errors out_of_memory(const TorchWork& work, const c10::Device& device, const std::string& reason) {
  std::string message = "no memory for " + std::to_string(work.bytes) + " bytes on " + device.str();
  if (device.is_cpu()) message += ", " + std::to_string(free_host_bytes()) + " are free";
  if (!reason.empty()) message += ": " + reason;  // on CUDA it says how much is free
  return Errors(ErrorCode::OutOfMemory, work.place, message);
}

Errors errors_of(const c10::Error& error, const TorchWork& work, const c10::Device& device) {
  if (is_out_of_memory(error)) return out_of_memory(work, device, first_line(error));
  return Errors(ErrorCode::DeviceFailure, work.place, first_line(error));
}

}  // namespace vecc::libtorch
