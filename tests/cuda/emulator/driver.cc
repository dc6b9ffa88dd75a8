// The CUDA driver's calls that vecc makes, on the host: memory is malloc's, a module a shared
// library, a kernel its blocks one after another. Streams: streams.h. Of a graph's kernels that
// wait for no other the last made runs first: one that lacks an edge to what it reads gets other
// numbers.
#include "backends/cuda/driver.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "tests/cuda/emulator/block.h"
#include "tests/cuda/emulator/calls.h"
#include "tests/cuda/emulator/streams.h"

using namespace vecc::cuda;
namespace emulator = vecc::emulator;

namespace {

constexpr CUresult kInvalid = 1;
constexpr std::size_t kPage = 4096;

// 8 GiB, or the environment's VECC_EMULATED_BYTES.
std::size_t memory_bytes() {
  const char* const asked = std::getenv("VECC_EMULATED_BYTES");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : std::size_t{8} << 30;
}

// 3, or the environment's VECC_EMULATED_MULTIPROCESSORS.
int multiprocessors() {
  const char* const asked = std::getenv("VECC_EMULATED_MULTIPROCESSORS");
  return asked != nullptr ? std::atoi(asked) : 3;
}

// 9, or the environment's VECC_EMULATED_CAPABILITY.
int capability_major() {
  const char* const asked = std::getenv("VECC_EMULATED_CAPABILITY");
  return asked != nullptr ? std::atoi(asked) : 9;
}

// With the environment's VECC_EMULATED_IDLE kernels do nothing: what is left is the host's part.
bool is_idle() {
  static const bool idle = std::getenv("VECC_EMULATED_IDLE") != nullptr;
  return idle;
}

// With the environment's VECC_EMULATED_EMPTY, too; and memory of the GPU takes none of the host's,
// in which nothing is ever written, and all reads 0: what the process holds then is the host's
// part.
bool is_empty() {
  static const bool empty = std::getenv("VECC_EMULATED_EMPTY") != nullptr;
  return empty;
}
std::map<std::uint64_t, std::size_t> empty_memory;  // by address: bytes
bool holds_nothing(CUdeviceptr memory) {
  if (!is_empty()) return false;
  const auto after = empty_memory.upper_bound(memory);
  if (after == empty_memory.begin()) return false;
  const auto& [first, bytes] = *std::prev(after);
  return memory < first + bytes;
}

// A kernel of a module, made by nvrtc.cc's words.
struct EmulatedKernel {
  void (*run)(const void* arguments, const void* blocks) = nullptr;
  std::size_t argument_bytes = 0;
};

struct EmulatedModule {
  void* library = nullptr;
  std::map<std::string, EmulatedKernel> kernels;
};

struct EmulatedLaunch {
  EmulatedKernel kernel;
  unsigned blocks = 0;
  unsigned threads = 0;
  std::vector<char> arguments;
  const void* rows = nullptr;

  EmulatedLaunch(CUfunction function, unsigned block_count, unsigned thread_count,
                 void* const* parameters)
      : kernel(*reinterpret_cast<const EmulatedKernel*>(function)),
        blocks(block_count),
        threads(thread_count),
        arguments(static_cast<const char*>(parameters[0]),
                  static_cast<const char*>(parameters[0]) + kernel.argument_bytes) {
    std::memcpy(&rows, parameters[1], sizeof rows);
  }
  void run() const {
    if (is_idle() || is_empty()) return;
    vecc::emulator::run_blocks(blocks, threads, [this] { kernel.run(arguments.data(), rows); });
  }
};
using EmulatedRun = std::vector<EmulatedLaunch>;

struct EmulatedGraph {
  EmulatedRun launches;
  std::vector<std::vector<std::size_t>> before;  // by launch: what it waits for

