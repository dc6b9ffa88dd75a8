// The CUDA driver, loaded where it is: vecc is built without CUDA and finds a GPU when it runs.
// Names, numbers and calls are those of the CUDA Driver API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "vecc/error.h"

namespace vecc::cuda {

using CUdeviceptr = unsigned long long;
using CUdevice = int;
using CUresult = int;
struct CUcontextOf;
struct CUmoduleOf;
struct CUfunctionOf;
struct CUstreamOf;
struct CUeventOf;
struct CUgraphOf;
struct CUgraphExecOf;
struct CUgraphNodeOf;
using CUcontext = CUcontextOf*;
using CUmodule = CUmoduleOf*;
using CUfunction = CUfunctionOf*;
using CUstream = CUstreamOf*;
using CUevent = CUeventOf*;
using CUgraph = CUgraphOf*;
using CUgraphExec = CUgraphExecOf*;
using CUgraphNode = CUgraphNodeOf*;

inline constexpr CUresult kSuccess = 0;
inline constexpr CUresult kOutOfMemory = 2;
/// CUdevice_attribute
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kCacheBytes = 38;
inline constexpr int kThreadsOfMultiprocessor = 39;
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
inline constexpr int kSharedBytesOfMultiprocessor = 81;
inline constexpr int kRegistersOfMultiprocessor = 82;
inline constexpr int kMapsMemory = 102;
inline constexpr int kHostNode = 134;  ///< the NUMA node next to the GPU

/// CUmemLocationType
inline constexpr int kOnDevice = 1;
inline constexpr int kOnHostNode = 3;

/// CUmemLocation, CUmemAllocationProp, CUmemAccessDesc: of memory that is mapped where the caller
/// asks.
struct CUmemLocation {
  int type = kOnDevice;
  int id = 0;  ///< of the device, or of the host's NUMA node
};
struct CUmemAllocationProp {
  int type = 1;  ///< CU_MEM_ALLOCATION_TYPE_PINNED
  int handle_types = 0;
  CUmemLocation location;
  void* windows_only = nullptr;
  unsigned char flags[8] = {};
};
struct CUmemAccessDesc {
  CUmemLocation location;
  int flags = 3;  ///< CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};
using CUmemHandle = unsigned long long;

/// CUDA_KERNEL_NODE_PARAMS_v2
struct CUkernelNodeParams {
  CUfunction function;
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared;
  void** parameters;
  void** extra;
  void* kernel;
  CUcontext context;
};

/// CUgraphEdgeData of a programmatic dependent launch: a kernel that starts before the one that it
/// waits for has ended, and waits itself.
struct CUgraphEdgeData {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
};
inline constexpr unsigned char kProgrammaticPort = 1;
inline constexpr unsigned char kProgrammatic = 1;

/// CUlaunchAttributeValue
union CUlaunchAttributeValue {
  char bytes[64];
  int priority;
};
/// CUlaunchAttributeID
inline constexpr int kPriority = 8;
/// CUgraphInstantiate_flags: by each node's priority, not the stream's.
inline constexpr unsigned long long kUseNodePriority = 8;

/// CUevent_flags: of an event that nothing is timed by.
inline constexpr unsigned kNoTiming = 2;

/// The driver's functions. graph_add_edges is null before CUDA 12.3.
struct Driver {
#define VECC_CUDA_CALL(name, symbol, parameters) CUresult(*name) parameters = nullptr;
#include "backends/cuda/driver_calls.def"
#undef VECC_CUDA_CALL
};

/// The driver of this machine, loaded and started once. Error: DeviceAbsent, with the way out.
[[nodiscard]] Result<const Driver*> find_driver();

/// "CUDA_ERROR_OUT_OF_MEMORY: out of memory"
[[nodiscard]] std::string error_text(const Driver& driver, CUresult error);

/// What the device refused, in the midst of work; executables turn it into their Result.
struct DeviceError {
  Errors errors;
};

/// Throws DeviceError (DeviceFailure; OutOfMemory) if `result` is one. `what`: "copying to the
/// GPU".
void check(const Driver& driver, CUresult result, const char* what);

/// What body() returns: a Result, whose error is what the device refuses.
template <class Body>
auto on_device(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const DeviceError& error) {
    return error.errors;
  }
}

}  // namespace vecc::cuda
