// The kernels that rank. The second parameter is what all kernels of vecc have; these have none.
#define VECC_KG_KERNEL(name, threads, function)                         \
  extern "C" __global__ void __launch_bounds__(threads)                 \
      name(const __grid_constant__ vecc_kernel::Bound a, const void*) { \
    vecc_kernel::function(a);                                           \
  }

#define VECC_KG_TILE_BOUNDS vecc_kernel::kRankThreads, vecc_kernel::kTileBlocks

#if VECC_KG_IS_FORMULA
VECC_KG_KERNEL(vecc_kg_rank_slots, vecc_kernel::kRankRowThreads, find_rank_slots)
#elif VECC_KG_HAS_MATRICES
VECC_KG_KERNEL(vecc_kg_rank_queries, VECC_KG_TILE_BOUNDS, multiply_queries)
#elif VECC_KG_HAS_PLANES
VECC_KG_KERNEL(vecc_kg_rank_queries, 32, make_plane_queries)
VECC_KG_KERNEL(vecc_kg_rank_project, vecc_kernel::kRankRowThreads, project_on_plane)
#else
VECC_KG_KERNEL(vecc_kg_rank_queries, vecc_kernel::kRankRowThreads, make_queries)
#endif
#if VECC_KG_HAS_SPACES
VECC_KG_KERNEL(vecc_kg_rank_project, VECC_KG_TILE_BOUNDS, multiply_answers)
#endif
VECC_KG_KERNEL(vecc_kg_rank_pack_queries, vecc_kernel::kRankThreads, pack_queries)
VECC_KG_KERNEL(vecc_kg_rank_pack_answers, vecc_kernel::kRankThreads, pack_answers)
VECC_KG_KERNEL(vecc_kg_rank_items, vecc_kernel::kRankRowThreads, score_items)
VECC_KG_KERNEL(vecc_kg_rank_count, VECC_KG_TILE_BOUNDS, count_tiles)
