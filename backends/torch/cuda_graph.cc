#include "backends/torch/cuda_graph.h"

#include "vecc/error.h"

#ifdef VECC_CUDA_HEADERS
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace vecc::libtorch {

#ifdef VECC_CUDA_HEADERS

struct CudaGraph::Impl {
  std::unique_ptr<at::cuda::CUDAGraph> graph;
};

bool CudaGraph::is_built_in() {
  return true;
}

bool CudaGraph::record(const c10::Device& device, const std::function<void()>& body) {
  auto graph = std::make_unique<at::cuda::CUDAGraph>();
  const c10::cuda::CUDAStream stream =
      c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index());
  const c10::cuda::CUDAStreamGuard on_stream(stream);
  // Other threads may do what a recording must not.
  graph->capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
  bool recorded = true;
  try {
    body();
  } catch (const c10::Error&) {
    recorded = false;
  }
  try {
    graph->capture_end();
  } catch (const c10::Error&) {
    recorded = false;
  }
  if (recorded) impl_->graph = std::move(graph);
  return recorded;
}

bool CudaGraph::is_recorded() const {
  return impl_->graph != nullptr;
}

void CudaGraph::discard() {
  impl_->graph.reset();
}

void CudaGraph::launch() {
  impl_->graph->replay();
}

#else

struct CudaGraph::Impl {};

bool CudaGraph::is_built_in() {
  return false;
}

bool CudaGraph::record(const c10::Device& /*device*/, const std::function<void()>& /*body*/) {
  return false;
}

bool CudaGraph::is_recorded() const {
  return false;
}

void CudaGraph::discard() {}

void CudaGraph::launch() {
  fail_check("a recorded graph", __FILE__, __LINE__, "built without the CUDA headers");
}

#endif

CudaGraph::CudaGraph() : impl_(std::make_unique<Impl>()) {}
CudaGraph::~CudaGraph() = default;

}  // namespace vecc::libtorch
