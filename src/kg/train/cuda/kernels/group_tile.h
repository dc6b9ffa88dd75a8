// Products of a block's rows with its columns by tensor cores, f32 numbers in two parts each.
#if VECC_KG_HAS_PRODUCT_TILES && VECC_TENSOR_CORES
namespace vecc_kernel {

constexpr unsigned kGroupColumns = VECC_KG_GROUP_COLUMNS;  // of a warpgroup
template <bool kTermsInLine>
using GroupTile = SplitTile<kGroupColumns, kTermsInLine, Four>;
constexpr unsigned kGroupBlockColumns = GroupTile<true>::kBlockColumns;
constexpr unsigned kGroupTerms = GroupTile<true>::kTerms;
constexpr unsigned kGroupSpace = GroupTile<true>::kSpace;
static_assert(kPairThreads == 256, "two warpgroups");

// A row's number, the row being `row` steps behind that of `first`: by one instruction.
VECC_KG_FN const Number* number_behind(const Number* first, unsigned row, unsigned step_bytes) {
  const char* const from = reinterpret_cast<const char*>(first);
  return reinterpret_cast<const Number*>(from + static_cast<unsigned long long>(row) * step_bytes);
}

// Sums side by side of a row, from `place` on, of which the first `count` are there.
VECC_KG_FN void write_two(Number* place, unsigned count, Two two) {
  if constexpr (kHasFours) {
    if (count > 0) *reinterpret_cast<Two*>(place) = two;
    return;
  }
  if (count > 0) place[0] = two.first;
  if (count > 1) place[1] = two.second;
}

}  // namespace vecc_kernel
#endif
