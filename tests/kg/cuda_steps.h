// Steps of trainings on a GPU, or on the emulated one, and the same on the CPU.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "src/kg/train/triple_trainer.h"

namespace vecc::test {

using Trainer = std::unique_ptr<kg::TripleTrainer>;

inline constexpr std::uint32_t kNodes = 41;
inline constexpr std::uint32_t kLinks = 3;

/// Skips where there is no GPU.
class CudaTraining : public testing::Test {
 protected:
  void SetUp() override;
};

/// Of kNodes and kLinks; one relation has one triple, the last entity none.
[[nodiscard]] std::vector<kg::Triple> some_triples();
/// In f64; the last batch, and the last chunk of a batch, are not whole.
[[nodiscard]] kg::TripleTrainOptions some_options();
/// k-vs-all.
[[nodiscard]] kg::TripleTrainOptions labelled_options();

[[nodiscard]] Trainer on_cpu(const kg::TripleTrainOptions& options);
/// Null if it failed, which the test has then, too.
[[nodiscard]] Trainer on_cuda(const kg::TripleTrainOptions& options);

/// Steps have the same losses on both, and the same weights and states after them: to `tolerance`,
/// or, where that is 0, f64 to 1e-9, f32 to 2e-4.
void expect_steps(const kg::TripleTrainOptions& options, int steps = 20);
void expect_steps_of(const std::vector<kg::Triple>& triples, std::uint32_t nodes,
                     std::uint32_t links, const kg::TripleTrainOptions& options, int steps,
                     double tolerance = 0);

}  // namespace vecc::test
