// embed GRAPH [EPOCHS]: loads a graph, trains it for some epochs (20), and prints each sample's
// output before and after.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "vecc/backend.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace {

/// The first backend that can run the program here: cpu where there is a C++ compiler.
vecc::Result<const vecc::Backend*> choose_backend(const vecc::Program& program) {
  for (const vecc::Backend* backend : vecc::preferred_backends({})) {
    if (backend->available({}) && backend->unsupported(program).empty()) return backend;
  }
  return vecc::Errors(vecc::ErrorCode::BackendUnsupported, "embed", "no backend can run this");
}

/// Outputs by sample.
vecc::Result<std::vector<vecc::Executable::Output>> run(const vecc::Program& program,
                                                        const vecc::Backend& backend,
                                                        std::shared_ptr<vecc::Storage> storage) {
  vecc::ExecutionOptions options;
  options.storage = std::move(storage);
  VECC_TRY(const auto executable, backend.compile(program, options));
  VECC_TRY_VOID(executable->run());
  return executable->outputs();
}

vecc::Result<void> load_train_print(const char* path, std::uint64_t epochs) {
  VECC_TRY(vecc::NeuronGraph graph, vecc::read_graph(path));
  vecc::initialize_weights(graph, vecc::Initializer::Uniform, 1);
  VECC_TRY(vecc::Vectorized vectorized, vecc::vectorize(graph));
  VECC_TRY(const vecc::Program program, vecc::optimize(std::move(vectorized.program)));
  VECC_TRY(const vecc::Backend* const backend, choose_backend(program));
  VECC_TRY(const auto before, run(program, *backend, nullptr));

  std::vector<std::uint32_t> samples(program.sample_count());
  std::iota(samples.begin(), samples.end(), 0u);
  vecc::TrainOptions options;
  options.schedule.base = 0.01;
  VECC_TRY(const auto trainer, vecc::make_trainer(graph, program, *backend, {}, options, samples));
  for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch) {
    for (std::uint64_t batch = 0; batch < trainer->batch_count(); ++batch) {
      VECC_TRY_VOID(trainer->step());
    }
    VECC_TRY(const double loss, trainer->epoch_loss());
    std::fprintf(stderr, "epoch %llu: loss %.6f\n", static_cast<unsigned long long>(epoch), loss);
  }

  VECC_TRY(const auto after, run(program, *backend, trainer->storage()));
  for (const std::uint32_t sample : samples) {  // an output's first number
    std::printf("%s\t%.6g\t%.6g\n", std::string(graph.sample_ids[sample]).c_str(),
                before[sample].value.front(), after[sample].value.front());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fputs("usage: embed GRAPH [EPOCHS]\n", stderr);
    return static_cast<int>(vecc::ExitCode::Usage);
  }
  const std::uint64_t epochs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20;
  if (const auto done = load_train_print(argv[1], epochs); !done) {
    std::fprintf(stderr, "%s\n", done.error().text().c_str());
    return static_cast<int>(done.error().exit_code());
  }
  return 0;
}
