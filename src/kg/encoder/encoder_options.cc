#include "src/kg/encoder/encoder_options.h"

#include <string>

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

Result<void> check_encoder_options(const EncoderOptions& o, std::uint64_t width) {
  if (o.kind == EncoderKind::None) return {};
  const auto refuse = [&](const char* option, const std::string& message) {
    return Errors(ErrorCode::Usage, option,
                  "--encoder=" + std::string(text_of(o.kind)) + " " + message);
  };
  constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 28;  // of a row of a Program
  if (width > kMostNumbers) return Errors(ErrorCode::LimitShape, "--dim", "is above 2^28");
  const bool attends = o.kind != EncoderKind::Rgcn;
  if (o.layers == 0) return refuse("--layers", "has at least one layer");
  if (!o.widths.empty() && o.widths.size() != o.layers) {
    return refuse("--encoder-dims", "of " + std::to_string(o.layers) + " layers: found " +
                                        std::to_string(o.widths.size()) +
                                        " numbers, expected one a layer, of what it reads");
  }
  if (o.bases > 0 && attends) return refuse("--bases", "has no bases: they are of rgcn");
  if (o.heads != 1 && !attends) return refuse("--heads", "has no attention heads");
  if (o.heads == 0) return refuse("--heads", "needs at least one head");
  if (!(o.edge_dropout >= 0 && o.edge_dropout < 1)) {
    return refuse("--edge-dropout", "leaves a share of edges out: expected 0 to below 1");
  }
  const std::vector<std::uint32_t> widths = layer_widths(o, static_cast<std::uint32_t>(width));
  for (std::size_t layer = 1; layer < widths.size(); ++layer) {
    const std::uint64_t in = widths[layer - 1];
    const std::uint64_t out = widths[layer];
    if (in == 0 || out == 0) return refuse("--encoder-dims", "found a width of 0");
    if (in * out > kMostNumbers || out * out > kMostNumbers) {
      return Errors(ErrorCode::LimitShape, "--encoder-dims",
                    "makes a matrix of more than 2^28 numbers");
    }
    if (out % o.heads == 0) continue;
    return refuse("--heads", "found " + std::to_string(o.heads) +
                                 ", which does not divide the width " + std::to_string(out));
  }
  return {};
}

}  // namespace vecc::kg
