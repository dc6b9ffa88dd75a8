// Steps from kernel groups to the Plan. Launches are in the order of their groups' stages and
// levels (make_launches.cc); a group's level is decided where ops join it (group/choose_group.cc).
#pragma once

#include <cstdint>

#include "vecc/plan.h"

namespace vecc {

/// Multiply-adds or moved numbers that are worth a tile: some microseconds.
inline constexpr std::uint64_t kTileWork = 1 << 15;
/// Rows of a tile of one type, which share its matrix.
inline constexpr std::uint32_t kTypedRows = 256;

/// What a tile of a processor's kernel has at least.
enum class TileFloor : std::uint8_t {
  None,     ///< a row
  Product,  ///< rows of a product, whose sums stay in registers
  Packed,   ///< those that a matrix is worth transposing for
};
[[nodiscard]] TileFloor tile_floor(const Kernel& kernel, const Target& target);
/// In rows, of a launch that runs on `rows`.
[[nodiscard]] std::uint32_t least_rows(TileFloor floor, std::uint32_t rows);
/// Of a row without its members, in the units of Launch::work.
[[nodiscard]] std::uint64_t row_work(const Kernel& kernel);

/// Fills a launch's tiles: about as much work each, at bounds that depend on nothing but the
/// launch; and the order of its rows, of a group with types, or where it pays (`ordered` of the
/// kernel).
void cut_tiles(Kernel& kernel, const Plan& plan, ArrayIndex types, const PlanOptions& options,
               Launch& launch,
               std::vector<std::shared_ptr<const std::vector<std::uint32_t>>>& arrays);

/// Where launches of one level run at once: a launch that goes through a few rows of a buffer into
/// which parameters, facts or states are copied (a concat of them) becomes one for each of those,
/// of the same kernel, which reads it where it is, and need not wait for the copy. Copies that
/// are not read then, nor `kept` (by buffer), are left out. Levels, and the order of launches,
/// follow. Before buffers are placed.
void elide_copies(Plan& plan, const std::vector<bool>& kept);

}  // namespace vecc
