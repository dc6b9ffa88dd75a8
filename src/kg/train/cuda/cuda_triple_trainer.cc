#include "src/kg/train/cuda/cuda_triple_trainer.h"

#include <future>
#include <optional>
#include <string>
#include <utility>

#include "backends/cuda/cuda_backend.h"
#include "src/kg/cuda/device_ranker.h"
#include "src/kg/train/cuda/device_step.h"
#include "src/kg/train/draws.h"
#include "src/kg/train/trainer_file.h"

namespace vecc::kg {
namespace {

using cuda::on_device;

template <class T>
class DeviceTrainer : public TripleTrainer {
 public:
  DeviceTrainer(std::shared_ptr<cuda::Device> device, std::unique_ptr<DeviceStep> step,
                const TripleTrainOptions& options, std::shared_ptr<const ScoreCode> formula)
      : options_(options),
        device_(std::move(device)),
        step_(std::move(step)),
        model_(initial_model<T>(static_cast<std::uint32_t>(step_->sizes().entities),
                                static_cast<std::uint32_t>(step_->sizes().relations), options,
                                std::move(formula))) {
    step_->write(model_);
  }

  [[nodiscard]] std::uint64_t batch_count() const override { return step_->sizes().batches; }
  [[nodiscard]] TrainPosition position() const override { return progress_.position; }
  [[nodiscard]] double rate() const override {
    const TrainPosition& at = progress_.position;  // the last step's: of the epoch that it ended
    return options_.schedule.rate_at(at.batch == 0 && at.epoch > 0 ? at.epoch - 1 : at.epoch);
  }
  [[nodiscard]] std::shared_ptr<Storage> storage() const override { return nullptr; }
  [[nodiscard]] std::uint64_t bytes() const override { return step_->bytes(); }
  [[nodiscard]] Result<BatchReport> batch_report() override {
    return BatchReport{.way = batch_count() > 1 ? "bind" : "all",
                       .samples = step_->sizes().batch_size,
                       .bytes = {},
                       .step_bytes = bytes()};
  }

  [[nodiscard]] Result<void> step() override {
    return on_device([&]() -> Result<void> {
      device_->use();
      TrainPosition& at = progress_.position;
      if (at.batch == 0) VECC_TRY_VOID(wait());
      if (!running_) VECC_TRY_VOID(begin_steps());
      step_->start();
      ++at.step;
      if (++at.batch == batch_count()) {
        at.batch = 0;
        ++at.epoch;
      }
      return {};
    });
  }
  [[nodiscard]] Result<std::vector<TrainedEpoch>> epochs(std::uint32_t count) override {
    std::vector<TrainedEpoch> result;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::uint64_t batch = 0; batch < batch_count(); ++batch) VECC_TRY_VOID(step());
      VECC_TRY(const double loss, epoch_loss());
      result.push_back({rate(), loss});
    }
    return result;
  }
  [[nodiscard]] Result<double> epoch_loss() override {
    VECC_TRY_VOID(on_device([&] { return wait(); }));
    return progress_.queries > 0 ? progress_.loss_sum / static_cast<double>(progress_.queries) : 0;
  }

