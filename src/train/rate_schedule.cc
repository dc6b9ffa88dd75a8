// How the learning rate changes.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "src/support/enum_names.h"
#include "vecc/train_step.h"

namespace vecc {
std::string_view text_of(RateSchedule::Kind kind) {
  switch (kind) {
    case RateSchedule::Kind::Constant: return "constant";
    case RateSchedule::Kind::Step: return "step";
    case RateSchedule::Kind::Geometric: return "geometric";
    case RateSchedule::Kind::Arithmetic: return "arithmetic";
    case RateSchedule::Kind::Cosine: return "cosine";
  }
  return "";
}

std::optional<RateSchedule::Kind> parse_schedule(std::string_view text) {
  return parse_name<RateSchedule::Kind>(text);
}

double RateSchedule::rate_at(std::uint64_t at) const {
  VECC_CHECK(period > 0, "a schedule's period is at least 1");
  switch (kind) {
    case Kind::Constant: return base;
    case Kind::Step: return base * std::pow(factor, static_cast<double>(at / period));
    case Kind::Geometric: return base * std::pow(factor, static_cast<double>((at + 1) / period));
    case Kind::Arithmetic: {
      const auto left = static_cast<double>(period) - static_cast<double>(at) - 1;
      return base * std::max(0.0, left / static_cast<double>(period));
    }
    case Kind::Cosine: {
      if (at >= period) return last;
      const double part = static_cast<double>(at) / static_cast<double>(period);
      return last + (base - last) * (1 + std::cos(std::numbers::pi * part)) / 2;
    }
  }
  fail_check("known schedule", __FILE__, __LINE__, std::to_string(static_cast<int>(kind)));
}

}  // namespace vecc
