// Random numbers of a training, by what they are drawn for.
#pragma once

#include "src/function/counter_draws.h"
#include "src/kg/formulas/kinds.h"
#include "src/kg/formulas/numbers.h"

namespace vecc::kg::formulas {

using vecc::draw_below;
using vecc::DrawBits;

/// 64 bits; `position` is below 2^56.
VECC_KG_FN DrawBits draw_bits(DrawBits seed, DrawStream stream, DrawBits step, DrawBits position) {
  return vecc::draw_bits(seed, unsigned(stream), step, position);
}

/// A multiple of 2^-53 in [0, 1).
VECC_KG_FN double draw_uniform(DrawBits bits) {
  return double(bits >> 11) * 0x1p-53;
}

/// Dropout: which draw is of number k of a row of `width`, if the row is what a step reads in
/// `slot`. A draw is of four numbers.
VECC_KG_FN DrawBits dropout_position(DrawBits slot, DrawBits width, DrawBits k) {
  return slot * ((width + 3) / 4) + k / 4;
}
/// Whether the draw leaves number k out: 16 of its bits are below `share`, with the probability
/// share / 2^16.
VECC_KG_FN bool is_dropped(DrawBits bits, DrawBits k, unsigned share) {
  return unsigned(bits >> (k % 4 * 16) & 0xFFFFu) < share;
}

/// Number i with the probability of its weight among all; sums: of the weights up to and with i.
VECC_KG_FN unsigned draw_weighted(DrawBits bits, const double* sums, unsigned count) {
  const double total = sums[count - 1];
  const double at = draw_uniform(bits) * total;
  // The first sum that is more; where the product was rounded up to the total, the first that is
  // the total: the last number with a weight.
  const bool is_end = !(at < total);
  unsigned begin = 0;
  unsigned end = count - 1;
  while (begin < end) {
    const unsigned middle = begin + (end - begin) / 2;
    if (is_end ? sums[middle] >= total : sums[middle] > at) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

}  // namespace vecc::kg::formulas