  [[nodiscard]] EmulatedRun in_order() const {
    std::vector<std::size_t> waits(launches.size());
    std::vector<std::vector<std::size_t>> readers(launches.size());
    for (std::size_t k = 0; k < launches.size(); ++k) {
      waits[k] = before[k].size();
      for (const std::size_t b : before[k]) readers[b].push_back(k);
    }
    std::priority_queue<std::size_t> ready;
    for (std::size_t k = 0; k < launches.size(); ++k) {
      if (waits[k] == 0) ready.push(k);
    }
    EmulatedRun run;
    while (!ready.empty()) {
      const std::size_t next = ready.top();
      ready.pop();
      run.push_back(launches[next]);
      for (const std::size_t reader : readers[next]) {
        if (--waits[reader] == 0) ready.push(reader);
      }
    }
    return run;
  }
};

EmulatedCalls calls;

// A library from its bytes, which need not stay.
void* open_bytes(const char* bytes, std::size_t size) {
  char path[] = "/tmp/vecc-emulator-XXXXXX";
  const int file = ::mkstemp(path);
  if (file < 0) return nullptr;
  const bool written = ::write(file, bytes, size) == static_cast<ssize_t>(size);
  ::close(file);
  void* const library = written ? ::dlopen(path, RTLD_NOW | RTLD_GLOBAL) : nullptr;
  if (library == nullptr) std::fprintf(stderr, "emulator: %s\n", written ? ::dlerror() : path);
  ::unlink(path);
  return library;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
  return kSuccess;
}
CUresult cuGetErrorName(CUresult, const char** text) {
  *text = "EMULATOR_ERROR";
  return kSuccess;
}
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "an error of the emulator";
  return kSuccess;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? kSuccess : kInvalid;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(length), "emulator");
  return kSuccess;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  *value = attribute == kCapabilityMajor       ? capability_major()
           : attribute == kMultiprocessorCount ? multiprocessors()
           : attribute == kMapsMemory          ? 1
                                               : 0;
  return kSuccess;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = memory_bytes();
  return kSuccess;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = nullptr;
  return kSuccess;
}
CUresult cuCtxSetCurrent(CUcontext) {
  return kSuccess;
}
CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = *total = memory_bytes();
  return kSuccess;
}
CUresult cuMemAlloc_v2(CUdeviceptr* memory, std::size_t bytes) {
  ++calls.allocations;
  if (is_empty()) {
    void* const mapped =
        ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return kOutOfMemory;
    *memory = reinterpret_cast<CUdeviceptr>(mapped);
    empty_memory[*memory] = bytes;
    return kSuccess;
  }
  void* const made = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *memory = reinterpret_cast<CUdeviceptr>(made);
  return made != nullptr ? kSuccess : kOutOfMemory;
}
CUresult cuMemFree_v2(CUdeviceptr memory) {
  emulator::finish_all();
  if (holds_nothing(memory)) {
    ::munmap(reinterpret_cast<void*>(memory), empty_memory[memory]);
    empty_memory.erase(memory);
    return kSuccess;
  }
  std::free(reinterpret_cast<void*>(memory));
  return kSuccess;
}
// Of any size, or of no more at once than the environment's VECC_EMULATED_PINNED_BYTES.
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  ++calls.allocations;
  const char* const most = std::getenv("VECC_EMULATED_PINNED_BYTES");
  if (most != nullptr && bytes > std::strtoull(most, nullptr, 10)) return kOutOfMemory;
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*memory != nullptr) emulator::pin(*memory, bytes);
  return *memory != nullptr ? kSuccess : kOutOfMemory;
}
CUresult cuMemFreeHost(void* memory) {
  emulator::finish_all();
  emulator::unpin(memory);
  std::free(memory);
  return kSuccess;
}
// Pages of 4 KiB, so that small tables have several. What is reserved is mapped without access.
CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*, int) {
  *bytes = kPage;
  return kSuccess;
}
CUresult cuMemAddressReserve(CUdeviceptr* first, std::size_t bytes, std::size_t, CUdeviceptr at,
                             unsigned long long) {
  void* const made =
      ::mmap(reinterpret_cast<void*>(at), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *first = reinterpret_cast<CUdeviceptr>(made);
  return made != MAP_FAILED && bytes % kPage == 0 ? kSuccess : kOutOfMemory;
}
CUresult cuMemAddressFree(CUdeviceptr first, std::size_t bytes) {
  return ::munmap(reinterpret_cast<void*>(first), bytes) == 0 ? kSuccess : kInvalid;
}
CUresult cuMemCreate(CUmemHandle* handle, std::size_t bytes, const CUmemAllocationProp* of,
                     unsigned long long) {
  // With the environment's VECC_EMULATED_NO_MAPS there is none.
  if (std::getenv("VECC_EMULATED_NO_MAPS") != nullptr) return kOutOfMemory;
  ++calls.allocations;
  if (of->location.type == kOnDevice) calls.mapped_bytes += bytes;
  *handle = bytes;
  return bytes % kPage == 0 ? kSuccess : kInvalid;
}
CUresult cuMemRelease(CUmemHandle) {
  return kSuccess;
}
CUresult cuMemMap(CUdeviceptr at, std::size_t bytes, std::size_t, CUmemHandle handle,
                  unsigned long long) {
  return bytes == handle && at % kPage == 0 ? kSuccess : kInvalid;
}
CUresult cuMemSetAccess(CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc*, std::size_t) {
  const int access = PROT_READ | PROT_WRITE;
  return ::mprotect(reinterpret_cast<void*>(at), bytes, access) == 0 ? kSuccess : kInvalid;
}
CUresult cuMemUnmap(CUdeviceptr at, std::size_t bytes) {
  emulator::finish_all();
  return ::mprotect(reinterpret_cast<void*>(at), bytes, PROT_NONE) == 0 ? kSuccess : kInvalid;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                              CUstream stream) {
  if (holds_nothing(to)) return kSuccess;
  if (emulator::is_pinned(from)) {
    emulator::start(stream, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
    return kSuccess;
  }
  const auto* const first = static_cast<const char*>(from);
  emulator::start(stream, [to, copy = std::vector<char>(first, first + bytes)] {
    std::memcpy(reinterpret_cast<void*>(to), copy.data(), copy.size());
  });
  return kSuccess;
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  emulator::start(stream, [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
  if (!emulator::is_pinned(to)) emulator::finish(stream);
  return kSuccess;
}
CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, std::size_t count,
                         CUstream stream) {
  if (holds_nothing(memory)) return kSuccess;
  emulator::start(stream, [=] { std::memset(reinterpret_cast<void*>(memory), value, count); });
  return kSuccess;
}
CUresult cuMemsetD32Async(CUdeviceptr memory, unsigned value, std::size_t count, CUstream stream) {
  if (holds_nothing(memory)) return kSuccess;
  emulator::start(stream, [=] { std::fill_n(reinterpret_cast<unsigned*>(memory), count, value); });
  return kSuccess;
}
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = emulator::make_stream();
  return kSuccess;
}
CUresult cuStreamSynchronize(CUstream stream) {
  emulator::finish(stream);
  return kSuccess;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  emulator::hold(stream, event);
  return kSuccess;
}
CUresult cuGraphCreate(CUgraph* graph, unsigned) {
  *graph = reinterpret_cast<CUgraph>(new EmulatedGraph);
  return kSuccess;
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                 std::size_t count, const CUkernelNodeParams* parameters) {
  auto& [launches, edges] = *reinterpret_cast<EmulatedGraph*>(graph);
  std::vector<std::size_t> waits_for;
  for (std::size_t i = 0; i < count; ++i) {
    // Nodes are numbers from 1 on: what a node waits for was made before it.
    const auto number = reinterpret_cast<std::uintptr_t>(before[i]);
    if (number == 0 || number > launches.size()) return kInvalid;
    waits_for.push_back(number - 1);
  }
  if (parameters->shared > 0) return kInvalid;
  launches.emplace_back(parameters->function, parameters->grid_x, parameters->block_x,
                        parameters->parameters);
  edges.push_back(std::move(waits_for));
  *node = reinterpret_cast<CUgraphNode>(launches.size());
  return kSuccess;
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edges, std::size_t count) {
  auto& [launches, waits_for] = *reinterpret_cast<EmulatedGraph*>(graph);
  for (std::size_t i = 0; i < count; ++i) {
    const auto before = reinterpret_cast<std::uintptr_t>(from[i]);
    const auto after = reinterpret_cast<std::uintptr_t>(to[i]);
    if (before == 0 || before >= after || after > launches.size()) return kInvalid;
    if (edges[i].type != kProgrammatic || edges[i].from_port != kProgrammaticPort) return kInvalid;
    waits_for[after - 1].push_back(before - 1);
  }
  return kSuccess;
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, int attribute,
                                       const CUlaunchAttributeValue*) {
  return node != nullptr && attribute == kPriority ? kSuccess : kInvalid;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  ++calls.graphs;
  *executable = reinterpret_cast<CUgraphExec>(
      new EmulatedRun(reinterpret_cast<EmulatedGraph*>(graph)->in_order()));
  return kSuccess;
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  emulator::start(stream, [run = reinterpret_cast<const EmulatedRun*>(graph)] {
    for (const EmulatedLaunch& launch : *run) launch.run();
  });
  return kSuccess;
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete reinterpret_cast<EmulatedGraph*>(graph);
  return kSuccess;
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  emulator::finish_all();
  delete reinterpret_cast<EmulatedRun*>(graph);
  return kSuccess;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = emulator::make_event();
  return kSuccess;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  emulator::record(event, stream);
  return kSuccess;
}
CUresult cuEventSynchronize(CUevent event) {
  emulator::finish(event);
  return kSuccess;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 0.001F;
  return kSuccess;
}
CUresult cuEventDestroy_v2(CUevent event) {
  emulator::forget(event);
  return kSuccess;
}
// What nvrtcGetCUBIN() gives: the size of a shared library, then its bytes.
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  ++calls.modules;
  auto* const loaded = new EmulatedModule;
  *module = reinterpret_cast<CUmodule>(loaded);
  std::uint64_t size = 0;
  std::memcpy(&size, image, sizeof size);
  loaded->library = open_bytes(static_cast<const char*>(image) + sizeof size, size);
  return loaded->library != nullptr ? kSuccess : kInvalid;
}
CUresult cuModuleUnload(CUmodule module) {
  emulator::finish_all();
  auto* const loaded = reinterpret_cast<EmulatedModule*>(module);
  if (loaded->library != nullptr) ::dlclose(loaded->library);
  delete loaded;
  return kSuccess;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  auto* const loaded = reinterpret_cast<EmulatedModule*>(module);
  void* const found = ::dlsym(loaded->library, name);
  const void* const bytes = ::dlsym(loaded->library, "vecc_argument_bytes");
  if (found == nullptr || bytes == nullptr) return kInvalid;
  EmulatedKernel& kernel = loaded->kernels[name];
  kernel.run = reinterpret_cast<decltype(kernel.run)>(found);
  kernel.argument_bytes = *static_cast<const unsigned*>(bytes);
  *function = reinterpret_cast<CUfunction>(&kernel);
  return kSuccess;
}
const EmulatedCalls* vecc_emulated_calls() {
  return &calls;
}
CUresult cuLaunchKernel(CUfunction function, unsigned blocks, unsigned, unsigned, unsigned threads,
                        unsigned, unsigned, unsigned shared, CUstream stream, void** parameters,
                        void**) {
  if (shared > 0) return kInvalid;
  ++calls.launches;
  emulator::start(
      stream, [launch = EmulatedLaunch(function, blocks, threads, parameters)] { launch.run(); });
  return kSuccess;
}
}