  [[nodiscard]] Result<Embeddings> embeddings() override {
    VECC_TRY_VOID(read_model());
    return embeddings_of(model_);
  }
  [[nodiscard]] Result<std::unique_ptr<TripleRanker>> make_ranker(
      std::span<const Triple> triples, const KnownTriples& known,
      const RankOptions& options) override {
    return on_device([&]() -> Result<std::unique_ptr<TripleRanker>> {
      device_->use();
      VECC_TRY(auto ranker, DeviceRanker::make(device_, step_->rank_model(), step_->rank_tables(),
                                               triples, known, options));
      return std::unique_ptr<TripleRanker>(std::make_unique<Ranker>(*this, std::move(ranker)));
    });
  }
  [[nodiscard]] Result<std::vector<MetadataEntry>> save_to(const PlaceTensor& place) override {
    VECC_TRY_VOID(read_model());
    return place_all(save_training<T>(model_, nullptr, options_.optimizer, progress_), place);
  }
  [[nodiscard]] Result<void> restore(const WeightSource& source) override {
    VECC_TRY(const WeightFile file, read_all(source));
    return on_device([&]() -> Result<void> {
      device_->use();
      device_->wait();
      running_ = false;
      VECC_TRY(progress_,
               restore_training<T>(file, options_.optimizer, batch_count(), model_, nullptr));
      step_->write(model_);
      return {};
    });
  }
  [[nodiscard]] Result<void> copy_weights_to(NeuronGraph&) override {
    return Errors(ErrorCode::Usage, "train", "no graph has the weights of drawn negatives");
  }
  [[nodiscard]] Result<std::optional<NonFinite>> find_non_finite(
      const WeightSource& good) override {
    const TrainPosition last = position();
    VECC_TRY_VOID(restore(good));
    while (position().step < last.step) {
      const TrainPosition at = position();
      VECC_TRY_VOID(step());
      if (!epoch_loss()) return std::optional(NonFinite{at, "the loss", 0});
    }
    return std::optional<NonFinite>();
  }

 private:
  // Of the weights where they are.
  class Ranker : public TripleRanker {
   public:
    Ranker(DeviceTrainer& trainer, std::unique_ptr<DeviceRanker> ranker)
        : trainer_(trainer), ranker_(std::move(ranker)) {}
    [[nodiscard]] Result<std::vector<Rank>> rank() override {
      return on_device([&]() -> Result<std::vector<Rank>> {
        VECC_TRY_VOID(trainer_.wait());
        trainer_.device_->use();
        return ranker_->rank();
      });
    }

   private:
    DeviceTrainer& trainer_;
    std::unique_ptr<DeviceRanker> ranker_;
  };

  // Steps go on from here, in their epoch.
  Result<void> begin_steps() {
    const TrainPosition& at = progress_.position;
    if (at.batch == 0) {
      progress_.loss_sum = 0;
      progress_.queries = 0;
    }
    set_order(at.epoch);
    const std::uint64_t first = at.epoch * batch_count();
    std::vector<device::StepRates> rates;
    for (std::uint64_t batch = 0; batch < batch_count(); ++batch) {
      const auto r =
          RowStep(options_.optimizer, first + batch + 1, options_.schedule.rate_at(at.epoch))
              .template rates<double>();
      rates.push_back({r.rate, r.correction1, r.correction2});
    }
    device::EpochState state{};
    state.first_step = first;
    state.queries = progress_.queries;
    state.loss_sum = progress_.loss_sum;
    state.next = static_cast<std::uint32_t>(at.batch);
    step_->begin(state, rates);
    running_ = true;
    return {};
  }

  // The next epoch's is drawn while the GPU works on this one.
  void set_order(std::uint64_t epoch) {
    const auto draw = [seed = options_.seed, count = step_->sizes().triples](std::uint64_t of) {
      return draw_order(seed, of, static_cast<std::uint32_t>(count));
    };
    const bool is_drawn = next_order_.valid() && next_epoch_ == epoch;
    const std::vector<std::uint32_t> order = is_drawn ? next_order_.get() : draw(epoch);
    step_->set_order(order);
    next_epoch_ = epoch + 1;
    next_order_ = std::async(std::launch::async, draw, next_epoch_);
  }

  // Until all steps are done: what they came to.
  Result<void> wait() {
    if (!running_) return {};
    device_->use();
    const device::EpochState state = step_->state();
    progress_.loss_sum = state.loss_sum;
    progress_.queries = state.queries;
    TrainPosition& at = progress_.position;
    if (at.batch == 0 || state.failed != 0) running_ = false;
    if (state.failed == 0) return {};
    at.step = state.first_step + state.next;
    at.epoch = state.first_step / batch_count();
    at.batch = state.next;
    return Errors(
        ErrorCode::NonFinite,
        "epoch " + std::to_string(at.epoch + 1) + ", batch " + std::to_string(at.batch + 1),
        "the loss is not finite: a lower learning rate (--lr) may help");
  }

