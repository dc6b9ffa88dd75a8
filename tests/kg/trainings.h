// What tests of trainings of triples share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/kg/train/triple_trainer.h"

namespace vecc::test {

/// The numbers of a checkpoint's table in double.
inline std::vector<double> numbers_of(const WeightFile& file, const std::string& name) {
  const auto found = std::ranges::find(file.tensors, name, &WeightTensor::name);
  if (found != file.tensors.end()) return values_of(*found);
  ADD_FAILURE() << "no tensor " << name;
  return {};
}

/// After `before` steps of `whole`, `resumed`, of the same options, goes on from its file: `after`
/// steps more have the same bits.
inline void expect_same_bits_from_a_file(kg::TripleTrainer& whole, kg::TripleTrainer& resumed,
                                         int before, int after) {
  for (int i = 0; i < before; ++i) ASSERT_TRUE(whole.step());
  const Result<void> restored = resumed.restore(*whole.save());
  ASSERT_TRUE(restored) << restored.error().text();
  EXPECT_EQ(resumed.position(), whole.position());
  for (int i = 0; i < after; ++i) {
    ASSERT_TRUE(whole.step());
    ASSERT_TRUE(resumed.step());
  }
  EXPECT_EQ(resumed.save()->tensors, whole.save()->tensors);
  EXPECT_EQ(*resumed.epoch_loss(), *whole.epoch_loss());
}

}  // namespace vecc::test
