#include "src/kg/cuda/cuda_ranks.h"

#include <array>
#include <utility>

#include "backends/cuda/cuda_backend.h"
#include "src/kg/cuda/device_ranker.h"
#include "src/kg/cuda/parameter_rows.h"
#include "src/support/quantity_text.h"

namespace vecc::kg {
namespace {

// The tables of embeddings on a GPU.
class CudaRanker : public TripleRanker {
 public:
  explicit CudaRanker(std::shared_ptr<cuda::Device> device) : device_(std::move(device)) {}

  template <class T>
  [[nodiscard]] Result<void> write(const Embeddings& e, const EmbeddingTables<T>& tables) {
    const std::uint64_t bytes =
        (tables.entities.size() + tables.relations.size() + tables.matrices.size() +
         tables.normals.size() + tables.shared.size()) *
        sizeof(T);
    if (const std::uint64_t free = device_->free_bytes(); bytes > free) {
      return Errors(ErrorCode::OutOfMemory, device_->name(),
                    "the weights need " + text_of_bytes(bytes) + ", free are " +
                        text_of_bytes(free) + "; --backend=cpu uses the host's memory");
    }
    if (e.formula) {
      const ScoreFormula& formula = e.formula->formula();
      tables_.entities = write(rows_by_parameter(tables.entities, formula, ParameterOwner::Entity,
                                                 e.entities, /*to_rows=*/false));
      tables_.relations =
          write(rows_by_parameter(tables.relations, formula, ParameterOwner::Relation, e.relations,
                                  /*to_rows=*/false));
    } else {
      tables_.entities = write(tables.entities);
      tables_.relations = write(tables.relations);
    }
    tables_.matrices = write(tables.matrices);
    tables_.normals = write(tables.normals);
    tables_.shared = write(tables.shared);
    tables_.relation_stride = e.relation_dim;
    tables_.matrix_stride = std::uint64_t{e.relation_dim} * e.dim;
    tables_.normal_stride = e.dim;
    return {};
  }
  [[nodiscard]] Result<void> prepare(const Embeddings& e, std::span<const Triple> triples,
                                     const KnownTriples& known, const RankOptions& options,
                                     std::uint64_t block_bytes) {
    VECC_TRY(ranker_, DeviceRanker::make(device_, rank_model(e), tables_, triples, known, options,
                                         block_bytes));
    return {};
  }

  [[nodiscard]] Result<std::vector<Rank>> rank() override {
    return cuda::on_device([&]() -> Result<std::vector<Rank>> {
      device_->use();
      return ranker_->rank();
    });
  }

 private:
  template <class T>
  std::uint64_t write(const std::vector<T>& values) {
    const std::uint64_t bytes = values.size() * sizeof(T);
    const cuda::DeviceMemory& memory = memory_.emplace_back(device_, bytes);
    memory.write(0, values.data(), bytes);
    return memory.address();
  }

  std::shared_ptr<cuda::Device> device_;
  std::vector<cuda::DeviceMemory> memory_;
  RankTables tables_;
  std::unique_ptr<DeviceRanker> ranker_;
};

}  // namespace

Result<std::unique_ptr<TripleRanker>> make_cuda_ranker(
    const Embeddings& embeddings, std::span<const Triple> triples, const KnownTriples& known,
    const RankOptions& options, std::uint32_t device, std::uint64_t block_bytes) {
  VECC_TRY_VOID(cuda_backend().available({Device::Kind::Cuda, device}));
  VECC_TRY(auto gpu, cuda::Device::open(device));
  return cuda::on_device([&]() -> Result<std::unique_ptr<TripleRanker>> {
    gpu->use();
    auto ranker = std::make_unique<CudaRanker>(gpu);
    VECC_TRY_VOID(std::visit([&](const auto& tables) { return ranker->write(embeddings, tables); },
                             embeddings.tables));
    VECC_TRY_VOID(ranker->prepare(embeddings, triples, known, options, block_bytes));
    return std::unique_ptr<TripleRanker>(std::move(ranker));
  });
}

}  // namespace vecc::kg
