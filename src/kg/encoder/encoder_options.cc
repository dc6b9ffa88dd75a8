#include "src/kg/encoder/encoder_options.h"

#include <algorithm>
#include <string>

#include "vecc/index.h"

namespace vecc::kg {

std::string_view text_of(EncoderKind kind) {
  switch (kind) {
    case EncoderKind::None: return "none";
    case EncoderKind::Rgcn: return "rgcn";
    case EncoderKind::Rgat: return "rgat";
    case EncoderKind::Hgt: return "hgt";
  }
  return {};
}

std::vector<std::uint32_t> layer_widths(const EncoderOptions& o, std::uint32_t width) {
  std::vector<std::uint32_t> widths = o.widths;
  widths.resize(o.layers, width);
  widths.push_back(width);
  return widths;
}

namespace {

Errors refuse(const EncoderOptions& o, const char* option, const std::string& message) {
  return Errors(ErrorCode::Usage, option,
                "--encoder=" + std::string(text_of(o.kind)) + " " + message);
}

Result<void> check_layers(const EncoderOptions& o) {
  if (o.layers == 0) return refuse(o, "--layers", "has at least one layer");
  if (!o.widths.empty() && o.widths.size() != o.layers) {
    return refuse(o, "--encoder-dims",
                  "of " + std::to_string(o.layers) + " layers: found " +
                      std::to_string(o.widths.size()) +
                      " numbers, expected one a layer, of what it reads");
  }
  const bool attends = o.kind != EncoderKind::Rgcn;
  if (o.bases > 0 && attends) return refuse(o, "--bases", "has no bases: they are of rgcn");
  if (o.heads != 1 && !attends) return refuse(o, "--heads", "has no attention heads");
  if (o.heads == 0) return refuse(o, "--heads", "needs at least one head");
  if (o.edge_dropout >= 0 && o.edge_dropout < 1) return {};
  return refuse(o, "--edge-dropout", "leaves a share of edges out: expected 0 to below 1");
}

}  // namespace

Result<void> check_encoder_options(const EncoderOptions& o, const EncoderSize& size) {
  if (o.kind == EncoderKind::None) return {};
  constexpr std::uint64_t kMostOfRow = std::uint64_t{1} << 28;
  constexpr std::uint64_t kMostOfTable = std::uint64_t{1} << 40;
  const auto limit = [](ErrorCode code, const std::string& message) {
    return Errors(code, "--encoder", message);
  };
  if (size.width > kMostOfRow) return limit(ErrorCode::LimitShape, "reads rows above 2^28 numbers");
  VECC_TRY_VOID(check_layers(o));
  const std::uint64_t types = size.relations * (o.inverse.empty() ? 2 : 1);
  const std::uint64_t matrices = std::max<std::uint64_t>(o.bases, types);
  if (types * std::max(o.bases, o.heads) > kMaxRows) {
    return limit(ErrorCode::LimitRows, "has a table of more rows than 32 bits number");
  }
  const std::vector<std::uint32_t> widths = layer_widths(o, static_cast<std::uint32_t>(size.width));
  for (std::size_t layer = 1; layer < widths.size(); ++layer) {
    const std::uint64_t in = widths[layer - 1];
    const std::uint64_t out = widths[layer];
    if (in == 0 || out == 0) return refuse(o, "--encoder-dims", "found a width of 0");
    if (std::max(in, out) * out > kMostOfRow / std::max(o.bases, 1u)) {
      return limit(ErrorCode::LimitShape, o.bases > 0 ? "has bases of more than 2^28 numbers"
                                                      : "makes a matrix of more than 2^28 numbers");
    }
    if (in * out > kMostOfTable / matrices || in > kMostOfTable / size.entities) {
      return limit(ErrorCode::LimitShape, "makes a table of more than 2^40 numbers");
    }
    if (out % o.heads == 0) continue;
    return refuse(o, "--heads",
                  "found " + std::to_string(o.heads) + ", which does not divide the width " +
                      std::to_string(out));
  }
  return {};
}

}  // namespace vecc::kg
