// Kernel prelude, CUDA only: runs one after another on a device, of which the host sees one number
// each. `Number` is float or double.
namespace vecc_kernel {

struct Series {
  Number* total;   // a state: 0 before each run, kept after it
  Number* totals;  // by run
  const Number*
      values;  // runs x inputs: what to set before each run; the host did it for the first
  Number* const* targets;  // by input
  unsigned inputs;
  unsigned runs;
};

// Between two runs, and after the last; by one block.
static __device__ __forceinline__ void end_run(const Series& series, unsigned run) {
  const unsigned next = run + 1;
  if (threadIdx.x == 0) {
    series.totals[run] = *series.total;
    if (next < series.runs) *series.total = Number(0);
  }
  if (next >= series.runs) return;
  for (unsigned i = threadIdx.x; i < series.inputs; i += kThreads) {
    *series.targets[i] = series.values[next * series.inputs + i];
  }
}

}  // namespace vecc_kernel