  Result<void> read_model() {
    return on_device([&]() -> Result<void> {
      VECC_TRY_VOID(wait());
      device_->use();
      step_->read(model_);
      return {};
    });
  }

  TripleTrainOptions options_;
  std::shared_ptr<cuda::Device> device_;
  std::unique_ptr<DeviceStep> step_;
  LearnedModel<T> model_;  ///< as the GPU had it when it was read last
  TripleProgress progress_;
  bool running_ = false;  ///< the GPU stands where the position is, steps that were started done
  std::uint64_t next_epoch_ = 0;
  std::future<std::vector<std::uint32_t>> next_order_;
};

Result<std::shared_ptr<cuda::Device>> find_gpu(std::uint32_t device) {
  VECC_TRY_VOID(cuda_backend().available({Device::Kind::Cuda, device}));
  return cuda::Device::open(device);
}

// What ranks and answers compute of a user's score; of other models null.
Result<std::shared_ptr<const ScoreCode>> score_code_of(const TripleTrainOptions& options) {
  if (options.model != ScoreModel::Formula) return std::shared_ptr<const ScoreCode>();
  VECC_TRY(ScoreFormula formula, formula_of(options));
  return ScoreCode::load(std::move(formula), options.dtype,
                         {.gradients = false, .interpret = options.interpret});
}
std::optional<ScoreFormula> formula_of_code(const std::shared_ptr<const ScoreCode>& code) {
  return code ? std::optional(code->formula()) : std::nullopt;
}

Result<void> check_device_options(std::size_t triples, std::uint32_t entities,
                                  std::uint32_t relations, const TripleTrainOptions& options) {
  VECC_TRY_VOID(check_triple_options(triples, entities, relations, options));
  if (options.encoder.kind == EncoderKind::None) return {};
  return Errors(ErrorCode::Usage, "--encoder",
                "a step on a GPU reads learned rows of entities; make_triple_trainer() runs an "
                "encoder there, and scores on the CPU");
}

}  // namespace

Result<std::unique_ptr<TripleTrainer>> make_cuda_triple_trainer(std::vector<Triple> triples,
                                                                std::uint32_t entities,
                                                                std::uint32_t relations,
                                                                const TripleTrainOptions& options,
                                                                std::uint32_t device) {
  VECC_TRY_VOID(check_device_options(triples.size(), entities, relations, options));
  VECC_TRY(auto gpu, find_gpu(device));
  VECC_TRY(const auto code, score_code_of(options));
  return on_device([&]() -> Result<std::unique_ptr<TripleTrainer>> {
    gpu->use();
    VECC_TRY(auto step,
             DeviceStep::make(gpu, triples, entities, relations, options, formula_of_code(code)));
    if (options.dtype == DType::F64) {
      return std::unique_ptr<TripleTrainer>(
          std::make_unique<DeviceTrainer<double>>(gpu, std::move(step), options, code));
    }
    return std::unique_ptr<TripleTrainer>(
        std::make_unique<DeviceTrainer<float>>(gpu, std::move(step), options, code));
  });
}

Result<std::vector<LaunchTime>> time_step_launches(std::span<const Triple> triples,
                                                   std::uint32_t entities, std::uint32_t relations,
                                                   const TripleTrainOptions& options,
                                                   std::uint32_t device) {
  constexpr std::uint32_t kRuns = 30;
  VECC_TRY_VOID(check_device_options(triples.size(), entities, relations, options));
  VECC_TRY(auto gpu, find_gpu(device));
  VECC_TRY(const auto code, score_code_of(options));
  return on_device([&]() -> Result<std::vector<LaunchTime>> {
    gpu->use();
    VECC_TRY(const auto step,
             DeviceStep::make(gpu, triples, entities, relations, options, formula_of_code(code)));
    step->set_order(draw_order(options.seed, 0, static_cast<std::uint32_t>(step->sizes().triples)));
    const std::vector<device::StepRates> rates(step->sizes().batches, {1e-3, 1, 1});
    step->begin({}, rates);
    return step->time_launches(kRuns);
  });
}

}  // namespace vecc::kg
